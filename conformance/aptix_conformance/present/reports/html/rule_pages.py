"""The pages of the rules and the texts of the clauses that a report names, so that the page needs no other."""

from collections.abc import Iterable, Mapping
from typing import Any

from aptix_conformance.core.contracts import Inventory
from aptix_conformance.core.model.report import Report
from aptix_conformance.present.catalog.page import CLAUSES, Block, Code, File, Items, Page, Text, rule_page
from aptix_conformance.present.evidence import Evidence
from aptix_conformance.rules import Rule


def rule_pages(
    report: Report, rules: Mapping[str, Rule], inventory: Inventory, evidence: Evidence
) -> dict[str, Any]:
    """`pages` by rule and `clauses` by id, as JSON. A rule that the installation does not know has no page."""
    verdicts = [verdict for tool in report.tools for verdict in tool.verdicts]
    codes = dict.fromkeys(verdict.rule for verdict in verdicts)
    known = [rules[code] for code in codes if code in rules]
    cited = [clause for verdict in verdicts for clause in verdict.clauses]
    return {
        "pages": {rule.code: _page(rule_page(rule, inventory, evidence)) for rule in known},
        "clauses": _clauses([*cited, *(clause for rule in known for clause in rule.clauses)], inventory),
    }


def _page(page: Page) -> dict[str, Any]:
    return {
        "lead": [_block(block) for block in page.lead],
        "sections": [
            {"heading": section.heading, "blocks": [_block(block) for block in section.blocks]}
            for section in page.sections
            if section.heading != CLAUSES  # which are links here
        ],
    }


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"kind": "text", "text": text}
        case Items(items):
            return {"kind": "items", "items": items}
        case Code(_, text):
            return {"kind": "code", "text": text}
        case File(label, path):
            return {"kind": "file", "label": label, "path": path}


def _clauses(ids: Iterable[str], inventory: Inventory) -> dict[str, Any]:
    clauses = {}
    for name in dict.fromkeys(ids):
        clause = inventory.clauses.get(name)
        if clause is not None:
            clauses[name] = {
                "text": clause.text,
                "document": clause.document,
                "level": clause.level,
                "editions": [
                    (edition.name, edition.levels[name])
                    for edition in inventory.editions.values()
                    if edition.binds(name)
                ],
            }
    return clauses
