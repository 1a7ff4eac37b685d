"""A report with every finding of the golden matrix, in the words that are stored of it: one tool for each row."""

import json
import re
from pathlib import Path

from tests.stimuli import stimulus
from tests.unit.present.reports.conftest import SUITE

from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import CallReport, FindingReport, RunReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report

STORED = Path(__file__).parents[4] / "snapshots" / "matrix" / "findings.json"
_HEAD = re.compile(
    r"(?P<tool>.*) breaks (?P<code>\S+) (?P<name>\S+) \((?P<level>MUST|SHOULD|MAY): (?P<clauses>.*)\)"
)


def matrix_report():
    """The report; no row is left out."""
    rows = json.loads(STORED.read_text(encoding="utf-8"))
    return make_report([_tool(title, found) for title, found in rows.items()], SUITE, RunReport(), None)


def _tool(title, found):
    verdicts = tuple(_verdict(lines) for lines in found.values())
    status = "nonconforming" if any(verdict.blocks for verdict in verdicts) else "conforming"
    tool = failed_target_report(title, title.partition("/")[0], "an-edition", "")
    return replace(tool, status=status, verdicts=verdicts, error=None)


def _verdict(lines):
    head = _HEAD.fullmatch(lines[0])
    assert head, lines[0]
    said = {line[2:16].strip(): line[16:] for line in lines[1:] if line[2:3].strip()}
    plan = stimulus("valid", "generated", said.get("the call", "{}"), {})
    call = CallReport(plan, plan.label, Outcome.RETURNED, suite=said.get("the suite", ""))
    finding = FindingReport(
        said["the tool"],
        call if "the call" in said else None,
        (),
        reproduced=True,
        replay=said.get("reproduce", ""),
    )
    return VerdictReport(
        head["code"],
        head["name"],
        Level(head["level"]),
        (),
        VerdictKind.FAIL,
        1,
        said["the tool"],
        finding,
        causes=1,
    )
