"""Reports that are built without a run."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import (
    CallReport,
    DeclaredReport,
    DistributionReport,
    ExaminedReport,
    FaultSiteReport,
    FindingReport,
    ResultReport,
    RevisionReport,
    RunReport,
    ShortfallReport,
    SourceReport,
    SuiteReport,
    SuspensionReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report

SUITE = SuiteReport(version="1.0", seed=7, examples=5, complete=True, isolated=True)
SENT = "The suite sent arguments that the schema allows."
FINGERPRINT = f"sha256:{'0' * 64}"


def full_tool():
    """A tool with every member filled."""
    plan = stimulus("valid", "generated", "{}", {"user": None})
    result = ResultReport("InvokeResult", is_invoke_result=True, facts={"kind": "object"})
    shown = CallReport(plan=plan, label=plan.label, outcome=Outcome.RETURNED, result=result, suite=SENT)
    finding = FindingReport("it \ud800 failed", shown, (plan,), reproduced=True, replay="replay r#t/ARG001")
    verdict = VerdictReport(
        "ARG001", "a-rule", Level.MUST, ("TUL-011.1",), VerdictKind.FAIL, 3, "it failed", finding
    )
    advice = VerdictReport("ARG002", "b-rule", Level.SHOULD, (), VerdictKind.FAIL, 1, "it is odd", None)
    return ToolReport(
        tool="owl",
        target="birds:Owl",
        system="aptix",
        edition="aptix-tul-011",
        status="nonconforming",
        schema_fingerprint=FINGERPRINT,
        calls=3,
        seconds=0.5,
        shortfalls=(ShortfallReport("cancel", "no time", reduced_coverage=True),),
        verdicts=(verdict, advice),
        declared=DeclaredReport({"name": "owl"}, "hoots", {"$": "object"}),
        examined=ExaminedReport(
            suspensions=(SuspensionReport("sleep() at birds.py:9", ("task", "token")),),
            restarts=({"clock": "1 day"},),
            fault_sites=(FaultSiteReport("open() at birds.py:3", ("unknown",)),),
        ),
        source=SourceReport("birds.py", 7, FINGERPRINT),
        distribution=DistributionReport("birds", "2.0"),
        containment="confined",
        containment_reached=Containment("partial", ("no namespaces (Operation not permitted)",)),
    )


@pytest.fixture
def report():
    """Three tools, one of them with every member filled."""
    tools = [
        failed_target_report(spec, "aptix", "aptix-tul-011", "no such module") for spec in ("zoo", "ape")
    ]
    run = RunReport("2026-01-01T00:00:00+00:00", 1.0, "3.11.7", "Linux", ("/a", "/b"))
    return make_report([*tools, full_tool()], SUITE, run, RevisionReport("git", "0" * 40, modified=True))
