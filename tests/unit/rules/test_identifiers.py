"""The identifiers of a call's context are found in any spelling."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.rules.lib import identifiers

OWN = "c0ffee10" + "01234567" * 3
OTHER = "c0ffee20" + "fedcba98" * 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (f"Order {OWN} and {OTHER.upper()}.", [OWN, OTHER]),
        (f"the c0ffee shop, c0ffee, then {OWN}", [OWN]),
        (f"{OWN}{OTHER}", [OWN, OTHER]),
        ("c0ffee", []),
        (f"c0ffee C0FFEE C0Ffee c0-ff-ee C0-FF-EE {OWN}", [OWN]),
    ],
)
def test_identifiers_in_a_text_are_found_in_order(text, found):
    assert list(identifiers.identifiers(text)) == found


@pytest.mark.parametrize("spelling", [OWN, OWN.upper(), "-".join(OWN), "-".join(OWN) + "-"])
def test_a_calls_own_identifiers_are_known_however_they_are_hyphenated(spelling):
    assert identifiers.own_identifiers(b.call(context={"session_id": spelling})) == {OWN}


@pytest.mark.parametrize("text", [OWN[:-1], OWN + "0", "-".join(OWN) + "--", OWN.replace("c0ffee", "c0ffed")])
def test_another_text_in_the_context_is_no_identifier(text):
    assert identifiers.own_identifiers(b.call(context={"session_id": text})) == set()
