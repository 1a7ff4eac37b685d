"""docs/taxonomy.md: all reports of the study are in its categories, and each row names rules that judge MCP servers."""

import re

import pytest
from tests.pages import read_page

from aptix_conformance.core.contracts import load
from aptix_conformance.systems.rulebook import all_rules

PAGE = read_page("docs/taxonomy.md")
CATEGORIES = {name: page for name, page in PAGE.sections.items() if re.search(r" \(\d+\)$", name)}
ROWS = [row for page in CATEGORIES.values() for row in page.rows()]
CODE = re.compile(r"\b[A-Z]{3}\d{3}\b")


EDITIONS = [edition for edition in load().editions.values() if edition.system == "mcp"]


def judges_mcp(rule):
    return any(rule.level(edition) is not None for edition in EDITIONS)


def test_the_categories_have_all_reports_of_the_study():
    counts = [int(re.search(r"\((\d+)\)$", name)[1]) for name in CATEGORIES]
    assert (len(counts), sum(counts)) == (11, 837)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_each_row_names_rules_or_says_why_there_are_none(row):
    _, state, rules, left = row
    assert state in ("found by", "in part", "not found", "not observable")
    assert bool(CODE.findall(rules)) == (state in ("found by", "in part"))
    assert left or state == "found by"


def test_every_rule_that_is_named_judges_mcp_servers():
    judging = {rule.code for rule in all_rules() if judges_mcp(rule)}
    assert set(CODE.findall(PAGE.text)) <= judging
