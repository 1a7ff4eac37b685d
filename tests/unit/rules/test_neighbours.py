"""CTX005 and RES011 find what a call shows of earlier calls that differ from it in one argument."""

import json

import pytest


def calls(b, first, last, kind="same", sent=None):
    """A tool's answers to the call that works: before any other, and after a neighbour with the curt mood."""
    sent = sent or {"name": "Ada", "mood": "kind"}
    neighbour = {**sent, "mood": "curt", "name": "neighbouring text"}
    return (
        b.call("example:1", json.dumps(sent), result=b.success(first)),
        b.call(f"{kind}:A:1", json.dumps(sent), "repeat", result=b.success(first)),
        b.call("same:neighbour:1", json.dumps(neighbour), "neighbours", result=b.success({"mood": "curt"})),
        b.call(f"{kind}:base:1", json.dumps(sent), "neighbours", result=b.success(last)),
    )


def judged(b, code, *made):
    exploration = b.explore()
    return b.judge(code, b.replace(exploration, calls=made))


def test_the_value_of_an_argument_of_an_earlier_call_is_found(b):
    found = judged(b, "CTX005", *calls(b, {"mood": "kind"}, {"mood": "curt"}))
    assert found.message == 'mood is "curt", as for an earlier call with other arguments.'


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ({"mood": "kind"}, {"mood": "kind"}),  # its own
        ({"mood": "curt"}, {"mood": "curt"}),  # the tool shows that whatever it is sent
        ({"mood": "kind"}, {"mood": "neither"}),  # of no call
        ({"moods": ["kind"]}, {"moods": ["curt"]}),  # data
        ({}, {"mood": "curt"}),
    ],
)
def test_another_value_is_not(b, first, last):
    assert judged(b, "CTX005", *calls(b, first, last)) is None


def test_a_tool_that_is_said_to_be_idempotent_gives_a_call_the_same_after_others(b):
    assert "became" in judged(b, "RES011", *calls(b, {"n": 1}, {"n": 2}, kind="idempotent")).message
    assert judged(b, "RES011", *calls(b, {"n": 1}, {"n": 1}, kind="idempotent")) is None
