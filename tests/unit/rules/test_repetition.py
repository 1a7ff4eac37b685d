"""RES010, RES011 and CTX005: repeated calls, alone and together."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.repetitions import controlled, own, repeated

A, B = {"name": "Ada"}, {"name": "Bob"}
ALONE = [("same:A:1", A, {"for": "Ada", "n": 1}), ("same:A:2", A, {"for": "Ada", "n": 1}),
         ("same:B:1", B, {"for": "Bob", "n": 2}), ("same:B:2", B, {"for": "Bob", "n": 2})]  # fmt: skip


def test_equal_calls_of_one_shape_pass():
    assert b.judge("RES010", repeated(("same:A:1", A, {"x": 1}), ("same:A:2", A, {"x": 9.5}))) is None


def test_another_key_or_type_for_the_same_arguments_is_found():
    for other in ({"x": 1, "cached": True}, {"x": "1"}, {}):
        found = b.judge("RES010", repeated(("same:A:1", A, {"x": 1}), ("same:A:2", A, other)))
        assert "The payload has " in found.message


def test_other_arguments_may_have_another_shape():
    exploration = repeated(*ALONE, ("same:B:1", {"name": "C"}, {"y": 1}))
    assert b.judge("RES010", exploration) is None


def test_values_may_change_unless_the_author_says_that_they_do_not():
    calls = [("A:1", A, {"x": 1}), ("A:2", A, {"x": 2})]
    assert not b.RULES["RES011"].when(repeated(*((f"same:{label}", *rest) for label, *rest in calls)))
    declared = repeated(*((f"idempotent:{label}", *rest) for label, *rest in calls))
    assert "The payload became" in b.judge("RES011", declared).message


def test_an_idempotent_tool_may_be_busy_when_many_ask_at_once():
    calls = [("idempotent:A:1", A, {"x": 1}), ("idempotent:A:2", A, {"x": 1})]
    assert b.judge("RES011", repeated(*calls, ("together:2:equal-1", A, None))) is None
    assert (
        "failed when it was repeated"
        in b.judge("RES011", repeated(calls[0], ("idempotent:A:2", A, None))).message
    )


@pytest.mark.parametrize(
    "given",
    [
        {"conversationId": own(0)["conversationId"]},
        {"message": f"Hello from {own(0)['sessionId']}!"},
        {"message": own(0)["sessionId"].upper()},
    ],
)
def test_an_identifier_of_another_call_is_found_wherever_it_stands(given):
    found = b.judge("CTX005", repeated(*ALONE, ("together:2:equal-1", A, {"for": "Ada", "n": 1, **given})))
    assert "an identifier of another call" in found.message


def test_lists_may_hold_what_other_calls_said():
    listed = {"recent": [own(0), own(1)], "notes": ["Bob"]}
    assert (
        b.judge("CTX005", repeated(*ALONE, ("together:2:equal-1", A, {"for": "Ada", "n": 1, **listed})))
        is None
    )


@pytest.mark.parametrize("given", [{"for": "Bob", "n": 1}, {"for": "Bob", "n": 2}])
def test_an_answer_that_belongs_to_another_calls_arguments_is_found(given):
    found = b.judge("CTX005", controlled(*ALONE, ("together:2:different-1", A, given)))
    assert "a call that was made at the same time" in found.message


@pytest.mark.parametrize(
    "given",
    [
        {"for": "Ada", "n": 2},  # one number of several, by chance
        {"for": "Eve", "n": 7},  # new to everybody
        {"for": "Ada", "n": 1, "other": "Bob"},
    ],
)
def test_what_may_be_chance_is_not_held_against_a_tool(given):
    assert b.judge("CTX005", controlled(*ALONE, ("together:2:different-1", A, given))) is None


def test_what_changes_by_itself_tells_nothing():
    calls = [("same:A:1", A, {"last": "x"}), ("same:A:2", A, {"last": "Ada"}),
             ("same:B:1", B, {"last": "Ada"}), ("same:B:2", B, {"last": "Bob"})]  # fmt: skip
    assert b.judge("CTX005", controlled(*calls, ("together:2:different-1", A, {"last": "Bob"}))) is None


def test_elapsed_time_tells_nothing():
    calls = [
        (f"same:{k}:{n}", args, {"elapsedMs": ms})
        for k, args, ms in (("A", A, 0), ("B", B, 20))
        for n in (1, 2)
    ]
    assert b.judge("CTX005", controlled(*calls, ("together:2:different-1", A, {"elapsedMs": 20}))) is None
