"""Whether a call is answered in another way after other calls than it is alone.

A tool may use chance or the clock, so one difference shows nothing. Calls that came first in their processes must have
had one answer, three times at least, or have grown in the same way in each process.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration, Kind, OtherHashSeed
from aptix_conformance.rules.lib.documents import arguments_of, has_readable_payload
from aptix_conformance.rules.lib.identifiers import without_identifiers
from aptix_conformance.rules.lib.kernel import AnyCall
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.scope import answered, proper, together
from aptix_conformance.stimuli.probes.neighbours import BASE

_OF_TIME: Final = re.compile(
    r".*(?:time|stamp).*|(?:elapsed|duration|latency|date|update|millis).*|took|seconds?|ms|age"
)
"""A word of a name that speaks of a time: `cacheAge` does, `message` and `items` do not."""
_NAME_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_WORD: Final = re.compile(r"[^\s,;|]+")
_ENOUGH: Final = 3
"""Equal answers that are no chance."""
_TWICE: Final = 2
_TURNS: Final = 5
"""Calls that succeed and fail by turns, and not by chance."""
_EQUAL: Final = (Kind.SAME, Kind.AFTER)
"""The calls of the probe after-refusals that have equal arguments."""
_LENGTH: Final = "length of "

Answer = dict[str, Any]
"""The scalars of a payload by place, and the lengths of its arrays."""


def names_time(place: str) -> bool:
    """Whether a place in a payload is named for a time, which may differ from call to call."""
    words = _NAME_WORDS.findall(place.rpartition(".")[2])
    return any(_OF_TIME.fullmatch(word.lower()) for word in words)


def first_of_all(calls: Sequence[Call], like: Call) -> Call | None:
    """The first valid call that succeeded with the arguments of another; None if there is none."""
    return next(_alike(calls, like, "valid"), None)


def refused_at_times(calls: Sequence[Call]) -> Callable[[Call], bool]:
    """A predicate: the call was refused in words that also refused a call which succeeds at other times.

    A tool that takes so many calls an hour refuses any call in such words. They say nothing about what is special in one. Words
    after which a call of the same process succeeded are not such words: a tool may have one apology for all that fails.
    """
    plain = list(filter(proper, calls))
    working = {call.plan.arguments for call in plain if call.succeeded}
    words = {_message(call) for call in plain if call.refused and call.plan.arguments in working} - {""}
    messages_by_process: dict[int, set[str]] = {}
    for call in calls:
        if not call.earlier:
            messages_by_process[call.apart] = set()
        messages = messages_by_process.setdefault(call.apart, set())
        if call.refused:
            messages.add(_message(call))
        elif call.succeeded and call.plan.disturbance is None and not together(call):
            words -= messages
    return lambda call: call.refused and _message(call) in words


@dataclass(frozen=True, slots=True)
class AnyTellingCall(AnyCall):
    """As `AnyCall`, without calls that say nothing: those refused in words for any call, if not said otherwise."""

    silent: Callable[[Sequence[Call]], Callable[[Call], bool]] = refused_at_times

    def __call__(self, exploration: Exploration) -> bool:
        """Whether the exploration has such a call."""
        says_nothing = self.silent(exploration.calls)
        return any(self.predicate(call) and not says_nothing(call) for call in exploration.calls)


def by_turns(calls: Sequence[Call]) -> list[Call]:
    """Equal calls in a row, with none between them, that succeeded and failed by turns; empty where they did not."""
    own = [call for call in calls if call.plan.probe == "after-refusals"]
    row = list(takewhile(lambda call: call.plan.kind is Kind.SAME, own))
    alike = all(answered(call) and call.succeeded is (place % 2 == 0) for place, call in enumerate(row))
    return row if alike and len(row) >= _TURNS else []


def alternating(calls: Sequence[Call]) -> tuple[str, Call] | None:
    """The first place of a payload that has two values by turns, and the first call with the second value; None without one.

    The calls are equal and share a process, in which no other call succeeded between them. Refused ones may have been made.
    """
    return _by_turns(
        [call for call in calls if call.plan.probe == "after-refusals" and call.plan.kind in _EQUAL]
    ) or _by_turns(
        [call for call in calls if call.plan.probe == "neighbours" and call.plan.change.detail == BASE]
    )


def _message(call: Call) -> str:
    return next(error_texts(call), "")


def _by_turns(row: Sequence[Call]) -> tuple[str, Call] | None:
    """As `alternating`, for equal calls in a row."""
    if (
        len(row) < _TURNS
        or not all(map(has_readable_payload, row))
        or any(call.earlier == 0 for call in row[1:])
    ):
        return None
    answers = [answer_of(call) for call in row]
    one, other = answers[:_TWICE]
    if one.keys() != other.keys() or any(
        answer != (one, other)[n % _TWICE] for n, answer in enumerate(answers)
    ):
        return None
    place = next((place for place in sorted(one) if one[place] != other[place]), "")
    return (place, row[1]) if place else None


def changed_by_others(calls: Sequence[Call], last: Sequence[Call]) -> str:
    """The first place of a payload that is another after calls with other arguments; empty if there is none.

    `last` are equal calls, made after those others. The calls that no others came before must have had one answer, and so
    must `last`.
    """
    before = _agreed(_early(calls, last[0]), _ENOUGH)
    after = _agreed([answer_of(call) for call in last], _TWICE)
    return "" if before is None or after is None else _difference(before, after)


def seeded(calls: Sequence[Call]) -> tuple[str, Call] | None:
    """The first place of a payload that is another under another hash seed, and the first call that shows it; None without one.

    The calls under the usual seed must have had one answer, and so must those under the other, with the same words in
    another order: other words may be due to another directory.
    """
    own = [call for call in calls if of_hash_seed(call) and has_readable_payload(call)]
    after = _agreed([answer_of(call) for call in own], _TWICE)
    before = _agreed(_early(calls, own[0]), _ENOUGH) if own else None
    if before is None or after is None or _words(before) != _words(after):
        return None
    place = _difference(before, after)
    return (place, own[0]) if place else None


def _agreed(answers: Sequence[Answer], least: int) -> Answer | None:
    """The one answer that all of some calls had; None where they had several, or are fewer than `least`."""
    if len(answers) < least or any(one != other for one, other in pairwise(answers)):
        return None
    return next(iter(answers))


def _difference(before: Answer, after: Answer) -> str:
    """The first place of an answer that another answer does not have, or has with another value; empty if there is none."""
    return next((place for place in sorted(before) if after.get(place) != before[place]), "")


def _words(answer: Answer) -> list[str]:
    """All words of an answer, sorted."""
    return sorted(word for value in answer.values() for word in _WORD.findall(str(value)))


def of_hash_seed(call: Call) -> bool:
    """Whether the call was made in a process in which texts have other hashes."""
    return isinstance(call.plan.disturbance, OtherHashSeed)


def grown(calls: Sequence[Call], last: Sequence[Call]) -> str:
    """The first number or length that grows from call to call, or length that falls, alike in each process; else empty.

    A value that grows is kept from call to call; an array that gets shorter holds the rest of an iterator that earlier calls used.
    """
    ways = [
        [answer_of(call) for call in way]
        for way in (list(_alike(calls, last[0], "valid")), list(_first_of_process(calls, last[0])), last)
    ]
    first, again, after = ways
    if any(len(way) < _TWICE for way in ways) or first[0] != again[0]:
        return ""
    for place in sorted(first[0]):
        if all(_grows(way, place) for way in (first[:2], again, after)):
            return place
        if place.startswith(_LENGTH) and _used_up(first, [first[0], *after], again, place):
            return place
    return ""


def _grows(answers: Sequence[Answer], place: str) -> bool:
    values = [answer.get(place) for answer in answers]
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return False
    return all(one < other for one, other in pairwise(values))  # type: ignore[operator]


def _used_up(first: list[Answer], after: list[Answer], again: list[Answer], place: str) -> bool:
    """Whether an array never gets longer from answer to answer, and is shorter at the end of the first two rows."""
    rows = [[answer.get(place, 0) for answer in way] for way in (first, after, again)]
    return all(one >= other for row in rows for one, other in pairwise(row)) and all(
        row[-1] < row[0] for row in rows[:2]
    )


def _early(calls: Sequence[Call], like: Call) -> list[Answer]:
    """The answers of equal calls before which their process served no others; of all equal ones where those are few."""
    first = first_of_all(calls, like)
    own = list(_first_of_process(calls, like))
    if own and first is not None:
        return [answer_of(call) for call in (first, *own)]
    return [answer_of(call) for probe in ("valid", "repeat") for call in _alike(calls, like, probe)]


def _first_of_process(calls: Sequence[Call], like: Call) -> Iterator[Call]:
    """Equal calls that the probe after-refusals made before its first refusal, in a fresh process."""
    return (call for call in _alike(calls, like, "after-refusals") if call.plan.kind is Kind.SAME)


def _alike(calls: Sequence[Call], like: Call, probe: str) -> Iterator[Call]:
    """The undisturbed calls of a probe with equal arguments whose payload can be read."""
    arguments = arguments_of(like)
    return (
        call
        for call in calls
        if call.plan.probe == probe
        and call.plan.disturbance is None
        and call.plan.kind is not Kind.TOGETHER
        and has_readable_payload(call)
        and arguments_of(call) == arguments
    )


def answer_of(call: Call) -> Answer:
    """The values of a payload by their places, without the call's identifiers and values that are named for a time."""
    answer: Answer = {}
    waiting: list[tuple[str, Any]] = [("$", without_identifiers(call))]
    while waiting:
        place, value = waiting.pop()
        if names_time(place):
            continue
        if isinstance(value, list):
            answer[_LENGTH + place] = len(value)
            waiting += [(f"{place}[{index}]", inner) for index, inner in enumerate(value)]
        elif isinstance(value, dict):
            waiting += [(f"{place}.{name}", inner) for name, inner in value.items()]
        else:
            answer[place] = value
    return answer
