"""The document: template, style, scripts and data put together, with a policy that names the hashes of the first two.

The data is JSON, as gzip in base64, so that no text of a tool can end an element of the document.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Final

from aptix_conformance.core.model.codec import to_json
from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.present.evidence import find_evidence
from aptix_conformance.present.reports.html.overview import columns_of, overview
from aptix_conformance.present.reports.html.rule_pages import rule_pages
from aptix_conformance.present.reports.html.summary import escape_text, summary
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import all_rules

_SCRIPTS: Final = (
    "text.js",
    "data.js",
    "filters.js",
    "matrix.js",
    "finding.js",
    "tool.js",
    "rule.js",
    "main.js",
)
"""The parts of the one script, in order."""


def render(report: Report) -> str:
    """The HTML file, in ASCII. The pages of the rules are those of the installed suite and its plugins.

    Raises:
        ContractDataError: an installed plugin cannot be loaded, or the evidence for the rules' pages is missing.
    """
    systems = installed()
    inventory = systems.inventory
    rules = {rule.code: rule for rule in all_rules(inventory=inventory, systems=systems)}
    evidence = find_evidence()
    columns = columns_of(report.tools)
    judged = {tool.system for tool in report.tools}
    remedies = {profile.name: profile.remedies for profile in systems.profiles if profile.name in judged}
    style, script = read_part("style.css"), "".join(read_part(name) for name in _SCRIPTS)
    return Template(read_part("page.html")).substitute(
        policy=_policy(script, style),
        style=style,
        script=script,
        version=escape_text(report.suite.version),
        summary=summary(report),
        overview=packed(overview(report, columns, rules, remedies)),
        catalog=packed(rule_pages(report, rules, inventory, evidence)),
        tools="\n".join(packed(details(tool, columns)) for tool in report.tools),
    )


def tables_page(title: str, parts: Iterable[str], version: str) -> str:
    """A file of tables and links without a script, in ASCII. `parts` are HTML; the page's policy refuses every script, and loads nothing."""
    style = read_part("tables.css")
    return Template(read_part("tables.html")).substitute(
        title=title,
        policy=f"default-src 'none'; style-src '{hash_of(style)}'; base-uri 'none'; form-action 'none'",
        style=style,
        content="".join(parts).encode("ascii", "xmlcharrefreplace").decode("ascii"),
        version=escape_text(version),
    )


def _policy(script: str, style: str) -> str:
    """The content security policy: nothing is loaded, and no other script or style runs."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{hash_of(script)}'",
            f"style-src '{hash_of(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def hash_of(text: str) -> str:
    """The hash by which a policy names a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('ascii')).digest()).decode('ascii')}"


@cache
def read_part(name: str) -> str:
    """A part of a page, by the name of its file."""
    return resources.files(__package__).joinpath("page", name).read_text(encoding="ascii")


_IN_THE_OVERVIEW: Final = ("name", "level", "verdict")


def details(tool: ToolReport, columns: Mapping[str, VerdictReport]) -> dict[str, Any]:
    """The tool's report as JSON. Its verdicts lack what the overview has, and members that are empty."""
    data: dict[str, Any] = to_json(tool)
    data["verdicts"] = [_verdict(verdict, columns[verdict.rule]) for verdict in tool.verdicts]
    return data


def _verdict(verdict: VerdictReport, column: VerdictReport) -> dict[str, Any]:
    data = {
        member: value
        for member, value in to_json(verdict).items()
        if member not in _IN_THE_OVERVIEW and (value or member == "observations")
    }
    if verdict.clauses == column.clauses:
        data.pop("clauses", None)
    elif not verdict.clauses:
        data["clauses"] = ()
    return data


def packed(data: Any) -> str:
    """The data as a line of base64; the same data gives the same line."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")
