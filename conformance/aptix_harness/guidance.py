"""The description of the tools for the model: the `tools` array, and a section of the system prompt.

Both are made from the same `ToolGuide`s, and a guide is read from its class in one go, so that a usage text never
is beside another version's schema (AGN-005.7.16, AGN-005.7.21, AGN-005.12.3).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptix_harness.declaration import ToolDeclaration, class_name, read_declaration, refusal
from aptix_harness.errors import InvalidOperationError
from aptix_harness.registry import AgentToolRegistry
from aptix_harness.tool import AgentTool


@dataclass(frozen=True, slots=True)
class ToolGuide:
    """One tool as it is described to the model.

    Attributes:
        name: what the model calls it by.
        usage_text: its `TOOL_USAGE_METADATA`, unchanged.
        definition: its entry of the `tools` array: type, name, description, parameters and strict.
    """

    name: str
    usage_text: str
    definition: Mapping[str, object]


def read_tool_guides(registry: AgentToolRegistry) -> tuple[ToolGuide, ...]:
    """Read every registered class again, sorted by name, ignoring case.

    The order and the texts are the same each time, so that a provider can cache the prompt. Of a schema only what a
    function of the `/responses` API may have is taken over. `strict` is False unless the schema says otherwise:
    the API's own default is strict, and refuses optional arguments.

    Raises:
        InvalidOperationError: a tool's usage text is missing or blank (AGN-005.7.17), or its schema is none that a
            model could be given (AGN-005.7.18). The message names the tool.
    """
    return tuple(_read_guide(name, tool_type) for name, tool_type in registry.registered_tools.items())


def tools_parameter(guides: Sequence[ToolGuide]) -> list[dict[str, object]]:
    """Return the `tools` array of a request."""
    return [dict(guide.definition) for guide in guides]


def instructions_parameter(guides: Sequence[ToolGuide], instructions: str | None) -> str | None:
    """Return the system prompt: the caller's own, then each tool's unchanged usage text, marked with its name.

    Marks and no headings: a usage text has headings of its own. None if there is nothing to say.
    """
    sections = [instructions] if instructions else []
    if guides:
        texts = [f'<tool name="{guide.name}">\n{guide.usage_text}\n</tool>' for guide in guides]
        sections.append("\n".join(["<tool_guidance>", *texts, "</tool_guidance>"]))
    return "\n\n".join(sections) or None


def _read_guide(name: str, tool_type: type[AgentTool]) -> ToolGuide:
    try:
        declaration = read_declaration(tool_type)
        if declaration.name != name:
            fault = f"it was registered as {name!r} and its TOOL_NAME is {declaration.name!r} now"
            raise refusal(tool_type, "TUL-011.2.3", fault, "leave the constant as it is")
        return ToolGuide(name, declaration.usage_text, _definition(tool_type, declaration))
    except InvalidOperationError as refused:
        raise InvalidOperationError(f"The model cannot be given the tool {name!r}: {refused}") from refused


def _definition(tool_type: type, declaration: ToolDeclaration) -> Mapping[str, object]:
    """Return the entry of the `tools` array, a copy in which nothing is shared with the tool."""
    try:
        schema = json.loads(json.dumps(_plain(declaration.schema), allow_nan=False))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a mapping of the tool's own may run any code when it is read
        fault = f"its schema cannot be written as JSON ({class_name(type(error))})"
        raise refusal(
            tool_type, "AGN-005.7.18", fault, "build it from dict, list, str, numbers, bool and None"
        ) from error
    if wrong := _schema_fault(schema, declaration.name):
        fix = 'return {"type": "function", "name": TOOL_NAME, "description": "...", "parameters": {"type": "object", ...}}'
        raise refusal(tool_type, "AGN-005.7.18", wrong, fix)
    return {
        "type": "function",
        "name": declaration.name,
        "description": schema["description"],
        "parameters": schema["parameters"],
        "strict": schema.get("strict") is True,
    }


def _plain(value: object) -> object:
    """Return `value` with every mapping converted to a dict, the only mapping that `json` accepts.

    Raises:
        TypeError: a key is not text. `json` would turn 1 and None into "1" and "null".
    """
    if isinstance(value, Mapping):
        entries = list(value.items())
        if not all(isinstance(key, str) for key, _ in entries):
            raise TypeError
        return {key: _plain(member) for key, member in entries}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in value]
    return value


def _schema_fault(schema: dict[str, object], name: str) -> str | None:
    """Return why a schema is not a valid function of the `/responses` API (AGN-005.7.3, AGN-005.7.18); None if it is."""
    description = schema.get("description")
    if schema.get("type") != "function":
        return 'the type in its schema is not "function"'
    if schema.get("name") != name:
        return f"the name in its schema is not {name!r}"
    if not isinstance(description, str) or not description.strip():
        return "its schema has no description"
    return _parameters_fault(schema.get("parameters"))


def _parameters_fault(parameters: object) -> str | None:
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        return 'its schema has no parameters of type "object"'
    properties, required = parameters.get("properties"), parameters.get("required", [])
    if not isinstance(properties, dict) or not all(isinstance(each, dict) for each in properties.values()):
        return "the properties in its schema are not a mapping of names to schemas"
    if not isinstance(required, list) or not all(
        isinstance(each, str) and each in properties for each in required
    ):
        return "required in its schema is not a list of its properties"
    return None
