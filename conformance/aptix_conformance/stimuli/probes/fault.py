"""Probe `fault`: calls that work, in which one dependency fails.

The first use of a dependency fails, then the second, until a call ends before the failing use; SQLite tests I/O errors
in the same way. An unforeseeable exception is tried at every site. Then the other kinds of fault are tried, once at each
place in the source. `runners/python/disturb/fault` documents the faults and how sites are counted.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from aptix_conformance.core.model import (
    Call,
    Change,
    FaultArea,
    InjectedFault,
    Kind,
    Outcome,
    Shortfall,
    Stimulus,
)
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes.planning import base_of, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_partitions import select_value_partitions

AREAS: Final[tuple[FaultArea, ...]] = get_args(FaultArea)

KIND: Final = "fault"
"""The kind of disturbance."""

UNKNOWN: Final = "unknown"
"""An exception that no tool can foresee, with a canary in its message."""

_WITHOUT_TEXT: Final = "unprintable"
_EXCEPTIONS: Final = ("key_error", "os_error", "timeout", "exception_group", _WITHOUT_TEXT)
OUTSIDE: Final = "outside_error"
"""What is injected where the system fails beneath a package that a tool calls. It is the same for all kinds, so one is tried."""
_RETRIED: Final = ("os_error", "timeout", "own", UNKNOWN)
"""The faults after which a tool may try again, the likeliest first: of these one lasts at each place."""
_MOST_LASTING: Final = 4
"""The most places where a fault lasts: a tool that waits in between takes as long as it is given."""
WRONG_VALUES: Final = ("gives_none", "gives_wrong_type", "never_answers")
"""The faults of a service that are no exception."""
OTHERS: Final[Mapping[FaultArea, tuple[str, ...]]] = {
    "service": (*_EXCEPTIONS, *WRONG_VALUES),
    "library": _EXCEPTIONS,
    "parser": ("own",),
}
"""The faults that are tried in an area in addition to the unknown exception."""

OUT_OF_REACH: Final = (
    "what the constructor does, and what runs while an exception is handled",
    "what libraries call among themselves, in C extensions and in child processes",
    "operators, iteration and attributes of library objects, where nothing is called",
    "packages neither listed nor named under fault_modules, but for what they open first in Python code, three times a call",
    "services that are classes or plain data",
)
"""Sites where no fault can be injected, as phrases."""
OUT_OF_REACH_OF_PYTHON: Final = (
    "before Python 3.12, constructors in C, and coroutines of libraries that are awaited elsewhere than they are made",
)
"""Further ones of tools in Python."""

MOST_CALLS: Final = 1_000
"""The most calls for one tool."""
_MOST_BASES: Final = 3
_DENSE: Final = 20
"""The first sites of a call are all tried; after these, each number tried is a third above the last."""
_FRAME: Final = re.compile(r'File "(?:[^"\n]*[/\\])?([^"/\\\n]+)", line (\d+)')


class FaultProbe(Probe):
    """Plans calls with one injected fault each."""

    name = "fault"
    in_fresh_process = True
    """The first call of a process opens and loads resources for later ones, and each of these steps may fail."""

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Every site of each base call; later plans depend on earlier calls."""
        if KIND not in subject.disturbances:
            return
        sweep = _FaultSweep(subject, calls)
        done: set[str] = set()
        for arguments in _all_bases(subject, calls):
            for area in AREAS if subject.settings.services else AREAS[1:]:
                yield from sweep.through(area, arguments)
            for place in [place for place in sweep.places if place not in done]:
                yield from sweep.others(place)
            done.update(sweep.places)
        yield from sweep.lasting()

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """The host cannot inject faults, no call works, or there are too many sites."""
        if KIND not in subject.disturbances:
            silent = subject.declaration.traits.undisturbed.get(KIND)
            reason = silent or "this host cannot make services and libraries fail"
            return Shortfall(self.name, reason, reduced_coverage=silent is not None)
        if not any(call.plan.probe == "valid" and call.succeeded for call in calls):
            reason = "no call succeeded, so that what it depends on was hardly reached: give an example"
            return Shortfall(self.name, reason, reduced_coverage=True)
        reasons = [*_untried(subject, calls), *_proxy_problems(calls)]
        tried = {call.plan.arguments for call in faulty(calls)}
        untried = sum(text not in tried for text in _all_bases(subject, calls))
        if untried:
            reasons.append(f"in {untried} calls with other values nothing was made to fail{_limit(calls)}")
        return Shortfall(self.name, "; ".join(reasons), reduced_coverage=True) if reasons else None


@dataclass
class _FaultSweep:
    """The faults of one tool. `places` maps each place reached to the (area, number, arguments) that reach it."""

    subject: Subject
    calls: Sequence[Call]
    places: dict[str, tuple[FaultArea, int, str]] = field(default_factory=dict)

    @property
    def has_calls_left(self) -> bool:
        return not _limit(self.calls)

    def plan(
        self, area: FaultArea, number: int, kind: str, arguments: str, *, lasts: bool = False
    ) -> Stimulus:
        modules = self.subject.settings.fault_modules if area == "library" else ()
        fault = InjectedFault(area, number, kind, tuple(modules), lasts)
        change = Change(Kind.DISTURBED, number=1)
        return plan(self.subject, FaultProbe.name, change, arguments, disturbance=fault)

    def others(self, place: str) -> Iterator[Stimulus]:
        area, number, arguments = self.places[place]
        for kind in _others(self.subject, area):
            if self.has_calls_left and not (kind == "own" and _fails_by_itself(place, self.calls)):
                yield self.plan(area, number, kind, arguments)

    def lasting(self) -> Iterator[Stimulus]:
        """For each use that the tool was seen to try again, one fault that lasts: a tool that never gives up does not come back."""
        retried: dict[str, InjectedFault] = {}
        arguments: dict[str, str] = {}
        for call in faulty(self.calls):
            fault, disturbed = call.plan.fault, call.disturbed
            if fault is None or disturbed is None or not (disturbed.retried and fault.fault in _RETRIED):
                continue
            known = retried.setdefault(disturbed.place, fault)
            arguments.setdefault(disturbed.place, call.plan.arguments or "")
            if _RETRIED.index(fault.fault) < _RETRIED.index(known.fault):
                retried[disturbed.place], arguments[disturbed.place] = fault, call.plan.arguments or ""
        for place, fault in list(retried.items())[:_MOST_LASTING]:
            if self.has_calls_left:
                yield self.plan(fault.area, fault.number, fault.fault, arguments[place], lasts=True)

    def through(self, area: FaultArea, arguments: str) -> Iterator[Stimulus]:
        """Plans for the unknown exception at every use in one area, or at a sample if there are very many."""
        number = 1
        while self.has_calls_left:
            stimulus = self.plan(area, number, UNKNOWN, arguments)
            yield stimulus
            call = self.calls[-1] if self.calls and self.calls[-1].plan == stimulus else None
            if call is None or call.outcome is Outcome.NOT_CONSTRUCTED:
                return
            if call.disturbed is not None:
                if not call.disturbed.reached:
                    return
                if call.disturbed.injected != OUTSIDE:
                    self.places.setdefault(call.disturbed.place, (area, number, arguments))
            number = following(number)


def following(number: int) -> int:
    """The number of the next use to try after use `number` was reached."""
    return number + 1 if number < _DENSE else math.ceil(number * 4 / 3)


def faulty(calls: Iterable[Call]) -> Iterator[Call]:
    """The calls of this probe."""
    return (call for call in calls if call.plan.probe == FaultProbe.name)


def _limit(calls: Iterable[Call]) -> str:
    """That all calls of this probe were made, as the end of a clause; empty where fewer were, as after a quick plan."""
    return f", after {MOST_CALLS} calls" if sum(1 for _ in faulty(calls)) >= MOST_CALLS else ""


def fault_sites(calls: Iterable[Call]) -> dict[str, list[str]]:
    """The faults that were injected, by place, in the order in which the places were reached."""
    faults: dict[str, list[str]] = {}
    for call in faulty(calls):
        if call.disturbed and call.disturbed.reached and call.disturbed.injected:
            tried = faults.setdefault(call.disturbed.place, [])
            if call.disturbed.injected not in tried:
                tried.append(call.disturbed.injected)
    return faults


def fails_at(call: Call, place: str) -> bool:
    """Whether the traceback of a call's exception contains a place, given as in `Disturbed.place`."""
    where = place.rpartition(" at ")[2]
    frames = _FRAME.findall(call.raised.traceback) if call.raised else []
    return any(f"{file}:{line}" == where for file, line in frames)


def _bases(subject: Subject, calls: Sequence[Call]) -> list[str]:
    """The distinct arguments of successful calls: the base call, then planned calls, then drawn ones."""
    chosen = [write(base_of(subject, calls).arguments)]
    worked = [c for c in calls if c.plan.probe == "valid" and c.succeeded and c.plan.arguments is not None]
    for kind in (Kind.FULL, Kind.EXAMPLE, Kind.MINIMAL, Kind.BOUNDARY, Kind.GENERATED):
        chosen += [call.plan.arguments or "" for call in worked if call.plan.kind is kind]
    return list(dict.fromkeys(chosen))[:_MOST_BASES]


def _all_bases(subject: Subject, calls: Sequence[Call]) -> list[str]:
    """Those, and a call for each listed value that they do not have: it may use other libraries."""
    bases = _bases(subject, calls)
    return [*bases, *select_value_partitions(subject, calls, bases)]


def _fails_by_itself(place: str, calls: Sequence[Call]) -> bool:
    """Whether an undisturbed call already raised at this place."""
    return any(call.raised and call.plan.disturbance is None and fails_at(call, place) for call in calls)


def _others(subject: Subject, area: FaultArea) -> list[str]:
    """The kinds of fault after the unknown exception. Where exceptions are copied, one without a text could not be passed on."""
    declaration = subject.declaration
    own = declaration.facts is not None and declaration.facts.copies_exceptions()
    copies = declaration.traits.copies_exceptions or own
    return [kind for kind in OTHERS[area] if not (copies and kind == _WITHOUT_TEXT)]


def _untried(subject: Subject, calls: Sequence[Call]) -> Iterator[str]:
    """Phrases for the faults that were left out because there are so many uses."""
    tried: dict[tuple[str, str | None], list[Call]] = {}
    kinds: dict[str, set[str]] = {}
    areas: dict[str, FaultArea] = {}
    for call in faulty(calls):
        injected = call.plan.fault
        if injected is None or injected.lasts:
            continue
        if injected.fault == UNKNOWN:
            tried.setdefault((injected.area, call.plan.arguments), []).append(call)
        if call.disturbed and call.disturbed.reached and call.disturbed.injected != OUTSIDE:
            kinds.setdefault(call.disturbed.place, set()).add(injected.fault)
            areas[call.disturbed.place] = injected.area
    cut = [group for group in tried.values() if group[-1].disturbed and group[-1].disturbed.reached]
    sampled = [group for group in tried.values() if len(group) > _DENSE]
    if cut or sampled:
        yield "some uses in a call that can fail were not made to fail"
    incomplete = [
        place
        for place, faults in kinds.items()
        if faults < {UNKNOWN, *_others(subject, areas[place])}
        and not ("own" in OTHERS[areas[place]] and _fails_by_itself(place, calls))
    ]
    if incomplete:
        yield f"at {len(incomplete)} of {len(kinds)} sites some kinds of fault were not tried{_limit(calls)}"


def _proxy_problems(calls: Sequence[Call]) -> Iterator[str]:
    """A phrase if the tool does not work with proxied services: it cannot be constructed, or a call without a fault fails."""
    succeeded = {call.plan.arguments for call in calls if call.plan.probe == "valid" and call.succeeded}
    for call in faulty(calls):
        if call.outcome is Outcome.NOT_CONSTRUCTED:
            yield "its constructor does not take services that are watched, so these could not be made to fail"
            return
        skipped = call.disturbed is not None and not call.disturbed.reached
        of_service = call.plan.fault is not None and call.plan.fault.area == "service"
        if skipped and of_service and call.plan.arguments in succeeded and not call.succeeded:
            yield "a call that works does not when its services are watched, so some of their uses may be missing"
            return
