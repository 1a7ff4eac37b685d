"""Generates the argument objects that a tool's schema allows."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.schemas.joins import both
from aptix_conformance.core.schemas.nodes import conjuncts
from aptix_conformance.stimuli.generate.boundaries import MAX_VALUES, NAMED, boundary_values
from aptix_conformance.stimuli.generate.construct import Constructor
from aptix_conformance.stimuli.generate.judge import Judge
from aptix_conformance.stimuli.generate.named import named_values
from aptix_conformance.stimuli.generate.reader import Alternative
from aptix_conformance.stimuli.generate.schema_members import Members, parts, placed, spoken
from aptix_conformance.stimuli.generate.schema_strategy import SchemaStrategies
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError, simplest
from aptix_conformance.stimuli.generate.waits import bounded_waits

MAX_PROPERTIES: Final = 60
"""How many properties are taken one by one; the rest are only drawn."""


class Arguments:
    """Argument objects for a parameters schema that `usable.fault` has passed.

    `narrowing` holds single arguments to a further schema each. `examples` are argument objects that are
    known to make sense: where one is schema-valid, its values are preferred to made-up ones. A narrowed argument
    is never left out: an author who bounds a delay does not want the default delay either. No call asks a tool to wait for
    long (`bounded_waits`), unless the narrowing says so.

    Raises:
        ValueError: the narrowing is no JSON Schema.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        narrowing: Mapping[str, Any] | None = None,
        examples: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        waits = bounded_waits(schema, examples)
        self.bounded_waits = frozenset(waits)
        self.judge = Judge(schema, {**waits, **(narrowing or {})})
        self.schema = self.judge.narrowed
        self._members = Members(self.schema)
        self._constructor = Constructor(self.schema)
        self._sent = both(_with_required(self.schema, narrowing or {}), {"type": "object"})
        self._sensible = next((dict(example) for example in examples if self.judge.admits(example)), {})

    @cached_property
    def properties(self) -> dict[str, Any]:
        """The first of the schema's properties, those of merged alternatives too, with their schemas."""
        return dict(list(self._members.properties("").items())[:MAX_PROPERTIES])

    @cached_property
    def required(self) -> frozenset[str]:
        """The names without which no object is allowed."""
        lists = [frozenset(shape.keywords.get("required", ())) for shape in self._members.objects("")]
        return frozenset.intersection(*lists) if lists else frozenset()

    @property
    def needs_something(self) -> bool:
        """Whether the schema forbids a call without arguments, with the defaults filled in that it names."""
        named = {n: default_of(node) for n, node in self.properties.items() if has_default(node)}
        return self.judge.forbids(named)

    def alternatives(self, node: Any) -> list[Alternative]:
        """What a node of the schema allows, flat."""
        return self._constructor.reader.alternatives(node)

    def conjuncts(self, node: Any) -> Iterator[Mapping[str, Any]]:
        """The keywords that bind whatever a node allows: its own, those it refers to, and those of its `allOf`."""
        return self._constructor.reader.conjuncts(node)

    def types(self, node: Any) -> frozenset[str]:
        """The JSON types that a node allows; an integer is allowed where a number is."""
        found = {name for alternative in self.alternatives(node) for name in alternative.types}
        return frozenset(found | ({"integer"} if "number" in found else set()))

    def drawn(self) -> SearchStrategy[dict[str, Any]] | None:
        """A strategy for objects that schema and narrowing allow; None where none can be made."""
        strategy = SchemaStrategies(self.schema).of(self._sent)
        return None if strategy is None else strategy.filter(self.judge.admits)

    def minimal(self) -> dict[str, Any] | None:
        """Required members only, with sensible values; None where no object can be made at all."""
        return _copied(self._minimal)

    def full(self) -> dict[str, Any] | None:
        """Every member that can be filled in; None where the members do not go together."""
        return _copied(self._full)

    def value(self, node: Any) -> Any:
        """A sensible value for a node of the schema; None where there is none, or where it is null."""
        try:
            return self._constructor.value(node, full=True)
        except UnconstructibleError:
            return None

    def boundaries(self) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        """Objects with one property at an edge of what it allows, each with the property's name and the edge."""
        base = self.minimal()
        if base is None:
            return
        seen: set[str] = set()
        for name, node in self.properties.items():
            for edge, value in boundary_values(self._constructor, node):
                candidate = {**base, name: value}
                # Compared as text: to Python 1, 1.0 and True are one value.
                if repr(candidate) not in seen and self.judge.admits(candidate):
                    seen.add(repr(candidate))
                    yield (name, edge), candidate
        yield from self._listed_within(seen)

    def _listed_within(self, seen: set[str]) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        """Objects with each listed or named value of each member that is inside of another."""
        whole = self.full() or self.minimal() or {}
        for path in self._members.paths:
            if len(parts(path)) == 1:
                continue
            listed = [
                (f"enum-{n}", value)
                for n, value in enumerate(self._members.values(path)[:MAX_VALUES], start=1)
            ]
            open_shapes = (shape for shape in self._members.shapes(path) if shape.values is None)
            offered = chain.from_iterable(named_values(shape.keywords, shape.types) for shape in open_shapes)
            for edge, value in [
                *listed,
                *((f"{NAMED}{n}", value) for n, value in enumerate(offered, start=1)),
            ]:
                candidate = placed(whole, path, value)
                if repr(candidate) not in seen and self.judge.admits(candidate):
                    seen.add(repr(candidate))
                    yield (spoken(path), edge), candidate

    @cached_property
    def _minimal(self) -> dict[str, Any] | None:
        made = self._made(full=False)
        return self._found() if made is None else made

    @cached_property
    def _full(self) -> dict[str, Any] | None:
        return self._made(full=True)

    def _made(self, *, full: bool) -> dict[str, Any] | None:
        try:
            made = self._constructor.value(self._sent, full=full)
        except UnconstructibleError:
            return None
        if not isinstance(made, dict):
            return None
        known = {name: self._sensible[name] for name in made if name in self._sensible}
        return next((found for found in ({**made, **known}, made) if self.judge.admits(found)), None)

    def _found(self) -> dict[str, Any] | None:
        if self._sensible:
            return dict(self._sensible)
        strategy = self.drawn()
        try:
            return None if strategy is None else dict(simplest(strategy))
        except UnconstructibleError:
            return None


def _with_required(schema: dict[str, Any], narrowing: Mapping[str, Any]) -> dict[str, Any]:
    if not narrowing:
        return schema
    return {**schema, "required": list(dict.fromkeys([*schema.get("required", ()), *narrowing]))}


def _copied(arguments: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if arguments is None else dict(arguments)


def has_default(node: Any) -> bool:
    """Whether a property's schema says what it is when it is left out."""
    return default_of(node) is not None


def has_null_default(node: Any) -> bool:
    """Whether a property's schema, or a branch of its `allOf`, names null as what it is when it is left out."""
    return any("default" in each and each["default"] is None for each in conjuncts(node))


def default_of(node: Any) -> Any:
    """What a property is when it is left out, by its schema or a branch of its `allOf`; None where none says it."""
    defaults = (each.get("default") for each in conjuncts(node))
    return next((default for default in defaults if default is not None), None)
