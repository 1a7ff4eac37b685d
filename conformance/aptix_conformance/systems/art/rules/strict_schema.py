"""Which schemas ART's orchestrator can use: what Ajv 8 refuses to compile in its strict mode, read off the schema.

For tools whose project has no Ajv of its own to ask. The draft is 07, no formats are known, and a keyword that Ajv does
not know is an error and no annotation. A fault that is reported here is certain; a schema without one may still have faults.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jsonschema_rs

from aptix_conformance.core.text import printable, quoted
from aptix_conformance.stimuli.generate.ecma import for_validator
from aptix_conformance.stimuli.generate.expansion_size import overgrown

DEEPEST: Final = 250
"""Levels of a schema, an object and its property being two; the validator goes little deeper."""

DRAFT: Final = "http://json-schema.org/draft-07/schema"

_IN_ONE: Final = frozenset(
    {"not", "if", "then", "else", "additionalItems", "additionalProperties", "contains", "propertyNames"}
)
_IN_MANY: Final = frozenset({"allOf", "anyOf", "oneOf"})
_IN_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_KNOWN: Final = (
    _IN_ONE
    | _IN_MANY
    | _IN_NAMED
    | {
        "$schema",
        "$id",
        "$ref",
        "$comment",
        "$anchor",
        "$async",
        "$vocabulary",
        "$dynamicRef",
        "$dynamicAnchor",
    }
    | {"$recursiveRef", "$recursiveAnchor"}
    | {"title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "nullable"}
    | {"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"}
    | {"maxLength", "minLength", "pattern", "format", "contentMediaType", "contentEncoding", "contentSchema"}
    | {
        "items",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "dependencies",
    }
)


def strict_fault(schema: Mapping[str, Any]) -> str | None:
    """Why a schema does not compile, as words that follow "the schema"; None where nothing is known against it."""
    if overgrown(schema, DEEPEST):
        return "is too large or too deep to be read"
    for place, part in _parts(schema, ""):
        fault = _fault_of(part, is_root=not place)
        if fault:
            return f"{fault}{f' (at {printable(place, 80)})' if place else ''}"
    try:
        jsonschema_rs.Draft7Validator(for_validator(schema), offline=True)
    except ValueError as error:  # jsonschema-rs's own errors are all of this kind
        return f"is no JSON Schema of draft 07: {printable(' '.join(str(error).split()), 200)}"
    return None


def _fault_of(part: Mapping[str, Any], *, is_root: bool) -> str | None:  # noqa: PLR0911 - one for each fault
    if "id" in part:
        return "has the keyword 'id' of older drafts, where '$id' is meant"
    unknown = sorted(part.keys() - _KNOWN)
    if unknown:
        return f"has the keyword {quoted(unknown[0], 60)}, which is unknown to draft 07"
    named = part.get("$schema")
    if isinstance(named, str) and is_root and named.rstrip("#") != DRAFT:
        return f"says that it is of {printable(named, 80)}, and nothing but draft 07 is known"
    if "format" in part:
        return f"has the format {printable(repr(part['format']), 40)}, and no format is known"
    if "nullable" in part and "type" not in part:
        return "has 'nullable' without a type"
    if "if" in part and "then" not in part and "else" not in part:
        return "has an 'if' without 'then' or 'else'"
    if ("then" in part or "else" in part) and "if" not in part:
        return "has a 'then' or an 'else' without 'if'"
    if "additionalItems" in part and not isinstance(part.get("items"), list):
        return "has 'additionalItems' without an array of items"
    return _overlap(part)


def _overlap(part: Mapping[str, Any]) -> str | None:
    """Ajv refuses a property that a pattern beside it matches too, where the pattern asks for something."""
    properties, patterns = part.get("properties"), part.get("patternProperties")
    if isinstance(properties, Mapping) and isinstance(patterns, Mapping):
        for pattern in (pattern for pattern, demand in patterns.items() if demand not in ({}, True)):
            try:
                name = next((name for name in properties if re.search(pattern, name)), None)
            except re.error:
                continue
            if name is not None:
                return f"has the property {quoted(name, 60)}, which its pattern {quoted(pattern, 60)} matches too"
    return None


def _parts(schema: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The schema and every schema in it, each with its place."""
    if not isinstance(schema, Mapping):
        return
    yield place, schema
    for key, value in schema.items():
        here = f"{place}/{key}"
        if key in _IN_ONE:
            yield from _parts(value, here)
        elif key in _IN_MANY or key == "items":
            many = value if isinstance(value, list) else [value]
            for index, each in enumerate(many):
                yield from _parts(each, f"{here}/{index}" if isinstance(value, list) else here)
        elif (key in _IN_NAMED or key == "dependencies") and isinstance(value, Mapping):
            for name, each in value.items():
                yield from _parts(each, f"{here}/{name}")
