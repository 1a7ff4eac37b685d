"""Observations of a small Amplifier module for tests of its rules: how it was mounted, and calls of its tool.

The model module searches notes. It is as the host describes one that keeps the contract; `module` and `tool` change one
thing of it.
"""

import json

from tests.stimuli import stimulus

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import (
    Call,
    Constant,
    Declaration,
    Exploration,
    LogRecord,
    Member,
    Outcome,
    Parameter,
    Raised,
    Result,
    ResultError,
    SchemaReading,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.amplifier.facts import AmplifierMount, Cleanup, EntryPoint, Registration
from aptix_conformance.systems.amplifier.traits import TRAITS
from aptix_conformance.systems.aptix.traits import TRAITS as APTIX
from aptix_conformance.systems.rulebook import all_rules

EDITION = load().default_edition("amplifier")
RULES = {rule.code: rule for rule in all_rules(others=()) if rule.code.startswith("AMP")}

NAME = "search_notes"
DESCRIPTION = "Searches the user's notes for a text and gives those that hold it, newest first."
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string", "minLength": 1, "description": "The text to look for."}},
    "required": ["query"],
}


def parameter(name, kind="positional", required=True):
    return Parameter(name, kind, required)


def optional(name, kind="positional"):
    return Parameter(name, kind, required=False)


def reading(value):
    """A schema that could be read; a text is taken for its JSON."""
    return SchemaReading("returned", value if isinstance(value, str) else json.dumps(value))


def unread(outcome="not_callable", error="there is no get_schema"):
    """A schema that could not be read."""
    return SchemaReading(outcome, error=error)


def entry(value="notes:mount", name="tool-notes", group="amplifier.modules"):
    return EntryPoint(group, name, value)


def registered(key=NAME, point="tools", type_name="SearchNotesTool", **changes):
    return Registration(point, key, type_name, **changes)


MOUNT = AmplifierMount(
    where="./notes.py",
    function="async",
    parameters=(parameter("coordinator"), parameter("config")),
    returned="tool",
    detail="SearchNotesTool",
    key=NAME,
    registrations=(registered(),),
    entry_points=(entry(),),
    events=("tool-notes:started", "tool-notes:completed"),
    events_fault=None,
    input_schema=reading(SCHEMA),
    get_schema=unread(),
)


def text(name, value, type_name="str"):
    """A text that the tool has; None for something else that stands in its place."""
    return Constant(name, "plain" if value is not None else "missing", value, type_name)


def execute(*parameters, kind="method"):
    return Member("execute", kind, is_async=True, parameters=parameters)


def tool(**changes):
    """What the model module's tool declares, with some of it changed."""
    base = Declaration(
        class_name="SearchNotesTool",
        module="notes",
        when="start",
        tool_name=text("name", NAME),
        usage_text=text("description", DESCRIPTION),
        get_schema=Member("get_schema", "missing"),
        schema=reading({"type": "function", "name": NAME, "parameters": SCHEMA}),
        schema_again=reading({"type": "function", "name": NAME, "parameters": SCHEMA}),
        name=Member("name", "attribute", value=NAME, value_type="str"),
        is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "missing"),
        execute=execute(parameter("input")),
        constructor=(),
        construction_error=None,
        source="notes.py:24",
        traits=TRAITS,
        facts=MOUNT,
    )
    return replace(base, **changes)


def module(**changes):
    """What the model module declares, with some of its mounting changed."""
    return tool(facts=replace(MOUNT, **changes))


def empty(**changes):
    """A module that mounted no tool, with some of its mounting changed besides; mount returned None."""
    nothing = {
        "returned": "nothing",
        "detail": "NoneType",
        "key": None,
        "registrations": (),
        "events": (),
        "input_schema": unread(error="there is no input_schema"),
    }
    return replace(
        module(**{**nothing, **changes}),
        class_name="./notes.py",
        tool_name=text("name", None, ""),
        usage_text=text("description", None, ""),
        name=Member("name", "missing", error="no instance could be made: nothing was mounted"),
        execute=Member("execute", "missing", error="no instance could be made: nothing was mounted"),
        construction_error="nothing was mounted: mount returned None",
        source="",
    )


def of_another_system():
    """What is declared where nothing is known of a mounting."""
    return tool(traits=APTIX, facts=None)


def success(**changes):
    """A ToolResult with an output."""
    return replace(Result("ToolResult", True, True, '{"notes": ["Buy bread"]}', "dict"), **changes)


def failure(message="query is required and has to be a text.", **changes):
    """A ToolResult with an error."""
    return replace(
        Result("ToolResult", True, False, message, "NoneType", (ResultError(message),), message), **changes
    )


def call(
    result=None,
    label="generated",
    arguments='{"query": "bread"}',
    probe="valid",
    disturbance=None,
    **changes,
):
    """One call, which succeeded where no result is given."""
    plan = stimulus(probe, label, arguments, None, disturbance=disturbance)
    return Call(plan, Outcome.RETURNED, 0.0, result=result or success(), **changes)


def raising():
    """A call that threw."""
    plan = stimulus("valid", "generated", '{"query": ""}', None)
    return Call(plan, Outcome.RAISED, 0.0, raised=Raised("KeyError", "'query'", ""))


def logged(level, message="searching"):
    return LogRecord("log", "notes", message, level)


def emitted(event):
    return LogRecord("event", event)


def cleaned(faults=(), left=()):
    """The exploration of the model module, with what happened when it was cleaned up."""
    return seen(call(), declarations=(tool(), module(cleanup=Cleanup(tuple(faults), tuple(left)))))


def seen(*calls, declarations=()):
    """The exploration of the model module, or of one that declared something else."""
    return Exploration(tuple(declarations) or (tool(),), calls, sentinels=1)


def is_for(code, observation):
    """Whether a rule is for an observation of a tool that it concerns."""
    return bool(RULES[code].when(observation))


def judge(code, observation):
    """What one rule finds, as a text, and None where it finds nothing; asserts that it is for the observation."""
    rule = RULES[code]
    assert isinstance(observation, rule.over), f"{code} judges a {rule.over.__name__}"
    assert is_for(code, observation), f"{code} is not for this observation"
    finding = rule.check(observation)
    return finding and finding.message
