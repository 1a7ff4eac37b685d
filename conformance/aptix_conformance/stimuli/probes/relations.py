"""Values that break what a schema says of several parts together: names, members that go together, what a list contains.

JSON Schema 2020-12, sections 6.5.4, 10.2 and 10.3. Values are candidates: the caller sends those that the schema forbids.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, islice
from typing import Any, Final

from aptix_conformance.core.schemas.keywords import REFERENCES
from aptix_conformance.stimuli.generate import Arguments
from aptix_conformance.stimuli.generate.text import fitting
from aptix_conformance.stimuli.probes.planning import Demand

Relation = tuple[str, Demand, Any]
"""The keyword that is broken, whether the value must be refused, and the whole value."""

_NAMES: Final = ("no such name!", "0", "A", "a", "", "x" * 300)
"""Names for a member that an object may not have."""
_ITEMS: Final[tuple[Any, ...]] = ("__no_such_value__", 987654321, None, False, [], {})
_BRANCHES: Final = 4
"""How many branches of a `oneOf` are combined."""
_OTHERS: Final = 24
"""How many other schemas a value made for one satisfies too."""


def broken_relations(arguments: Arguments, node: Any, current: Any) -> Iterator[Relation]:
    """Values of a node that break one keyword on several parts; `current` is a value that the node allows."""
    for keywords in _beside_the_others(arguments, node):
        for keyword, make in _MAKERS.items():
            if keyword in keywords:
                # Branches that overlap are mostly a mistake of the schema: a tool may take what fits both.
                demand: Demand = "either" if keyword == "oneOf" else "refused"
                yield from ((keyword, demand, value) for value in make(arguments, keywords, current))


def conditions(arguments: Arguments, node: Any, current: Any) -> Iterator[tuple[Any, Any]]:
    """(a schema that binds under a condition, a value under that condition), for each condition of a node.

    The value of an `else` is the current one: if the condition holds for it, its changes are allowed and not sent.
    """
    for keywords in _beside_the_others(arguments, node):
        rest = {key: value for key, value in keywords.items() if key not in ("if", "then", "else")}
        if "if" in keywords and "then" in keywords:
            yield keywords["then"], _completed(arguments, current, rest, keywords["if"], keywords["then"])
        if "if" in keywords and "else" in keywords:
            yield keywords["else"], _completed(arguments, current, rest, keywords["else"])
        for name, schema in keywords.get("dependentSchemas", {}).items():
            yield schema, _completed(arguments, current, rest, {"required": [name]}, schema)


def _beside_the_others(arguments: Arguments, node: Any) -> Iterator[Mapping[str, Any]]:
    """Each schema that binds whatever a node allows, the others as its `allOf`: a value made for it satisfies them too."""
    parts = list(arguments.conjuncts(node))
    if len(parts) == 1:
        yield from parts
        return
    own = [{key: value for key, value in part.items() if key not in ("allOf", *REFERENCES)} for part in parts]
    for keywords in own:
        others = islice((part for part in own if part is not keywords), _OTHERS)
        yield {**keywords, "allOf": list(others)}


def _completed(arguments: Arguments, current: Any, rest: Mapping[str, Any], *added: Any) -> Any:
    """The current value with the members that further schemas demand; another value where it is no object."""
    generated = arguments.value({"allOf": [rest, *added]})
    if not isinstance(current, dict) or not isinstance(generated, dict):
        return generated
    shapes = [shape.keywords for schema in added for shape in arguments.alternatives(schema)]
    described = {name for keywords in shapes for name in keywords.get("properties", {})}
    needed = {name for keywords in shapes for name in keywords.get("required", ()) if name not in current}
    return {**current, **{name: value for name, value in generated.items() if name in described | needed}}


def _without_dependents(
    arguments: Arguments, keywords: Mapping[str, Any], current: Any
) -> Iterator[Mapping[str, Any]]:
    rest = {key: value for key, value in keywords.items() if key != "dependentRequired"}
    for name, needed in keywords["dependentRequired"].items() if isinstance(current, dict) else ():
        whole = _completed(arguments, current, rest, {"required": [name, *needed]})
        if isinstance(whole, dict):
            yield from ({key: whole[key] for key in whole if key != missing} for missing in needed)


def _excluded(arguments: Arguments, keywords: Mapping[str, Any], current: Any) -> Iterator[Any]:
    rest = {key: value for key, value in keywords.items() if key != "not"}
    yield _completed(arguments, current, rest, keywords["not"])


def _misnamed(arguments: Arguments, keywords: Mapping[str, Any], current: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(current, dict):
        return
    shapes = arguments.alternatives(keywords["propertyNames"])
    allowed = {name for shape in shapes for name in fitting(shape.keywords, _listed(shape.values))}
    for name in _NAMES:
        if name not in current and name not in allowed:
            yield {**current, name: arguments.value(keywords.get("additionalProperties", True))}
            return


def _listed(values: list[Any] | None) -> list[Any]:
    return list(_NAMES) if values is None else [name for name in _NAMES if name in values]


def _without_contained(
    arguments: Arguments, keywords: Mapping[str, Any], current: Any
) -> Iterator[list[Any]]:
    if not isinstance(current, list):
        return
    least = max(int(keywords.get("minItems", 0)), 1)
    others = [arguments.value(keywords["items"])] if "items" in keywords else _ITEMS
    if least == 1:
        yield []
    yield from ([item] * least for item in others)
    if "maxContains" in keywords:
        yield [*current, *[arguments.value(keywords["contains"])] * (int(keywords["maxContains"]) + 1)]


def _more_than_listed(
    _arguments: Arguments, keywords: Mapping[str, Any], current: Any
) -> Iterator[list[Any]]:
    if keywords["items"] is False and isinstance(current, list):
        yield [*current, *["unexpected"] * (len(keywords.get("prefixItems", ())) - len(current) + 1)]


def _of_two_branches(arguments: Arguments, keywords: Mapping[str, Any], _current: Any) -> Iterator[Any]:
    rest = {key: value for key, value in keywords.items() if key != "oneOf"}
    for one, other in combinations(keywords["oneOf"][:_BRANCHES], 2):
        yield arguments.value({"allOf": [rest, one, other]})


_MAKERS: Final[Mapping[str, Callable[[Arguments, Mapping[str, Any], Any], Iterator[Any]]]] = {
    "dependentRequired": _without_dependents,
    "not": _excluded,
    "propertyNames": _misnamed,
    "contains": _without_contained,
    "items": _more_than_listed,
    "oneOf": _of_two_branches,
}
