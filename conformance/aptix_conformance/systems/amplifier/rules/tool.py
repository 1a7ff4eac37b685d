"""AMP: the tool that a module mounts: its name, description and method, and the schema that it offers.

What an orchestrator also needs of it is in the rules of the source `runtime`; each docstring tells the fact, as
amplifier-core 2.0 and the loops published for it have it.
"""

import json
from typing import Any, Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.text import is_blank, printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.names import snake_case_fault
from aptix_conformance.rules.lib.signatures import ungiven
from aptix_conformance.systems.amplifier.facts import AmplifierMount
from aptix_conformance.systems.amplifier.rules import mounting

_has_name: Final = mounting.has_tool.also(
    lambda declaration: _text_fault(declaration, "name") is None, "the tool has no name", "AMP006"
)


@rule(
    "AMP006",
    "AMP.1.1",
    when=mounting.has_tool,
    remedy='Give the tool a property or attribute name that holds text, such as "search_notes".',
)
def name_is_text(declaration: Declaration) -> Finding | None:
    """The tool has a name, which is a text and not blank."""
    return _text_fault(declaration, "name")


@rule(
    "AMP007",
    "AMP.1.1",
    when=mounting.has_tool,
    remedy="Give the tool a property or attribute description that says what it does and expects.",
)
def description_is_text(declaration: Declaration) -> Finding | None:
    """The tool has a description, which is a text and not blank."""
    return _text_fault(declaration, "description")


@rule(
    "AMP008",
    "AMP.1.1",
    when=mounting.has_tool,
    masks_others=True,
    remedy="Declare async def execute(self, input: dict[str, Any]) -> ToolResult.",
)
def execute_takes_the_input(declaration: Declaration) -> Finding | None:
    """The tool has a method `execute` that takes the input by position and can be called with nothing else."""
    execute = declaration.execute
    if execute.kind not in ("method", "static_method", "class_method"):
        there = "is not there" if execute.kind == "missing" else "cannot be called"
        return Finding(f"execute {there}.")
    if not any(parameter.kind in ("positional", "var_positional") for parameter in execute.parameters):
        return Finding("execute takes no argument by position.")
    extra = ungiven(execute.parameters, 1)
    return Finding(f"execute needs {printable(extra, 40)}, which no orchestrator passes.") if extra else None


@rule(
    "AMP009",
    "AMP.3.1",
    when=_has_name,
    remedy="Name the tool in a few lower-case words joined by single underscores, as in search_notes.",
)
def name_is_short_and_snake_case(declaration: Declaration) -> Finding | None:
    """The name is short, in lower case, its words joined by underscores."""
    fault = snake_case_fault(declaration.tool_name.value or "")
    return Finding(f"The name {fault}.") if fault else None


@rule(
    "AMP011",
    source="runtime",
    when=_has_name,
    remedy='Register the tool under its own name: await coordinator.mount("tools", tool, name=tool.name).',
)
def key_is_the_name(declaration: Declaration) -> Finding | None:
    """The key under which the tool is registered is its name.

    The model reads the tool's name, and calls it by that; the orchestrator looks for it among the keys.
    """
    key, name = mounting.mount_of(declaration).key, declaration.tool_name.value
    if key == name:
        return None
    return Finding(f"The tool {quoted(name or '', 60)} is registered under {quoted(key or '', 60)}.")


@rule(
    "AMP012",
    source="runtime",
    when=mounting.has_tool,
    remedy='Give the tool a property or attribute input_schema, a dict: {"type": "object", "properties": {…}}.',
)
def input_schema_describes_an_object(declaration: Declaration) -> Finding | None:
    """The tool has `input_schema`, a dictionary that has a JSON form and describes an object.

    An orchestrator reads it off every tool before each request to the model. Where it is missing on one, is no
    dictionary or raises, no tool can be used any more. Calls have an object for their arguments, never anything else.
    """
    fault = _schema_fault(mounting.mount_of(declaration))
    return Finding(fault) if fault else None


@rule(
    "AMP013",
    "AMP.3.5",
    when=mounting.has_tool.also(
        lambda declaration: _schema_fault(mounting.mount_of(declaration)) is None,
        "there is no input_schema that could be used",
        "AMP012",
    ),
    remedy="Let input_schema, and get_schema if there is one, say which arguments there are.",
)
def schema_is_offered(declaration: Declaration) -> Finding | None:
    """The tool says in a JSON schema what its input is, in `input_schema` or `get_schema`.

    The document names get_schema; today's orchestrators read input_schema and know nothing of the other. Either is enough.
    """
    mount = mounting.mount_of(declaration)
    readings = (mount.input_schema, mount.get_schema)
    if any(
        r.outcome == "returned" and isinstance(v := json.loads(r.text or "0"), dict) and v for r in readings
    ):
        return None
    return Finding("Neither input_schema nor get_schema says anything of the input.")


@rule(
    "AMP014",
    "AMP.3.5",
    applies=lambda declaration: None if _has_both_schemas(declaration) else "it does not have both schemas",
    remedy="Let one give the other: def get_schema(self): return self.input_schema.",
    source="advice",
)
def both_schemas_are_one(declaration: Declaration) -> Finding | None:
    """Where there are both `input_schema` and `get_schema`, they say the same."""
    mount = mounting.mount_of(declaration)
    one, other = (json.loads(reading.text or "null") for reading in (mount.input_schema, mount.get_schema))
    if one == other:
        return None
    texts = (printable(reading.text or "", 80) for reading in (mount.input_schema, mount.get_schema))
    return Finding("input_schema is {}, get_schema gives {}.".format(*texts))


def _has_both_schemas(declaration: Declaration) -> bool:
    mount = mounting.mount_if_any(declaration)
    return mount is not None and mount.input_schema.outcome == mount.get_schema.outcome == "returned"


def _schema_fault(mount: AmplifierMount) -> str | None:
    """Why an orchestrator cannot offer the tool with its input_schema; None where it can."""
    reading = mount.input_schema
    if reading.outcome != "returned" or reading.text is None:
        return f"input_schema cannot be used: {printable(reading.error or reading.outcome, 200)}."
    schema = json.loads(reading.text)
    if not isinstance(schema, dict):
        return f"input_schema is {printable(reading.text, 80)} and no dictionary."
    declared = schema.get("type", "object")
    if declared == "object" or (isinstance(declared, list) and "object" in declared):
        return None
    return f"input_schema is of the type {printable(json.dumps(declared), 60)} and not object."


def _text_fault(declaration: Declaration, name: str) -> Finding | None:
    reading: Any = declaration.tool_name if name == "name" else declaration.usage_text
    if reading.value is not None and not is_blank(reading.value):
        return None
    if reading.value is not None:
        return Finding(f"{name} is blank: {printable(repr(reading.value), 40)}.")
    if name == "name" and declaration.name.error:
        return Finding(f"Reading name failed: {printable(declaration.name.error, 120)}.")
    what = (
        f"is a {printable(reading.type_name, 60)} and no text"
        if reading.type_name
        else "is not there or cannot be read"
    )
    return Finding(f"{name} {what}.")
