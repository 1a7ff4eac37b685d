"""The report as SARIF 2.1.0, within the limits of GitHub's code scanning.

GitHub refuses a file with a result that has no physical location, takes 5,000 results of a category, and follows an alert
by `primaryLocationLineHash` alone. That hash is made of the tool, the rule and the cause.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import quote

from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.cached import cached_text, difference_text
from aptix_conformance.present.reports.markup import plain
from aptix_conformance.present.reports.problems import STATUS, Problem, problems
from aptix_conformance.present.reports.unfinished_run import not_ended, shard_name
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import all_rules

MOST_RESULTS: Final = 5_000
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LONGEST: Final = 1_000
"""Characters of a description that GitHub shows."""
_STATUS_TEXT: Final = "Every MUST of the tool's edition was examined."
_STATUS_HELP: Final = (
    "Nothing is known about what was not examined. Run the examination again with what the message asks for."
)


def render(report: Report, part: str = "") -> str:
    """The text of the SARIF file: ASCII, indented by two. `part` names the part of the report that it is about, if it is not whole."""
    listed = problems(report)
    shown = listed[:MOST_RESULTS]
    rules = _rules(shown)
    index = {rule["id"]: place for place, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "aptix-conformance",
                "version": printable(report.suite.version, 80),
                "rules": rules,
            }
        },
        "automationDetails": {
            "id": "/".join(filter(None, ("aptix-conformance", shard_name(report), part))) + "/"
        },
        "invocations": [_invocation(report, len(listed) - len(shown))],
        "results": [_result(problem, index[problem.rule]) for problem in shown],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _invocation(report: Report, omitted: int) -> dict[str, Any]:
    """Whether the run came to its end, and notes that are no results."""
    texts = [printable(unneeded, 600) for unneeded in report.unneeded_waivers]
    if omitted:
        texts.append(f"{omitted:,} results of less weight were left out: GitHub takes {MOST_RESULTS:,}.")
    texts += [
        f"{printable(tool.tool, 60)}: {text}" for tool in report.tools if (text := difference_text(tool))
    ]
    if ended_early := not_ended(report):
        texts.insert(0, ended_early)
    notifications = [{"level": "warning", "message": {"text": plain(text)}} for text in texts]
    worked = not ended_early and not any(tool.harness_errors for tool in report.tools)
    return {"executionSuccessful": worked, "toolExecutionNotifications": notifications}


def _rules(shown: Sequence[Problem]) -> list[dict[str, Any]]:
    known = {rule.code: rule for rule in all_rules(systems=installed())}
    first = {problem.rule: problem for problem in reversed(shown)}
    return [_rule(problem, known.get(code)) for code, problem in sorted(first.items())]


def _rule(problem: Problem, rule: Rule | None) -> dict[str, Any]:
    """The texts beside an alert; `rule` is None for `STATUS` and for a rule that is not installed."""
    if rule:
        paragraphs = [rule.demand, rule.why, f"Fix: {rule.remedy}", _cited(rule.clauses)]
        text = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
        demand, full, area = rule.demand, f"{rule.demand}\n\n{rule.why}", [rule.code[:-3]]
        page = {"text": text, "markdown": text}
    else:
        # Its words come from the report alone, and nothing of them is markup.
        demand = full = _STATUS_TEXT if problem.rule == STATUS else plain(problem.name)
        page, area = {"text": _STATUS_HELP if problem.rule == STATUS else demand}, []
    return {
        "id": problem.rule,
        "name": problem.name,
        "shortDescription": {"text": demand[:_LONGEST]},
        "fullDescription": {"text": full.strip()[:_LONGEST]},
        "help": page,
        "defaultConfiguration": {"level": problem.severity},
        "properties": {"precision": "very-high", "tags": ["conformance", *area]},
    }


def _cited(clauses: Iterable[str]) -> str:
    cited = ", ".join(clauses)
    return f"Clauses: {cited}" if cited else ""


def _result(problem: Problem, rule_index: int) -> dict[str, Any]:
    place = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(problem.place.file), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": problem.place.line},
        },
        "logicalLocations": [
            {
                "name": printable(problem.tool.tool, 200),
                "fullyQualifiedName": printable(problem.tool.target, 400),
                "kind": "type",
            }
        ],
    }
    result: dict[str, Any] = {
        "ruleId": problem.rule,
        "ruleIndex": rule_index,
        "level": problem.severity,
        "message": {"text": plain(problem.message)},
        "locations": [place],
        "partialFingerprints": {"primaryLocationLineHash": f"{problem.fingerprint}:{problem.number}"},
        "properties": _properties(problem),
    }
    if problem.is_accepted and problem.verdict:
        # Not `baselineState`: that compares with the run before, and GitHub reads suppressions alone.
        justification = plain(printable(problem.known or problem.verdict.reason, 600))
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": justification}]
    return result


def _properties(problem: Problem) -> dict[str, str]:
    known = {
        "edition": printable(problem.tool.edition, 80),
        "cause": printable(problem.finding.cause, 400) if problem.finding else "",
        "reproduce": printable(problem.finding.replay, 3000) if problem.finding else "",
        "cache": cached_text(problem.tool),
    }
    return {name: text for name, text in known.items() if text}


def _uri(file: str) -> str:
    return quote(file.encode("utf-8", "surrogatepass"), safe="/")
