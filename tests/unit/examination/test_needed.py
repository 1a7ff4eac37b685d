"""Which probes a run of a few rules makes."""

import pytest

from aptix_conformance.examination import needed_probes
from aptix_conformance.examination.needed import _OF_RULES
from aptix_conformance.probes import PROBES
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules()}


def names(*codes):
    return [probe.name for probe in needed_probes([RULES[code] for code in codes], PROBES)]


def test_the_rules_of_a_run_add_up_in_the_order_of_the_probes():
    assert names("CTX006", "ARG002") == ["valid", "context", "malformed"]


def test_a_rule_on_the_declaration_needs_the_calls_after_which_it_is_read_again():
    assert names("SCH001", "USE001") == ["valid"]


def test_a_rule_that_is_not_listed_needs_every_probe():
    assert needed_probes([RULES["ARG002"], RULES["EXC004"]], PROBES) == PROBES


def test_no_rule_at_all_leaves_the_calls_for_the_lock():
    assert names() == ["valid"]


@pytest.mark.parametrize("code", _OF_RULES)
def test_what_is_listed_exists(code):
    assert code in RULES
    assert set(_OF_RULES[code]) <= {probe.name for probe in PROBES}
