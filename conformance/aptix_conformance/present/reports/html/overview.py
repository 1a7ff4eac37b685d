"""The data from which the page draws its first screen: what to fix, what was not examined, and the matrix.

Of the matrix it has the run, its rules as columns, and its tools as rows of one letter a verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from string import ascii_letters
from typing import Any, Final

from aptix_conformance.core.model.codec import replace, to_json
from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.catalog.areas import AREAS, area_of_code
from aptix_conformance.present.reports.layout import arguments_shown
from aptix_conformance.present.reports.servers import inherited_lines, kinds_of, own_breaches, status_phrase
from aptix_conformance.present.reports.unfinished_run import not_whole
from aptix_conformance.rules import Rule

_NOT_JUDGED: Final = " "
_LONGEST_MESSAGE: Final = 400
_LONGEST_CALL: Final = 200
"""Characters of a message, and of a call's arguments, on the first screen."""
LETTERS: Final = dict(zip(product(VerdictKind, Level), ascii_letters, strict=False))
"""The letter of each verdict at each level."""


def overview(
    report: Report,
    columns: Mapping[str, VerdictReport],
    rules: Mapping[str, Rule],
    remedies: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    """The report without the details of its tools.

    `columns` come from `columns_of`, `rules` are those that the installation knows, by code. `remedies` are
    the fixes in the words of a system, by its name and the code.
    """
    areas = dict.fromkeys(area_of_code(code) for code in columns)
    return {
        "suite": to_json(report.suite),
        "ended_early": not_whole(report),
        "run": to_json(report.run),
        "revision": to_json(report.revision),
        "totals": to_json(report.totals),
        "unneeded_waivers": report.unneeded_waivers,
        "areas": [(area, AREAS.get(area, "")) for area in areas],
        "rules": [_column(verdict, rules.get(code), remedies) for code, verdict in columns.items()],
        "cells": {letter: {"verdict": kind, "level": level} for (kind, level), letter in LETTERS.items()},
        "tools": [_row(tool, columns) for tool in report.tools],
        "kinds": kinds_of(report.tools),
        "broken": len({verdict.rule for tool in report.tools for verdict, _ in _new_breaches(tool)}),
        "known": sum(verdict.is_known for tool in report.tools for verdict, _ in own_breaches(tool)),
        "to_fix": _to_fix(report.tools),
        "of_sdks": list(inherited_lines(report.tools)),
        "open": _open(report.tools),
    }


def columns_of(tools: Iterable[ToolReport]) -> dict[str, VerdictReport]:
    """The first verdict of each rule that judged a tool, by the rule's code, in the order of the areas."""
    columns: dict[str, VerdictReport] = {}
    for tool in tools:
        for verdict in tool.verdicts:
            columns.setdefault(verdict.rule, verdict)
    order = {area: number for number, area in enumerate(AREAS)}

    def place(code: str) -> tuple[int, str, str]:
        area = area_of_code(code)
        return order.get(area, len(order)), area, code

    return {code: columns[code] for code in sorted(columns, key=place)}


def _column(
    verdict: VerdictReport, rule: Rule | None, remedies: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    return {
        "code": verdict.rule,
        "name": verdict.name,
        "area": area_of_code(verdict.rule),
        "demand": rule.demand if rule else "",
        "remedy": rule.remedy if rule else "",
        "remedies": {system: each[verdict.rule] for system, each in remedies.items() if verdict.rule in each},
        "clauses": verdict.clauses,
    }


def _new_breaches(tool: ToolReport) -> list[tuple[VerdictReport, int]]:
    """The broken MUSTs that are a tool's own and that the baseline does not have, each with its depth below such a one."""
    new = tuple(verdict for verdict in tool.verdicts if not verdict.is_known)
    return own_breaches(replace(tool, verdicts=new))


def _to_fix(tools: Sequence[ToolReport]) -> list[dict[str, Any]]:
    """The `_new_breaches` without what follows from another: by rule, that of the most tools first."""
    found: dict[str, list[tuple[int, VerdictReport]]] = {}
    for number, tool in enumerate(tools):
        for verdict, depth in _new_breaches(tool):
            if not depth:
                found.setdefault(verdict.rule, []).append((number, verdict))
    worst_first = sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [
        {"rule": code, "tools": [number for number, _ in broken], **_shown(tools[broken[0][0]], broken[0][1])}
        for code, broken in worst_first
    ]


def _shown(tool: ToolReport, verdict: VerdictReport) -> dict[str, str]:
    """What the tool did, and the arguments of the call that shows it; of a server, no call."""
    call = verdict.finding.call if verdict.finding and tool.kind == "tool" else None
    sent = arguments_shown(call.plan.arguments, _LONGEST_CALL) if call else ""
    return {"message": verdict.reason[:_LONGEST_MESSAGE], "sent": sent}


def _open(tools: Sequence[ToolReport]) -> list[dict[str, Any]]:
    """The tools without a verdict, each with the first reason: what could not be loaded first, then what never worked."""
    unseen = [(number, tool) for number, tool in enumerate(tools) if tool.status == "incomplete"]
    unseen.sort(key=lambda entry: (not entry[1].error, entry[1].unreached is None, entry[0]))
    return [{"tool": number, "why": _why_open(tool)[:_LONGEST_MESSAGE]} for number, tool in unseen]


def _why_open(tool: ToolReport) -> str:
    if tool.error or tool.unreached:
        return tool.error or (tool.unreached.reason if tool.unreached else "")
    missing = (
        verdict.reason
        for verdict in tool.verdicts
        if verdict.verdict is VerdictKind.INCONCLUSIVE and verdict.level is Level.MUST
    )
    return next(missing, "")


def _row(tool: ToolReport, columns: Iterable[str]) -> dict[str, Any]:
    letters = {verdict.rule: LETTERS[verdict.verdict, verdict.level] for verdict in tool.verdicts}
    return {
        "name": tool.tool,
        "target": tool.target,
        "system": tool.system,
        "edition": tool.edition,
        "distribution": tool.distribution.name if tool.distribution else "",
        "status": status_phrase(tool),
        "calls": tool.calls,
        "seconds": tool.seconds,
        "cells": "".join(letters.get(code, _NOT_JUDGED) for code in columns),
    }
