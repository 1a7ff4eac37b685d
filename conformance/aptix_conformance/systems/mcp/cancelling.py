"""Calls with a progressToken: each is watched, and cancelled at some moments if it runs for long enough.

The host makes them, and measures how long each takes without a cancellation (`runners/mcp/cancelling.py`).
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.probes import Probe, Subject
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.systems.mcp.facts import McpResult, TokenedCall
from aptix_conformance.systems.mcp.wire import stimulus

_WATCHED: Final = "watched-call"
_AFTERWARDS: Final = "watched-call-afterwards"
_AT_PROGRESS: Final = "cancelled-at-progress"
_SHORT_MOMENTS: Final = ("cancelled-at-50",)
_LONG_MOMENTS: Final = ("cancelled-at-25", "cancelled-at-75")
_LONG: Final = 0.5
"""Seconds from which a call is cancelled at more than one moment."""
SHORTEST: Final = 0.02
"""Seconds; a call that takes less has ended before its cancellation arrives."""
_ABOUT: Final = 0.7
"""The share of the longest duration from which a call takes about as long."""
_MOST_WATCHES: Final = 5
"""How often a call is watched at most, until it is known whether it is short."""
_MOST_WATCHED: Final = 4
"""The most calls that are watched."""


class CancellingProbe(Probe):
    """Plans watched and cancelled calls: the author's first example, and one of the slowest calls that work.

    A call that was slow once, because it was the first or the machine was busy, shows nothing when it is watched. Then the next slowest is.
    """

    name = "cancelling"

    def fixed(self, subject: Subject, observed_calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Each call watched; if it runs for long enough, cancelled at some moments, and watched once more."""
        calls = [
            call
            for call in observed_calls
            if call.plan.probe == "valid" and call.succeeded and call.plan.arguments is not None
        ]
        watched: dict[str, float] = {}
        for call in ([call for call in calls if call.plan.kind is Kind.EXAMPLE] or calls)[:1]:
            yield from self._cancelled(subject, observed_calls, call.plan.arguments or "", watched)
        while slow := _slow(calls, watched):
            yield from self._cancelled(subject, observed_calls, slow.plan.arguments or "", watched)

    def _cancelled(
        self, subject: Subject, observed_calls: Sequence[Call], arguments: str, watched: dict[str, float]
    ) -> Iterator[Stimulus]:
        """One call; `watched` receives its duration."""
        facts = yield from self._watched(subject, observed_calls, arguments)
        watched[arguments] = facts.took if facts else 0.0
        if facts is None or facts.took + observed_calls[-1].waited < SHORTEST:
            return
        moments = _LONG_MOMENTS if facts.took >= _LONG else _SHORT_MOMENTS
        for moment in (*moments, *((_AT_PROGRESS,) if facts.in_time else ())):
            yield self._stimulus(subject, moment, arguments)
            cancelled = tokened(observed_calls[-1])
            if cancelled is None or (cancelled.sent is not None and read_while_running(cancelled) is None):
                break  # the server ended, or reads nothing while a call runs
        yield self._stimulus(subject, _AFTERWARDS, arguments)

    def _watched(
        self, subject: Subject, observed_calls: Sequence[Call], arguments: str
    ) -> Generator[Stimulus, None, TokenedCall | None]:
        """The facts of the call without a cancellation; of a further try where its wait for a processor decides whether it is short."""
        for number in range(1, _MOST_WATCHES + 1):
            yield self._stimulus(subject, _WATCHED, arguments, number)
            facts = tokened(observed_calls[-1]) if observed_calls else None
            if facts is None or not facts.took < SHORTEST <= facts.took + observed_calls[-1].waited:
                break
        return facts

    def shortfall(self, subject: Subject, observed_calls: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - all calls say it
        """No call works, or none runs for long enough."""
        watched = [one for call in observed_calls if call.plan.probe == self.name and (one := tokened(call))]
        if not watched:
            reason = "no call succeeded that could be cancelled: give an example"
            return Shortfall(self.name, reason, reduced_coverage=True)
        if all(one.took < SHORTEST for one in watched):
            reason = f"its calls end within {SHORTEST * 1000:g} ms, so none was cancelled"
            return Shortfall(self.name, reason, reduced_coverage=True, expected=True)
        return None

    def _stimulus(self, subject: Subject, name: str, arguments: str, number: int = 1) -> Stimulus:
        change = Change(Kind.DISTURBED, number=number)
        return plan(subject, self.name, change, arguments, disturbance=stimulus(name))


def tokened(call: Call) -> TokenedCall | None:
    """The facts of a call with a progressToken; None for any other, and where it did not come back."""
    facts = call.result.facts if call.result else None
    return facts.tokened if isinstance(facts, McpResult) else None


def read_while_running(facts: TokenedCall) -> float | None:
    """When the server read a cancellation, in seconds since the call was sent; None where the call had ended by then."""
    if facts.sent is None or facts.read is None:
        return None
    return None if facts.answered is not None and facts.answered <= facts.read else facts.read


def _duration(call: Call) -> float:
    """Seconds of its own time, at least; of a call that is long by the clock, at most: it may have slept while it waited for a processor."""
    return call.longest if call.longest >= _LONG else call.elapsed


def _slow(calls: Sequence[Call], watched: Mapping[str, float]) -> Call | None:
    """A call that takes about as long as the longest, to be watched next; None where one that takes as long was watched.

    Of those that take about as long it is the first, so that the choice is the same in each run.
    """
    durations = [watched.get(call.plan.arguments or "", _duration(call)) for call in calls]
    longest = max(durations, default=0.0)
    if longest < SHORTEST or len(watched) >= _MOST_WATCHED:
        return None
    slow = [call for call, took in zip(calls, durations, strict=True) if took >= longest * _ABOUT]
    return None if any((call.plan.arguments or "") in watched for call in slow) else slow[0]


CANCELLING: Final = CancellingProbe()
