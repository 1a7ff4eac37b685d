"""Probe `repeat`: repeated calls, in sequence and concurrently, up to fifty at once."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes.contexts import without_own_identifiers
from aptix_conformance.stimuli.probes.hash_seeds import shows_rows
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_partitions import select_value_partitions

AT_ONCE: Final = 50
TIMES: Final = 2
_VALUES: Final = "values"
"""The set of calls with other listed values, one each."""
_SWAPPED: Final = "swapped"
"""The set of calls with the values of two arguments exchanged, and the group of them beside the call that has them."""
_MOST_SWAPPED: Final = 8
"""Calls in that group, half of them with exchanged values."""
_MOST_PAIRS: Final = 3
"""The most pairs of arguments that are exchanged, each in one call, until such a call succeeds."""
_ANNOTATIONS: Final = frozenset({"title", "description", "default", "examples"})
_MOST_TEXT: Final = 8_000_000
"""The most characters of all payloads of one group together."""


class RepeatProbe(Probe):
    """Plans calls that work, in sequence and concurrently, each with unique identifiers.

    Two sets of arguments, A and B, are each sent twice, and a call with each other listed value (`values`) once. Where two
    arguments have values that each may have, such as `source` and `target`, A with these exchanged is sent twice, too. Then
    come groups of concurrent calls: equal, different, many, and swapped, where a tool that locks what its arguments name, in
    their order, waits for ever.
    The large group has fewer than fifty calls where one answers with a long text. The host gives a group more time where a
    call alone is slow: a tool that never suspends runs them in sequence.
    """

    name = "repeat"
    in_sequence = True
    """The calls must see what earlier ones left in the tool's files."""

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Each set of arguments twice, then calls with other listed values, then with two values exchanged."""
        kind = Kind.IDEMPOTENT if subject.settings.idempotent else Kind.SAME
        for letter, arguments in zip("AB", _chosen(calls), strict=False):
            for time in range(1, TIMES + 1):
                change = Change(kind, detail=letter, number=time)
                yield plan(subject, self.name, change, write(arguments))
        for number, text in enumerate(_others(subject, calls), start=1):
            yield plan(subject, self.name, Change(kind, detail=_VALUES, number=number), text)
        if "together" not in subject.disturbances or _how_many(calls) < TIMES:
            return
        for number, (_, text) in enumerate(_exchanged(subject, calls), start=1):
            yield plan(subject, self.name, Change(kind, detail=_SWAPPED, number=number), text)
            if _succeeds(calls, text):
                yield plan(subject, self.name, Change(kind, detail=_SWAPPED, number=number + 1), text)
                return

    def together(self, subject: Subject, calls: Sequence[Call]) -> Iterator[tuple[Stimulus, ...]]:
        """Groups of two equal calls, two different ones, up to fifty, and swapped ones; none if no call works."""
        sets = [write(arguments) for arguments in _chosen(calls)]
        if not sets or "together" not in subject.disturbances:
            return
        most = _how_many(calls)
        groups = {
            "equal": (sets[0], sets[0]),
            "different": sets,
            "many": [sets[place % len(sets)] for place in range(most)],
            _SWAPPED: list(_opposed(subject, calls))[: most - most % TIMES],
        }
        for name, texts in groups.items():
            if most >= len(texts) > 1:
                yield tuple(
                    plan(subject, self.name, _together(name, number, len(texts)), arguments)
                    for number, arguments in enumerate(texts, start=1)
                )

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """No call can be repeated, or not enough can run concurrently."""
        if not _chosen(calls):
            return Shortfall(
                self.name, "no valid call succeeded that could be repeated", reduced_coverage=True
            )
        if "together" not in subject.disturbances:
            return Shortfall(self.name, "this host makes one call at a time", reduced_coverage=True)
        most = _how_many(calls)
        if most < AT_ONCE:
            reason = f"{most} calls at once instead of {AT_ONCE}, because one answers much"
            return Shortfall(self.name, reason, reduced_coverage=True)
        return None

    def bases(self, subject: Subject, calls: Sequence[Call]) -> Sequence[str]:  # noqa: ARG002 - the interface's
        """Those that are repeated."""
        texts = [call.plan.arguments or "" for call in _own(calls) if call.plan.change.detail == _VALUES]
        return [*(write(arguments) for arguments in _chosen(calls)), *texts]


def _together(group: str, number: int, count: int) -> Change:
    return Change(Kind.TOGETHER, detail=group, number=number, count=count)


def _chosen(calls: Sequence[Call]) -> list[Mapping[str, Any]]:
    """The first successful arguments, and others, preferably with a different result, so that a mix-up is visible.

    Of these the first whose result shows texts in a row, if one does: the order of a set shows in it.
    """
    answers: dict[str, str] = {}
    for call in calls:
        if call.plan.probe == "valid" and call.succeeded and call.plan.arguments is not None:
            arguments = write(json.loads(call.plan.arguments))
            answers.setdefault(
                arguments, without_own_identifiers((call.result and call.result.payload) or "")
            )
    if not answers:
        return []
    first, *others = answers
    telling = [text for text in others if answers[text] != answers[first]]
    telling.sort(key=lambda text: not shows_rows(answers[text]))
    return [json.loads(text) for text in (first, *(telling or others)[:1])]


def _others(subject: Subject, calls: Sequence[Call]) -> list[str]:
    """The arguments of successful calls with listed values that neither A nor B has."""
    return select_value_partitions(subject, calls, [write(arguments) for arguments in _chosen(calls)])


def _exchanged(subject: Subject, calls: Sequence[Call]) -> list[tuple[str, str]]:
    """The arguments of a call that works, and the same with two values exchanged, for a few pairs that the schema allows.

    Pairs of listed values come first, then pairs of one schema: both are more likely to be of one kind.
    """
    arguments = subject.arguments
    if arguments is None:
        return []
    schemas = {name: _without_annotations(node) for name, node in arguments.properties.items()}
    listed = {
        name
        for name in schemas
        if any(shape.values is not None for shape in arguments.alternatives(schemas[name]))
    }
    candidates: dict[tuple[str, str], tuple[bool, bool, str, str]] = {}
    for base in _chosen(calls):
        for one, other in combinations([name for name in schemas if name in base], 2):
            swapped = {**base, one: base[other], other: base[one]}
            differ = schemas[one] != schemas[other]
            if _may_be_exchanged(base[one], base[other], differ=differ) and arguments.judge.admits(swapped):
                order = (not {one, other} <= listed, differ)
                candidates.setdefault((one, other), (*order, write(base), write(swapped)))
    ordered = sorted(candidates.values(), key=lambda candidate: candidate[:2])
    return [(base, swapped) for _, _, base, swapped in ordered[:_MOST_PAIRS]]


def _may_be_exchanged(one: Any, other: Any, *, differ: bool) -> bool:
    """Whether two values differ and both are texts, or both whole numbers of one schema; `differ` is whether the schemas do."""
    allowed = (str,) if differ else (str, int)
    return type(one) is type(other) and type(one) in allowed and one != other


def _without_annotations(node: Any) -> Any:
    return {key: node[key] for key in node.keys() - _ANNOTATIONS} if isinstance(node, Mapping) else node


def _opposed(subject: Subject, calls: Sequence[Call]) -> Iterator[str]:
    """The base call and the one with exchanged values by turns; none where the latter did not succeed each time."""
    for base, swapped in _exchanged(subject, calls):
        if _succeeds(calls, swapped):
            yield from [base, swapped] * (_MOST_SWAPPED // 2)
            return


def _succeeds(calls: Sequence[Call], text: str) -> bool:
    """Whether the call with exchanged values was made, and never failed."""
    attempts = [
        call for call in _own(calls) if call.plan.change.detail == _SWAPPED and call.plan.arguments == text
    ]
    return bool(attempts) and all(call.succeeded for call in attempts)


def _own(calls: Sequence[Call]) -> list[Call]:
    """The calls of this probe that were made one after the other."""
    return [
        call for call in calls if call.plan.probe == RepeatProbe.name and call.plan.kind is not Kind.TOGETHER
    ]


def _how_many(calls: Sequence[Call]) -> int:
    """How many calls fit into the limit of text."""
    own = [call for call in _own(calls) if call.plan.change.detail != _VALUES]
    largest = max((len(call.result.payload or "") for call in own if call.result), default=0)
    return int(min(AT_ONCE, _MOST_TEXT / max(largest, 1)))
