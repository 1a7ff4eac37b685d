"""Rules and clauses as people read them: a page each for Markdown and the terminal, the index, the clause table."""

from aptix_conformance.pages.areas import AREAS, area_of
from aptix_conformance.pages.clause_table import clause_json, clause_lines, clause_markdown
from aptix_conformance.pages.index import index_markdown
from aptix_conformance.pages.markdown import to_markdown
from aptix_conformance.pages.page import Page, rule_page
from aptix_conformance.pages.terminal import to_terminal
from aptix_conformance.pages.written import all_pages, stale, write

__all__ = [
    "AREAS",
    "Page",
    "all_pages",
    "area_of",
    "clause_json",
    "clause_lines",
    "clause_markdown",
    "index_markdown",
    "rule_page",
    "stale",
    "to_markdown",
    "to_terminal",
    "write",
]
