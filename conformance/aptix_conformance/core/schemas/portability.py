"""What a provider of models or a client would refuse in a tool's schema; who does is in the table in `refusing`.

Each check is a pure function over a function schema in the flat form; it gives a sentence, or None. None of this is
a contract's: a tool that is only ever offered to one provider may ignore the others.
"""

import re
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from aptix_conformance.core.schemas.refusing import Line, lines
from aptix_conformance.core.schemas.validity import schema_fault
from aptix_conformance.core.text import printable

LONGEST_NAME: Final = 64
LONGEST_NAME_BESIDE_A_SERVER: Final = 58
"""Cursor takes 60 characters together with the name that its user gave the server, and with what joins them."""
LONGEST_DESCRIPTION: Final = 1024
MAX_STRICT_PROPERTIES: Final = 5_000
MAX_STRICT_DEPTH: Final = 10
MAX_STRICT_VALUES: Final = 1_000
STRICT_FORMATS: Final = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)

_NAME: Final = re.compile(r"[A-Za-z0-9_-]*")
_NAME_START: Final = re.compile(r"[^0-9-].*|", re.DOTALL)
_PROPERTY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ALTERNATIVES: Final = ("anyOf", "oneOf", "allOf")
_SAYS_A_TYPE: Final = frozenset({"type", "enum", "const", "$ref", "not", "if", *_ALTERNATIVES})
_BESIDE_A_REFERENCE: Final = frozenset({"description", "default"})
_BESIDE_ANY_OF: Final = frozenset({"type", "items", "properties", "required", "enum"})
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
_WITH_SCHEMAS: Final = (*_NAMED, *_LISTED, *_SINGLE)
_HOLDING: Final = ("properties", "$defs", "definitions", "prefixItems", "items", "additionalProperties")
"""The keywords that describe a value alone. Others say more about a value that is described elsewhere, too."""

Schema = Mapping[str, Any]
Check = Callable[[Schema], str | None]
_ROOT: Final = "parameters"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What would be refused, and by whom: lines of the table."""

    lines: tuple[Line, ...]
    message: str

    @property
    def providers(self) -> tuple[str, ...]:
        """The names of those who refuse it."""
        return tuple(line.who for line in self.lines)


def refusals(function: Schema, *whats: str, to_clients: bool = True) -> Iterator[Refusal]:
    """All that is known to be refused of a function schema in the flat form, or only some of it.

    Args:
        function: the schema.
        whats: names of `CHECKS`; without one, all.
        to_clients: whether it is offered to clients, too.
    """
    for what in whats or CHECKS:
        fault, refused_by = CHECKS[what](function), lines(what, to_clients=to_clients)
        if fault and refused_by:
            yield Refusal(refused_by, fault)


def _invalid(function: Schema) -> str | None:
    try:
        reason = schema_fault(function.get("parameters", True))
    except ValueError:
        return None  # what the validator cannot read may still be a schema
    return None if reason is None else f"the parameters are no JSON Schema: {printable(reason, 200)}"


def _name(function: Schema) -> str:
    name = function.get("name")
    return name if isinstance(name, str) else ""


def _longer_than(most: int) -> Check:
    def fault(function: Schema) -> str | None:
        name = _name(function)
        return (
            f"the name {printable(name, 70)!r} has {len(name)} characters; {most} are the most"
            if len(name) > most
            else None
        )

    return fault


def _name_characters(function: Schema) -> str | None:
    name = _name(function)
    return (
        None
        if _NAME.fullmatch(name)
        else f"the name {printable(name, 70)!r} is not of ASCII letters, digits, _ and -"
    )


def _name_start(function: Schema) -> str | None:
    name = _name(function)
    return (
        None
        if _NAME_START.fullmatch(name)
        else f"the name {printable(name, 70)!r} begins with a digit or a hyphen"
    )


def _root_keywords(function: Schema, keywords: tuple[str, ...]) -> str | None:
    parameters = function.get("parameters")
    found = [keyword for keyword in keywords if isinstance(parameters, Mapping) and keyword in parameters]
    return f"the parameters have {' and '.join(found)} at the root" if found else None


def _root_alternatives(function: Schema) -> str | None:
    return _root_keywords(function, _ALTERNATIVES)


def _root_object(function: Schema) -> str | None:
    """Why the parameters are no plain object with its properties written down."""
    parameters = function.get("parameters")
    if not isinstance(parameters, Mapping):
        return None
    if parameters.get("type") != "object" or not isinstance(parameters.get("properties"), Mapping):
        return "the parameters are no object with properties"
    return _root_keywords(function, ("not", "enum", "const"))


def _enum(function: Schema) -> str | None:
    """Why listed values are not texts."""
    for path, node in _nodes(function):
        values = node.get("enum")
        if isinstance(values, list) and any(not isinstance(value, str) for value in values):
            return f"{_place(path)} lists values that are no texts"
    return None


def _property_name(function: Schema) -> str | None:
    for path, node in _nodes(function):
        for name in _members(node, "properties"):
            if not _PROPERTY.fullmatch(name):
                return f"{_place(path)} has a property {printable(name, 70)!r}: not 1 to 64 of letters, digits, _, . and -"
    return None


def _description(function: Schema) -> str | None:
    """Why a description is too long."""
    for path, node in [("", function), *_nodes(function)]:
        text = node.get("description")
        if isinstance(text, str) and len(text) > LONGEST_DESCRIPTION:
            where = _place(path) if path else "the tool"
            return f"the description of {where} has {len(text):,} characters; {LONGEST_DESCRIPTION:,} are the most"
    return None


def _types(node: Schema) -> list[Any]:
    """The types that a schema names itself."""
    kind = node.get("type")
    return kind if isinstance(kind, list) else [kind]


def _items(function: Schema) -> str | None:
    """Which array does not say what it holds; `prefixItems` alone is not enough."""
    for path, node in _nodes(function, (*_HOLDING, *_ALTERNATIVES)):
        if "array" in _types(node) and "items" not in node:
            return f"{_place(path)} is an array without items"
    return None


def _type(function: Schema) -> str | None:
    """Which property says nothing about its type. That of a definition counts, too; one that is described elsewhere does not."""
    for path, node in _nodes(function, _HOLDING):
        for name, inner in _members(node, "properties").items():
            if inner is True or (isinstance(inner, Mapping) and not _SAYS_A_TYPE & inner.keys()):
                return f"{_place(f'{path}.properties.{name}')} has no type"
    return None


def _type_list(function: Schema) -> str | None:
    """Which list of types has an array or an object beside another type. Null does not count."""
    for path, node in _nodes(function):
        kinds = {kind for kind in _types(node) if isinstance(kind, str)} - {"null"}
        if len(kinds) > 1 and kinds & {"array", "object"}:
            return f"{_place(path)} lists several types, array or object among them"
    return None


def _item_type_list(function: Schema) -> str | None:
    for path, node in _nodes(function):
        items = node.get("items")
        if isinstance(items, Mapping) and isinstance(items.get("type"), list) and "object" in items["type"]:
            return f"{_place(path)}.items lists several types, object among them"
    return None


def _beside_any_of(function: Schema) -> str | None:
    """Where something that describes values stands beside `anyOf`; titles, descriptions and defaults do not count."""
    for path, node in _nodes(function):
        beside = sorted(_BESIDE_ANY_OF & node.keys()) if "anyOf" in node and path != _ROOT else []
        if beside:
            return f"{_place(path)} has {beside[0]} beside anyOf"
    return None


def _beside_reference(function: Schema) -> str | None:
    for path, node in _nodes(function):
        beside = sorted(node.keys() - _BESIDE_A_REFERENCE - {"$ref"}) if "$ref" in node else []
        if beside:
            return f"{_place(path)} has {printable(beside[0], 60)} beside $ref"
    return None


def _reference(function: Schema) -> str | None:
    return next((f"{_place(path)} has a $ref" for path, node in _nodes(function) if "$ref" in node), None)


def _format(function: Schema) -> str | None:
    for path, node in _nodes(function):
        form = node.get("format")
        if (
            isinstance(form, str)
            and form not in STRICT_FORMATS
            and {"string", None} & set(map(_text, _types(node)))
        ):
            return f"{_place(path)} has the format {printable(form, 60)!r}"
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _strict(function: Schema) -> str | None:
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


def _nodes(function: Schema, keywords: Collection[str] = _WITH_SCHEMAS) -> Iterator[tuple[str, Schema]]:
    """Every schema below the parameters with its place; references are not followed, their targets are met.

    With some of the keywords, only the schemas that are reached by these.
    """
    waiting: deque[tuple[str, Any]] = deque([(_ROOT, function.get("parameters"))])
    while waiting:
        path, node = waiting.popleft()
        if not isinstance(node, Mapping):
            continue
        yield path, node
        for keyword in (keyword for keyword in keywords if keyword in node):
            place, value = f"{path}.{keyword}", node[keyword]
            if keyword in _NAMED:
                waiting += [(f"{place}.{name}", inner) for name, inner in _members(node, keyword).items()]
            elif keyword not in _LISTED:
                waiting.append((place, value))
            elif isinstance(value, list):
                waiting += [(place, inner) for inner in value]


def _members(node: Schema, keyword: str) -> Schema:
    members = node.get(keyword)
    return members if isinstance(members, Mapping) else {}


def _place(path: str) -> str:
    return printable(path, 120)


CHECKS: Final[Mapping[str, Check]] = MappingProxyType(
    {
        "schema": _invalid,
        "name-of-64": _longer_than(LONGEST_NAME),
        "name-of-58": _longer_than(LONGEST_NAME_BESIDE_A_SERVER),
        "name-characters": _name_characters,
        "name-start": _name_start,
        "root-alternatives": _root_alternatives,
        "root-object": _root_object,
        "enum": _enum,
        "property-name": _property_name,
        "description": _description,
        "strict": _strict,
        "items": _items,
        "type": _type,
        "type-list": _type_list,
        "item-type-list": _item_type_list,
        "beside-any-of": _beside_any_of,
        "beside-reference": _beside_reference,
        "reference": _reference,
        "format": _format,
    }
)
"""Each check by what the table in `refusing` calls it."""
