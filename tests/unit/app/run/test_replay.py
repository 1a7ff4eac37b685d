"""What a reference to a finding names: a report, a tool, a rule, and perhaps one of several causes; what a call made again shows."""

from types import SimpleNamespace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.app.run.replay import _repeat_calls, find_finding, find_rule, parse_reference
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import Call, CancellationPoint, Outcome, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import CallReport, FindingReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report

FIRST = FindingReport("it raised", None, (), reproduced=True, replay="")
SECOND = replace(FIRST, message="it raised elsewhere")
VERDICT = VerdictReport(
    "EXC001", "a-rule", Level.MUST, (), VerdictKind.FAIL, 1, "it raised", FIRST, (SECOND,), causes=3
)
TOOL = replace(failed_target_report("m:T", "aptix", "", ""), verdicts=(VERDICT,))


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("report.json#agent_x/EXC001", ("report.json", "agent_x", "EXC001", 1)),
        ("out/report.json#agent_x@m:T/EXC001:2", ("out/report.json", "agent_x@m:T", "EXC001", 2)),
    ],
)
def test_a_reference_names_the_cause_after_the_rule(reference, parts):
    assert parse_reference(reference) == parts


@pytest.mark.parametrize(
    "reference", ["report.json", "#x/EXC001", "r#x/", "r#x/EXC001:", "r#x/EXC001:0", "r#x/EXC001:x"]
)
def test_a_malformed_reference_is_refused_with_its_form(reference):
    with pytest.raises(ReportError, match="is not of the form REPORT#TOOL/RULE"):
        parse_reference(reference)


def test_each_cause_has_a_number():
    assert find_finding(TOOL, "EXC001", 1) is FIRST
    assert find_finding(TOOL, "EXC001", 2) is SECOND


def test_a_cause_that_the_report_does_not_show_is_refused():
    with pytest.raises(ReportError, match="shows 2 causes of EXC001, and no number 3"):
        find_finding(TOOL, "EXC001", 3)


FAILED = Result("InvokeResult", True, successful=False, error_message="It is not known.")
WORKED = Result("InvokeResult", True, successful=True, payload="{}", payload_type="str")


@pytest.mark.parametrize(
    ("outcome", "result", "disturbance", "seen"),
    [
        (Outcome.RETURNED, WORKED, None, True),
        (Outcome.RETURNED, FAILED, None, True),
        (Outcome.RETURNED, WORKED, CancellationPoint("token", at=3), False),
        (Outcome.TIMED_OUT, None, None, False),
    ],
)
def test_a_call_that_succeeds_keeps_a_rule_on_failures_unless_it_was_to_be_disturbed(
    outcome, result, disturbance, seen
):
    """A disturbance that does not come to the call leaves open whether the rule is kept."""
    rule = find_rule("EXC003")
    plan = stimulus("valid", "generated", "{}", None, disturbance=disturbance)
    call = Call(plan, outcome, 0.0, result)
    host = SimpleNamespace(execute=lambda _: call, close=lambda: None, read_only=None)
    run = SimpleNamespace(open_host=lambda _: host)
    shown = CallReport(plan, plan.label, Outcome.RETURNED)
    assert _repeat_calls(run, None, rule, replace(FIRST, call=shown)) == (None, seen)
