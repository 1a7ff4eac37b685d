"""A report on many tools, as large as real ones: `python large_report.py TOOLS FILE`.

Each tool has a verdict of every rule, a schema of eight arguments, and a finding with its call for each rule that it
breaks. The words differ from tool to tool, so that no compression profits from their likeness.
"""

import random
import sys
from pathlib import Path

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import Change, Kind, Outcome, Stimulus
from aptix_conformance.core.model.report import (
    CallReport,
    DeclaredReport,
    ExaminedReport,
    FaultSiteReport,
    FindingReport,
    Report,
    ResultReport,
    RunReport,
    ShortfallReport,
    SourceReport,
    StepReport,
    SuiteReport,
    SuspensionReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, Status, VerdictKind
from aptix_conformance.present.reports import make_report, write_report
from aptix_conformance.rules import Rule
from aptix_conformance.systems.rulebook import all_rules

EDITION = "aptix-tul-011"
STEPS = (
    "declaration",
    "valid",
    "context",
    "malformed",
    "invalid",
    "repeat",
    "reading",
    "cancel",
    "fault",
    "proof",
)
KINDS = (VerdictKind.PASS, VerdictKind.NOT_APPLICABLE, VerdictKind.INCONCLUSIVE, VerdictKind.FAIL)
SHARES = (77, 15, 5, 3)
WORDS = tuple(
    f"{first}{middle}{last}"
    for first in ("br", "c", "d", "fl", "gr", "l", "m", "st", "tr", "w")
    for middle in ("a", "ea", "i", "o", "u")
    for last in ("nd", "ter", "ck", "le", "st", "ring")
)


def large_report(tools: int, seed: int = 0) -> Report:
    """A report on so many tools; the same numbers give the same report."""
    edition = load().editions[EDITION]
    levels = [(rule, rule.level(edition)) for rule in all_rules()]
    rules = [(rule, level) for rule, level in levels if level is not None]
    made = [
        _tool(number, rules, random.Random(f"{seed}/{number}"))  # noqa: S311 - a report to look at
        for number in range(tools)
    ]
    suite = SuiteReport(version="1.0", seed=seed, examples=100, complete=True, isolated=True)
    return make_report(
        made, suite, RunReport("2026-01-01T00:00:00+00:00", 3600.0, "3.11.7", "Linux-6.1-x86_64")
    )


def _words(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(WORDS, k=count))


def _tool(number: int, rules: list[tuple[Rule, Level]], draw: random.Random) -> ToolReport:
    name = f"agent_{number:04}_{_words(draw, 1)}"
    module = f"{_words(draw, 1)}.{_words(draw, 1)}"
    verdicts = tuple(_verdict(name, rule, level, draw) for rule, level in rules)
    return ToolReport(
        tool=name,
        target=f"{module}:{name.title()}",
        system="aptix",
        edition=EDITION,
        status=_status(verdicts),
        schema_fingerprint=f"sha256:{draw.randbytes(32).hex()}",
        calls=draw.randint(200, 900),
        seconds=round(draw.uniform(1, 20), 3),
        shortfalls=(
            ShortfallReport(
                "extremes", "its schema allows no extreme value", reduced_coverage=True, expected=True
            ),
        ),
        verdicts=verdicts,
        declared=DeclaredReport(
            _schema(name, draw), _words(draw, 150), {"$": "object", "$.items[*]": "string"}
        ),
        examined=_examined(module, draw),
        source=SourceReport(
            f"{module.replace('.', '/')}.py", draw.randint(1, 400), f"sha256:{draw.randbytes(32).hex()}"
        ),
        containment="namespaces",
        steps=tuple(StepReport(step, draw.randint(1, 150), round(draw.random(), 3)) for step in STEPS),
    )


def _status(verdicts: tuple[VerdictReport, ...]) -> Status:
    if any(verdict.blocks for verdict in verdicts):
        return "nonconforming"
    return "incomplete" if any(verdict.is_open for verdict in verdicts) else "conforming"


def _verdict(tool: str, rule: Rule, level: Level, draw: random.Random) -> VerdictReport:
    (kind,) = draw.choices(KINDS, SHARES)
    reason = (
        ""
        if kind is VerdictKind.PASS
        else f"{rule.unseen_reason or rule.not_applicable or rule.name}; {_words(draw, 6)}"
    )
    return VerdictReport(
        rule=rule.code,
        name=rule.name,
        level=level,
        clauses=rule.clauses,
        verdict=kind,
        observations=draw.randint(0, 300),
        reason=reason,
        finding=_finding(tool, rule, reason, draw) if kind is VerdictKind.FAIL else None,
        causes=1 if kind is VerdictKind.FAIL else 0,
    )


def _finding(tool: str, rule: Rule, reason: str, draw: random.Random) -> FindingReport:
    context = {
        name: {"id": draw.randbytes(16).hex(), "text": _words(draw, 2)} for name in ("org", "user", "role")
    }
    plan = Stimulus("valid", Change(Kind.GENERATED), f'{{"city": "{_words(draw, 8)}"}}', context)
    result = ResultReport(
        "InvokeResult", is_invoke_result=True, successful=True, payload=_words(draw, 40), payload_type="str"
    )
    sent = "The suite sent arguments that the schema allows."
    call = CallReport(plan=plan, label=plan.label, outcome=Outcome.RETURNED, result=result, suite=sent)
    replay = f"aptix-conformance replay report.json#{tool}/{rule.code}"
    return FindingReport(reason, call, (), reproduced=True, replay=replay)


def _schema(name: str, draw: random.Random) -> dict[str, object]:
    properties = {
        f"{_words(draw, 1)}_{number}": {"type": "string", "minLength": number, "description": _words(draw, 9)}
        for number in range(8)
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:3]}
    return {"type": "function", "name": name, "description": _words(draw, 14), "parameters": parameters}


def _examined(module: str, draw: random.Random) -> ExaminedReport:
    return ExaminedReport(
        suspensions=tuple(
            SuspensionReport(f"{_words(draw, 1)}() at {module}:{line}", ("task", "token"))
            for line in range(3)
        ),
        restarts=tuple(
            {"hash seed": str(draw.randint(1, 2**32)), "time zone": "Asia/Kathmandu"} for _ in range(3)
        ),
        fault_sites=tuple(
            FaultSiteReport(f"{_words(draw, 1)}() at {module}:{line}", ("unknown", "os_error", "timeout"))
            for line in range(8)
        ),
        fault_sites_out_of_reach=("code that is compiled into an extension module",),
    )


if __name__ == "__main__":
    write_report(Path(sys.argv[2]), large_report(int(sys.argv[1])))
