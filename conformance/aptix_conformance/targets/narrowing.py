"""The key `arguments` of a tool's table: JSON schemas that generated arguments must satisfy in addition to the tool's own.

A validator ignores unknown keywords. In a narrowing, that would send values that its author forbids, so unknown keywords
are refused.
"""

import difflib
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from aptix_conformance.core.text import printable
from aptix_conformance.targets.values import Place, Table, json_value, read

_EXAMPLE = 'arguments = { city = { enum = ["Oslo", "Rome"] } }'
_WITHOUT_CHECK = (
    *("$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions"),
    *("then", "else", "minContains", "maxContains", "contentEncoding", "contentMediaType", "contentSchema"),
    *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
)
"""Keywords of JSON Schema 2020-12 that the validator looks at with another one, or that say nothing of values."""


def narrowing(value: Any, place: Place) -> Mapping[str, Any]:
    """Argument names to JSON schemas that generated values must satisfy as well."""
    return {
        name: _fragment(fragment, place / name)
        for name, fragment in read(value, place, Table, _EXAMPLE).items()
    }


def _fragment(value: Any, place: Place) -> Any:
    schema = json_value(read(value, place, Table, _EXAMPLE), place)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        inside = ".".join(str(step) for step in error.absolute_path)
        place.refuse(
            f"no valid JSON schema{f' at {inside}' if inside else ''}: {printable(error.message, 200)}; "
            f"for example `{_EXAMPLE}`"
        )
    for unknown in _only_keywords().iter_errors(schema):
        for step in unknown.absolute_path:
            place = place[step] if isinstance(step, int) else place / str(step)
        _refuse_keyword(str(unknown.instance), place)
    return schema


def _refuse_keyword(keyword: str, place: Place) -> None:
    near = difflib.get_close_matches(keyword, _keywords(), n=1)
    hint = f"; did you mean `{near[0]}`?" if near else f"; for example `{_EXAMPLE}`"
    (place / keyword).refuse(f"JSON Schema has no keyword of this name{hint}")


def _keywords() -> list[str]:
    return sorted({*Draft202012Validator.VALIDATORS, *_WITHOUT_CHECK})


@cache
def _only_keywords() -> Draft202012Validator:
    """The schema of JSON schemas; its dynamic anchor applies it to nested schemas, too."""
    standard = Draft202012Validator.META_SCHEMA
    return Draft202012Validator(
        {
            "$schema": standard["$schema"],
            "$id": "urn:aptix-conformance:only-keywords",
            "$dynamicAnchor": "meta",
            "$ref": standard["$id"],
            "propertyNames": {"enum": _keywords()},
        }
    )
