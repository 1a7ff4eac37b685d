"""CTX005, RES011 and RES014 find what a call shows of earlier calls that differ from it in one argument."""

import json

import pytest
from tests.unit.rules import builders as b

READS = "Behaviour:\n- Read-only and idempotent."


def calls(first, last, kind="same", sent=None):
    """A tool's answers to the call that works: before any other, and after a neighbour with the curt mood."""
    sent = sent or {"name": "Ada", "mood": "kind"}
    neighbour = {**sent, "mood": "curt", "name": "neighbouring text"}
    return (
        b.call("example:1", json.dumps(sent), result=b.success(first)),
        b.call(f"{kind}:A:1", json.dumps(sent), "repeat", result=b.success(first)),
        b.call("same:neighbour:1", json.dumps(neighbour), "neighbours", result=b.success({"mood": "curt"})),
        b.call(f"{kind}:base:1", json.dumps(sent), "neighbours", result=b.success(last)),
    )


def judged(code, *made, usage=READS):
    exploration = b.explore()
    declared = b.declaration(usage=usage)
    return b.judge(code, b.replace(exploration, calls=made, declarations=(declared,)))


def test_the_value_of_an_argument_of_an_earlier_call_is_found():
    beside = {"a": 1, "name": "Ada", "z": 1}
    found = judged("CTX005", *calls({"mood": "kind"} | beside, {"mood": "curt"} | beside))
    assert found.message == 'mood is "curt", as for an earlier call with other arguments.'


def neighbour(**sent):
    return b.call("same:neighbour:2", json.dumps(sent), "neighbours", result=b.success({}))


def test_one_of_several_neighbours_sent_it():
    first, again, curt, last = calls({"mood": "kind"}, {"mood": "curt"})
    assert judged("CTX005", first, again, neighbour(name="Ada", mood="gruff"), curt, last)


def test_the_first_call_that_worked_shows_what_the_tool_answers_alone():
    first, again, *others = calls({"mood": "kind"}, {"mood": "curt"})
    refused = b.replace(first, result=b.failure("Busy."))
    assert judged("CTX005", refused, first, again, *others)
    assert judged("CTX005", refused, again, *others) is None


def test_what_was_only_sent_to_another_process_is_not_taken_over():
    first, again, curt, last = calls({"mood": "kind"}, {"mood": "gruff", "tags": ["elsewhere"]})
    elsewhere = b.call("generated", '{"name": "elsewhere", "mood": "gruff"}', result=b.success({}))
    assert judged("CTX005", elsewhere, first, again, curt, last) is None
    assert judged("RES014", elsewhere, first, again, curt, last) is None


@pytest.mark.parametrize(("text", "is_telling"), [("sage", True), ("oak", False)])
def test_a_short_text_may_stand_in_a_result_by_chance(text, is_telling):
    first, again, curt, last = calls({"tags": []}, {"tags": [text]})
    found = judged("RES014", first, again, neighbour(name=text), curt, last)
    assert (found is not None) is is_telling


def test_the_first_of_the_last_calls_is_shown():
    made = calls({"tags": ["Ada"]}, {"tags": ["neighbouring text", "Ada"]})
    later = b.call("same:base:2", made[-1].plan.arguments, "neighbours", result=made[-1].result)
    assert judged("RES014", *made, later).call == made[-1]


@pytest.mark.parametrize(
    ("code", "first", "shown"),
    [
        ("CTX005", {"mood": "kind"}, {"mood": "curt"}),
        ("RES014", {"tags": []}, {"tags": ["neighbouring text"]}),
    ],
)
@pytest.mark.parametrize(("later", "is_found"), [("oo", True), ("--", True), ("o-", False)])
def test_what_varies_between_equal_calls_in_a_row_is_chance(code, first, shown, later, is_found):
    """An argument of an earlier call that stays shown, or goes at once, was kept."""
    made = calls(first, shown)
    again = [
        b.call(
            f"same:base:{n}",
            made[-1].plan.arguments,
            "neighbours",
            result=b.success(shown if each == "o" else first),
        )
        for n, each in enumerate(later, start=2)
    ]
    assert bool(judged(code, *made, *again)) is is_found


def test_an_argument_that_is_taken_over_is_ctx005s():
    made = calls({"mood": "kind"}, {"mood": "neighbouring text"})
    curt = neighbour(name="Ada", mood="neighbouring text")
    exploration = b.replace(
        b.explore(), calls=(*made[:3], curt, made[3]), declarations=(b.declaration(usage=READS),)
    )
    (found,) = b.RULES["RES014"].findings(exploration)
    assert found.defers_to == "CTX005"


def test_a_last_call_that_raised_is_not_for_res014():
    *made, last = calls({"n": 1}, {"n": 1})
    thrown = b.call("same:base:1", last.plan.arguments, "neighbours", raised="KeyError")
    exploration = b.explore()
    assert b.RULES["RES014"].when(b.replace(exploration, calls=(*made, last)))
    assert not b.RULES["RES014"].when(b.replace(exploration, calls=(*made, thrown)))


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
def test_another_value_is_not(first, last):
    assert judged("CTX005", *calls(first, last)) is None


def test_a_list_that_grows_from_call_to_call_is_found_where_the_usage_text_promises_otherwise():
    made = calls({"tags": ["Ada"]}, {"tags": ["neighbouring text", "Ada"]})
    assert "'neighbouring text', an argument of an earlier call" in judged("RES014", *made).message
    assert judged("RES014", *calls({"tags": ["Ada"]}, {"tags": ["Ada"]})) is None


@pytest.mark.parametrize(
    ("usage", "applies"),
    [
        (READS, True),
        ("Idempotent, cheap.", True),
        ("It is read only.", True),
        ("Not idempotent: each call adds a note.", False),
        ("Calls are not always idempotent.", False),
        ("Non-idempotent.", False),
        ("Deterministic.", True),
        ("Free and repeatable.", True),
        ("- The same phrase always has the\n  same translation.", True),
        ("With equal arguments it returns the same rows.", True),
        ("Stateless, the same answer each time.", True),
        ("Non-deterministic.", False),
        ("It does not give the same result every time.", False),
        ("Never the same answer each time.", False),
        ("Unlike a fixed seed, which gives the same value every time, it draws.", False),
        ("Pass a seed to get the same output every time.", False),
        ("Almost always gives the same answer.", False),
        ("It gives the same output every time only if a seed is set.", False),
        ("It never fails. The same text always gives the same tags.", True),
        ("The same word does not always give the same result.", False),
        ("The same call may give the same result.", False),
        ("Notes with the same title have the same file.", False),
        ("Returns the items in the same order.", False),
        ("Draws a deterministic finite automaton.", False),
        ("Cheap.", False),
    ],
)
def test_the_usage_text_promises_it(usage, applies):
    assert (b.RULES["RES014"].applies(b.declaration(usage=usage)) is None) is applies


def test_a_tool_that_is_said_to_be_idempotent_gives_a_call_the_same_after_others():
    assert "became" in judged("RES011", *calls({"n": 1}, {"n": 2}, kind="idempotent")).message
    assert judged("RES011", *calls({"n": 1}, {"n": 1}, kind="idempotent")) is None


def test_what_the_first_calls_used_up_is_found_where_later_ones_agree():
    made = calls({"n": 1}, {"n": 2}, kind="idempotent")
    later = [b.replace(call, result=b.success({"n": 2})) for call in made[1:]]
    assert "became" in judged("RES011", made[0], *later).message
