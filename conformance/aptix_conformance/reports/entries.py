"""One tool's entry in the report: plain JSON, the only form in which an examination leaves its process."""

from typing import Any

from aptix_conformance.examination import Examination
from aptix_conformance.examination.verdicts import Counterexample, Status, Verdict, VerdictKind, status_of
from aptix_conformance.model import Call
from aptix_conformance.model.codec import to_json
from aptix_conformance.model.notation import write_stimulus
from aptix_conformance.reports.declared import declared
from aptix_conformance.reports.examined import examined
from aptix_conformance.targets.settings import Target
from aptix_conformance.targets.sources import HOOK_ORIGIN, OPTION

LONGEST = 20_000
"""Characters of one text that an entry keeps; arguments are kept whole, since they must replay."""

Entry = dict[str, Any]


def tool_entry(
    examination: Examination, *, tool: str, deselected: frozenset[str], report: str | None
) -> Entry:
    """The entry of a tool that was explored; `report` is the path under which it will be found."""
    return {
        "tool": tool,
        "target": examination.target.spec,
        "system": examination.target.spelling,
        "edition": examination.edition,
        "status": status_of(examination.verdicts, deselected=deselected),
        "schema_fingerprint": examination.schema_fingerprint,
        "declared": declared(examination),
        "calls": len(examination.exploration.calls),
        "seconds": round(examination.seconds, 3),
        "shortfalls": [to_json(shortfall) for shortfall in examination.exploration.shortfalls],
        "examined": examined(examination.exploration),
        "verdicts": [
            verdict_entry(_selected(verdict, deselected), tool, report, examination.target)
            for verdict in examination.verdicts
        ],
    }


def unexplored_entry(
    tool: str, target: Target, edition: str, verdicts: tuple[Verdict, ...], reason: str
) -> Entry:
    """The entry of a tool that was collected and never explored, because the run ended before it."""
    status: Status = "incomplete"
    return {
        "tool": tool,
        "target": target.spec,
        "system": target.spelling,
        "edition": edition,
        "status": status,
        "schema_fingerprint": None,
        "calls": 0,
        "seconds": 0.0,
        "shortfalls": [{"probe": "run", "reason": reason, "thinner": False}],
        "verdicts": [verdict_entry(verdict, tool, None, target) for verdict in verdicts],
    }


def failed_target_entry(spec: str, system: str, edition: str, error: str) -> Entry:
    """The entry of a target that could not be resolved, read or run: never conforming."""
    return {
        "tool": spec,
        "target": spec,
        "system": system,
        "edition": edition,
        "status": "incomplete",
        "schema_fingerprint": None,
        "calls": 0,
        "seconds": 0.0,
        "shortfalls": [],
        "verdicts": [],
        "error": error,
    }


def verdict_entry(verdict: Verdict, tool: str, report: str | None, target: Target) -> Entry:
    """One verdict."""
    finding = verdict.finding
    command = replay_command(report, tool, verdict.rule, target)
    return {
        "rule": verdict.rule,
        "name": verdict.name,
        "level": verdict.level.value,
        "clauses": list(verdict.clauses),
        "verdict": verdict.verdict.value,
        "observations": verdict.observations,
        "reason": verdict.reason,
        "finding": _finding_entry(finding, command) if finding else None,
    }


def replay_command(report: str | None, tool: str, rule: str, target: Target) -> str:
    """The command that reproduces a counterexample; it names the target where the project does not configure it."""
    reference = _quoted(f"{report or 'report.json'}#{tool}/{rule}")
    named = f" {OPTION} {_quoted(target.spec)}" if target.origin in {OPTION, HOOK_ORIGIN} else ""
    return f"aptix-conformance replay {reference}{named}"


def _quoted(text: str) -> str:
    plain = all(character.isalnum() or character in "._-/#:" for character in text)
    return text if plain else "'" + text.replace("'", "'\\''") + "'"


def _selected(verdict: Verdict, deselected: frozenset[str]) -> Verdict:
    if verdict.rule not in deselected or verdict.verdict is VerdictKind.NOT_APPLICABLE:
        return verdict
    return Verdict(
        rule=verdict.rule,
        name=verdict.name,
        level=verdict.level,
        clauses=verdict.clauses,
        verdict=VerdictKind.INCONCLUSIVE,
        reason="deselected on the command line",
    )


def _finding_entry(finding: Counterexample, command: str) -> Entry:
    return {
        "message": finding.message,
        "call": _call_entry(finding.call) if finding.call else None,
        "history": [write_stimulus(plan) for plan in finding.history],
        "reproduced": finding.reproduced,
        "replay": command,
    }


def _call_entry(call: Call) -> Entry:
    entry: Entry = {
        "plan": write_stimulus(call.plan),
        "outcome": call.outcome.value,
        "incident": call.incident,
    }
    entry["result"] = _bounded(to_json(call.result))
    entry["raised"] = _bounded(to_json(call.raised))
    entry["logs"] = _bounded([to_json(record) for record in call.logs[:20]])
    entry["stdout"] = to_json(call.stdout)
    entry["stderr"] = to_json(call.stderr)
    return entry


def _bounded(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}… ({len(value)} characters)"
    if isinstance(value, list):
        return [_bounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _bounded(item) for key, item in value.items()}
    return value
