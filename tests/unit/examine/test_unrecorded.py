"""A call that asked a service for what its recording does not have can make a rule inconclusive, and nothing else."""

import re

from tests.unit.examine.fakes import Host, answer, explored_never_raises, never_raises, raising, run

from aptix_conformance.core.model import Call
from aptix_conformance.present.reports import tool_report
from aptix_conformance.present.reports.terminal import summary_lines
from aptix_conformance.rules import rule

ASKED = ("GET https://a.example/x",)


@rule("RES901", "AGN-005.4.1", when=lambda call: call.succeeded, remedy="Succeed.")
def succeeds(call: Call):
    """It succeeds."""


def unrecorded(plan, seen):
    return {**seen, "unrecorded": ASKED} if plan.probe == "malformed" else answer()


def test_what_only_such_calls_break_is_inconclusive_with_the_request():
    verdicts, _ = run(
        Host(lambda plan, earlier: unrecorded(plan, raising())), never_raises, explored_never_raises
    )
    for code in ("EXC901", "EXC904"):
        assert verdicts[code].verdict.value == "inconclusive", code
        assert ASKED[0] in verdicts[code].reason


def test_what_another_call_breaks_is_broken():
    verdicts, _ = run(Host(lambda plan, earlier: {**unrecorded(plan, raising()), **raising()}), never_raises)
    assert verdicts["EXC901"].verdict.value == "fail"


def test_what_no_call_breaks_is_kept_and_such_calls_do_not_count():
    verdicts, found = run(Host(lambda plan, earlier: unrecorded(plan, answer())), never_raises)
    assert verdicts["EXC901"].verdict.value == "pass"
    assert verdicts["EXC901"].observations == len(found.exploration.calls)
    report = tool_report(found, tool="agent_fake", deselected=frozenset())
    (note,) = (line for line in summary_lines([report]) if ASKED[0] in line)
    assert re.match(
        r"note +agent_fake: recording: \d+ calls asked for what the recording does not have\. They count for no rule; "
        rf"a breach in them makes a rule inconclusive\. Record {re.escape(ASKED[0])}",
        note,
    )


def test_where_each_call_is_such_a_one_no_success_counts_and_the_reason_names_the_request():
    verdicts, _ = run(Host(lambda plan, earlier: {**answer(), "unrecorded": ASKED}), succeeds)
    assert verdicts["RES901"].verdict.value == "inconclusive"
    assert ASKED[0] in verdicts["RES901"].reason
