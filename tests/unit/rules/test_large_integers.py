"""RES022 finds integers beyond 2^53 in a tool's own data, and none that are sent, worked out or exact."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration

RULE = b.RULES["RES022"]
BY_NAME = {"name": "Ada"}


def found(payload, sent=BY_NAME, probe="valid"):
    call = b.call("generated", json.dumps(sent), probe, result=b.success(payload))
    exploration = Exploration((b.declaration(),), (call,))
    return [finding.message for finding in RULE.findings(exploration)] if RULE.when(exploration) else []


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"id": 1234567890123456789}, "$.id of the payload was 1234567890123456789; JavaScript reads 1234567890123456800."),
        ({"users": [{"userId": 2**53 + 2}]}, "$.users[].userId of the payload was 9007199254740994; JavaScript reads its neighbours"),
        ({"total": 9007199254740993}, "JavaScript reads 9007199254740992."),
        ({"order_key": 10**400}, "JavaScript reads it as Infinity."),
    ],
)  # fmt: skip
def test_an_integer_of_its_own_that_a_double_does_not_hold_is_found(payload, words):
    (message,) = found(payload)
    assert words in message


@pytest.mark.parametrize(
    ("payload", "sent"),
    [
        ({"id": 2**53}, BY_NAME),
        ({"id": "1234567890123456789"}, BY_NAME),
        ({"id": 1234567890123456789}, {"id": 1234567890123456789}),
        ({"power": 9007199254740993}, {"base": 3}),
        ({"value": 9007199254740993}, {"expression": "94906267 ** 2"}),
        ({"bytes": 2**60}, BY_NAME),
        ({"at_time_ns": 1764359000123456789}, BY_NAME),
        ({"paid": 2**60}, BY_NAME),
        ({"ratio": 1.5e300}, BY_NAME),
        ({"ok": True}, BY_NAME),
    ],
    ids=[
        "exact",
        "a text",
        "sent",
        "worked out",
        "of a formula",
        "a power of two",
        "a time",
        "no identifier",
        "a fraction",
        "a truth",
    ],
)
def test_any_other_number_is_not(payload, sent):
    assert found(payload, sent) == []


def test_each_place_is_one_finding_whatever_its_index():
    payload = {"rows": [{"id": 2**60 + 1}, {"id": 2**61 + 1}], "account_no": 2**60 + 1}
    call = b.call("generated", "{}", result=b.success(payload))
    causes = {finding.cause for finding in RULE.findings(Exploration((b.declaration(),), (call,)))}
    assert causes == {"$.rows[].id", "$.account_no"}


def test_extreme_calls_are_not_judged():
    assert found({"id": 1234567890123456789}, probe="extremes") == []
