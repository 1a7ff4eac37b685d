"""The data from which the page draws the matrix: the run, its rules as columns, its tools as rows of one letter a verdict."""

from collections.abc import Iterable, Mapping
from itertools import product
from string import ascii_letters
from typing import Any, Final

from aptix_conformance.core.model.codec import to_json
from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.catalog.areas import AREAS, area_of_code
from aptix_conformance.present.reports.unfinished_run import not_ended
from aptix_conformance.rules import Rule

_NOT_JUDGED: Final = " "
LETTERS: Final = dict(zip(product(VerdictKind, Level), ascii_letters, strict=False))
"""The letter of each verdict at each level."""


def overview(
    report: Report, columns: Mapping[str, VerdictReport], rules: Mapping[str, Rule]
) -> dict[str, Any]:
    """The report without the details of its tools.

    `columns` come from `columns_of`, `rules` are those that the installation knows, by code.
    """
    areas = dict.fromkeys(area_of_code(code) for code in columns)
    return {
        "suite": to_json(report.suite),
        "ended_early": not_ended(report),
        "run": to_json(report.run),
        "revision": to_json(report.revision),
        "totals": to_json(report.totals),
        "unneeded_waivers": report.unneeded_waivers,
        "areas": [(area, AREAS.get(area, "")) for area in areas],
        "rules": [_column(verdict, rules.get(code)) for code, verdict in columns.items()],
        "cells": {letter: {"verdict": kind, "level": level} for (kind, level), letter in LETTERS.items()},
        "tools": [_row(tool, columns) for tool in report.tools],
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


def _column(verdict: VerdictReport, rule: Rule | None) -> dict[str, Any]:
    return {
        "code": verdict.rule,
        "name": verdict.name,
        "area": area_of_code(verdict.rule),
        "demand": rule.demand if rule else "",
        "remedy": rule.remedy if rule else "",
        "clauses": verdict.clauses,
    }


def _row(tool: ToolReport, columns: Iterable[str]) -> dict[str, Any]:
    letters = {verdict.rule: LETTERS[verdict.verdict, verdict.level] for verdict in tool.verdicts}
    return {
        "name": tool.tool,
        "target": tool.target,
        "system": tool.system,
        "edition": tool.edition,
        "distribution": tool.distribution.name if tool.distribution else "",
        "status": tool.status,
        "calls": tool.calls,
        "seconds": tool.seconds,
        "cells": "".join(letters.get(code, _NOT_JUDGED) for code in columns),
    }
