"""A tool whose refusals spoil later calls: which of its calls show nothing, and that such a tool is one.

A lock, an open transaction or a mutable default argument that a refused call leaves makes later calls fail, whatever they
are. A rule that wants a call refused would take that for a proper refusal, and one on calls that work would see none. RES012
reports the state; each other rule judges what a call does without it. So where the probe after-refusals shows such a
state, all calls are made once more, each after a refusal in a fresh process. An honest tool gets no call more.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Kind
from aptix_conformance.rules.lib.scope import refused, succeeded, threw, to_be_accepted, valid
from aptix_conformance.stimuli.probes import AfterRefusalsProbe, Probe, WithoutRefusalsProbe
from aptix_conformance.stimuli.probes.after_refusals import fails_without_refusals

AFTER_REFUSALS: Final = AfterRefusalsProbe()
WITHOUT_REFUSALS: Final = WithoutRefusalsProbe()
"""The two show whether refusals spoil later calls."""


def is_tainted(calls: Sequence[Call]) -> bool:
    """Whether a call that worked each time was refused after other refusals, and not as well without them."""
    own = [call for call in calls if call.plan.probe == AFTER_REFUSALS.name]
    before = [call for call in own if call.plan.kind is Kind.SAME]
    fails_alone = fails_without_refusals(calls)
    after = (call for call in own if call.plan.kind is Kind.AFTER and not fails_alone(call))
    return bool(before) and all(map(succeeded, before)) and any(map(refused, after))


def may_be_tainted(calls: Sequence[Call]) -> bool:
    """Whether arguments that had worked were refused in a process that had refused a call before."""
    worked = {call.plan.arguments for call in calls if valid(call) and call.succeeded}
    return any(
        call.plan.arguments in worked and call.plan.disturbance is None for call in after_a_refusal(calls)
    )


def after_a_refusal(calls: Sequence[Call]) -> Iterator[Call]:
    """The refused calls that an earlier refusal in the same process may explain."""
    tainted: dict[int, bool] = {}
    for call in calls:
        if not call.earlier:
            tainted[call.apart] = False
        if call.refused:
            if tainted.get(call.apart):
                yield call
            tainted[call.apart] = True


def is_made_again(probe: Probe) -> bool:
    """Whether the calls of a probe saw what refusals in other probes left, or in its own where it does not mean that."""
    return not (probe.in_sequence and probe.in_fresh_process)


def wants_fresh_process(last: Call, *, tainted: bool) -> bool:
    """Whether the next call should not see what the last one left.

    That is so for every tool after a refusal of a call that must work: a rule reports it, and what follows is not its cause.
    """
    if refused(last) and to_be_accepted(last) and last.plan.disturbance is None:
        return True
    return tainted and (refused(last) or threw(last))
