"""Where the properties of an object are declared: beside it, or in what its other keywords hold it to."""

from collections.abc import Mapping
from typing import Any

from aptix_conformance.schemas.diff.keywords import IN_PLACE
from aptix_conformance.schemas.diff.references import References


def branching(node: Mapping[str, Any]) -> list[str]:
    """The keywords of a node that hold the same value to further schemas, and may declare its members."""
    return [keyword for keyword in (*IN_PLACE, "dependentSchemas") if keyword in node and keyword != "not"]


def declares(references: References, value: Any, keyword: str) -> bool:
    """Whether the value of one of those keywords declares properties."""
    if keyword == "$ref":
        return _declares(references, references.target(value), frozenset({value}))
    if keyword == "dependentSchemas":
        branches = list(value.values())
    else:
        branches = value if isinstance(value, list) else [value]
    return any(_declares(references, branch, frozenset()) for branch in branches)


def _declares(references: References, raw: Any, seen: frozenset[str]) -> bool:
    if not isinstance(raw, Mapping):
        return False
    if "properties" in raw:
        return True
    reference = raw.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        target, seen = references.target(reference), seen | {reference}
        if _declares(references, target, seen):
            return True
    inner = [raw[keyword] for keyword in ("if", "then", "else") if keyword in raw]
    inner += [branch for keyword in ("allOf", "anyOf", "oneOf") for branch in raw.get(keyword, ())]
    inner += raw.get("dependentSchemas", {}).values()
    return any(_declares(references, branch, seen) for branch in inner)
