"""ARG016: a declared default that the code does not have is found, and nothing that a result says of the call itself."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Change, Exploration, Kind

RULE = b.RULES["ARG016"]
ORDER = ("with-default", "without", "without", "with-default")


def made(payload, detail, number, default=10):
    sent = {"query": "bread"} | ({"limit": default} if detail == "with-default" else {})
    call = b.call("varied", json.dumps(sent), "defaults", result=b.success(payload))
    change = Change(Kind.VARIED, "limit", detail, number=number)
    return b.replace(call, plan=b.replace(call.plan, change=change))


def found(without, with_default, default=10, *, before=(), answers=None):
    """What the rule says of four calls; `answers` are those of all four where equal calls differ."""
    answers = answers or [with_default, without, without, with_default]
    made_again = [made(each, ORDER[n], n + 1, default) for n, each in enumerate(answers)]
    exploration = Exploration((b.declaration(),), (*before, *made_again))
    assert RULE.when(exploration)
    return [finding.message for finding in RULE.findings(exploration)][:1]


@pytest.mark.parametrize(
    ("without", "with_default"),
    [
        ({"notes": ["a", "b"]}, {"notes": ["a", "b", "c"]}),
        ({"count": 5}, {"count": 10}),
        ({"limit": 5, "count": 1}, {"limit": 10, "count": 1}),
        ({"text": "Found 5 of 12."}, {"text": "Found 10 of 12."}),
        ({"taken": "20 C"}, {"taken": "68 F"}),
    ],
)
def test_another_answer_than_with_the_default_is_found(without, with_default):
    (message,) = found(without, with_default)
    assert message.startswith("Without 'limit', ")
    assert "with the declared default, 10," in message


@pytest.mark.parametrize(
    ("without", "with_default"),
    [
        ({"limit": None, "count": 1}, {"limit": 10, "count": 1}),
        ({"limit": "default"}, {"limit": "10"}),
        ({"arguments": {"query": 1}}, {"arguments": {"query": 2}}),
        ({"filters": ["query"]}, {"filters": ["query", "limit"]}),
        ({"used": ["query=bread"]}, {"used": ["query=bread", "limit=10"]}),
        ({"text": "Bread, 3 found"}, {"text": "Bread, limit 10: 3 found"}),
        ({"text": "Bread"}, {"text": "Bread (10)"}),
        ({"next": "eyJxIjoiYnJlYWQifQ=="}, {"next": "eyJxIjoiYnJlYWQiLCJsIjoxMH0="}),
        ({"self": "/notes?q=bread"}, {"self": "/notes?q=bread&limit=10"}),
        ({"took": 3, "n": 1}, {"took": 4, "n": 1}),
        ({"n": 1}, {"n": 1, "m": 2}),
        ({"text": "No bound was set, so all are shown."}, {"text": "All of them are shown here."}),
        ({"text": "1 values were understood."}, {"text": "2 values were understood."}),
        ({"text": "5 (none chosen)"}, {"text": "7"}),
        ({"understood": 1}, {"understood": 2}),
    ],
)
def test_what_a_result_says_of_the_call_itself_is_not(without, with_default):
    assert found(without, with_default) == []


@pytest.mark.parametrize(
    "answers",
    [[{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}], [{"n": 1}, {"n": 0}, {"n": 1}, {"n": 0}], [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 0}]],
    ids=["a counter", "a switch", "chance"],
)  # fmt: skip
def test_answers_that_change_by_themselves_show_nothing(answers):
    assert found(None, None, answers=answers) == []


def test_an_earlier_equal_call_with_another_answer_shows_that_it_may_change():
    before = b.call("minimal", json.dumps({"query": "bread"}), result=b.success({"count": 10}))
    assert found({"count": 5}, {"count": 10}, before=(before,)) == []
