"""Observations for tests of rules: a declaration, a call, and the whole exploration of a small tool.

The model tool greets. `explore` sends it what the probes send, so that a test can break one thing in the tool
and see which rules notice.
"""

import json

from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import (
    ArgumentsClass,
    Call,
    Constant,
    Declaration,
    Exploration,
    LogRecord,
    Member,
    Outcome,
    Output,
    Parameter,
    Raised,
    Result,
    ResultError,
    SchemaReading,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.systems.rulebook import all_rules

__all__ = [
    "ArgumentsClass",
    "LogRecord",
    "Member",
    "Outcome",
    "Output",
    "Parameter",
    "Raised",
    "Result",
    "SchemaReading",
    "replace",
]

RULES = {
    rule.code: rule
    for rule in all_rules(others=())
    if rule.level(load().default_edition("aptix")) is not None
}
"""Those of Aptix, which are what the model tool is under."""

USAGE = """\
testing_greeter: Usage Guide

Primary purpose:
- Greets a person by name, in one of two moods.

Rules:
- Call this tool when the user asks to be greeted. Do not call it to end a conversation.
- Repeated calls give equal answers and change nothing.

Arguments:
- name: the person's name, from the user's own words.
- mood: kind or curt; kind when it is missing.
- count: how often to greet, 1 to 3; once by default.

Error codes:
- INVALID_ARGUMENTS: the arguments could not be understood; the message says why.

Good usage:
- "Please greet Ada" -> {"name": "Ada"}

Bad usage:
- Calling the tool with an empty name.
"""

PARAMETERS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "description": "The person's name."},
        "mood": {"type": "string", "enum": ["kind", "curt"], "description": "How to greet."},
        "count": {"type": "integer", "minimum": 1, "maximum": 3, "description": "How often to greet."},
    },
    "required": ["name"],
}
SCHEMA = {
    "type": "function",
    "name": "testing_greeter",
    "description": "Greets a person by name.",
    "parameters": PARAMETERS,
}

CONTEXT = {
    "session_id": "5e5510a0000000000000000000000001",
    "current_turn_id": "70707070000000000000000000000001",
    "request": {
        "conversation_id": "c0c0c0c0000000000000000000000001",
        "session_id": "5e5510a0000000000000000000000001",
    },
}
EXECUTE = tuple(
    Parameter(name, "positional", name != "cancellation_token")
    for name in ("arguments_json", "context", "cancellation_token")
)


def schema(**changes):
    """The model's schema with some members replaced; None takes one away."""
    return {key: value for key, value in {**SCHEMA, **changes}.items() if value is not None}


def parameters(**changes):
    """The model's schema with some members of its parameters replaced; None takes one away."""
    return schema(
        parameters={key: value for key, value in {**PARAMETERS, **changes}.items() if value is not None}
    )


def with_property(**properties):
    """The model's schema with properties added or replaced."""
    return parameters(properties={**PARAMETERS["properties"], **properties})


def plain(name, value):
    return Constant(name, "plain", value, "str")


def valued(name, value, kind="property", **changes):
    return Member(name, kind, value=value, value_type=type(value).__name__, **changes)


def declaration(emitted=SCHEMA, name="testing_greeter", usage=USAGE, **changes):
    """What the model tool declares, with some of it changed."""
    text = emitted if isinstance(emitted, str) else json.dumps(emitted)
    base = Declaration(
        class_name="GreeterTool",
        module="greeter",
        when="start",
        tool_name=plain("TOOL_NAME", name),
        usage_text=plain("TOOL_USAGE_METADATA", usage),
        get_schema=Member("get_schema", "static_method"),
        schema=SchemaReading("returned", text),
        schema_again=SchemaReading("returned", text),
        name=valued("name", name),
        is_tool_fully_executed_on_server=valued("is_tool_fully_executed_on_server", True),
        execute=Member("execute", "method", is_async=True, parameters=EXECUTE),
        constructor=(Parameter("logger", "positional", required=True, annotation="AdminLogger"),),
        construction_error=None,
        traits=TRAITS,
    )
    return replace(base, **changes)


def success(payload):
    """A successful result; an object is written as JSON."""
    text = payload if payload is None or isinstance(payload, str) else json.dumps(payload)
    return Result("InvokeResult", True, True, text, "NoneType" if text is None else "str")


def failure(message="The arguments are no JSON object.", code=None, details=None):
    return Result(
        "InvokeResult",
        True,
        False,
        errors=(ResultError(message, code, details),),
        error_message=message,
    )


def call(
    label="generated", arguments='{"name": "Ada"}', probe="valid", demand="either", result=None, **changes
):
    """One call; without `raised` in `changes` it returned `result`, the model's greeting if there is none.

    `changes` may also have its `context` and its `outcome`; all others are members of the call.
    """
    context, raised = changes.pop("context", CONTEXT), changes.pop("raised", None)
    disturbance = read_disturbance(f"fault:{label}") if probe == "fault" else None
    plan = stimulus(probe, label, arguments, context, demand, disturbance)
    if raised is not None:
        error = raised if isinstance(raised, Raised) else Raised(raised, "it broke", "")
        return Call(plan, Outcome.RAISED, 0.0, raised=error, **changes)
    outcome = changes.pop("outcome", Outcome.RETURNED)
    if outcome is Outcome.RETURNED and result is None:
        result = success({"message": "Hello", **identifiers(context)})
    return Call(plan, outcome, 0.0, result=result, **changes)


def identifiers(context):
    context = context or {}
    return {
        "sessionId": context.get("session_id"),
        "conversationId": (context.get("request") or {}).get("conversation_id"),
    }


def greet(text, context):
    """The model tool: the object to be returned, a failure, or an exception."""
    try:
        arguments = json.loads(text) if text and text.strip() else {}
    except (ValueError, RecursionError):
        return failure("The arguments are no JSON.")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return failure("The arguments are no JSON object.")
    name, mood, count = arguments.get("name"), arguments.get("mood"), arguments.get("count")
    mood = "kind" if mood is None else mood
    count = 1 if count is None else count
    if not isinstance(name, str) or not name:
        return failure("name is missing or no text.")
    if mood not in ("kind", "curt"):
        return failure("mood is neither kind nor curt.")
    if type(count) is not int or not 1 <= count <= 3:
        return failure("count is no whole number from 1 to 3.")
    return {"message": f"Hello {name}", **identifiers(context)}


WHOLE = {"name": "Ada", "mood": "kind", "count": 2}
"""Arguments of the model tool, none left out."""


def plans():
    """What the probes send to the model tool."""

    def objects(probe, demand, **labelled):
        for label, value in labelled.items():
            yield probe, label.replace("__", ":").replace("_", "-"), json.dumps(value), demand, CONTEXT

    yield "valid", "example:1", json.dumps({"name": "Grace Hopper"}), "accepted", CONTEXT
    yield from objects("valid", "either", minimal={"name": "A"}, full=WHOLE, again__minimal={"name": "A"})
    yield from objects("repeat", "either", same__A__1={"name": "A"}, same__A__2={"name": "A"})
    yield from unreadable_plans()
    yield from invalid_plans()
    yield from context_plans()


def unreadable_plans():
    """Arguments that are no object, and some that only look like none."""
    for probe, label, text, demand in (
        ("malformed", "blank:null", None, "refused"),
        ("malformed", "blank:empty", "", "refused"),
        ("malformed", "root:null", "null", "refused"),
        ("malformed", "root:array", "[1]", "refused"),
        ("malformed", "root:number", "7", "refused"),
        ("malformed", "garbage:prose", "Please greet Ada.", "refused"),
        ("malformed", "truncated:open", '{"name": "A', "either"),
        ("malformed", "lenient:nan", '{"name": "Ada", "count": NaN}', "either"),
        ("malformed", "lenient:surrogate-escaped", '{"name": "a\\ud800b"}', "either"),
        ("extremes", "extreme:name:apostrophe", '{"name": "O\'Brien"}', "either"),
        ("extremes", "extreme:name:lone-surrogate", '{"name": "a\\ud800b"}', "either"),
        ("malformed", "lenient:deep", "[" * 100_000, "either"),
        ("malformed", "mutation", '{"name": "Ada"}}', "either"),
    ):
        yield probe, label, text, demand, CONTEXT


def invalid_plans():
    """Objects that break the schema in one place, or do not although they look as if they did."""
    changes = {
        "missing:name": {"mood": "kind"},
        "null:name": {**WHOLE, "name": None},
        "type:name:object": {**WHOLE, "name": {"a": 1}},
        "type:name:array": {**WHOLE, "name": ["a"]},
        "type:mood:array": {**WHOLE, "mood": ["a"]},
        "enum:mood": {**WHOLE, "mood": "__no_such_value__"},
        "type:count:object": {**WHOLE, "count": {"a": 1}},
        "bounds:count:maximum": {**WHOLE, "count": 4},
        "length:name:minLength": {**WHOLE, "name": ""},
        "combined:null:name+enum:mood": {"name": None, "mood": "x"},
    }
    for label, value in changes.items():
        yield "invalid", label, json.dumps(value), "refused", CONTEXT
    yield "invalid", "additional:unexpected", json.dumps({**WHOLE, "unexpected": 1}), "either", CONTEXT
    yield "invalid", "coercible:count:numeric-string", json.dumps({**WHOLE, "count": "2"}), "either", CONTEXT
    for name in ("mood", "count"):
        rest = {key: value for key, value in WHOLE.items() if key != name}
        yield "invalid", f"omitted-optional:{name}", json.dumps(rest), "accepted", CONTEXT
        yield "invalid", f"null-optional:{name}", json.dumps({**rest, name: None}), "accepted", CONTEXT


def context_plans():
    """Contexts that lack something, and one of somebody else."""
    other = {
        **CONTEXT,
        "session_id": "another",
        "request": {"conversation_id": "one", "session_id": "another"},
    }
    yield "context", "context:none", json.dumps(WHOLE), "accepted", None
    yield "context", "context:empty", json.dumps(WHOLE), "accepted", {}
    yield "context", "context:without-request", json.dumps(WHOLE), "accepted", {**CONTEXT, "request": None}
    yield "context", "context:hostile-other", json.dumps(WHOLE), "either", other


def explore(tool=greet, declared=None):
    """The exploration of a tool: `tool(arguments, context)` gives a payload object, a Result, or raises."""
    calls = []
    for probe, label, text, demand, context in plans():
        try:
            given = tool(text, context)
        except Exception as error:  # noqa: BLE001 - a model tool may raise anything
            frame = error.__traceback__
            while frame.tb_next:
                frame = frame.tb_next
            place = f'  File "{frame.tb_frame.f_code.co_filename}", line {frame.tb_lineno}'
            raised = Raised(type(error).__name__, str(error), place)
            calls.append(call(label, text, probe, demand, context=context, raised=raised, left_changed=()))
            continue
        result = given if isinstance(given, Result) else success(given)
        calls.append(call(label, text, probe, demand, result, context=context, left_changed=()))
    first = declared or declaration()
    again = replace(first, when="restarted", conditions={"hash seed": "1"})
    return Exploration((first, again), tuple(calls), sentinels=1)


def alone(observation):
    """A call as all of an exploration; an exploration as it is."""
    is_call = isinstance(observation, Call)
    return Exploration((declaration(),), (observation,)) if is_call else observation


def judge(code, observation):
    """The finding of one rule; asserts that the rule is for the observation. A call may be all of an exploration."""
    rule = RULES[code]
    observation = alone(observation) if rule.over is Exploration else observation
    assert isinstance(observation, rule.over), f"{code} judges a {rule.over.__name__}"
    assert rule.when(observation), f"{code} is not for this observation"
    return rule.check(observation)


def concerning(declaration):
    """The rules that concern an Aptix tool, by code."""
    return {code: rule for code, rule in RULES.items() if not rule.applies(declaration)}


def breaches(exploration):
    """What every rule that concerns the tool finds, by code."""
    found = {}
    for code, rule in concerning(exploration.declarations[0]).items():
        for observation in (*exploration.declarations, *exploration.calls, exploration):
            if isinstance(observation, rule.over) and rule.when(observation):
                finding = rule.check(observation)
                if finding:
                    found.setdefault(code, finding.message)
    return found


def examined(exploration):
    """The codes of the rules that concern the tool and were for something seen of it."""
    return {
        code
        for code, rule in concerning(exploration.declarations[0]).items()
        if any(
            isinstance(observation, rule.over) and rule.when(observation)
            for observation in (*exploration.declarations, *exploration.calls, exploration)
        )
    }
