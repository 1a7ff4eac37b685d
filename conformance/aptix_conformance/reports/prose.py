"""Verdicts for a person: the failure of one rule, the status of one tool, the summary of a run.

Every text that came from a tool is escaped here, whatever was done to it before.
"""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.text import shown

Entry = Mapping[str, Any]

_WIDTH = 100
_LABEL = 14


def failure_text(entry: Entry, verdict: Entry, rule: Rule) -> str:
    """What the contract says, what the tool did, the smallest call, how to replay it, how to mend it."""
    finding = verdict["finding"]
    # A rule of another system's contract, where this one's is silent, is good practice here.
    clauses = ", ".join(verdict["clauses"]) or ("suite" if rule.source == "contract" else rule.source)
    lines = [
        f"{shown(entry['tool'])} breaks {verdict['rule']} {verdict['name']} ({verdict['level']}: {clauses})",
        *_item("the contract", rule.demand),
        *_item("the tool", verdict["reason"]),
    ]
    if finding["call"]:
        lines += _call(finding)
    if not finding["reproduced"]:
        lines += _item(
            "note", "seen once; a fresh process did not show it again, so state or chance is part of it"
        )
    if finding["call"]:
        # One line however long: it is pasted back.
        lines.append(f"  {'again':<{_LABEL}}{shown(finding['replay'], 3000)}")
    lines += _item("the mend", rule.remedy)
    return "\n".join(lines)


def status_text(entry: Entry) -> str:
    """Why a tool is not conforming."""
    tool = shown(entry["tool"])
    if entry.get("error"):
        return f"{tool} was not examined\n" + "\n".join(_item("the error", entry["error"]))
    failed = [verdict["rule"] for verdict in entry["verdicts"] if _blocks(verdict)]
    if failed:
        return f"{tool} is nonconforming: it breaks {', '.join(failed)}; each is reported by its own item"
    missing = [verdict for verdict in entry["verdicts"] if _is_open(verdict)]
    lines = [f"{tool} is incomplete: {len(missing)} of its MUST rules were not examined"]
    by_reason: dict[str, list[str]] = {}
    for verdict in missing:
        by_reason.setdefault(verdict["reason"], []).append(verdict["rule"])
    for reason, rules in by_reason.items():
        lines += _item("not examined", f"{', '.join(rules)}: {reason}")
    return "\n".join(lines)


def tool_line(entry: Entry) -> str:
    """One line that says how a tool stands: status, rules examined out of those that apply, counts."""
    if entry.get("error"):
        return f"{entry['status']:<14}{shown(entry['tool'], 60)}: {shown(entry['error'], 200)}"
    counts = Counter(verdict["verdict"] for verdict in entry["verdicts"])
    apply = sum(counts.values()) - counts["not_applicable"]
    examined = apply - counts["inconclusive"]
    failed = sum(1 for verdict in entry["verdicts"] if _blocks(verdict))
    parts = [f"{examined} of {apply} rules examined", f"{entry['calls']} calls", f"{entry['seconds']:.1f} s"]
    if failed:
        parts.append(f"{failed} failed")
    if len(advice_of(entry)):
        parts.append(f"{len(advice_of(entry))} advice")
    if counts["inconclusive"]:
        parts.append(f"{counts['inconclusive']} inconclusive")
    if counts["waived"]:
        parts.append(f"{counts['waived']} waived")
    return f"{entry['status']:<14}{shown(entry['tool'], 60)}: {', '.join(parts)}"


def advice_of(entry: Entry) -> list[Entry]:
    """The broken rules of a tool that are no MUST."""
    return [v for v in entry["verdicts"] if v["verdict"] == "fail" and v["level"] != "MUST"]


def summary_lines(entries: Iterable[Entry]) -> list[str]:
    """The summary of a run: one line a tool, what is exempt, what was thinner without need, then the advice."""
    known = sorted(entries, key=lambda entry: (entry["tool"], entry["target"]))
    lines = [tool_line(entry) for entry in known]
    for entry in known:
        for verdict in entry["verdicts"]:
            if verdict["verdict"] == "not_applicable" and "own contract" in verdict["reason"]:
                lines.append(
                    f"exempt        {shown(entry['tool'], 60)}: {verdict['rule']}: {verdict['reason']}"
                )
            elif verdict["verdict"] == "waived":
                lines.append(
                    f"waived        {shown(entry['tool'], 60)}: {verdict['rule']}: {shown(verdict['reason'], 200)}"
                )
        lines += [
            f"note          {shown(entry['tool'], 60)}: {shortfall['probe']}: {shown(shortfall['reason'], 200)}"
            for shortfall in entry["shortfalls"]
            if not shortfall.get("by_nature")
        ]
    for entry in known:
        lines += [
            f"advice        {shown(entry['tool'], 60)}: {v['rule']} {v['name']}: {shown(v['reason'], 300)}"
            for v in advice_of(entry)
        ]
    statuses = Counter(entry["status"] for entry in known)
    total = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    return [*lines, f"{len(known)} {'tool' if len(known) == 1 else 'tools'}: {total}"]


def _call(finding: Entry) -> list[str]:
    call = finding["call"]
    plan = call["plan"]
    arguments = plan["arguments"]
    sent = "null (no arguments at all)" if arguments is None else shown(arguments, 300)
    lines = _item("the call", f"{sent}    [{plan['probe']}: {shown(plan['label'], 80)}]")
    if plan["probe"] == "context":
        lines += _item("the context", shown(str(plan["context"]), 200))
    if finding["history"]:
        lines += _item("after", f"{len(finding['history'])} earlier calls in the same process")
    return lines


def _item(label: str, text: str) -> list[str]:
    body = shown(text, 3000)
    return textwrap.wrap(
        body,
        width=_WIDTH,
        initial_indent=f"  {label:<{_LABEL}}",
        subsequent_indent=" " * (_LABEL + 2),
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    ) or [f"  {label}"]


def _blocks(verdict: Entry) -> bool:
    return (verdict["verdict"], verdict["level"]) == ("fail", "MUST")


def _is_open(verdict: Entry) -> bool:
    return (verdict["verdict"], verdict["level"]) == ("inconclusive", "MUST")
