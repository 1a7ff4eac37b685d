"""ART: how a tool declares itself: the members of its schema, its name and its description. No call is made.

What it says of its input and its output is in art_schemas.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.text import is_blank, printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, Precondition, rule
from aptix_conformance.rules.lib.names import other_spelling, snake_case_fault
from aptix_conformance.systems.art.rules import accessors

_RETURNS: Final = re.compile(
    r"\b(?:returns?|gives?|results?|answers?|yields?|provides?|comes? back|outputs?)\b", re.IGNORECASE
)
_WHEN: Final = re.compile(r"\b(?:uses?|used|using|useful|when|whenever|if|whether)\b", re.IGNORECASE)
_A_TITLE: Final = 3
"""Words of a description that is no more than a title."""
_ARGUMENT_COUNT: Final = 2
"""Parameters that `execute` is given: the input and the context."""
_SYNONYMS: Final = {
    "name": ("toolName", "id", "title"),
    "description": ("desc", "summary"),
    "inputSchema": ("parameters", "input", "schema", "params", "args"),
}
"""Names under which other frameworks have a member of the schema."""
_has_name: Final = Precondition(
    lambda declaration: bool(declaration.tool_name.value), "the schema has no name", ("ART001", "ART002")
)


@rule(
    "ART001",
    "ART.1.1",
    when=lambda declaration: accessors.declared(declaration) is not None,
    unseen_reason="nothing is known of the tool",
    remedy="Give the class a member schema = { … } and a method async execute(input, context).",
)
def has_schema_and_execute(declaration: Declaration) -> Finding | None:  # noqa: PLR0911 - one for each fault
    """The tool has a schema that is an object and does not have to be called, and execute(input, context)."""
    if declaration.construction_error:
        return None
    facts = accessors.declared(declaration)
    assert facts is not None
    reading = facts.schema
    if declaration.get_schema.kind == "missing":
        meant = other_spelling(
            "schema", facts.members, synonyms=("toolSchema", "definition", "toolDefinition", "spec")
        )
        instead = f"; there is {printable(meant, 60)}, which the framework does not read" if meant else ""
        return Finding(f"There is no schema{instead}.")
    if declaration.get_schema.kind == "method":
        return Finding("schema is a method, and the framework reads it as a member.")
    if reading.text is None:
        return Finding(f"Reading the schema failed: {printable(reading.error or reading.outcome, 200)}.")
    if not accessors.has_schema(declaration):
        return Finding(f"The schema is {printable(reading.text, 80)} and no object.")
    parameters = len(declaration.execute.parameters)
    if parameters > _ARGUMENT_COUNT:
        return Finding(f"execute takes {parameters} parameters, and is given input and context.")
    return None


@rule(
    "ART002",
    "ART.3.1",
    when=accessors.has_schema,
    differs_by="the place in the schema",
    remedy="Write name, description and inputSchema into the schema, the last a JSON Schema.",
)
def schema_has_its_three_parts(declaration: Declaration) -> Iterator[Finding]:
    """The schema has a name and a description that hold text, and an inputSchema that is a JSON Schema's object."""
    for name in ("name", "description"):
        value = accessors.member(declaration, name)
        if not (isinstance(value, str) and not is_blank(value)):
            yield Finding(f"The schema's {name} is {_instead_of(declaration, name)}.", cause=name)
    if not isinstance(accessors.member(declaration, "inputSchema"), dict):
        message = f"The schema's inputSchema is {_instead_of(declaration, 'inputSchema')}."
        yield Finding(message, cause="inputSchema")
        return
    for odd in filter(accessors.is_lost, accessors.oddities(declaration, "inputSchema")):
        message = f"{printable(odd.place, 80)} is {odd.what}, which is lost on the way."
        yield Finding(message, cause=odd.place)


@rule(
    "ART003",
    "ART.3.3",
    when=accessors.has_schema,
    applies=accessors.without("executionMode", "executionMode"),
    remedy="Write functional, blocking or display, or leave executionMode out.",
)
def execution_mode_is_known(declaration: Declaration) -> Finding | None:
    """The executionMode is functional, immediate, blocking or display."""
    mode = accessors.member(declaration, "executionMode")
    return (
        None
        if mode in accessors.MODES
        else Finding(f"The executionMode is {printable(json.dumps(mode), 60)}.")
    )


@rule(
    "ART004",
    "ART.3.3",
    when=accessors.has_schema,
    applies=lambda declaration: (
        None
        if {"blockingConfig", "displayConfig"} & (accessors.schema_of(declaration) or {}).keys()
        else "it declares no blockingConfig and no displayConfig"
    ),
    differs_by="the configuration, blockingConfig or displayConfig",
    remedy="Write the settings as members of an object, or leave it out.",
)
def configurations_are_objects(declaration: Declaration) -> Iterator[Finding]:
    """Whatever blockingConfig and displayConfig there is, is an object."""
    schema = accessors.schema_of(declaration) or {}
    for name in ("blockingConfig", "displayConfig"):
        if name in schema and not isinstance(schema[name], dict):
            yield Finding(f"The {name} is {printable(json.dumps(schema[name]), 60)}.", cause=name)


@rule(
    "ART006",
    "ART.3.7",
    when=_has_name,
    remedy="Name the tool in a few lower-case words joined by underscores, as in web_search.",
)
def name_is_snake_case(declaration: Declaration) -> Finding | None:
    """The name is lower case and concise, its words joined by underscores."""
    fault = snake_case_fault(declaration.tool_name.value or "")
    return Finding(f"The name {fault}.") if fault else None


@rule(
    "ART007",
    "ART.3.8",
    when=Precondition(
        lambda declaration: not is_blank(declaration.usage_text.value or ""),
        "the schema has no description",
        ("ART001", "ART002"),
    ),
    remedy="Say in the description what the tool does, when to use it, and what comes back.",
    source="advice",
)
def description_says_what_when_and_what_comes_back(declaration: Declaration) -> Finding | None:
    """The description says what the tool does, when it is of use, and what it returns."""
    text = declaration.usage_text.value or ""
    missing = []
    if len(text.split()) <= _A_TITLE:
        missing.append("what the tool does")
    if not _WHEN.search(text):
        missing.append("when to use it")
    if not _RETURNS.search(text):
        missing.append("what comes back")
    parts = " and ".join(missing)
    return Finding(f"The description does not seem to say {parts}: {quoted(text, 100)}.") if missing else None


@rule(
    "ART008",
    "ART.3.9",
    when=_has_name,
    remedy="Give each tool a name of its own.",
)
def name_is_unique_in_its_module(declaration: Declaration) -> Finding | None:
    """No other tool that the module exports has the name.

    A registry takes the later one for the earlier, which is then not there any more.
    """
    facts = accessors.declared(declaration)
    others = facts.neighbours if facts else ()
    name = declaration.tool_name.value or ""
    return (
        Finding(f"Another tool of its module is named {quoted(name, 60)} as well.")
        if name in others
        else None
    )


def _instead_of(declaration: Declaration, name: str) -> str:
    """The value of a member of the schema, and the other name under which the author may have written it."""
    schema = accessors.schema_of(declaration) or {}
    if name in schema:
        return printable(json.dumps(schema[name]), 60)
    meant = other_spelling(name, schema, synonyms=_SYNONYMS[name])
    return f"not there; there is {printable(meant, 60)}" if meant else "not there"
