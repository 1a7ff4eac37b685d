"""What is said of an ART tool is said in the words of JavaScript and of ART's contract."""

import re

import pytest

from aptix_conformance.core.contracts import load
from aptix_conformance.systems.art.remedies import REMEDIES
from aptix_conformance.systems.registry import OURS
from aptix_conformance.systems.rulebook import all_rules, suites

OTHERS = re.compile(
    r"\bPython\b|\bself\.|\bNone\b|\bTrue\b|\bFalse\b|\bdict\b|json\.(?:dumps|loads)|\bFinal\b|\bdef |\bexcept\b|asyncio|"
    r"TOOL_|get_schema|isinstance|InvokeResult|from_error|is_tool_fully|arguments_json|cancellation_token|add_e|"
    r"CancelledError|BaseException|staticmethod|ToolResult\("
)
"""Words of Python, and of the members of contracts that are not ART's."""


@pytest.fixture(scope="module")
def binding():
    """The rules that bind ART tools in some edition, in the words that an ART tool's author reads."""
    inventory = load()
    editions = [edition for edition in inventory.editions.values() if edition.system == "art"]
    rules = suites(None, inventory, OURS)["art"].rules
    return [rule for rule in rules if any(rule.level(edition) for edition in editions)]


@pytest.mark.parametrize("text", ["remedy", "demand", "why", "unseen_reason", "not_applicable"])
def test_no_text_of_a_rule_that_binds_an_art_tool_speaks_python(binding, text):
    assert len(binding) > 40
    said = {rule.code: OTHERS.findall(getattr(rule, text)) for rule in binding}
    assert {code: words for code, words in said.items() if words} == {}


def test_the_fixes_are_those_of_rules_that_there_are():
    assert REMEDIES.keys() <= {rule.code for rule in all_rules()}
