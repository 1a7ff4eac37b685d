"""The keywords of JSON Schema 2020-12: what they look at, and which of them contain schemas."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

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

REFERENCES: Final = ("$ref", "$dynamicRef")
"""The keywords that refer to another node."""

BRANCHING: Final = ("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas")
"""Keywords that hold the same value to further schemas, which may declare its members."""

IN_PLACE: Final = ("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "not")
"""Keywords that hold the same value, whatever it is, to further schemas."""

APPLIED: Final = (*BRANCHING, "not", "$dynamicRef")
"""All keywords that hold the same value to further schemas."""

IN_ONE: Final = frozenset(
    {"items", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"}
) | {"additionalProperties", "unevaluatedProperties", "propertyNames"}
"""Keywords with a schema as their value."""
IN_LIST: Final = frozenset({"items", "prefixItems", "allOf", "anyOf", "oneOf"})
"""Keywords with a list of schemas; older drafts have one in `items`."""
IN_NAMED: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
"""Keywords with schemas under names that the author chose."""

KNOWN: Final = frozenset({"type", "enum", "const", *IN_PLACE, *TYPE_OF})

# Those that jsonschema-rs holds a text to; any other format is a remark.
FORMATS: Final = frozenset(
    (
        *("date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4"),
        *("ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer"),
        *("relative-json-pointer", "regex"),
    )
)


def all_in(types: frozenset[str], others: frozenset[str]) -> bool:
    """Whether every value of some types is of one of the others."""
    return all(name in others or (name == "integer" and "number" in others) for name in types)


def common(types: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The types of the values that are of both."""
    shared = types & others
    for one, other in ((types, others), (others, types)):
        if "integer" in one and "number" in other:
            shared |= {"integer"}
    return shared - {"integer"} if "number" in shared else shared


def looked_at(keyword: str, types: frozenset[str]) -> bool:
    """Whether a keyword can matter to values of some types."""
    kind = TYPE_OF.get(keyword)
    return kind is None or kind in types or (kind == "number" and "integer" in types)
