"""The probe defaults: a call without an argument and with its default, again only where the two are answered differently."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.stimuli.probes import DefaultsProbe

PROBE = DefaultsProbe()
LIMIT = {"type": "integer", "minimum": 1, "maximum": 20}


def returned(plan, payload):
    result = Result("InvokeResult", True, payload is not None, payload and json.dumps(payload), "str")
    return Call(plan, Outcome.RETURNED, 0.001, result)


@pytest.fixture
def asked(make_subject):
    """Plays a tool that answers by its arguments; gives the labels of the calls, each with its arguments."""

    def play(answer, *documents, limit=LIMIT | {"default": 10}, required=(), narrowing=None):
        properties = {"query": {"type": "string"}, "limit": limit}
        schema = {"type": "object", "properties": properties, "required": list(required)}
        subject = make_subject(schema, narrowing=narrowing)
        calls = [
            returned(stimulus("valid", "generated", json.dumps(one), {}), answer(one)) for one in documents
        ]
        made = []
        for plan in PROBE.fixed(subject, calls):
            document = json.loads(plan.arguments)
            made.append((plan.label, document))
            calls.append(returned(plan, answer(document)))
        return made

    return play


def test_equal_answers_take_one_call_at_most(asked):
    tool = lambda sent: {"n": sent.get("limit", 10)}  # noqa: E731
    assert asked(tool, {"query": "a"}) == [("varied:limit:with-default", {"query": "a", "limit": 10})]
    assert asked(tool, {"query": "a"}, {"query": "a", "limit": 10}) == []


def test_other_answers_are_asked_for_again_in_an_order_that_tells_counters_and_switches(asked):
    made = asked(lambda sent: {"n": sent.get("limit", 5)}, {"query": "a"})
    without, with_default = {"query": "a"}, {"query": "a", "limit": 10}
    assert [document for _, document in made] == [with_default, with_default, without, without, with_default]
    assert [label for label, _ in made][1:] == [
        "varied:limit:with-default:1", "varied:limit:without:2", "varied:limit:without:3", "varied:limit:with-default:4",
    ]  # fmt: skip


def test_the_call_with_the_longest_answer_is_asked_too(asked):
    made = asked(lambda sent: {"n": sent.get("query", "")}, {"query": "a"}, {"query": "much longer"})
    assert [document for _, document in made] == [
        {"query": "a", "limit": 10},
        {"query": "much longer", "limit": 10},
    ]


@pytest.mark.parametrize(
    "changes",
    [{"limit": LIMIT}, {"required": ["limit"]}, {"limit": LIMIT | {"default": 30}}, {"narrowing": {"limit": {"maximum": 3}}}],
    ids=["no default", "a required argument", "a default that the schema forbids", "an argument that is narrowed"],
)  # fmt: skip
def test_nothing_is_asked_where_nothing_is_promised(asked, changes):
    assert asked(lambda _: {}, {"query": "a", "limit": 3}, **changes) == []


def test_a_call_that_is_refused_is_not_made_again(asked):
    made = asked(lambda sent: {"n": 1} if "limit" in sent else None, {"query": "a", "limit": 3})
    assert [label for label, _ in made] == ["varied:limit:without", "varied:limit:with-default"]
