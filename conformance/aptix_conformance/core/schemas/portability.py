"""What a provider of models would refuse in a tool's schema: known on 2026-11-20, from their references and refusals.

Each check is a pure function over a function schema in the flat form; it gives a sentence, or None. None of this is
a contract's: a tool that is only ever offered to one provider may ignore the others.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.core.schemas.validity import schema_fault
from aptix_conformance.core.text import printable

OPENAI: Final = "OpenAI"
ANTHROPIC: Final = "Anthropic"
GEMINI: Final = "Gemini"

LONGEST_NAME: Final = 64
LONGEST_DESCRIPTION: Final = 1024
MAX_STRICT_PROPERTIES: Final = 5_000
MAX_STRICT_DEPTH: Final = 10
MAX_STRICT_VALUES: Final = 1_000

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_PROPERTY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_AT_THE_ROOT: Final = ("anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref")
_NOT_STRICT: Final = (
    *(
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
    ),
    *("unevaluatedProperties", "propertyNames"),
)
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTED: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE: Final = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """The part that would be refused, and by whom."""

    providers: tuple[str, ...]
    message: str


def refusals(function: Schema) -> Iterator[Refusal]:
    """All that is known to be refused of a function schema in the flat form."""
    try:
        reason = schema_fault(function.get("parameters", True))
    except ValueError:
        reason = None  # what the validator cannot read may still be a schema
    if reason is not None:
        yield Refusal(
            (OPENAI, ANTHROPIC, GEMINI), f"the parameters are no JSON Schema: {printable(reason, 200)}"
        )
    for check, providers in CHECKS:
        fault = check(function)
        if fault:
            yield Refusal(providers, fault)


def name_fault(function: Schema) -> str | None:
    """Why the name is not one for every provider."""
    name = function.get("name")
    if not isinstance(name, str) or _NAME.fullmatch(name):
        return None
    if len(name) > LONGEST_NAME:
        return f"the name {printable(name, 70)!r} has {len(name)} characters; {LONGEST_NAME} are the most"
    return f"the name {printable(name, 70)!r} is not of ASCII letters, digits, _ and -, with no digit or hyphen first"


def root_fault(function: Schema) -> str | None:
    """Why the parameters are not a plain object with its properties written down."""
    parameters = function.get("parameters")
    if not isinstance(parameters, Mapping):
        return None
    keywords = [keyword for keyword in _AT_THE_ROOT if keyword in parameters]
    if keywords:
        return f"the parameters have {' and '.join(keywords)} at the root"
    if parameters.get("type") != "object" or not isinstance(parameters.get("properties"), Mapping):
        return "the parameters are no object with properties"
    return None


def enum_fault(function: Schema) -> str | None:
    """Why listed values are not texts."""
    for path, node in _nodes(function):
        values = node.get("enum")
        if isinstance(values, list) and any(not isinstance(value, str) for value in values):
            return f"{_place(path)} lists values that are no texts"
    return None


def property_fault(function: Schema) -> str | None:
    """Why the name of a property is not one for every provider."""
    for path, node in _nodes(function):
        for name in _members(node, "properties"):
            if not _PROPERTY.fullmatch(name):
                return f"{_place(path)} has a property {printable(name, 70)!r}: not 1 to 64 of letters, digits, _, . and -"
    return None


def description_fault(function: Schema) -> str | None:
    """Why a description is too long."""
    for path, node in [("", function), *_nodes(function)]:
        text = node.get("description")
        if isinstance(text, str) and len(text) > LONGEST_DESCRIPTION:
            where = _place(path) if path else "the tool"
            return f"the description of {where} has {len(text):,} characters; {LONGEST_DESCRIPTION:,} are the most"
    return None


def strict_fault(function: Schema) -> str | None:
    """Why a schema that asks for strict mode would not get it."""
    if function.get("strict") is not True:
        return None
    properties = values = 0
    for path, node in _nodes(function):
        fault = _node_fault(node)
        if fault:
            return f"strict is asked for, and {_place(path)} {fault}"
        properties += len(_members(node, "properties"))
        values += len(node["enum"]) if isinstance(node.get("enum"), list) else 0
        if path.count(".properties") + path.count(".items") > MAX_STRICT_DEPTH:
            return f"strict is asked for, and the parameters nest more than {MAX_STRICT_DEPTH} levels deep"
    if properties > MAX_STRICT_PROPERTIES:
        return f"strict is asked for, and there are {properties:,} properties; {MAX_STRICT_PROPERTIES:,} are the most"
    if values > MAX_STRICT_VALUES:
        return (
            f"strict is asked for, and there are {values:,} listed values; {MAX_STRICT_VALUES:,} are the most"
        )
    return None


def _node_fault(node: Schema) -> str | None:
    keywords = [keyword for keyword in _NOT_STRICT if keyword in node]
    if keywords:
        return f"has {keywords[0]}"
    if "properties" not in node:
        return None
    if node.get("additionalProperties") is not False:
        return "has no additionalProperties: false"
    required = node.get("required")
    optional = sorted(set(_members(node, "properties")) - set(required if isinstance(required, list) else ()))
    return (
        f"does not require {printable(optional[0], 60)!r}: in strict mode all are, null standing for none"
        if optional
        else None
    )


def _nodes(function: Schema) -> Iterator[tuple[str, Schema]]:
    """Every schema below the parameters with its place; references are not followed, their targets are met."""
    waiting: list[tuple[str, Any]] = [("parameters", function.get("parameters"))]
    while waiting:
        path, node = waiting.pop(0)
        if not isinstance(node, Mapping):
            continue
        yield path, node
        for keyword in _NAMED:
            waiting += [
                (f"{path}.{keyword}.{name}", inner) for name, inner in _members(node, keyword).items()
            ]
        for keyword in _LISTED:
            listed = node.get(keyword)
            waiting += [(f"{path}.{keyword}", inner) for inner in listed] if isinstance(listed, list) else []
        waiting += [(f"{path}.{keyword}", node[keyword]) for keyword in _SINGLE if keyword in node]


def _members(node: Schema, keyword: str) -> Schema:
    members = node.get(keyword)
    return members if isinstance(members, Mapping) else {}


def _place(path: str) -> str:
    return printable(path, 120)


CHECKS: Final[tuple[tuple[Callable[[Schema], str | None], tuple[str, ...]], ...]] = (
    (name_fault, (GEMINI, OPENAI, ANTHROPIC)),
    (root_fault, (OPENAI, ANTHROPIC)),
    (enum_fault, (GEMINI,)),
    (property_fault, (ANTHROPIC,)),
    (description_fault, (OPENAI,)),
    (strict_fault, (OPENAI,)),
)
"""Each check with those who would refuse what it finds."""
