"""Levels: advice, good practice and duties."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model.codec import replace

ADVICE = {
    "CAN004", "CAT010", "CAT011", "EXC006", "EXC011", "EXC012", "EXC013", "LOG002", "RES005", "RES014",
    "SCH013", "SCH014", "SCH015", "USE002", "USE003", "USE004", "USE010", "USE012", "USE013", "USE014",
}  # fmt: skip


@pytest.mark.parametrize("code", sorted(ADVICE))
def test_what_guesses_at_prose_or_intent_is_never_more_than_advice(code):
    assert b.RULES[code].advice
    for edition in load().editions.values():
        assert b.RULES[code].level(edition) in (None, Level.SHOULD)


def test_good_practice_elsewhere_is_a_should_there_and_a_duty_at_home():
    """A rule of the contract's binds other systems as good practice, where it says so, and nobody else."""
    rule = b.RULES["EXC003"]
    levels = {name: rule.level(edition) for name, edition in load().editions.items()}
    assert levels["aptix-agn-005-1.1"] is Level.MUST
    assert levels["art-0.4.16"] is Level.SHOULD
    silent = replace(load().edition("art-0.4.16"), advised=frozenset())
    assert rule.level(silent) is None
