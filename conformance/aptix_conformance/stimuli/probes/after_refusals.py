"""Probe `after-refusals`: a call that works, made again after refused calls of each kind.

A refused call may leave something behind: a lock file, an open transaction, an entry in a mutable default argument. The
calls share one fresh process and its files, so that only this probe's refusals come before the call that works.

Probe `refusals-first`: the same for a call that works once in each folder, such as a booking. It fails when it is repeated,
whether or not a refusal comes between. So the refused calls come first in a process and a folder of their own, then this call.

Probe `without-refusals`: where the call failed after refused ones, calls that work are made in their place, in a fresh process
and folder. A tool that takes so many calls an hour fails there too, and no refused call is to blame.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

from aptix_conformance.core.model import INCIDENTS, Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.probes.planning import plan, repeatable
from aptix_conformance.stimuli.probes.probe import Probe, Subject

_PROBES: Final = ("valid", "malformed", "invalid")
_MOST: Final = 20
"""The most refused calls that are made."""
_TIMES: Final = 2
"""How often the call that works is made before the first refusal."""
_TIMES_IF_UNSURE: Final = 6
"""The same for a call that once failed, here or before: there may be only so many of what it takes, or it fails by turns."""
_ALONE: Final = 2
"""Factor: how many calls are made without a refusal, for each that was made up to the failure; a limit may be one of time."""
_JUDGES: Final = ("RES012",)
"""The rules that judge the calls after refused ones, and nothing else."""
_VARYING: Final = re.compile(r"['\"].*?['\"]|\d+")


class AfterRefusalsProbe(Probe):
    """Plans the call that works twice, and then once after each refused call.

    A call that failed in another probe may have failed because of a refusal there. It is made more often here, and the
    refused calls come together.
    """

    name = "after-refusals"
    in_sequence = True
    """The calls must see what earlier ones left in the tool's files."""
    in_fresh_process = True
    """A refusal of another probe may have left something already."""

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order."""
        base, refusals = _base(calls), _refusals(calls)
        if base is None or not refusals:
            return
        arguments = base.plan.arguments
        sure = repeatable(calls)
        for number in range(1, _TIMES_IF_UNSURE + 1):
            if number > _TIMES and sure and _works_each_time(calls):
                break
            yield plan(subject, self.name, Change(Kind.SAME, detail="before", number=number), arguments)
        if not _works_each_time(calls):
            return
        for group in [[refusal] for refusal in refusals] if sure else [refusals]:
            for call in group:
                change = Change(Kind.AGAIN, of=(call.plan.change.original,))
                yield plan(subject, self.name, change, call.plan.arguments)
            after = Change(Kind.AFTER, of=(group[-1].plan.change.original,))
            yield plan(subject, self.name, after, arguments)

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - the interface's
        """No call works each time, not even in a process of its own, and none works once in each folder."""
        base = _base(calls)
        if base is not None and (_works_each_time(calls) or _refusals_before_once(calls)):
            return None
        reason = "no call succeeded each time, so none could be made after refused calls"
        if base is None or not _refusals(calls):
            return Shortfall(self.name, reason, reduced_coverage=True)
        return Shortfall(self.name, reason, rules=_JUDGES)

    def bases(self, subject: Subject, calls: Sequence[Call]) -> Sequence[str]:  # noqa: ARG002 - the interface's
        """The call that works."""
        base = _base(calls)
        return [base.plan.arguments or "{}"] if base else []


class RefusalsFirstProbe(Probe):
    """Plans refused calls in a fresh process and folder, and then the call that works there once."""

    name = "refusals-first"
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The refused calls, and the call that works; it is left out where one of the others was accepted this time."""
        base, refusals = _base(calls), _refusals_before_once(calls)
        if base is None or not refusals:
            return
        for call in refusals:
            yield plan(
                subject, self.name, Change(Kind.AGAIN, of=(call.plan.change.original,)), call.plan.arguments
            )
            if calls and calls[-1].plan.probe == self.name and not calls[-1].refused:
                return
        after = Change(Kind.AFTER, of=(refusals[-1].plan.change.original,))
        yield plan(subject, self.name, after, base.plan.arguments)

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - the interface's
        """A call that was refused before was accepted here, and may have used up what the call that works needs."""
        own = [call for call in calls if call.plan.probe == self.name]
        if not own or own[-1].plan.kind is Kind.AFTER:
            return None
        reason = "a call that had been refused was not in a fresh folder, so the call that works was not made after it"
        return Shortfall(self.name, reason, rules=_JUDGES)


class WithoutRefusalsProbe(Probe):
    """Plans calls that work, at least as many as came before one that failed after a refusal, until one of them fails.

    A call that works each time is made over and over. One that works once in each folder comes after other calls that worked.
    """

    name = "without-refusals"
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls that work, until one fails; none where no call failed after a refused one."""
        before = calls_up_to_a_failure(calls)
        for change, arguments in _in_place_of(before, calls) if before else ():
            yield plan(subject, self.name, change, arguments)
            if calls and calls[-1].plan.probe == self.name and not calls[-1].succeeded:
                return

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - the interface's
        """The call failed in the same words without a refused call, so that none is to blame for it."""
        failed = calls_up_to_a_failure(calls)
        if not failed or not fails_without_refusals(calls)(failed[-1]):
            return None
        own = [call for call in calls if call.plan.probe == self.name]
        reason = (
            f"call {len(own)} of calls that work failed as one did after a refused call, so refused calls from then on "
            "show nothing: where the tool takes so many calls in a time, let a test take more"
        )
        some_succeeded = any(call.plan.kind is Kind.AFTER and call.succeeded for call in calls)
        return Shortfall(self.name, reason, reduced_coverage=some_succeeded, rules=_JUDGES)


def calls_up_to_a_failure(calls: Sequence[Call]) -> Sequence[Call]:
    """The calls of a probe up to the first call that failed after a refused one; none where none failed."""
    for name in (AfterRefusalsProbe.name, RefusalsFirstProbe.name):
        own = [call for call in calls if call.plan.probe == name]
        for place, call in enumerate(own):
            if call.plan.kind is Kind.AFTER and not call.succeeded and call.outcome not in INCIDENTS:
                return own[: place + 1]
    return []


def fails_without_refusals(calls: Sequence[Call]) -> Callable[[Call], bool]:
    """A predicate: the call failed in the words, numbers aside, in which one failed that no refused call came before."""
    own = (call for call in calls if call.plan.probe == WithoutRefusalsProbe.name and not call.succeeded)
    first = next(own, None)
    how = (first.outcome, _words(first)) if first else None
    return lambda call: not call.succeeded and (call.outcome, _words(call)) == how


def _in_place_of(before: Sequence[Call], calls: Sequence[Call]) -> Iterator[tuple[Change, str | None]]:
    """The changes and arguments of calls that work, to be made in place of some calls of which the last failed."""
    arguments, times = before[-1].plan.arguments, _ALONE * len(before)
    if before[-1].plan.probe == RefusalsFirstProbe.name:
        texts = {call.plan.arguments: call for call in calls if call.plan.probe == "valid" and call.succeeded}
        texts.pop(arguments, None)
        for text, call in list(texts.items())[: len(before) - 1]:
            yield Change(Kind.AGAIN, of=(call.plan.change.original,)), text
        times = 1
    for number in range(1, times + 1):
        yield Change(Kind.SAME, detail="alone", number=number), arguments


def _refusals_before_once(calls: Sequence[Call]) -> list[Call]:
    """The refused calls to make before a call that works once in each folder; none where the tool has no such call.

    The call works once where it succeeded in two folders, and in the second of them no equal call did after it. A call that was
    refused only because an equal one had worked would work in a fresh folder.
    """
    first, *later = [
        call.succeeded
        for call in calls
        if call.plan.probe == AfterRefusalsProbe.name and call.plan.kind is Kind.SAME
    ] or [False]
    if not first or len(later) < _TIMES_IF_UNSURE - 1 or any(later):
        return []
    worked = {call.plan.arguments for call in calls if call.succeeded}
    return [call for call in _refusals(calls) if call.plan.arguments not in worked]


def _works_each_time(calls: Sequence[Call]) -> bool:
    """Whether no call of this probe before the first refusal failed."""
    own = [call for call in calls if call.plan.probe == AfterRefusalsProbe.name]
    return all(call.succeeded for call in own if call.plan.kind is Kind.SAME)


def _base(calls: Sequence[Call]) -> Call | None:
    """The call that works: the author's first example that succeeded, or the first valid call that did.

    It need not have worked each time: a refusal before the last time may be why it failed.
    """
    worked = [call for call in calls if call.plan.probe == "valid" and call.succeeded]
    examples = (call for call in worked if call.plan.kind is Kind.EXAMPLE)
    return next(examples, worked[0] if worked else None)


def _refusals(calls: Sequence[Call]) -> list[Call]:
    """Refused calls: the first of each kind, then the first with each message, values in it aside."""
    refused = [call for call in calls if call.refused and call.plan.probe in _PROBES]
    kinds: dict[str, Call] = {}
    messages: dict[str, Call] = {}
    for call in refused:
        kinds.setdefault(call.plan.change.original.kind, call)
        messages.setdefault(_words(call), call)
    chosen = {
        (call.plan.change, call.plan.arguments): call for call in chain(kinds.values(), messages.values())
    }
    return list(chosen.values())[:_MOST]


def _words(call: Call) -> str:
    """The message of a refusal or an exception, without the values in it."""
    result, raised = call.result, call.raised
    if result is None:
        return _VARYING.sub("", f"{raised.type_name}: {raised.message}") if raised else ""
    message = result.error_message or next((error.message or "" for error in result.errors), "")
    return _VARYING.sub("", message)
