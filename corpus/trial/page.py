"""Makes docs/blind-trial.md of the labels, the reports and the judgements."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports.report_files import read_report
from corpus.trial.trial_tools import HERE, Label

PAGE: Final = HERE.parents[1] / "docs" / "blind-trial.md"
_HEAD: Final = """# A blind trial

An author wrote sixty tools from public reports of bugs: thirty with one fault each, and thirty clean tools. The author had read neither the
rules nor the fixtures of the suite. We committed the labels and the digests of all files before the first examination (`corpus/trial/`).
`python -m corpus trial` makes this page from the labels, the reports and a person's judgements in `corpus/trial/judgements.toml`; do not
edit it.

A fault counts as found if a finding is about it. For a fault that the author calls *must*, it must be a finding of a MUST rule; for
*advice*, any finding counts. A finding of a MUST rule that is not about the fault is *another* true finding, or *invented*. Breaches of a
known SDK, which all of its servers have, do not count. No tool gets an example of a successful call.

The first run showed two faults of the command itself. It did not start the Node.js servers. It also hid the standard library from the Aptix
tools, so that some were not loaded, and the faults of t17 and t60 were not found. We fixed both faults and examined these tools again. We
changed no tool, label or rule.
"""


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says of a broken rule of a tool; `rule` may be `*`."""

    id: str
    rule: str
    judgement: Literal["fault", "another", "invented"]
    reason: str


def read_judgements() -> tuple[Judgement, ...]:
    """All judgements; the first that is about a finding counts."""
    data = tomllib.loads((HERE / "judgements.toml").read_text(encoding="utf-8"))
    return msgspec.convert(data["judgement"], tuple[Judgement, ...])


def broken(label: Label, reports: Path) -> list[tuple[str, Level]]:
    """The rules that a tool of the trial breaks, and the other entries of its server, without those of its SDK."""
    path = reports / f"{label.id}.json"
    tools: Sequence[ToolReport] = read_report(path).tools if path.exists() else ()
    rules = {
        (verdict.rule, verdict.level)
        for tool in tools
        for verdict in tool.verdicts
        if verdict.verdict is VerdictKind.FAIL and verdict.rule not in tool.inherited
    }
    return sorted(rules)


def judgement_of(label: Label, rule: str, judgements: Sequence[Judgement]) -> Judgement | None:
    """The first judgement that is about a rule of a tool."""
    return next((one for one in judgements if (one.id, one.rule) == (label.id, rule)), None)


def unjudged(labels: Sequence[Label], reports: Path) -> list[str]:
    """A line for each broken MUST rule that no person has judged."""
    judgements = read_judgements()
    return [
        f"{label.id} {rule}"
        for label in labels
        for rule, level in broken(label, reports)
        if level is Level.MUST and judgement_of(label, rule, judgements) is None
    ]


def render(labels: Sequence[Label], reports: Path) -> str:
    """The page, in Markdown."""
    judgements = read_judgements()
    parts = [_HEAD, *_figures(labels, reports, judgements)]
    parts += [
        "",
        "| tool | label | found by | other findings of MUST rules | status |",
        "|---|---|---|---|---|",
    ]
    parts += [_row(label, reports, judgements) for label in labels]
    return "\n".join([*parts, "", "## What was missed", "", *_missed(labels, reports, judgements)]) + "\n"


def _figures(labels: Sequence[Label], reports: Path, judgements: Sequence[Judgement]) -> Iterator[str]:
    examined = [label for label in labels if _is_examined(label, reports)]
    if len(examined) < len(labels):
        yield f"- {len(examined)} of {len(labels)} tools are examined; the others count nowhere"
    for severity in ("must", "advice"):
        faulty = [label for label in examined if label.severity == severity]
        count = sum(bool(_found_by(label, reports, judgements)) for label in faulty)
        yield f"- recall, of faults that the author calls {severity}: {count} of {len(faulty)} found{_percent(count, len(faulty))}"
    musts = [
        judgement_of(label, rule, judgements)
        for label in examined
        for rule, level in broken(label, reports)
        if level is Level.MUST
    ]
    true = sum(one is not None and one.judgement != "invented" for one in musts)
    yield f"- precision, of findings of MUST rules: {true} of {len(musts)} true{_percent(true, len(musts))}"


def _percent(part: int, whole: int) -> str:
    return f", {100 * part / whole:.0f}%" if whole else ""


def _is_examined(label: Label, reports: Path) -> bool:
    return (reports / f"{label.id}.json").exists()


def _found_by(label: Label, reports: Path, judgements: Sequence[Judgement]) -> list[str]:
    found = []
    for rule, level in broken(label, reports):
        judgement = judgement_of(label, rule, judgements)
        is_about = judgement is not None and judgement.judgement == "fault"
        if is_about and (level is Level.MUST or label.severity == "advice"):
            found.append(rule)
    return found


def _row(label: Label, reports: Path, judgements: Sequence[Judgement]) -> str:
    others = []
    for rule, level in broken(label, reports):
        judgement = judgement_of(label, rule, judgements)
        if level is Level.MUST and (judgement is None or judgement.judgement != "fault"):
            others.append(f"{rule} ({judgement.judgement if judgement else 'not judged'})")
    path = reports / f"{label.id}.json"
    statuses = (
        sorted({str(tool.status) for tool in read_report(path).tools}) if path.exists() else ["not examined"]
    )
    missed = label.fault is not None and _is_examined(label, reports)
    found = ", ".join(_found_by(label, reports, judgements)) or ("**missed**" if missed else "—")
    kind = "clean" if label.fault is None else f'{label.severity}: "{label.fault}"'
    return f"| {label.id} ({label.kind}) | {_cell(kind)} | {found} | {', '.join(others) or '—'} | {', '.join(statuses)} |"


def _missed(labels: Sequence[Label], reports: Path, judgements: Sequence[Judgement]) -> Iterator[str]:
    for label in labels:
        is_missed = _is_examined(label, reports) and not _found_by(label, reports, judgements)
        if label.fault is not None and is_missed:
            yield f"- {label.id} ({label.severity}): {_cell(label.fault)} Shown by: {_cell(label.shown_by or '—')} ({label.source})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
