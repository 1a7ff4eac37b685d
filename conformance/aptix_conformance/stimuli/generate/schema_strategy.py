"""Hypothesis strategies for JSON Schema 2020-12 as tools use it.

A node becomes `one_of` its flat alternatives and their types, the simplest first, so that what is drawn
shrinks towards what a person would write. None stands for a node that allows nothing: the optional member,
array item or alternative that needs it is dropped. Nearly all drawn values satisfy the schema; the judge discards
the rest.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.schemas.nodes import integer_bounds
from aptix_conformance.stimuli.generate import numbers, patterns, text
from aptix_conformance.stimuli.generate.construct import Constructor
from aptix_conformance.stimuli.generate.reader import MAX_NODES, Alternative, SchemaReader, type_of
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError

MAX_ITEMS: Final = 1000
"""The maximum length of a generated array, whatever the schema requires."""

MAX_MEMBERS: Final = 60
"""Members of one object that are drawn; of the rest the required ones are always the same."""

_MORE_ITEMS: Final = 3
"""How many more items than its minimum a drawn array has, at most."""

Strategy = SearchStrategy[Any]


class SchemaStrategies:
    """Makes the strategies for the nodes of one schema document."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._reader = SchemaReader(root)
        self._constructor = Constructor(root)
        self._known: dict[tuple[str, int], Strategy | None] = {}
        self._nodes = 0

    def of(self, node: Any, depth: int = 0) -> Strategy | None:
        """A strategy for the values that a node allows; None where it allows nothing that can be made."""
        reference = self._reader.reference(node)
        if reference is None:
            return self._fresh(node, depth)
        if (reference, depth) not in self._known:
            self._known[reference, depth] = self._fresh(node, depth)
        return self._known[reference, depth]

    def _fresh(self, node: Any, depth: int) -> Strategy | None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            return None
        return _one_of(
            [self._alternative(alternative) for alternative in self._reader.alternatives(node, depth)]
        )

    def _alternative(self, alternative: Alternative) -> Strategy | None:
        values = alternative.values
        if values is not None:
            allowed = list(text.fitting(alternative.keywords, values))
            return st.sampled_from(allowed) if allowed else None
        if not alternative.keywords:
            return anything()
        return _one_of([self._of_type(name, alternative) for name in alternative.types])

    def _of_type(self, name: str, alternative: Alternative) -> Strategy | None:
        keywords = alternative.keywords
        if name == "array":
            return self._array(keywords, alternative.depth)
        if name == "object":
            return self._object(keywords, alternative.depth)
        return _SCALARS[name](keywords)

    def _array(self, keywords: Mapping[str, Any], depth: int) -> Strategy | None:
        low = int(keywords.get("minItems", 0))
        high = int(keywords.get("maxItems", MAX_ITEMS))
        prefix = [self.of(node, depth) for node in keywords.get("prefixItems", ())[:high]]
        known = [item for item in prefix if item is not None]
        item = self.of(keywords.get("items", True), depth)
        if len(known) < len(prefix):
            item, high = None, min(high, prefix.index(None))
            known = known[:high]
        rest_low, rest_high = max(low - len(known), 0), high - len(known)
        if low > min(high, MAX_ITEMS) or (item is None and rest_low > 0):
            return None
        key = _identity if keywords.get("uniqueItems") else None
        if key is not None and not self._enough(keywords.get("items", True), rest_low, depth):
            return None
        rest_high = rest_low if item is None else min(rest_high, rest_low + _MORE_ITEMS)
        rest = _array_of(item, rest_low, rest_high, key)
        wanted = self.of(keywords["contains"], depth) if "contains" in keywords else None
        if wanted is not None:
            rest = st.tuples(rest, wanted).map(lambda pair: [*pair[0], pair[1]])
        if not known:
            return rest
        return st.tuples(st.tuples(*known), rest).map(lambda pair: [*pair[0], *pair[1]])

    def _enough(self, node: Any, least: int, depth: int) -> bool:
        """Whether a node that lists its values lists enough of them for an array without repetitions."""
        lists = [alternative.values for alternative in self._reader.alternatives(node, depth)]
        known = [value for values in lists if values is not None for value in values]
        return None in lists or len({_identity(value) for value in known}) >= least

    def _object(self, keywords: Mapping[str, Any], depth: int) -> Strategy | None:
        members: dict[str, Strategy] = {}
        properties = keywords.get("properties", {})
        required = frozenset(keywords.get("required", ()))
        names = dict.fromkeys([*properties, *keywords.get("required", ())])
        for name in sorted(names, key=lambda name: name not in required):
            node = properties.get(name, keywords.get("additionalProperties", True))
            crowded = len(members) >= MAX_MEMBERS
            if name not in required and crowded:
                continue
            child = self._constant(node, depth) if crowded else self.of(node, depth)
            if child is not None:
                members[name] = child if name in required else self._maybe(node, child, depth)
            elif name in required:
                return None
        whole = _object_of(members)
        needed = int(keywords.get("minProperties", 0)) - len(keywords.get("required", ()))
        extras = self._extras(keywords, depth, needed=needed)
        if extras is None:
            return whole
        return st.tuples(whole, extras).map(lambda pair: {**pair[1], **pair[0]})

    def _constant(self, node: Any, depth: int) -> Strategy | None:
        try:
            return st.just(self._constructor.value(node, depth=depth))
        except UnconstructibleError:
            return None

    def _maybe(self, node: Any, child: Strategy, depth: int) -> Strategy:
        few = self._few(node, depth)
        return st.one_of(_ABSENT, child) if few is None else st.sampled_from([_LEFT_OUT, *few])

    def _few(self, node: Any, depth: int) -> list[Any] | None:
        """All values of a node where they are few enough to be drawn, with their absence, in one choice."""
        alternatives = self._reader.alternatives(node, depth)
        if len(alternatives) != 1:
            return None
        keywords, types = alternatives[0].keywords, alternatives[0].types
        if alternatives[0].values is not None:
            return list(text.fitting(keywords, alternatives[0].values))
        if types == ("boolean",):
            return [False, True]
        low, high = integer_bounds(keywords)
        if types != ("integer",) or low is None or high is None or "multipleOf" in keywords:
            return None
        return list(range(low, high + 1)) if high - low < numbers.NARROW else None

    def _extras(self, keywords: Mapping[str, Any], depth: int, *, needed: int) -> Strategy | None:
        """Strategy for members that the schema allows without naming them, where it describes them; None if it does not."""
        choices = [
            (patterns.matching(pattern, 1, 20), self.of(node, depth))
            for pattern, node in keywords.get("patternProperties", {}).items()
        ]
        other = keywords.get("additionalProperties", True)
        if isinstance(other, Mapping) or (other is True and not keywords.get("properties")):
            names = self.of(keywords["propertyNames"], depth) if "propertyNames" in keywords else None
            choices.append((_EXTRA_NAMES if names is None else names, self.of(other, depth)))
        most = min(int(keywords.get("maxProperties", max(needed, 0) + 3)), max(needed, 0) + 3)
        made = [
            st.dictionaries(names, values, min_size=min(max(needed, 0), most), max_size=most)
            for names, values in choices
            if names is not None and values is not None
        ]
        return _one_of(made)


_SCALARS: Final[Mapping[str, Callable[[Mapping[str, Any]], Strategy | None]]] = {
    "string": text.strings,
    "integer": numbers.integers,
    "number": numbers.numbers,
    "boolean": lambda _: st.booleans(),
    "null": lambda _: st.none(),
}
_LEFT_OUT: Final = object()
_ABSENT: Final[Strategy] = st.just(_LEFT_OUT)


def _object_of(members: Mapping[str, Strategy]) -> Strategy:
    """An object of these members, without those that draw `_LEFT_OUT`.

    `one_of` joins that draw with the member's own, where `fixed_dictionaries` spends two more on each optional
    member: half as fast.
    """
    names = tuple(members)

    def build(values: tuple[Any, ...]) -> dict[str, Any]:
        pairs = zip(names, values, strict=True)
        return {name: value for name, value in pairs if value is not _LEFT_OUT}

    return st.tuples(*members.values()).map(build)


def _array_of(item: Strategy | None, low: int, high: int, key: Callable[[Any], str] | None) -> Strategy:
    """Arrays of `low` to `high` items, no two with the same key."""
    if item is None:
        return st.just([])
    if key is not None or low > _MORE_ITEMS:
        return st.lists(item, min_size=low, max_size=high, unique_by=key)
    # One choice for the length, where `lists` spends one on each item.
    return st.one_of([st.tuples(*[item] * count).map(list) for count in range(low, high + 1)])


_NAMES: Final = ("a", "b", "key", "id", "name", "with space", "ünï", "__proto__", "", "0")
_EXTRA_NAMES: Final = st.sampled_from(_NAMES) | text.drawn_text(0, 8)


def anything() -> Strategy:
    """Any JSON value, at most two levels deep: recursion is slow to draw and finds little."""
    scalar: Strategy = st.one_of(
        st.sampled_from(text.PLAIN), st.integers(), st.booleans(), st.none(), st.sampled_from(text.TRICKY)
    )
    names = st.sampled_from(_NAMES)
    return st.one_of(scalar, st.lists(scalar, max_size=3), st.dictionaries(names, scalar, max_size=3))


def _identity(value: Any) -> str:
    return type_of(value) + json.dumps(value, sort_keys=True)


def _one_of(options: Sequence[Strategy | None]) -> Strategy | None:
    known = [option for option in options if option is not None]
    if len(known) <= 1:
        return known[0] if known else None
    return st.one_of(*known)
