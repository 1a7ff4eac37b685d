"""Each rule is proved by a nonconforming tool, and each nonconforming tool proves a rule.

What the tools show when they are examined is for tests/acceptance/test_fixtures.py; here it is only seen that none is missing,
whether a rule comes from a contract, from what the runtime needs or from the suite itself.
"""

from pathlib import Path

from aptix_conformance.systems.rulebook import all_rules

FIXTURES = Path(__file__).parents[2] / "fixtures"


def codes():
    """The suite's own rules; a third party proves its rules itself."""
    return {rule.code for rule in all_rules(others=())}


def fixtures():
    """The names of all nonconforming tools, of whatever system; a tool is a file or a folder."""
    found = FIXTURES.glob("**/nonconforming/*")
    return sorted(path.name for path in found if not path.name.startswith(("_", ".")))


def rules_without_a_fixture(rules, names):
    return sorted(rules - {name.partition("_")[0] for name in names})


def fixtures_without_a_rule(rules, names):
    return [name for name in names if name.partition("_")[0] not in rules]


def test_every_rule_has_a_nonconforming_tool():
    """Fix: add fixtures/nonconforming/CODE_FAULT.py, a tool that breaks the rule and no other."""
    assert rules_without_a_fixture(codes(), fixtures()) == []


def test_every_nonconforming_tool_is_for_a_rule():
    """Fix: give the file the code of the rule that it breaks, or delete it with its rule."""
    assert fixtures_without_a_rule(codes(), fixtures()) == []


def test_a_rule_without_a_tool_and_a_tool_without_a_rule_are_named():
    names = ["ARG002_loads_outside_try.py", "ARG999_breaks_nothing.py", "notes.txt"]
    assert rules_without_a_fixture({"ARG002", "ARG003", "REG001"}, names) == ["ARG003", "REG001"]
    assert fixtures_without_a_rule({"ARG002"}, names) == ["ARG999_breaks_nothing.py", "notes.txt"]
