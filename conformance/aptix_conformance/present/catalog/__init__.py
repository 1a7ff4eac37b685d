"""Rules and clauses for people: the page of a rule, the clause table, and how each clause is accounted for."""

from aptix_conformance.present.catalog.accounting import (
    STATUSES,
    Account,
    account_for,
    levels_of,
    system_of,
    systems_of,
)
from aptix_conformance.present.catalog.areas import AREAS, area_of
from aptix_conformance.present.catalog.clause_table import clause_json, clause_lines, clause_markdown
from aptix_conformance.present.catalog.markdown import to_markdown
from aptix_conformance.present.catalog.page import rule_page
from aptix_conformance.present.catalog.terminal import to_terminal

__all__ = [
    "AREAS",
    "STATUSES",
    "Account",
    "account_for",
    "area_of",
    "clause_json",
    "clause_lines",
    "clause_markdown",
    "levels_of",
    "rule_page",
    "system_of",
    "systems_of",
    "to_markdown",
    "to_terminal",
]
