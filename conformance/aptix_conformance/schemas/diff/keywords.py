"""The keywords of JSON Schema 2020-12 that allow and forbid, by what they look at."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from aptix_conformance.schemas.nodes import type_of

ALL_TYPES: Final = frozenset({"string", "number", "boolean", "null", "array", "object"})
"""`integer` is a part of `number`."""

OF_TYPE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "string": ("minLength", "maxLength", "pattern", "format"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        "array": (
            "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
            "maxContains", "unevaluatedItems",
        ),
        "object": (
            "properties", "patternProperties", "additionalProperties", "required", "minProperties",
            "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
        ),
    }
)  # fmt: skip
"""The keywords that look at values of one type only."""

TYPE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {keyword: kind for kind, keywords in OF_TYPE.items() for keyword in keywords}
)
"""The type of value that a keyword looks at, for those of `OF_TYPE`."""

IN_PLACE: Final = ("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "$ref")
"""Keywords that hold the same value to further schemas."""

KNOWN: Final = frozenset({"type", "enum", "const", *IN_PLACE, *TYPE_OF})

# Those that jsonschema-rs holds a text to; any other format is a remark.
FORMATS: Final = frozenset(
    (
        *("date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4"),
        *("ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer"),
        *("relative-json-pointer", "regex"),
    )
)


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """The types that a normal schema's `type` and `enum` leave; `integer` only where `number` is not allowed."""
    if "enum" in schema:
        return frozenset(type_of(value) for value in schema["enum"])
    declared = schema.get("type")
    return ALL_TYPES if declared is None else frozenset(declared)


def all_in(types: frozenset[str], others: frozenset[str]) -> bool:
    """Whether every value of some types is of one of the others."""
    return all(name in others or (name == "integer" and "number" in others) for name in types)


def common(types: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The types of the values that are of both."""
    found = types & others
    for one, other in ((types, others), (others, types)):
        if "integer" in one and "number" in other:
            found |= {"integer"}
    return found - {"integer"} if "number" in found else found


def looked_at(keyword: str, types: frozenset[str]) -> bool:
    """Whether a keyword can matter to values of some types."""
    kind = TYPE_OF.get(keyword)
    return kind is None or kind in types or (kind == "number" and "integer" in types)
