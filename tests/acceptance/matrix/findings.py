"""What the suite prints of each finding in the matrix, `snapshots/matrix/findings.json`: for the rules' pages.

A finding's words may differ with the Python (its JSON errors) and with Hypothesis (what was drawn), so no test compares
them; one is replaced only where it says something else than before, apart from measured times and a tool's own random names.
"""

import json
import re
from collections.abc import Mapping

from tests.acceptance.matrix.laboratory import Examined
from tests.acceptance.matrix.specimens import CHECKOUT

from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.present.reports import failure_text, tool_report

PATH = CHECKOUT / "snapshots" / "matrix" / "findings.json"

Findings = dict[str, dict[str, list[str]]]
"""Title of a row, to the code of a rule, to the lines that a user would read."""

_TIME = re.compile(r"\d+(\.\d+)? m?s\b")
_RANDOM = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{6}\b")


def findings_of(examined: Examined) -> dict[str, list[str]]:
    """The failure text of every rule that one tool breaks."""
    tool = tool_report(
        examined.examination,
        tool=examined.examination.tool,
        deselected=frozenset(),
    )
    rules = {rule.code: rule for rule in examined.rules}
    return {
        verdict.rule: _named_alike(failure_text(tool, verdict, rules[verdict.rule])).splitlines()
        for verdict in tool.verdicts
        if verdict.verdict is VerdictKind.FAIL
    }


def read() -> Findings:
    """The stored findings; none where the file is not there."""
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}


def write(findings: Mapping[str, Mapping[str, list[str]]]) -> None:
    """Replace the file, keeping findings that say the same as before."""
    before = read()
    kept = {
        title: {code: _kept(lines, before.get(title, {}).get(code)) for code, lines in sorted(found.items())}
        for title, found in sorted(findings.items())
        if found
    }
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _named_alike(text: str) -> str:
    """The text with one name for all checkouts."""
    return text.replace(str(CHECKOUT), "/checkout")


def _kept(lines: list[str], before: list[str] | None) -> list[str]:
    return before if before is not None and _lasting(before) == _lasting(lines) else lines


def _lasting(lines: list[str]) -> str:
    return _RANDOM.sub("", _TIME.sub("", " ".join(" ".join(lines).split())))
