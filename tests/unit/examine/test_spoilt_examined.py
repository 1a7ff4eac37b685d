"""A refusal that spoils the state of a tool: what is looked for, and what is charged to it."""

from tests.unit.examine.fakes import (
    OPTIONS,
    TARGET,
    Host,
    Pool,
    answer,
    count_of,
    explored_never_raises,
    never_raises,
    raising,
    run,
    suite,
)

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine import examine
from aptix_conformance.examine.scan import key_of
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.stimuli.probes import PROBES
from aptix_conformance.targets import ToolSettings


@rule(
    "ARG901",
    "AGN-005.3.2",
    when=lambda call: call.plan.kind is Kind.TYPE,
    remedy="Refuse it.",
    unseen_reason="no value of another type was sent",
)
def refuses_other_types(call: Call):
    """A value of another type is refused."""
    return Finding("accepted") if call.succeeded else None


@rule(
    "CTX901",
    "AGN-005.5.2",
    remedy="Do without.",
    when=lambda seen: bool(seen.calls),
)
def needs_nothing_more(exploration: Exploration):
    """A call that works also works without a context, and without what is optional."""
    must_work = (call for call in exploration.calls if call.plan.demand == "accepted")
    return (Finding("refused", call) for call in must_work if call.refused)


def refusing(plan):
    return plan.arguments is None or "count" not in plan.arguments or (count_of(plan) or 0) > 100


def tainted(faulty=lambda plan: False, by=refusing):
    """A tool that refuses every call after it has refused one is at fault; one that did not refuse any is reported as usual."""

    def behave(plan, earlier):
        if by(plan) or any(map(by, earlier)):
            return answer(successful=False)
        return raising() if faulty(plan) else answer()

    return Host(behave)


def without_context(plan):
    return plan.probe == "context" and plan.context is None


def test_a_fault_behind_the_state_that_a_refusal_leaves_is_found():
    """What a refused call left would answer in place of the tool; the second look is of fresh processes."""
    verdicts, found = run(tainted(without_context), explored_never_raises)
    assert verdicts["EXC904"].verdict.value == "fail"
    assert verdicts["EXC904"].finding.history == ()
    assert any("RES012" in each.reason for each in found.exploration.shortfalls)
    assert not any("give an example" in each.reason for each in found.exploration.shortfalls)


def test_a_refusal_that_an_earlier_one_explains_is_no_proper_refusal():
    """Every value of another type was refused, by what was left."""
    verdicts, _ = run(tainted(), refuses_other_types)
    assert verdicts["ARG901"].verdict.value == "fail"


def test_a_refusal_that_an_earlier_one_explains_is_no_breach():
    """A call without an optional argument was refused, by what a call without arguments had left."""
    verdicts, _ = run(tainted(by=lambda plan: not plan.arguments), needs_nothing_more)
    assert verdicts["CTX901"].verdict.value == "pass"


def test_a_run_of_few_rules_looks_for_that_state_where_a_call_that_worked_is_refused():
    """Then the probe that shows it is not among those that the rule needs."""
    probes = [probe for probe in PROBES if probe.name in ("valid", "context")]
    few = replace(suite(explored_never_raises), probes=tuple(probes))
    found = examine(Pool(tainted(without_context)), TARGET, ToolSettings(), few, OPTIONS)
    assert found.verdicts[0].verdict.value == "fail"
    sound = Host(lambda plan, earlier: answer(successful=not refusing(plan)))
    calls = examine(Pool(sound), TARGET, ToolSettings(), few, OPTIONS).exploration.calls
    assert {call.plan.probe for call in calls} == {"valid", "context"}


def test_a_run_of_few_rules_sees_that_a_tool_takes_only_so_many_calls():
    """Its calls fail without a refused one too, so no refusal spoils them, and none is made once more."""
    probes = tuple(probe for probe in PROBES if probe.name in ("valid", "context"))
    few = replace(suite(explored_never_raises), probes=probes)
    limited = Host(lambda plan, earlier: answer(successful=not refusing(plan) and len(earlier) < 6))
    found = examine(Pool(limited), TARGET, ToolSettings(), few, OPTIONS).exploration
    assert {call.plan.probe for call in found.calls} == {
        "valid",
        "context",
        "after-refusals",
        "without-refusals",
    }
    assert not any("spoils later ones" in each.reason for each in found.shortfalls)


def test_an_honest_tool_is_called_no_more_than_before_and_in_one_process():
    """It refuses much, and nothing of that is seen later."""
    host = Host(lambda plan, earlier: answer(successful=not refusing(plan)))
    _, found = run(host, never_raises)
    plans = [call.plan for call in found.exploration.calls]
    fixed = [key_of(plan) for plan in plans if plan.label != "again:generated"]
    assert len(fixed) == len(set(fixed))
    assert max(call.earlier for call in found.exploration.calls) > 100


def test_a_call_that_must_work_and_is_refused_leaves_nothing_to_the_next():
    """A refusal for want of a context is a breach of its own; what it leaves is the cause of no other."""

    def behave(plan, earlier):
        return answer(successful=not any(map(without_context, (*earlier, plan))))

    verdicts, found = run(Host(behave), needs_nothing_more)
    assert verdicts["CTX901"].verdict.value == "fail"
    refused = [call for call in found.exploration.calls if call.plan.probe == "context" and call.refused]
    assert refused
    assert all(map(without_context, (call.plan for call in refused)))
