"""The rules that leave others nothing to judge exist."""

from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=())}


def test_each_rule_that_leaves_nothing_is_a_rule():
    assert {code for rule in RULES.values() for code in rule.after} <= RULES.keys()


def test_no_rule_comes_after_itself():
    assert not [rule.code for rule in RULES.values() if rule.code in rule.after]
