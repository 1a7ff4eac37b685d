"""The keywords of one node in one spelling."""

from typing import Any, Final

from aptix_conformance.core.schemas.keywords import FORMATS
from aptix_conformance.core.schemas.nodes import integer_bounds

_IDLE: Final = {"minLength": 0, "minItems": 0, "minProperties": 0, "uniqueItems": False}
# A schema may write 2.0 for 2 in these.
_WHOLE: Final = frozenset(
    (
        *("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties"),
        "maxProperties",
    )
)
_EMPTY: Final = ("required", "dependentRequired", "dependentSchemas", "patternProperties", "prefixItems")


def tidied(node: dict[str, Any]) -> dict[str, Any]:  # noqa: C901 - one spelling after the other
    """The keywords of one node in one spelling, so that they can be merged."""
    if "type" in node:
        node["type"] = _types(node["type"], node.get("multipleOf"))
    if node.get("format") not in FORMATS:
        node.pop("format", None)
    for keyword in _WHOLE & node.keys():
        node[keyword] = int(node[keyword])
    for keyword, idle in _IDLE.items():
        if node.get(keyword) == idle:
            del node[keyword]
    for keyword in _EMPTY:
        if keyword in node and not node[keyword]:
            del node[keyword]
    if "required" in node:
        node["required"] = sorted(set(node["required"]))
    has_condition = "if" in node and node.keys() & {"then", "else"}
    for keyword in () if has_condition else ("if", "then", "else"):
        node.pop(keyword, None)
    for keyword in () if "contains" in node else ("minContains", "maxContains"):
        node.pop(keyword, None)
    if node.get("type") == ["integer"]:
        _round_bounds(node)
    return node


def _types(declared: str | list[str], step: float | None) -> list[str]:
    """The types as a sorted list; multiples of a whole number are whole numbers themselves."""
    types = {declared} if isinstance(declared, str) else set(declared)
    if "number" in types:
        types -= {"integer"}
        if step is not None and step % 1 == 0:
            types = types - {"number"} | {"integer"}
    return sorted(types)


def _round_bounds(node: dict[str, Any]) -> None:
    """The bounds of whole numbers as whole numbers, none of them exclusive."""
    low, high = integer_bounds(node)
    for keyword in ("exclusiveMinimum", "exclusiveMaximum"):
        node.pop(keyword, None)
    if low is not None:
        node["minimum"] = low
    if high is not None:
        node["maximum"] = high
    if node.get("multipleOf") == 1:
        del node["multipleOf"]
