"""Issuing: the word certificate is for a tool that conforms, in full containment, with nothing waived or masked."""

import datetime as dt
from types import SimpleNamespace

import pytest

from aptix_conformance.app.certificates.examined import Examined
from aptix_conformance.app.certificates.issue import Terms, attest, moment
from aptix_conformance.app.certificates.statement import CodePart, EnvironmentPart, SuitePart, contradictions
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import (
    FindingReport,
    RunReport,
    ShortfallReport,
    SuiteReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report
from aptix_conformance.targets import ToolSettings

PASSED = VerdictReport("ARG002", "x", Level.MUST, (), VerdictKind.PASS, 41, "", None)
ADVICE = VerdictReport("USE016", "x", Level.SHOULD, (), VerdictKind.FAIL, 1, "too short", None)
SUITE = SuiteReport("0.1.0", 0, 100, complete=True, isolated=True, budget=30.0, timeout=5.0, memory=1024)
TERMS = Terms(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))


def _attested(tmp_path, settings=None, suite=SUITE, unneeded=(), **changes):
    bare = failed_target_report("weather:WeatherTool", "aptix", "aptix-tul-011", "")
    whole = {"status": "conforming", "verdicts": (PASSED, ADVICE), "containment_reached": Containment("full")}
    tool = replace(bare, error=None, **{**whole, **changes})
    report = replace(make_report((tool,), suite, RunReport(), None), unneeded_waivers=unneeded)
    one = Examined(
        SimpleNamespace(settings=settings or ToolSettings()),
        tool,
        CodePart("folder", "weather"),
        "c" * 64,
        EnvironmentPart("CPython 3.11.7", "Linux x86_64"),
    )
    issuance = TERMS.issuance(tool, f"sha256:{'0' * 64}")
    return attest(one, report, SuitePart("0.1.0", "5" * 64), issuance, tmp_path)


def test_a_tool_that_conforms_in_full_containment_has_a_certificate(tmp_path):
    found = _attested(tmp_path)
    assert (found.kind, found.shortcomings) == ("certificate", ())
    assert contradictions(found) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "nonconforming"}, "the tool is nonconforming"),
        ({"status": "incomplete"}, "the tool is incomplete"),
        ({"status": "conforming-with-waivers"}, "the tool is conforming-with-waivers"),
        ({"verdicts": (PASSED, replace(ADVICE, verdict=VerdictKind.WAIVED))}, "USE016 (SHOULD) is waived"),
        ({"verdicts": (replace(PASSED, verdict=VerdictKind.INCONCLUSIVE),)}, "ARG002 (MUST) is inconclusive"),
        (
            {"verdicts": (PASSED, replace(ADVICE, verdict=VerdictKind.INCONCLUSIVE, masked_by=("USE001",)))},
            "USE016 is masked by USE001",
        ),
        ({"containment_reached": Containment("partial", ("no Landlock",))}, "partial (no Landlock)"),
        ({"containment_reached": None}, "the containment was none"),
        ({"suite": replace(SUITE, complete=False)}, "before every tool was examined"),
        ({"suite": replace(SUITE, isolated=False)}, "in the suite's own process"),
        ({"unneeded": ("the waiver of X is not needed",)}, "is not needed"),
    ],
)
def test_anything_less_is_an_attestation_that_says_why(tmp_path, changes, words):
    found = _attested(tmp_path, **changes)
    assert found.kind == "attestation"
    assert words in found.shortcomings[0]


def test_of_the_environment_only_names_are_recorded_and_paths_as_seen_from_the_project(tmp_path):
    settings = ToolSettings(
        env={"TOKEN": "s3cr3t"},
        reads=(f"{tmp_path}/models", "/srv/data"),
        python="/home/me/env/bin/python",
        given=frozenset({"env", "reads", "python"}),
    )
    found = _attested(tmp_path, settings).configuration
    assert found == {"env": ["TOKEN"], "reads": ["models", "…/data"], "python": "…/python"}


@pytest.mark.parametrize("days", [0, -1, 4000])
def test_a_certificate_counts_for_a_bounded_time(days):
    with pytest.raises(CertificateError, match="a certificate counts for"):
        Terms(TERMS.issued, dt.timedelta(days=days))


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"])
def test_a_time_that_no_calendar_has_is_refused(time):
    with pytest.raises(CertificateError, match="years 1 to 9999"):
        moment(dt.datetime.fromisoformat(time))


def test_a_statement_that_would_outlast_the_calendar_is_refused():
    with pytest.raises(CertificateError, match="too late"):
        Terms(dt.datetime(9999, 12, 1, tzinfo=dt.UTC))


def test_the_years_have_four_digits():
    assert moment(dt.datetime(33, 4, 3, tzinfo=dt.UTC)) == "0033-04-03T00:00:00Z"


def test_what_depends_on_the_machines_speed_is_in_the_issuance_alone(tmp_path):
    gaps = (
        ShortfallReport("valid", "allowed 57 of 100 drawn calls", reduced_coverage=True),
        ShortfallReport("extremes", "its schema allows none", reduced_coverage=True, expected=True),
        ShortfallReport("catalog", "has no catalog"),
    )
    found = _attested(tmp_path, shortfalls=gaps)
    assert [gap.probe for gap in found.left_out] == ["extremes", "catalog"]
    assert [gap.probe for gap in found.issuance.reduced] == ["valid"]
    assert found.issuance.observations == {"ARG002": 41, "USE016": 1}
    slower = _attested(tmp_path, verdicts=(replace(PASSED, observations=7), ADVICE), shortfalls=gaps[1:])
    assert replace(slower, issuance=found.issuance) == found


@pytest.mark.parametrize(("timed", "reason"), [(True, "kept it for … s"), (False, "kept it for 1.3 s")])
def test_measured_seconds_are_not_signed(tmp_path, timed, reason):
    finding = FindingReport("kept it for 1.3 s", None, (), reproduced=True, replay="", timed=timed)
    broken = replace(ADVICE, reason=finding.message, finding=finding)
    assert _attested(tmp_path, verdicts=(PASSED, broken)).rules[1].reason == reason
