"""The judge of what a parameters schema allows and what it forbids.

The two are not opposites. A *valid* call satisfies every reading: the schema, its formats, and the narrowing in the
author's configuration. A *forbidden* call breaks even the most lenient reading: formats are annotations there (JSON
Schema 2020-12), and a null optional member counts as left out (AGN-005.3.3). A call that is ambiguous because of a
pattern's dot (`ecma`) is neither. A system that grades conversions says itself what null is: there it is a value like any other.
"""

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from aptix_conformance.core.schemas.validity import is_valid
from aptix_conformance.stimuli.generate import ecma


class Judge:
    """Judges argument objects by a parameters schema that `usable.fault` has passed.

    Raises:
        ValueError: the narrowing is no JSON Schema.
    """

    def __init__(self, schema: Mapping[str, Any], narrowing: Mapping[str, Any] | None = None) -> None:
        self.narrowed = narrowed(schema, narrowing or {})
        self._strict = jsonschema_rs.Draft202012Validator(self.narrowed, validate_formats=True, offline=True)
        self._kind = jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=False, offline=True)
        self._has_dot = ecma.some_bare_dot(schema)
        self._is_narrowed_by_dot = ecma.some_bare_dot(narrowing)

    def admits(self, arguments: object) -> bool:
        """Whether the arguments are an object that schema, formats and narrowing allow."""
        return (
            self.allows(arguments)
            and is_valid(self._strict, arguments)
            and not (self._is_narrowed_by_dot and ecma.has_line_end(arguments))
        )

    def allows(self, arguments: object) -> bool:
        """Whether the arguments are an object that the schema allows, without formats and narrowing."""
        return (
            isinstance(arguments, dict)
            and is_valid(self._kind, arguments)
            and not self._is_ambiguous(arguments)
        )

    def forbids(self, arguments: Mapping[str, Any], *, null_may_be_absent: bool = True) -> bool:
        """Whether the schema forbids the arguments, even if null members count as left out where they may."""
        readings = (arguments, without_nulls(arguments)) if null_may_be_absent else (arguments,)
        return not any(is_valid(self._kind, meant) or self._is_ambiguous(meant) for meant in readings)

    def _is_ambiguous(self, arguments: object) -> bool:
        return self._has_dot and ecma.has_line_end(arguments)


def narrowed(schema: Mapping[str, Any], narrowing: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with an object as its root; each narrowed property must satisfy both schemas."""
    known = schema.get("properties", {})
    properties = dict(known)
    for name, extra in narrowing.items():
        properties[name] = {"allOf": [known[name], extra]} if name in known else extra
    result = {**schema, "properties": properties}
    if "type" not in result:
        result["type"] = "object"
    return result


def without_nulls(value: Any) -> Any:
    """The value with every null member of every object left out."""
    if isinstance(value, Mapping):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value
