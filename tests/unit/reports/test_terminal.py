"""The summary of a run on the terminal, and the failure of a rule."""

from aptix_conformance.model.codec import replace
from aptix_conformance.model.report import ShortfallReport
from aptix_conformance.reports import failed_target_report, failure_text, status_text
from aptix_conformance.reports.terminal import render, summary_lines
from aptix_conformance.systems.rulebook import all_rules


def test_the_summary_tells_what_was_left_out_but_not_what_there_never_was():
    """A tool that never waits cannot be cancelled while it does: nobody need act, and the report has it."""
    tool = failed_target_report("zoo", "aptix", "aptix-tul-011", "no such module")
    left_out = ShortfallReport("cancel", "there was no time", reduced_coverage=True)
    never_was = ShortfallReport("cancel", "its calls never wait", reduced_coverage=True, expected=True)
    tool = replace(tool, shortfalls=(left_out, never_was))
    notes = [line for line in summary_lines([tool]) if line.startswith("note")]
    assert notes == ["note          zoo: cancel: there was no time"]


def test_the_summary_has_a_line_for_each_tool_its_advice_and_the_totals(report):
    assert render(report).splitlines() == [
        "incomplete    ape: no such module",
        "nonconforming owl: 2 of 2 rules examined, 3 calls, 0.5 s, 1 failed, 1 advice",
        "incomplete    zoo: no such module",
        "note          owl: cancel: no time",
        "advice        owl: ARG002 b-rule: it is odd",
        "3 tools: 2 incomplete, 1 nonconforming",
    ]


def test_the_failure_text_says_what_the_tool_did_and_how_to_reproduce_it(report):
    tool = report.tools[1]
    rule = next(rule for rule in all_rules() if rule.code == "ARG001")
    lines = failure_text(tool, tool.verdicts[0], rule).splitlines()
    assert lines[0] == "owl breaks ARG001 a-rule (MUST: TUL-011.1)"
    assert "  the call      {}    [valid: generated]" in lines
    assert "  after         1 earlier calls in the same process" in lines
    assert "  reproduce     replay r#t/ARG001" in lines


def test_the_status_text_names_the_broken_rules_or_the_error(report):
    assert [status_text(tool) for tool in report.tools[:2]] == [
        "ape was not examined\n  the error     no such module",
        "owl is nonconforming: ARG001 failed; each is reported by its own item",
    ]
