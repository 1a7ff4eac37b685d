"""Rules and clauses for people: a page for each rule, the clause table, and what proves each of them.

In a checkout the proof is read off the files (`gather`). Elsewhere it comes from `evidence.json` (`shipped`).
"""

from aptix_conformance.catalog.accounting import (
    STATUSES,
    Account,
    Status,
    account_for,
    levels_of,
    problems,
    system_of,
    systems_of,
)
from aptix_conformance.catalog.areas import AREAS, area_of
from aptix_conformance.catalog.checkout import Checkout, checkout_around
from aptix_conformance.catalog.clause_table import clause_json, clause_lines, clause_markdown
from aptix_conformance.catalog.evidence import (
    Evidence,
    Example,
    gather,
    shipped,
    text_of,
)
from aptix_conformance.catalog.fixtures import Fixture, read_fixtures
from aptix_conformance.catalog.index import index_markdown
from aptix_conformance.catalog.markdown import to_markdown
from aptix_conformance.catalog.markers import Mark, read_marks
from aptix_conformance.catalog.page import Page, rule_page
from aptix_conformance.catalog.terminal import to_terminal
from aptix_conformance.catalog.written import all_pages, stale, write

__all__ = [
    "AREAS",
    "STATUSES",
    "Account",
    "Checkout",
    "Evidence",
    "Example",
    "Fixture",
    "Mark",
    "Page",
    "Status",
    "account_for",
    "all_pages",
    "area_of",
    "checkout_around",
    "clause_json",
    "clause_lines",
    "clause_markdown",
    "gather",
    "index_markdown",
    "levels_of",
    "problems",
    "read_fixtures",
    "read_marks",
    "rule_page",
    "shipped",
    "stale",
    "system_of",
    "systems_of",
    "text_of",
    "to_markdown",
    "to_terminal",
    "write",
]
