"""Converts a function schema to the tool formats of providers: OpenAI, Anthropic, Gemini and MCP."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

Schema = Mapping[str, Any]

_NO_ARGUMENTS: Final[Schema] = MappingProxyType({"type": "object", "properties": {}, "required": []})
# The keywords of Gemini's own Schema; with any other keyword, the parameters are sent as JSON Schema.
_GEMINI: Final = frozenset(
    (
        *("type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties"),
        *(
            "required",
            "minProperties",
            "maxProperties",
            "minLength",
            "maxLength",
            "pattern",
            "example",
            "anyOf",
        ),
        *("propertyOrdering", "default", "items", "minimum", "maximum"),
    )
)


def openai_chat(function: Schema) -> dict[str, Any]:
    """For OpenAI's chat completions: everything below a member `function`."""
    inner = {**_named(function), "parameters": _parameters(function)}
    if "strict" in function:
        inner["strict"] = function["strict"]
    return {"type": "function", "function": inner}


def openai_responses(function: Schema) -> dict[str, Any]:
    """For OpenAI's responses: flat. That interface is strict by default, so `strict` is always set."""
    strict = function.get("strict") is True
    return {"type": "function", **_named(function), "parameters": _parameters(function), "strict": strict}


def anthropic(function: Schema) -> dict[str, Any]:
    """For Anthropic's messages."""
    return {**_named(function), "input_schema": _parameters(function)}


def gemini(function: Schema) -> dict[str, Any]:
    """For Gemini: one function declaration. Parameters beyond its own dialect are sent as JSON Schema."""
    parameters = _parameters(function)
    key = "parameters" if _is_of_gemini(parameters) else "parametersJsonSchema"
    return {"functionDeclarations": [{**_named(function), key: parameters}]}


def mcp(function: Schema) -> dict[str, Any]:
    """For the Model Context Protocol: an entry of `tools/list`."""
    return {**_named(function), "inputSchema": _parameters(function)}


FORMS: Final[Mapping[str, Callable[[Schema], dict[str, Any]]]] = MappingProxyType(
    {
        "openai-chat": openai_chat,
        "openai-responses": openai_responses,
        "anthropic": anthropic,
        "gemini": gemini,
        "mcp": mcp,
    }
)
"""Every provider format by its name."""


def _named(function: Schema) -> dict[str, Any]:
    return {key: function[key] for key in ("name", "description") if key in function}


def _parameters(function: Schema) -> Any:
    parameters = function.get("parameters")
    return dict(_NO_ARGUMENTS) if parameters is None else parameters


def _is_of_gemini(node: Any) -> bool:
    if (
        not isinstance(node, Mapping)
        or not node.keys() <= _GEMINI
        or not isinstance(node.get("type", ""), str)
    ):
        return False
    below = [*node.get("properties", {}).values(), *node.get("anyOf", ())]
    below += [node["items"]] if "items" in node else []
    return all(map(_is_of_gemini, below))
