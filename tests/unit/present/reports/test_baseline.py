"""Baselines: what is known, new and stale, and files of strangers."""

import datetime
import json
import os

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool

from aptix_conformance.core.errors import BaselineError
from aptix_conformance.core.model.baseline import FORMAT, Baseline, BaselineEntry
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import OtherCauseReport, RunReport
from aptix_conformance.core.model.verdict import UNNEEDED_WAIVER, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report
from aptix_conformance.present.reports.baseline import (
    EMPTY,
    KnownFindings,
    has_known_breaches_only,
    new_text,
    open_verdicts,
    pruned,
    read_baseline,
    unnamed,
    with_findings,
    without_baseline,
    write_baseline,
)

TODAY = datetime.date(2026, 11, 22)
YESTERDAY = datetime.date(2026, 11, 21)
ENTRY = BaselineEntry("birds:Owl", "aptix-tul-011", "ARG001", "wings", "issue 12")


def owl(*causes, **members):
    """A tool whose rule ARG001 is broken, a finding for each cause; the rule is kept where there is no cause."""
    verdict, advice = full_tool().verdicts
    shown = [replace(verdict.finding, cause=cause) for cause in causes[:5]]
    others = tuple(OtherCauseReport(cause) for cause in causes[5:])
    broken = (
        replace(verdict, finding=shown[0], further=tuple(shown[1:]), causes=len(causes)) if shown else None
    )
    kept = replace(verdict, verdict=VerdictKind.PASS, finding=None)
    advice = replace(advice, verdict=VerdictKind.PASS)
    first = replace(broken, other_causes=others, **members) if broken else replace(kept, **members)
    return replace(full_tool(), verdicts=(first, advice))


def applied(tool, *entries, examples=5, **options):
    known = KnownFindings.of(Baseline(FORMAT, 5, entries), today=TODAY, examples=examples)
    return known.applied(tool, **options)


def counted(tools, *entries, whole=True, examples=5):
    known = KnownFindings.of(Baseline(FORMAT, 5, entries), today=TODAY, examples=examples)
    return known.counted([known.applied(tool) for tool in tools], whole=whole)


def report_of(*tools, **members):
    return make_report(tools, replace(SUITE, **members), RunReport(), None)


def entry(**members):
    return replace(ENTRY, **members)


def test_a_rule_is_known_where_each_of_its_causes_is():
    assert applied(owl("wings"), ENTRY).verdicts[0].is_known
    assert not applied(owl("wings", "beak"), ENTRY).verdicts[0].is_known
    assert applied(owl("wings", "beak"), ENTRY, entry(cause="beak")).verdicts[0].is_known
    assert not owl("wings").verdicts[0].is_known


@pytest.mark.parametrize("member", ["target", "edition", "rule", "cause"])
def test_an_entry_is_about_one_target_edition_rule_and_cause(member):
    assert not applied(owl("wings"), entry(**{member: "other"})).verdicts[0].is_known


def test_a_name_that_a_stranger_took_brings_no_entries():
    stranger = replace(owl("wings"), target="stranger:Owl")
    assert not applied(stranger, entry(tool=stranger.tool)).verdicts[0].is_known


def test_causes_that_are_not_shown_count():
    causes = [f"c{number}" for number in range(7)]
    entries = [entry(cause=cause) for cause in causes]
    assert applied(owl(*causes), *entries).verdicts[0].is_known
    assert not applied(owl(*causes), *entries[:-1]).verdicts[0].is_known


def test_causes_that_the_report_does_not_name_are_new():
    tool = applied(owl("wings", causes=3), ENTRY)
    assert not tool.verdicts[0].is_known
    assert (counted([tool], ENTRY).known, counted([tool], ENTRY).new) == (1, 2)
    assert unnamed(report_of(tool))[0][1].rule == "ARG001"
    assert not unnamed(report_of(owl("wings")))


def test_a_measured_time_that_was_not_shown_again_is_no_new_finding():
    """It comes and goes with the load of the machine."""
    tool = owl("wings", "slow")
    verdict = tool.verdicts[0]
    chance = replace(verdict.further[0], timed=True, reproduced=False)
    unseen = OtherCauseReport("slow too", timed=True)
    verdict = replace(verdict, further=(chance,), other_causes=(unseen,), causes=3)
    assert applied(replace(tool, verdicts=(verdict,)), ENTRY).verdicts[0].is_known
    shown = replace(verdict, further=(replace(chance, reproduced=True),))
    assert not applied(replace(tool, verdicts=(shown,)), ENTRY).verdicts[0].is_known


def test_an_entry_counts_through_its_last_day():
    assert applied(owl("wings"), entry(expires=TODAY)).verdicts[0].is_known
    late = applied(owl("wings"), entry(expires=YESTERDAY)).verdicts[0]
    assert not late.is_known
    assert new_text(late) == "knows 0 of 1 causes; 1 expired, the last on 2026-11-21; new: wings"


def test_the_failure_of_a_waiver_that_nothing_needs_is_never_known():
    tool = owl(UNNEEDED_WAIVER)
    assert not applied(tool, entry(cause=UNNEEDED_WAIVER)).verdicts[0].is_known
    assert not with_findings(EMPTY, report_of(tool), reason="x", expires=None, today=TODAY).entries


def test_a_baseline_changes_no_verdict_and_no_status():
    tool = owl("wings")
    known = applied(tool, ENTRY)
    assert known != tool
    assert without_baseline(known) == tool
    assert (known.status, known.verdicts[0].verdict, known.verdicts[0].blocks) == (
        "nonconforming",
        "fail",
        True,
    )


def test_an_entry_is_stale_where_its_finding_is_gone():
    assert applied(owl(), ENTRY).stale == (ENTRY,)
    assert applied(owl("beak"), ENTRY).stale == (ENTRY,)
    assert applied(owl(), entry(rule="OLD001")).stale
    assert applied(owl(verdict=VerdictKind.NOT_APPLICABLE), ENTRY).stale
    assert applied(owl("wings"), entry(expires=YESTERDAY)).stale == ()


@pytest.mark.parametrize(
    "tool",
    [
        owl("wings"),
        owl("wings", verdict=VerdictKind.WAIVED),
        owl("beak", causes=3),
        owl(verdict=VerdictKind.INCONCLUSIVE),
        replace(owl(), edition="other"),
        replace(owl(), error="it hung", verdicts=()),
    ],
    ids=["found", "waived", "unnamed causes", "inconclusive", "other edition", "not examined"],
)
def test_an_entry_is_not_stale_where_its_finding_is_there_or_was_not_looked_for(tool):
    assert applied(tool, ENTRY).stale == ()


def test_a_run_that_draws_fewer_calls_does_not_say_what_is_stale():
    assert applied(owl(), ENTRY, examples=4).stale == ()
    assert counted([], ENTRY, examples=4).stale == 0


def test_an_entry_of_a_tool_that_a_whole_run_does_not_have_is_stale():
    elsewhere = replace(owl(), target="birds:Tit")
    assert counted([elsewhere], ENTRY).gone == (ENTRY,)
    assert counted([elsewhere], ENTRY).stale == 1
    assert counted([elsewhere], ENTRY, whole=False).stale == 0
    assert counted([failed_target_report("birds", "aptix", "", "no such module")], ENTRY).stale == 0
    assert counted([replace(owl(), edition="other")], ENTRY).stale == 0


def test_findings_are_counted_by_their_keys():
    found = counted([owl("wings", "wings", "beak")], ENTRY)
    assert (found.known, found.new, found.stale) == (1, 1, 0)


def test_rules_that_are_masked_by_known_ones_only_are_not_open():
    tool = applied(owl("wings"), ENTRY)
    masked = replace(
        owl().verdicts[0], rule="ARG009", verdict=VerdictKind.INCONCLUSIVE, masked_by=("ARG001",)
    )
    unseen = replace(masked, rule="ARG010", masked_by=())
    half = replace(masked, rule="ARG011", masked_by=("ARG001", "ARG002"))
    tool = replace(tool, verdicts=(*tool.verdicts, masked, unseen, half))
    assert has_known_breaches_only(tool)
    assert [verdict.rule for verdict in open_verdicts(tool)] == ["ARG010", "ARG011"]
    assert not has_known_breaches_only(owl("wings"))
    assert not has_known_breaches_only(owl())


def test_what_is_written_is_what_is_known():
    causes = [f"c{number}" for number in range(7)]
    made = with_findings(EMPTY, report_of(owl(*causes)), reason="x", expires=None, today=TODAY)
    assert made.examples == SUITE.examples
    assert {each.key[3] for each in made.entries} == set(causes)
    assert applied(owl(*causes), *made.entries).verdicts[0].is_known


def test_writing_keeps_what_people_wrote_and_replaces_what_expired():
    report = report_of(owl("wings", "beak"))
    old = Baseline(FORMAT, 9, (ENTRY, entry(cause="beak", expires=YESTERDAY), entry(cause="tail")))
    made = with_findings(old, report, reason="new", expires=TODAY, today=TODAY)
    said = {each.cause: (each.reason, each.expires) for each in made.entries}
    assert said == {"wings": ("issue 12", None), "beak": ("new", TODAY), "tail": ("issue 12", None)}
    assert made.examples == 9


def test_pruning_removes_what_is_stale_or_expired():
    tail, gone = entry(cause="tail"), entry(target="birds:Tit")
    other, expired = entry(edition="other"), entry(cause="beak", expires=YESTERDAY)
    baseline = Baseline(FORMAT, 5, (ENTRY, tail, gone, other, expired))
    report = report_of(owl("wings", "beak"))
    assert pruned(baseline, report, gone=False, today=TODAY).entries == (ENTRY, gone, other)
    assert pruned(baseline, report, gone=True, today=TODAY).entries == (ENTRY, other)


def test_a_file_has_the_same_bytes_in_whatever_order_entries_came(tmp_path):
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    entries = (ENTRY, entry(cause="\ud800", expires=TODAY))
    write_baseline(first, Baseline(FORMAT, 5, entries))
    write_baseline(second, Baseline(FORMAT, 5, entries[::-1]))
    assert first.read_bytes() == second.read_bytes()
    assert set(read_baseline(first).entries) == set(entries)


def test_a_file_that_could_not_be_read_again_is_not_written(tmp_path):
    with pytest.raises(BaselineError, match=r"is not written: .*\$\.entries\[0\]\.reason"):
        write_baseline(tmp_path / "a.json", Baseline(FORMAT, 5, (entry(reason=" "),)))
    assert not list(tmp_path.iterdir())


GOOD = {"format": FORMAT, "examples": 5, "entries": []}
FIELDS = {"target": "a:B", "edition": "e", "rule": "ARG001", "cause": "", "reason": "r"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": "aptix-conf', "not JSON, perhaps truncated"),
        ("[" * 100_000, "not JSON, perhaps truncated"),
        ("[" + "1," * 300_000 + "1]", "more than 200,000 values"),
        ("[]", "is not a baseline of the format"),
        ('{"format": "aptix-conformance-report/2"}', "baseline write report.json -o"),
        ('{"format": "aptix-conformance-baseline/9"}', "is not a baseline of the format"),
        (json.dumps({**GOOD, "\x1b[2J": 1}), r"malformed at \$: unknown member '\\x1b\[2J'"),
        (json.dumps({**GOOD, "entries": [{**FIELDS, "reason": "  "}]}), r"at \$\.entries\[0\]\.reason"),
        (json.dumps({**GOOD, "entries": [{**FIELDS, "expires": "soon"}]}), r"at \$\.entries\[0\]\.expires"),
        (json.dumps({**GOOD, "entries": [FIELDS, FIELDS]}), r"at \$\.entries\[0\]: two entries are about ARG001 of a:B"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_error_that_names_the_place(tmp_path, content, message):
    path = tmp_path / "b.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BaselineError, match=message) as raised:
        read_baseline(path)
    assert "\n" not in str(raised.value)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, message in [
        ("none", "baseline write report.json -o"),
        ("pipe", "not a regular file"),
        ("", "cannot be read"),
    ]:
        with pytest.raises(BaselineError, match=message):
            read_baseline(tmp_path / name)
    with pytest.raises(BaselineError, match="cannot be written"):
        write_baseline(tmp_path / "pipe", EMPTY)
