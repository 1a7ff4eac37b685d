"""Rules and clauses for people: a page for each rule, the clause table, and how each clause is accounted for."""

from aptix_conformance.catalog.accounting import (
    STATUSES,
    Account,
    account_for,
    levels_of,
    problems,
    system_of,
    systems_of,
)
from aptix_conformance.catalog.areas import AREAS, area_of
from aptix_conformance.catalog.clause_table import clause_json, clause_lines, clause_markdown
from aptix_conformance.catalog.markdown import to_markdown
from aptix_conformance.catalog.page import rule_page
from aptix_conformance.catalog.terminal import to_terminal
from aptix_conformance.catalog.written import all_pages, broken_links, write

__all__ = [
    "AREAS",
    "STATUSES",
    "Account",
    "account_for",
    "all_pages",
    "area_of",
    "broken_links",
    "clause_json",
    "clause_lines",
    "clause_markdown",
    "levels_of",
    "problems",
    "rule_page",
    "system_of",
    "systems_of",
    "to_markdown",
    "to_terminal",
    "write",
]
