"""Which probes a run of a few rules makes."""

from itertools import product

import pytest
from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.model import Call, Disturbed, Outcome, Raised, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine import needed_probes, needs_restarts
from aptix_conformance.stimuli.probes import PROBES
from aptix_conformance.systems.registry import BUILT_IN
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules()}


def names(*codes):
    return [probe.name for probe in needed_probes([RULES[code] for code in codes], PROBES)]


def test_the_rules_of_a_run_add_up_in_the_order_of_the_probes():
    assert names("CTX006", "ARG001") == ["valid", "context", "malformed"]


def test_a_rule_on_the_declaration_needs_the_calls_after_which_it_is_read_again():
    assert names("SCH001", "USE001") == ["valid"]


@pytest.mark.parametrize(("code", "restarts"), [("SCH001", False), ("EXC001", False), ("SCH017", True)])
def test_the_declaration_is_read_in_other_processes_only_for_a_rule_over_explorations(code, restarts):
    assert needs_restarts([RULES[code]]) is restarts


def test_a_rule_that_is_not_listed_needs_every_probe():
    assert needed_probes([RULES["ARG001"], RULES["EXC004"]], PROBES) == PROBES


def test_no_rule_at_all_leaves_the_calls_for_the_lock():
    assert names() == ["valid"]


def test_a_rule_that_gives_way_to_exc001_needs_what_that_rule_judges():
    proper = set(RULES["EXC001"].probes)
    assert proper == {"context", "invalid", "repeat", "pages", "defaults", "extremes"}
    for code in ("ARG002", "ARG005", "CTX001", "EXC010", "EXC012"):
        assert proper <= set(RULES[code].probes)


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.probes is not None])
def test_a_rule_names_probes_that_exist(code):
    of_systems = [probe for profile in BUILT_IN for probe in profile.probes]
    assert set(RULES[code].probes) <= {probe.name for probe in [*PROBES, *of_systems]}


ANY_SUCCESS = {"RES006"}
"""A success of any probe shows these that the tool works; what they report is of `valid`."""
OF_CALLS = [
    code
    for code, rule in RULES.items()
    if rule.probes is not None and rule.judges is not None and code not in ANY_SUCCESS
]
DISTURBED = {
    "cancel": ("cancel:token:1", Disturbed(reached=True)),
    "fault": (
        "fault:library:1:unknown",
        Disturbed(reached=True, place="open() at t.py:1", injected="unknown"),
    ),
}


def calls_of(probe):
    """Calls as a probe makes them, with every demand and every end."""
    text, disturbed = DISTURBED.get(probe, (None, None))
    ended = (
        {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, True, "{}", "str")},
        {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, False, None, "NoneType")},
        {"outcome": Outcome.RAISED, "raised": Raised("KeyError", "", "")},
    )
    labels = ("generated", "garbage:prose", "missing:name", "type:name:integer", "enum:name")
    labels += ("blank:empty",) if probe == "malformed" else ()
    for label, demand, how in product(labels, ("refused", "accepted", "either"), ended):
        plan = stimulus(probe, label, "{}", {}, demand)
        plan = replace(plan, disturbance=read_disturbance(text) if text else None)
        yield Call(plan, elapsed=0.1, disturbed=disturbed, **how)


@pytest.mark.parametrize("code", OF_CALLS)
def test_a_rule_judges_no_call_of_a_probe_that_it_does_not_name(code):
    """Else a run of this rule alone would see less than a whole run, and might come to another verdict."""
    rule = RULES[code]
    unnamed = {probe.name for probe in PROBES} - {"valid", *rule.probes}
    assert [probe for probe in sorted(unnamed) if any(map(rule.judges, calls_of(probe)))] == []
