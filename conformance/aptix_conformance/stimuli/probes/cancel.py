"""Probe `cancel`: cancel a call that works before it begins, at each of its suspensions, and after a delay.

First the call is only watched, which shows how often its tasks are suspended. Then the same call is made once for each
suspension and cancelled there, by its token and as a task. At the end the call is watched again. Its uncancelled
results, and whether they are equal, are the baseline for cancelled calls. A finding about time, or about what a call
leaves running, needs two calls that show it.

A tool with several functions may wait in each of them. So calls with other values are watched too, once each, and those
with new suspensions are cancelled in the same way.

A call that waits for a child process is also cancelled when that process has run for a moment, because what the process
starts is not there before. And every other call that took longer than it may block the event loop is watched.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.model import INCIDENTS, Call, CancellationPoint, Change, Kind, Shortfall, Stimulus
from aptix_conformance.core.model.disturbance import Cancelling
from aptix_conformance.stimuli.probes.planning import Demand, plan, repeatable
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_partitions import select_value_partitions, unselected_edges

KIND: Final = "cancel"
"""The kind of disturbance."""

MOST_CALLS: Final = 600
"""The most calls for one tool."""
_MOST_BASES: Final = 5
_MOST_EDGES: Final = 12
"""The most calls that are watched because an argument is at a boundary; each listed value is watched."""
_MOST_FURTHER: Final = 4
"""The most calls with other values that are cancelled although they are suspended at no new place."""
_MOST_WATCHED: Final = 300
"""The most calls with other values that are watched."""
_MOST_NUMBERS: Final = 200
"""The most suspensions at which one call is cancelled."""
_MOST_AGAIN: Final = 3
_HOLD: Final = 0.2
"""Seconds that a child process of the call runs before the call is cancelled."""
_MOST_WATCHES: Final = 3
_MOST_SLOW: Final = 3
"""The most calls of other probes that are watched because they are slow."""
_OWN_TIME: Final = 0.25
"""A cancelled call may take this share of its normal duration to end, if that is longer than `cancel_grace`."""
_LONG_ENOUGH: Final = 0.02
"""Shortest duration of a call, in seconds, that is cancelled after a delay."""
_SLOW: Final = 0.5
"""A call of this many seconds is watched twice only if it blocks the event loop."""

_BY_CANCELLED: Final = ("CAN007", "CAN008")
"""The rules that apply only to a tool whose calls are suspended, and judge calls that are cancelled there."""

MadeCall = Generator[Stimulus, None, Call | None]


class CancelProbe(Probe):
    """Plans cancelled calls.

    A cancelled call must succeed if the uncancelled call is known to succeed every time.
    """

    name = "cancel"

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Each base call at all its cancellation points; later plans depend on earlier calls."""
        if KIND not in subject.disturbances:
            return
        known: set[tuple[str, ...]] = set()
        bases = _bases(calls)
        partitions = select_value_partitions(subject, calls, bases, edges=_MOST_EDGES)
        for number, arguments in enumerate(bases):
            sweep = _Sweep(self.name, subject, calls, arguments)
            # All calls with other values together get one share of the calls.
            share = len(bases) - number + bool(partitions)
            yield from sweep.run(known, share=share, first=number == 0)
        further = yield from _watch_partitions(
            [_Sweep(self.name, subject, calls, text) for text in partitions[:_MOST_WATCHED]], known
        )
        for number, sweep in enumerate(further):
            yield from sweep.run(known, share=len(further) - number, first=False)
        for text in _slow(subject, calls):
            yield from _Sweep(self.name, subject, calls, text).watch_blocking()

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """The host cannot cancel, no call works or waits, or has too many suspensions."""
        if KIND not in subject.disturbances:
            silent = subject.declaration.traits.undisturbed.get(KIND)
            reason = silent or "this host cannot cancel a call at a moment of its choice"
            return Shortfall(self.name, reason, reduced_coverage=silent is not None)
        watched = [call for call in _own(calls) if _point(call).is_watched_only and call.disturbed]
        if not watched:
            reason = "no call succeeded that could be cancelled: give an example"
            return Shortfall(self.name, reason, reduced_coverage=True)
        if all(call.refused and not (call.disturbed and call.disturbed.suspensions) for call in watched):
            reason = "calls that had succeeded were refused when they were watched, so none was cancelled"
            return Shortfall(
                self.name, f"{reason}: give an example that can be repeated", rules=_BY_CANCELLED
            )
        if not any(call.disturbed and call.disturbed.suspensions for call in watched):
            when = "cancelled before they began only" if "token" in subject.given else "never cancelled"
            reason = f"its calls end without ever being suspended, so they were {when}"
            return Shortfall(self.name, reason, reduced_coverage=True, expected=True)
        sampled = [text for call in watched if (text := _sampled(call, calls))]
        sampled += [*_unwatched(subject, watched, calls), *_ended_before_children(calls)]
        return (
            Shortfall(self.name, "; ".join(dict.fromkeys(sampled)), reduced_coverage=True)
            if sampled
            else None
        )


@dataclass
class _Sweep:
    """Plans for one base call at all its cancellation points."""

    probe: str
    subject: Subject
    calls: Sequence[Call]
    arguments: str | None
    watches: int = 0
    repetitions: int = 0

    def run(self, known: set[tuple[str, ...]], *, share: int, first: bool) -> Iterator[Stimulus]:
        """The plans. `known` holds the suspensions of earlier calls; `share` is how many base calls share the rest of `MOST_CALLS`."""
        watched = yield from self.watch_blocking()
        if watched is None or watched.disturbed is None or not (watched.succeeded or watched.refused):
            return
        if self.watches > 1 and not watched.succeeded:
            return  # it does not work every time; earlier calls may have changed the tool's state
        suspensions = watched.disturbed.suspensions
        by_token = "token" in self.subject.given
        if first and by_token:
            yield from self.cancel_before()
        if not suspensions or (suspensions in known and self._longest_time <= self._point("watch", 0).within):
            return
        known.add(suspensions)
        yield from self._cancel_at_child(watched.disturbed.at_child)
        until = self.made_calls + max(0, MOST_CALLS - self.made_calls) / share
        for place, number in enumerate(numbers(len(suspensions))):
            if place and self.made_calls >= until:
                break
            if by_token:
                yield from self._cancel("token", number)
            yield from self._cancel("task", number)
        if by_token and self._longest_time >= _LONG_ENOUGH:
            yield from self._cancel("delay", max(round(self._own_time / 2, 3), _LONG_ENOUGH / 2))
        if self._own_time < _SLOW:
            yield from self.watch()

    def watch(self) -> MadeCall:
        """The call, undisturbed."""
        self.watches += 1
        return (yield from self._make("watch", 0, self.watches))

    def watch_blocking(self) -> MadeCall:
        """The call, undisturbed; repeated until two, not the first of a process, show that it blocks the event loop or leaves work running."""
        watched = yield from self.watch()
        last, shown = watched, 0
        while last is not None and last.disturbed is not None and self.watches < _MOST_WATCHES:
            shown += bool(last.earlier)
            blocks = last.longest_block > self.subject.settings.block_limit
            if not (blocks or last.disturbed.left_running) or shown > 1:
                break
            last = yield from self.watch()
        return watched

    def _cancel_at_child(self, numbers: Sequence[int]) -> Iterator[Stimulus]:
        """The call, cancelled while a child process runs that was there at these suspensions: the first and the last."""
        for number in dict.fromkeys((*numbers[-1:], *numbers[:1])):
            if "token" in self.subject.given:
                yield from self._cancel("token", number, hold=_HOLD)
            yield from self._cancel("task", number, hold=_HOLD)

    def cancel_before(self) -> Iterator[Stimulus]:
        """The call with a token that is cancelled already."""
        yield from self._cancel("before", 0)

    @property
    def made_calls(self) -> int:
        return sum(1 for _ in _own(self.calls))

    def _cancel(self, kind: Cancelling, at: float, hold: float = 0.0) -> Iterator[Stimulus]:
        if kind == "task" and not self.subject.declaration.traits.has_tasks:
            return
        call = yield from self._make(kind, at, hold=hold)
        if call is None:
            return
        if call.outcome in INCIDENTS:
            # The next call is the first of a new process. State that a first call initialises is not a leak.
            yield from self.watch()
        elif _wants_proof(call) and self.repetitions < _MOST_AGAIN:
            self.repetitions += 1
            yield from self._make(kind, at, time=2, hold=hold)

    def _make(self, kind: Cancelling, at: float, time: int = 1, hold: float = 0.0) -> MadeCall:
        """Yield one plan and return its call; None if the call was not made."""
        demand: Demand = "accepted" if kind != "watch" and repeatable(self.calls) else "either"
        change, point = Change(Kind.DISTURBED, number=time), self._point(kind, at, hold)
        stimulus = plan(self.subject, self.probe, change, self.arguments, demand, disturbance=point)
        yield stimulus
        return self.calls[-1] if self.calls and self.calls[-1].plan == stimulus else None

    @property
    def _own_time(self) -> float:
        """The least duration of the undisturbed call in seconds."""
        return min((call.elapsed for call in self._undisturbed()), default=0.0)

    @property
    def _longest_time(self) -> float:
        """Its duration in seconds by the clock: where a processor was waited for, it may be its own."""
        return min((call.longest for call in self._undisturbed()), default=0.0)

    def _undisturbed(self) -> Iterator[Call]:
        return (c for c in self.calls if c.plan.arguments == self.arguments and _is_undisturbed(c))

    def _point(self, kind: Cancelling, at: float, hold: float = 0.0) -> CancellationPoint:
        settings = self.subject.settings
        # The least of its own time would allow less than its contract does.
        own = round(self._longest_time * _OWN_TIME, 1)
        return CancellationPoint(
            kind,
            float(at),
            within=max(settings.cancel_grace, own),
            block=settings.block_limit,
            long=settings.long_running,
            hold=hold,
        )


def _watch_partitions(
    sweeps: Sequence[_Sweep], known: set[tuple[str, ...]]
) -> Generator[Stimulus, None, list[_Sweep]]:
    """Watch calls with other values, once each; return those to cancel.

    These are all that are suspended at a new place, and then some whose sequence of suspensions is new.
    """
    by_suspensions: dict[tuple[str, ...], _Sweep] = {}
    for sweep in sweeps:
        watched = yield from sweep.watch()
        if watched is None or watched.disturbed is None or not watched.succeeded:
            continue
        if watched.disturbed.suspensions:
            by_suspensions.setdefault(watched.disturbed.suspensions, sweep)
        elif watched.token_consultations:
            # It checks its token and never waits, so it can only see a token that was cancelled before.
            yield from sweep.cancel_before()
    places = {place for suspensions in known for place in suspensions}
    new, others = [], []
    for suspensions, sweep in by_suspensions.items():
        if not places.issuperset(suspensions):
            new.append(sweep)
            places.update(suspensions)
        elif suspensions not in known:
            others.append(sweep)
    return [*new, *others[: max(0, _MOST_FURTHER - len(new))]]


def numbers(count: int) -> list[int]:
    """The order in which `count` suspensions are cancelled: the 1st, the last, the 2nd, 4th, 8th, …, then the others.

    Where not all are examined, those that are, are still spread over the call.
    """
    first = dict.fromkeys([1, count, *(2**power for power in range(1, count.bit_length()))]) if count else {}
    return [*first, *(number for number in range(1, count + 1) if number not in first)][:_MOST_NUMBERS]


def _bases(calls: Sequence[Call]) -> list[str]:
    """The arguments of successful calls to cancel: the slowest, examples, the minimal and the full call."""
    worked = [c for c in calls if c.plan.probe == "valid" and c.succeeded and c.plan.arguments is not None]
    chosen = [call for call in worked if call.plan.kind in (Kind.EXAMPLE, Kind.MINIMAL, Kind.FULL)] or worked[
        :1
    ]
    slowest = max(worked, key=lambda call: call.elapsed, default=None)
    if slowest and slowest.longest > _SLOW:
        chosen.insert(0, slowest)
    return list(dict.fromkeys(call.plan.arguments or "" for call in chosen))[:_MOST_BASES]


def _slow(subject: Subject, calls: Sequence[Call]) -> list[str | None]:
    """The arguments of the slowest calls that may have blocked the event loop and were not watched."""
    watched = {call.plan.arguments for call in _own(calls)}
    slow: dict[str | None, float] = {}
    for call in calls:
        is_alone = call.plan.disturbance is None and call.plan.kind is not Kind.TOGETHER
        if is_alone and call.outcome not in INCIDENTS and call.longest > subject.settings.block_limit:
            slow[call.plan.arguments] = max(call.longest, slow.get(call.plan.arguments, 0.0))
    slowest = sorted(slow.keys() - watched, key=lambda text: (-slow[text], text or ""))
    return slowest[:_MOST_SLOW]


def _own(calls: Sequence[Call]) -> Iterator[Call]:
    return (call for call in calls if call.plan.probe == CancelProbe.name)


def _point(call: Call) -> CancellationPoint:
    return call.plan.cancellation or CancellationPoint("watch")


def _is_undisturbed(call: Call) -> bool:
    return call.plan.probe == "valid" and call.succeeded


def _wants_proof(call: Call) -> bool:
    """Whether the observation, or one by the clock, would be a finding if a second call confirmed it."""
    point, disturbed = _point(call), call.disturbed
    if disturbed is None or not disturbed.reached:
        return False
    late = point.is_of_token and disturbed.after + call.waited > point.within
    return late or call.longest_block > point.block or bool(disturbed.left_running)


def _cancelled_at(arguments: str | None, calls: Sequence[Call]) -> set[int]:
    """The suspensions at which the call with these arguments was cancelled."""
    same = (_point(call) for call in _own(calls) if call.plan.arguments == arguments)
    return {int(point.at) for point in same if point.kind in ("token", "task")}


def _sampled(watched: Call, calls: Sequence[Call]) -> str:
    """How many suspensions of a watched call were examined, as a phrase; empty if all were."""
    count = len(watched.disturbed.suspensions) if watched.disturbed else 0
    examined = len(_cancelled_at(watched.plan.arguments, calls))
    if not examined or examined >= count:
        return ""
    return f"of {count:,} suspensions of a call {examined} were cancelled at, from the first to the last"


def _ended_before_children(calls: Sequence[Call]) -> Iterator[str]:
    """A phrase where every call that was to be cancelled beside a running child process ended before, with or without it."""
    beside_child = [call for call in _own(calls) if _point(call).hold]
    if beside_child and not any(call.disturbed and call.disturbed.reached for call in beside_child):
        yield f"its calls ended within {_HOLD:g} s of starting a child process, before one could be cancelled beside it: give an example that takes longer"


def _unwatched(subject: Subject, watched: Sequence[Call], calls: Sequence[Call]) -> Iterator[str]:
    """Phrases for the sequences of suspensions that were not cancelled, and the calls that were not watched."""
    ways: dict[tuple[str, ...], bool] = {}
    for call in watched:
        if call.disturbed and call.disturbed.suspensions:
            cancelled = bool(_cancelled_at(call.plan.arguments, calls))
            ways[call.disturbed.suspensions] = ways.get(call.disturbed.suspensions, False) or cancelled
    missed = len(ways) - sum(ways.values())
    if missed:
        yield f"its calls are suspended in {len(ways)} different ways, in {missed} of which none was cancelled"
    looked_at = {call.plan.arguments for call in _own(calls)}
    others = select_value_partitions(subject, calls, _bases(calls), edges=_MOST_EDGES)
    unwatched = sum(text not in looked_at for text in others)
    if unwatched:
        yield f"of {len(others)} calls with other values {unwatched} were not watched, because there are so many"
    further = unselected_edges(subject, calls, _bases(calls), _MOST_EDGES)
    if further:
        yield f"{further} further calls with other values were not watched, because there are so many"
