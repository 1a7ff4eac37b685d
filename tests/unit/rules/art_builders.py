"""Observations of a small ART tool for tests of its rules: what it declares, and what its calls resolved to.

The model tool tells the tides of a port. What it declares and what it answers are as ART's host tells them of a tool that
keeps the contract; `tool` and `call` change one thing of either.
"""

import json

from tests.stimuli import stimulus

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import (
    Call,
    Constant,
    Declaration,
    Exploration,
    Member,
    Outcome,
    Parameter,
    Raised,
    Result,
    ResultError,
    SchemaReading,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.art.facts import ArtResult, ArtTool, Compilation, Oddity
from aptix_conformance.systems.art.traits import TRAITS
from aptix_conformance.systems.rulebook import all_rules

__all__ = ["ArtResult", "Compilation", "Exploration", "Member", "Oddity", "Parameter", "json", "replace"]

EDITION = load().default_edition("art")
RULES = {rule.code: rule for rule in all_rules(others=()) if rule.code.startswith("ART")}

NAME = "tide_times"
INPUT = {
    "type": "object",
    "properties": {"port": {"type": "string", "minLength": 2, "description": "The port's name."}},
    "required": ["port"],
    "additionalProperties": False,
}
OUTPUT = {"port": "Brest", "high": ["04:10", "16:35"]}
SCHEMA = {
    "name": NAME,
    "description": "Tells the tides. Use it when the user asks for a port's tides. Returns the times of high water.",
    "inputSchema": INPUT,
}
OUTPUT_SCHEMA = {
    "type": "object",
    "properties": {"port": {"type": "string"}, "high": {"type": "array", "items": {"type": "string"}}},
    "required": ["port", "high"],
}
CONTEXT = {
    "threadId": "7ead0000000000000000000000000001",
    "traceId": "7ace0000000000000000000000000001",
    "callId": "ca110000000000000000000000000001",
}
EXECUTE = tuple(Parameter(name, "positional", required=True) for name in ("input", "context"))


# ---- what it declares


def tool(*without, oddities=(), neighbours=(), input_compiled=None, **members):
    """The declaration of the model tool, some members of its schema taken away and others replaced or added."""
    schema = {key: value for key, value in {**SCHEMA, **members}.items() if key not in without}
    art = ArtTool(
        exported="class",
        schema=SchemaReading("returned", json.dumps(schema)),
        oddities=tuple(oddities),
        neighbours=tuple(neighbours),
        input_compiled=input_compiled,
    )
    rest = {key: value for key, value in schema.items() if key not in SCHEMA}
    shown = {"type": "function", "parameters": schema.get("inputSchema"), "art": rest}
    reading = SchemaReading("returned", json.dumps({**shown, **named(schema)}))
    return Declaration(
        class_name="TideTimesTool",
        module="./tides.mjs",
        when="start",
        tool_name=constant("name", schema.get("name")),
        usage_text=constant("description", schema.get("description")),
        get_schema=Member("schema", "attribute"),
        schema=reading,
        schema_again=reading,
        name=Member("name", "missing"),
        is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "missing"),
        execute=Member("execute", "method", is_async=True, parameters=EXECUTE),
        constructor=(),
        construction_error=None,
        traits=TRAITS,
        facts=art,
    )


def named(schema):
    """The name and the description of a schema, where it has them."""
    return {key: schema[key] for key in ("name", "description") if key in schema}


def constant(name, value):
    if value is None:
        return Constant(name, "missing")
    text = value if isinstance(value, str) else None
    return Constant(name, "plain", text, "object" if text is None else "str")


def with_schema(text=None, outcome="returned", error=None):
    """The declaration of a tool whose whole schema reads as a JSON text, or could not be read."""
    declared = tool("name", "description")
    return replace(declared, facts=replace(declared.facts, schema=SchemaReading(outcome, text, error)))


def without_art():
    """A declaration of which nothing that is ART's own is known."""
    return replace(tool(), facts=None)


# ---- what its calls resolved to


def succeeded(output=OUTPUT, **changes):
    """The model's ToolResult of a success."""
    return {"callId": CONTEXT["callId"], "toolName": NAME, "status": "success", "output": output, **changes}


def failed(error="There is no such port.", **changes):
    return {"callId": CONTEXT["callId"], "toolName": NAME, "status": "error", "error": error, **changes}


def suspended(**changes):
    metadata = {"suspensionId": "5a5e0001"}
    return {
        "callId": CONTEXT["callId"],
        "toolName": NAME,
        "status": "suspended",
        "metadata": metadata,
        **changes,
    }


def without(result, *names):
    return {key: value for key, value in result.items() if key not in names}


def call(
    value=None, label="minimal", probe="valid", arguments='{"port": "Brest"}', context=CONTEXT, **changes
):
    """A call that resolved to a value: the model's success, if none is given; as `Result`, what the host made of it."""
    result = value if isinstance(value, Result) else resolved(succeeded() if value is None else value)
    return Call(
        stimulus(probe, label, arguments, context), Outcome.RETURNED, 0.0, **{"result": result, **changes}
    )


def resolved(value, oddities=()):
    """What the host tells of a value that JSON has a form for."""
    kind = {dict: "object", list: "array", str: "string", type(None): "null"}[type(value)]
    art = ArtResult(kind, json.dumps(value), oddities=tuple(oddities))
    status = value.get("status") if isinstance(value, dict) else None
    if status not in ("success", "error", "suspended"):
        return Result(kind, is_invoke_result=False, facts=art)
    error = value.get("error")
    is_text = isinstance(error, str)
    return Result(
        "Object",
        is_invoke_result=True,
        successful=status != "error",
        payload=compact(value["output"]) if status == "success" and "output" in value else None,
        errors=(ResultError(error),) if is_text else (),
        error_message=error if is_text else None,
        facts=art,
    )


def unwritten(fault="TypeError: Do not know how to serialize a BigInt", oddities=(), status="success"):
    """What the host tells of a ToolResult that JSON.stringify throws for."""
    art = ArtResult("object", None, fault, tuple(oddities))
    return Result("Object", is_invoke_result=True, successful=status != "error", facts=art)


def in_part(value, *unwritten, fault="TypeError: Do not know how to serialize a BigInt"):
    """What the host tells of a ToolResult that JSON.stringify throws for, with None at the places that it could not write."""
    whole = resolved(value)
    art = replace(whole.facts, fault=fault, unwritten=unwritten)
    is_written = not any(place.partition(".")[0] == "output" for place in unwritten)
    return replace(whole, payload=whole.payload if is_written else None, facts=art)


def nothing():
    """What the host tells of undefined."""
    art = ArtResult("undefined", None, "undefined has no JSON form")
    return Result("undefined", is_invoke_result=False, facts=art)


def threw(type_name="Error", category="exception", **changes):
    raised = Raised(type_name, "" if category == "nothing" else "it broke", "", category)
    return replace(call(**changes), outcome=Outcome.RAISED, result=None, raised=raised)


def hung():
    """A call that did not come back."""
    return replace(call(), outcome=Outcome.TIMED_OUT, result=None, incident="no answer within 5 s")


def compact(value):
    """JSON as JSON.stringify writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def explored(*calls, declared=None):
    """The exploration of a tool that was read twice, with some calls."""
    first = declared or tool()
    return Exploration((first, replace(first, when="restarted")), calls)


# ---- what rules say


def is_for(code, observation):
    """Whether the rule is for the observation."""
    rule = RULES[code]
    assert isinstance(observation, rule.over), f"{code} judges a {rule.over.__name__}"
    return rule.when(observation)


def found(code, observation):
    """The finding of a rule that is for the observation."""
    assert is_for(code, observation) is True, f"{code} is not for this observation"
    return RULES[code].check(observation)


def judge(code, observation):
    """What a rule finds in an observation that it is for, in words; None where it finds nothing."""
    finding = found(code, observation)
    return finding.message if finding else None


def unconcerned(code, declaration):
    """Why a tool is not concerned by a rule; None where it is."""
    return RULES[code].applies(declaration)
