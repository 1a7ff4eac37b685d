"""What a baseline knows, in the formats for CI services: it does not look new, and it does not look fixed."""

import datetime
import json

import pytest
from tests.unit.present.reports.conftest import SUITE
from tests.unit.present.reports.test_baseline import ENTRY, TODAY, entry, owl
from tests.unit.present.reports.test_ci_formats import HOSTILE

from aptix_conformance.core.model.baseline import FORMAT, Baseline
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RunReport
from aptix_conformance.present.reports import gitlab, make_report, sarif, terminal
from aptix_conformance.present.reports.badge import shields
from aptix_conformance.present.reports.baseline import KnownFindings
from aptix_conformance.present.reports.github import annotations, summary


def report_with(tool, *entries):
    """The report of a run on one tool with a baseline of some entries."""
    known = KnownFindings.of(Baseline(FORMAT, 5, entries), today=TODAY, examples=5)
    tools = [known.applied(tool)]
    return replace(make_report(tools, SUITE, RunReport(), None), baseline=known.counted(tools, whole=True))


def section(markdown, heading):
    return markdown.partition(f"### {heading}\n")[2].partition("\n### ")[0]


def results(report):
    return json.loads(sarif.render(report))["runs"][0]["results"]


def test_known_findings_are_counted_and_not_annotated():
    said = annotations(report_with(owl("wings", "beak"), ENTRY))
    assert said.count("::error") == 1
    assert said.endswith("not annotated: 1 known to the baseline\n")


def test_known_findings_are_suppressed_alerts_in_the_words_of_their_entries():
    known, new = sorted(
        results(report_with(owl("wings", "beak"), ENTRY)), key=lambda found: "suppressions" not in found
    )
    (suppression,) = known["suppressions"]
    assert suppression["justification"] == "known to the baseline: issue 12"
    assert (suppression["kind"], suppression["status"]) == ("external", "accepted")
    assert known["properties"]["cause"] == "wings"
    assert "suppressions" not in new


def test_known_findings_are_information_to_gitlab():
    new, known = json.loads(gitlab.render(report_with(owl("wings", "beak"), ENTRY)))
    assert (new["severity"], known["severity"]) == ("critical", "info")
    assert known["description"].endswith("(known to the baseline: issue 12)")


@pytest.mark.parametrize("entries", [(), (entry(expires=datetime.date(2026, 11, 21)),)])
def test_what_the_baseline_does_not_know_or_no_longer_knows_is_new_everywhere(entries):
    report = report_with(owl("wings"), *entries)
    assert "::error" in annotations(report)
    assert "suppressions" not in results(report)[0]
    assert json.loads(gitlab.render(report))[0]["severity"] == "critical"
    assert "ARG001" in section(summary(report), "New findings")
    assert not section(summary(report), "Known findings")


def test_a_rule_with_a_new_cause_that_is_not_shown_does_not_look_known():
    causes = [f"c{number}" for number in range(6)]
    report = report_with(owl(*causes), *(entry(cause=cause) for cause in causes[:5]))
    assert "The baseline does not know 1 more of its causes." in annotations(report)
    assert not any("suppressions" in found for found in results(report))


def test_the_summary_tells_new_findings_fixed_ones_and_known_ones_apart():
    gone = entry(target="birds:Tit", cause="", reason="lost")
    report = report_with(owl("wings", "beak"), ENTRY, entry(cause="tail", reason="old"), gone)
    said = summary(report)
    assert "Baseline: 1 known, 1 new, 2 stale\n" in said
    assert section(said, "New findings").count("ARG001") == 1
    fixed = section(said, "Fixed: remove these from the baseline")
    assert "| `owl` | `ARG001` | `tail` | old |" in fixed
    assert "| `birds:Tit` | `ARG001` |  | lost |" in fixed
    assert "(known to the baseline: issue 12)" in section(said, "Known findings")
    assert "### Broken rules" not in said


def test_without_a_baseline_the_summary_has_its_broken_rules():
    said = summary(make_report([owl("wings")], SUITE, RunReport(), None))
    assert "ARG001" in section(said, "Broken rules")
    assert "aseline" not in said


def test_words_of_an_entry_are_no_markup_and_no_command():
    report = report_with(owl("wings"), entry(reason=HOSTILE), entry(cause=HOSTILE, reason=HOSTILE))
    for said in (annotations(report), summary(report), gitlab.render(report), sarif.render(report)):
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert "\n::error file=a" not in said
        said.encode()
    assert "](//e)" not in sarif.render(report)


def test_the_badge_says_nonconforming():
    assert json.loads(shields(report_with(owl("wings"), ENTRY)))["color"] == "red"


def test_the_summary_for_a_terminal_counts_and_names_what_is_stale():
    lines = terminal.render(report_with(owl("wings"), ENTRY, entry(cause="tail"))).splitlines()
    assert lines[-2] == "baseline      1 known, 0 new, 1 stale"
    assert lines[-1].startswith("stale         owl: ARG001 tail: the finding is gone; ")
