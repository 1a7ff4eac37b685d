"""Probe `extremes`: calls that the schema allows, with values that careless code does not expect.

Each string, number, array and object that the schema declares, at any depth, gets each value of `generate.extremes` that
it allows, one at a time, in a call that works. A text that has a grammar, such as code or a path, gets the values of that grammar
first (`generate.grammars`). The author's examples are varied: more digits, longer texts, more items, deeper nesting. A tool
may refuse such a call; it must not raise, hang, leak or break its process.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.generate import extremes as values
from aptix_conformance.stimuli.generate.argument_grammar import grammars_of, snake_case
from aptix_conformance.stimuli.generate.grammars import CATASTROPHIC, JSON, TIMEOUT, Grammar, is_endless
from aptix_conformance.stimuli.generate.reader import Alternative
from aptix_conformance.stimuli.generate.schema_members import (
    ELEMENT,
    Members,
    found_at,
    join,
    parts,
    placed,
    spoken,
)
from aptix_conformance.stimuli.generate.variations import nested, variations
from aptix_conformance.stimuli.probes.planning import argument_label, base_of, plan, succeeded
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_variants import evenly, turned

MOST_CALLS: Final = 600
"""The most calls for one tool."""

_MOST_DOCUMENTS: Final = 100
"""The most calls that work among which one with an argument is looked for."""
_MOST_PLACES: Final = 60
"""The most members of the schema that get extreme values."""
_MOST_VALUES: Final = 100
"""Listed values for which a call is looked for."""
_MOST_EXAMPLES: Final = 5
_MOST_TRIED: Final = 8
"""The most arrays of different items among which one that the schema allows is looked for."""
_MOST_LARGE: Final = 3
"""The most arguments that get large values, each alone; the others get them all at once."""

_DEEP: Final = "deeply-nested"
_SURROGATE: Final = "lone-surrogate"

_Document = Mapping[str, Any]
_Planned = tuple[Change, _Document]


class ExtremesProbe(Probe):
    """Plans calls with extreme values, and variations of the author's examples.

    They come last, because what a tool keeps of them would disturb other probes.
    """

    name = "extremes"
    apart = frozenset({"fixed"})

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """What has a grammar, the variations, the extreme values one at a time, then several at once beside each listed value."""
        for change, document in islice(_planned(subject, calls), MOST_CALLS):
            yield plan(subject, self.name, change, _text(document))

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """There are too many arguments to send every value."""
        sent = sum(1 for _ in _own(calls))
        if not sent and next(_planned(subject, calls), None) is None:
            reason = subject.unusable() or "its schema allows no extreme value"
            return Shortfall(self.name, reason, reduced_coverage=True, expected=True)
        reasons = []
        if sent >= MOST_CALLS:
            count = sum(1 for _ in _planned(subject, calls))
            if sent < count:
                reasons.append(f"of {count} calls with extreme values {sent} were made")
        omitted = len(_places(Members(subject.schema or {}))) - _MOST_PLACES
        if omitted > 0:
            reasons.append(f"{omitted} of its arguments got no extreme values")
        arguments = subject.arguments
        short = _Places(subject, arguments, calls).without_many() if arguments is not None else 0
        if short:
            reasons.append(f"{short} of its arrays got no many items, because these must differ")
        return Shortfall(self.name, "; ".join(reasons), reduced_coverage=True) if reasons else None


def _planned(subject: Subject, calls: Sequence[Call]) -> Iterator[_Planned]:
    """Every call, each once, that no call of the valid probe made already."""
    arguments = subject.arguments
    if arguments is None or arguments.minimal() is None:
        return
    known = {call.plan.arguments for call in calls if call.plan.probe == "valid"}
    places = _Places(subject, arguments, calls)
    for change, document in chain(
        places.with_grammar(), _variations(subject, calls), places.single(), places.large(), places.turns()
    ):
        # No validator reads what nests that deeply; a smaller one was allowed.
        if change.detail != _DEEP:
            # No validator reads half of a character either: another character stands for it.
            read = _readable(document) if change.detail == _SURROGATE else document
            if not arguments.judge.admits(read):
                continue
        text = _text(document)
        if text not in known:
            known.add(text)
            yield change, document


def _examples(subject: Subject) -> list[_Document]:
    """The arguments of the author's examples."""
    examples: list[_Document] = [example.arguments for example in subject.settings.examples]
    return examples + [each.arguments for each in (*subject.declared_examples, *subject.shown_examples)]


def _variations(subject: Subject, calls: Sequence[Call]) -> Iterator[_Planned]:
    for document in (_examples(subject) or [base_of(subject, calls).arguments])[:_MOST_EXAMPLES]:
        for place, what, varied in variations(document):
            name = spoken("".join(join("", str(part)) for part in place))
            yield Change(Kind.VARIED, argument_label(name), what), varied


class _Places:
    """The members that a schema declares, each with a call that works and has it."""

    def __init__(self, subject: Subject, arguments: Arguments, calls: Sequence[Call]) -> None:
        self._subject = subject
        self._arguments = arguments
        self._members = Members(arguments.schema)
        self._paths = _places(self._members)[:_MOST_PLACES]
        self._known: dict[str, _Document | None] = {}
        self._known_grammars: dict[tuple[str, bool], tuple[Grammar, ...]] = {}
        self._worked = list(islice(_distinct(succeeded(calls)), _MOST_DOCUMENTS))
        others = (base_of(subject, calls).arguments, arguments.minimal(), arguments.full())
        self._documents: list[_Document] = [*self._worked, *(value for value in others if value is not None)]

    def with_grammar(self) -> Iterator[_Planned]:
        """The texts of each grammar at each place that has it; a pattern with the texts of a call that works, and with long ones."""
        for path in self._paths:
            for what, text in [each for grammar in self._grammars(path) for each in grammar.texts.items()]:
                document = self._holding(path)
                if document is None:
                    continue
                changed = placed(self._limited(document, path) if is_endless(what) else document, path, text)
                change = Change(Kind.EXTREME, argument_label(spoken(path)), what)
                yield change, changed
                for other in self._paths if what == CATASTROPHIC else ():
                    if other != path and any(map(values.texts_for, self._shapes(other))):
                        yield change, placed(changed, other, values.SUBJECT)

    def single(self) -> Iterator[_Planned]:
        """Each short text and each number at each place that takes it."""
        for path in self._paths:
            shapes = self._members.shapes(path)
            if any(map(values.texts_for, shapes)):
                certain = self._grammars(path, by_description=False)
                sent = (grammar for grammar in self._grammars(path) if grammar in certain)
                unsent = {what for grammar in sent for what in grammar.in_place_of}
                texts = {what: text for what, text in values.TEXTS.items() if what not in unsent}
                yield from self._each_value(path, texts)
                if any(map(values.takes_half, shapes)):
                    yield from self._each_value(path, {_SURROGATE: values.SURROGATE})
            numbers = dict(chain.from_iterable(map(values.numbers_for, shapes)))
            yield from self._each_value(path, numbers)

    def large(self) -> Iterator[_Planned]:
        """A long text, an array of many items, an object of many members, and deep nesting."""
        texts = [path for path in self._paths if any(map(values.texts_for, self._shapes(path)))]
        for what, text in values.LONG.items():
            for path in texts[:_MOST_LARGE]:
                yield from self._each_value(path, {what: text})
            rest = texts[_MOST_LARGE:]
            document = self._holding(rest[0]) if rest else None
            if document is not None:
                for path in rest:
                    changed = placed(document, path, text)
                    document = changed if self._arguments.judge.admits(changed) else document
                yield Change(Kind.EXTREME, argument_label(spoken(rest[0])), what), document
        for path in self._paths:
            if JSON in self._grammars(path):
                yield from self._each_value(path, values.NESTED_JSON)
            yield from self._each_value(path, dict(self._containers(path)))

    def turns(self) -> Iterator[_Planned]:
        """Several extreme texts in one, in a call for each listed value: it may run other code."""
        known = {_text(self._holding(path) or {}) for path in self._paths}
        for path, value in evenly(self._members)[:_MOST_VALUES]:
            document = self._having(path, value)
            if document is None or _text(document) in known:
                continue
            known.add(_text(document))
            for other in self._paths:
                if found_at(document, other) and any(map(values.texts_for, self._shapes(other))):
                    for what, text in values.TOGETHER.items():
                        change = Change(Kind.EXTREME, argument_label(spoken(other)), what)
                        yield change, placed(document, other, text)

    def _grammars(self, path: str, *, by_description: bool = True) -> tuple[Grammar, ...]:
        """The grammars that the text at a path has."""
        key = path, by_description
        if key not in self._known_grammars:
            shown = chain.from_iterable(found_at(example, path) for example in _examples(self._subject))
            self._known_grammars[key] = grammars_of(
                parts(path)[-1],
                self._shapes(path),
                tool=self._subject.tool,
                shown=shown,
                by_description=by_description,
            )
        return self._known_grammars[key]

    def _limited(self, document: _Document, path: str) -> _Document:
        """A call with the least time in each argument that limits it, beside a place: a program without an end may then be ended."""
        for other in self._paths:
            is_beside = other.rpartition("/")[0] == path.rpartition("/")[0]
            if is_beside and TIMEOUT.fullmatch(snake_case(parts(other)[-1])):
                changed = placed(document, other, 1)
                document = changed if self._arguments.judge.admits(changed) else document
        return document

    def _shapes(self, path: str) -> list[Any]:
        return self._members.shapes(path)

    def _each_value(self, path: str, extremes: Mapping[str, Any]) -> Iterator[_Planned]:
        document = self._holding(path) if extremes else None
        if document is not None:
            for what, value in extremes.items():
                change = Change(Kind.EXTREME, argument_label(spoken(path)), what)
                yield change, placed(document, path, value)

    def _containers(self, path: str) -> Iterator[tuple[str, Any]]:
        current = self._current(path)
        for shape in self._shapes(path):
            keywords = shape.keywords
            if shape.values is not None:
                continue
            if "array" in shape.types:
                many = self._many(path, current, shape)
                yield from (("many-items", array) for array in (many,) if array is not None)
                if any(map(values.takes_large, self._shapes(join(path, ELEMENT)))):
                    yield "large-numbers", list(values.LARGE_NUMBERS)
            if "object" in shape.types and values.is_open(shape):
                item = self._arguments.value(keywords.get("additionalProperties", True))
                inside = current if isinstance(current, dict) else {}
                yield "many-members", values.many_members(inside, item)
            yield from self._deep(path, current, shape.types)

    def _many(self, path: str, current: Any, shape: Alternative) -> list[Any] | None:
        """Many items for an array; None if they must differ and none are known that do and that the schema allows."""
        item = self._arguments.value(shape.keywords.get("items", True))
        item = current[0] if isinstance(current, list) and current else item
        most = int(shape.keywords.get("maxItems", values.MANY))
        if not shape.keywords.get("uniqueItems"):
            return values.many_items(item, most)
        document = self._holding(path)
        candidates = values.many_distinct(item, self._members.values(join(path, ELEMENT)), most)
        return next(
            (
                candidate
                for candidate in islice(candidates, _MOST_TRIED)
                if self._arguments.judge.admits(placed(document, path, candidate))
            ),
            None,
        )

    def without_many(self) -> int:
        """How many arrays of items that must differ get no long one."""
        distinct = [
            (path, shape)
            for path in self._paths
            for shape in self._shapes(path)
            if "array" in shape.types and shape.values is None and shape.keywords.get("uniqueItems")
        ]
        return sum(self._many(path, self._current(path), shape) is None for path, shape in distinct)

    def _current(self, path: str) -> Any:
        """The value at a path in the call that has one; None where none has."""
        document = self._holding(path)
        return next(iter(found_at(document, path)), None) if document is not None else None

    def _deep(self, path: str, current: Any, types: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Values that contain themselves, as deep as the system allows; two levels show whether they may."""
        document = self._holding(path)
        within = [
            tuple(parts(other[len(path) :])) for other in self._members.paths if other.startswith(f"{path}/")
        ]
        tried: list[tuple[Any, tuple[str, ...]]] = [(current, inner) for inner in within]
        if "array" in types:
            tried += [([[]], (ELEMENT,)), ([{"a": []}], (ELEMENT, "a"))]
        if "object" in types:
            tried += [({"a": {}}, ("a",)), ({"a": [{}]}, ("a", ELEMENT)), (current, ("a",))]
        for outer, inner in tried:
            if document is None or not isinstance(outer, (dict, list)):
                continue
            twice = placed(document, path, nested(outer, inner, 2 * len(inner)))
            if twice != document and self._arguments.judge.admits(twice):
                yield _DEEP, nested(outer, inner, self._subject.declaration.traits.nesting)
                return

    def _holding(self, path: str) -> _Document | None:
        """The first call that has a member at a path, else one that could have it; None if there is none."""
        if path not in self._known:
            holding = (document for document in self._documents if found_at(document, path))
            rest = (document for document in self._documents if found_at(placed(document, path, ""), path))
            self._known[path] = next(chain(holding, rest), None)
        return self._known[path]

    def _having(self, path: str, value: Any) -> _Document | None:
        """A call that works with a value at a path, else one that the schema allows; None if there is none."""
        text = json.dumps(value)
        for document in self._worked:
            if text in map(json.dumps, found_at(document, path)):
                return document
        base = self._holding(path)
        return None if base is None else turned(self._subject, base, path, value)


def _places(members: Members) -> list[str]:
    """The paths of members; those below a member that contains itself are there once."""
    paths: list[str] = []
    objects: dict[str, str] = {}
    for path in members.paths:
        above = [other for other in objects if path.startswith(f"{other}/")]
        if any(objects[other] == "" for other in above):
            continue
        shapes = [shape.keywords for shape in members.shapes(path) if "object" in shape.types]
        for at, within in ((path, shapes), (join(path, ELEMENT), _element_shapes(members, path))):
            written = json.dumps(within, default=repr)
            if within:
                objects[at] = "" if written in {objects[other] for other in above} else written
        paths.append(path)
    return paths


def _element_shapes(members: Members, path: str) -> list[Any]:
    elements = members.shapes(join(path, ELEMENT)) if "array" in _types(members, path) else []
    return [shape.keywords for shape in elements if "object" in shape.types]


def _types(members: Members, path: str) -> set[str]:
    return {name for shape in members.shapes(path) for name in shape.types}


def _distinct(documents: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    known: set[str] = set()
    for document in documents:
        text = _text(document)
        if text not in known:
            known.add(text)
            yield document


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(values.SURROGATE, "a\ufffdb")
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _readable(item) for name, item in value.items()}
    return value


def _text(document: _Document) -> str:
    return write(document, "escaped")


def _own(calls: Sequence[Call]) -> Iterator[Call]:
    return (call for call in calls if call.plan.probe == ExtremesProbe.name)
