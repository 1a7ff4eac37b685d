"""Conforming tools of many styles: no rule finds anything in them, and no MUST stays open.

What the suite says of each is in the golden matrix, which tests/acceptance/test_fixtures.py proves by examining them all.
"""

import re

import pytest
from tests.acceptance.matrix import stored
from tests.acceptance.matrix.laboratory import laboratory
from tests.acceptance.matrix.rows import failed_in
from tests.acceptance.matrix.specimens import FIXTURES, matching

MODULES = {specimen.name: specimen for specimen in matching(["clean/*"])}
ROWS = stored.read()
INCOMPLETE = {
    "offline_exchange": "no call succeeded",
    "without_service_calendar": 'services = { calendar = "module:factory" }',
}
"""The tools that cannot be examined as they stand, and what the reason of each open MUST says."""

ELSEWHERE = {
    "any_json_pretty": {"SCH035", "SCH036"},
    "enum_ticket": {"SCH032"},
    "formats_contact": {"SCH036"},
    "null_union_profile": {"SCH036"},
    "odd_property_names": {"SCH033"},
    "unicode_greetings": {"SCH033"},
}
"""True advice: what these tools' schemas have on purpose, providers refuse whose models the contract does not ask."""


@pytest.mark.parametrize("module", MODULES)
def test_a_clean_tool_is_conforming_without_a_word_of_advice(module):
    """No broken MUST, and no SHOULD but where another provider would refuse the schema."""
    rows = stored.rows_of(ROWS, MODULES[module]).values()
    assert rows
    for row in rows:
        assert failed_in(row) == ELSEWHERE.get(module, set())
        status = "incomplete" if module in INCOMPLETE else "conforming"
        assert re.search(rf": {status}(;|$)", row.partition("\n")[0])


@pytest.mark.parametrize("module", INCOMPLETE)
def test_a_clean_tool_that_cannot_be_examined_says_what_is_missing(module):
    """Every open MUST gives the reason that its user can do something about."""
    with laboratory() as opened:
        (examined,) = opened.examine(MODULES[module])
    for verdicts in examined.verdicts.values():
        reasons = [verdict.reason for verdict in verdicts if verdict.is_open]
        assert reasons
        assert all(INCOMPLETE[module] in reason for reason in reasons), reasons


def test_the_corpus_is_large_and_each_module_says_what_its_style_is():
    """A reader sees from the first line what a tool is there for."""
    assert len(MODULES) >= 36
    for module in MODULES:
        first = (FIXTURES / "clean" / f"{module}.py").read_text(encoding="utf-8").partition("\n")[0]
        assert re.match(r'""".+ Style: .+"""$', first), module
