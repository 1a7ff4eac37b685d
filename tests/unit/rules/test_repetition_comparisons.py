"""RES010, RES011 and CTX005: which calls are compared, and what may differ."""

import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.repetitions import controlled, own, repeated

from aptix_conformance.core.model import Exploration

A, B = {"name": "Ada"}, {"name": "Bob"}


def steady(ada, bob):
    return [
        (f"same:{k}:{n}", args, given) for k, args, given in (("A", A, ada), ("B", B, bob)) for n in (1, 2)
    ]


def test_res010_compares_the_valid_probes_calls_too_and_shows_the_later_one():
    seen = repeated(("again:1", A, {"x": 1}), ("again:2", A, {"x": "1"}), probe="valid")
    assert b.judge("RES010", seen).call == seen.calls[1]


def test_res010_compares_each_later_call_with_the_first():
    seen = repeated(("same:A:1", A, {"x": 1}), ("same:A:2", A, {"x": 2}), ("same:A:3", A, {"x": "3"}))
    assert b.judge("RES010", seen).call == seen.calls[2]


def test_res010_does_not_mind_the_order_of_arguments():
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert b.judge("RES010", repeated(("same:A:1", one, {"x": 1}), ("same:A:2", other, {"x": "1"})))


def test_res011_compares_what_was_given_but_for_the_calls_own_identifiers():
    """They may stand anywhere in the result, in texts and lists and as keys."""

    def said(number, **more):
        session = own(number)["sessionId"]
        return {"text": f"for {session}!", "list": [session, {session: 1}], **more}

    fine = repeated(*((f"idempotent:A:{n}", A, said(n)) for n in range(3)))
    assert b.judge("RES011", fine) is None
    for more in ({"list": ["x"]}, {"n": 1}, {"text": "for nobody!"}):
        odd = repeated(("idempotent:A:1", A, said(0)), ("idempotent:A:2", A, {**said(1), **more}))
        assert "The payload became" in b.judge("RES011", odd).message


def test_res011_compares_calls_with_the_same_arguments_only():
    seen = repeated(("idempotent:A:1", A, {"x": 1}), ("idempotent:B:1", B, {"x": 2}))
    assert b.judge("RES011", seen) is None


def test_res011_looks_past_a_call_that_does_not_count():
    busy = ("together:2:equal-1", A, None)
    seen = repeated(("idempotent:A:1", A, {"x": 1}), busy, ("idempotent:A:2", A, {"x": 2}))
    assert b.judge("RES011", seen).call == seen.calls[2]


def test_res011_lets_a_tool_recover():
    """A call that failed at first and succeeded later is another answer all the same; one that stays failed is none."""
    assert b.judge("RES011", repeated(("idempotent:A:1", A, None), ("idempotent:A:2", A, None))) is None
    assert b.judge("RES011", repeated(("idempotent:A:1", A, None), ("idempotent:A:2", A, {"x": 1})))


def test_res011_judges_answers_of_the_repeat_probe():
    calls = repeated(("idempotent:A:1", A, {"x": 1})).calls
    others = repeated(("generated", A, {"x": 2}), probe="valid").calls
    assert b.judge("RES011", Exploration((), (*calls, *others))) is None
    thrown = b.call("idempotent:A:2", json.dumps(A), "repeat", raised="KeyError")
    assert b.judge("RES011", Exploration((), (*calls, thrown))) is None


def test_ctx005_leaves_identifiers_that_are_always_wrong_to_ctx003():
    """Even alone the call gives another's."""
    foreign = {"sessionId": own(0)["sessionId"]}
    alone = repeated(("same:A:1", A, {}), ("same:A:2", A, foreign))
    assert b.judge("CTX005", alone) is None
    mixed = repeated(("same:A:1", A, {}), ("together:2:equal-1", A, foreign))
    assert b.judge("CTX005", mixed)


def test_ctx005_finds_another_calls_identifier_in_a_failure():
    seen = repeated(*steady({"for": "Ada"}, {"for": "Bob"}))
    said = b.failure(f"No session {own(0)['sessionId']}.")
    mixed = b.call("together:2:equal-1", json.dumps(A), "repeat", "either", said)
    assert b.judge("CTX005", Exploration((), (*seen.calls, mixed))).call == mixed


def test_ctx005_takes_what_the_caller_sent_for_its_own():
    sent, asked = {"id": own(0)["sessionId"]}, {"asked": own(0)["sessionId"].upper()}
    assert b.judge("CTX005", repeated(("same:A:1", A, {}), ("same:A:2", sent, asked))) is None
    assert b.judge("CTX005", repeated(("same:A:1", A, {}), ("same:A:2", A, asked)))


@pytest.mark.parametrize("probe", ["valid", "context", "invalid", "malformed"])
def test_ctx005_reads_the_answers_of_every_probe(probe):
    """Calls that fail are not repeated, and say in their messages what a tool has kept; the finding names the other call."""
    seen = repeated(*steady({"for": "Ada"}, {"for": "Bob"}))
    said = b.failure(f"Not known; see {own(3)['sessionId']}.")
    mixed = b.call("generated", '{"name": "Eve"}', probe, "either", said)
    found = b.judge("CTX005", Exploration((), (*seen.calls, mixed)))
    assert found.call == mixed
    assert found.message.endswith('with {"name": "Bob"}.')


def test_ctx005_looks_past_calls_that_show_no_identifier():
    seen = repeated(*steady({"for": "Ada"}, {"for": "Bob"}))
    thrown = b.call("generated", raised="KeyError")
    silent = b.call("generated", result=b.success({}))
    mixed = b.call("generated", result=b.failure(f"See {own(3)['sessionId']}."))
    assert b.judge("CTX005", Exploration((), (thrown, silent, *seen.calls, mixed))).call == mixed


def test_ctx005_minds_no_identifier_that_no_call_had():
    """A digest of something may look like one."""
    digest = own(77)["sessionId"]
    assert b.judge("CTX005", repeated(("same:A:1", A, {"digest": digest}))) is None
    listed = {"digest": digest, "recent": [own(0)["sessionId"]]}
    assert b.judge("CTX005", repeated(("same:A:1", A, {}), ("same:A:2", A, listed))) is None


def test_ctx005_leaves_to_ctx004_what_stands_where_nothing_should():
    seen = repeated(*steady({"for": "Ada"}, {"for": "Bob"}))
    kept = b.call("context:none", "{}", "context", "accepted", b.success(own(0)), context=None)
    exploration = Exploration((), (*seen.calls, kept))
    assert b.judge("CTX004", exploration)
    assert b.judge("CTX005", exploration) is None


def test_ctx005_judges_by_what_came_out_alone():
    """Calls made together, refused ones and arguments that were never sent alone say nothing of what belongs to whom."""
    alone = steady({"for": "Ada"}, {"for": "Bob"})
    taken = ("together:2:different-1", A, {"for": "Bob"})
    assert b.judge("CTX005", controlled(*alone, taken))
    assert b.judge("CTX005", controlled(*alone, ("together:2:different-1", A, None))) is None
    assert (
        b.judge("CTX005", controlled(*alone, ("together:2:different-1", {"name": "C"}, {"for": "Bob"})))
        is None
    )
    together = [(f"together:2:equal-{n}", B, {"for": "Bob"}) for n in (1, 2)]
    assert b.judge("CTX005", controlled(*alone[:2], *together, taken)) is None
    assert b.judge("CTX005", controlled(*alone, ("same:A:3", A, {"for": "Bob"}))) is None


def test_ctx005_tells_true_from_one():
    alone = steady({"on": True}, {"on": 1})
    found = b.judge("CTX005", controlled(*alone, ("together:2:different-1", A, {"on": 1})))
    assert "on is 1" in found.message


def test_ctx005_finds_one_fault_in_a_call_whose_values_belong_to_two():
    others = [(f"same:C:{n}", {"name": "Bo"}, {"for": "Bob"}) for n in (1, 2)]
    mixed = controlled(
        *steady({"for": "Ada"}, {"for": "Bob"}), *others, ("together:2:different-1", A, {"for": "Bob"})
    )
    assert len(b.RULES["CTX005"].findings(mixed)) == 1


def test_ctx005_names_the_place_and_whose_it_is():
    alone = steady({"for": "Ada", "by": "x"}, {"for": "Bob", "by": "y"})
    found = b.judge("CTX005", controlled(*alone, ("together:2:different-1", A, {"for": "Bob", "by": "z"})))
    assert 'for is "Bob", as for {"name": "Bob"}' in found.message


@pytest.mark.parametrize("place", ["elapsedMs", "createdDate", "tookSeconds", "time_stamp", "list"])
def test_ctx005_knows_what_differs_by_itself(place):
    one, other = (["a"], ["b"]) if place == "list" else (1, 2)
    alone = steady({place: one}, {place: other})
    assert b.judge("CTX005", controlled(*alone, ("together:2:different-1", A, {place: other}))) is None


def test_res011_takes_empty_results_for_results():
    def said(number, result):
        return b.call(f"idempotent:A:{number}", "{}", "repeat", "either", result)

    empty = [said(number, b.success("[]")) for number in (1, 2)]
    assert b.judge("RES011", Exploration((), tuple(empty))) is None
    failed = Exploration((), (empty[0], said(2, b.failure("Busy."))))
    assert "failed when it was repeated: 'Busy.'" in b.judge("RES011", failed).message


def test_ctx005_takes_one_text_among_numbers_for_anothers():
    alone = steady({"for": "Ada", "n": 1, "by": "x"}, {"for": "Bob", "n": 2, "by": "y"})
    for name, is_mixed in (("Bob", True), ("Eve", False)):
        given = {"for": name, "n": 2, "by": "z"}
        found = b.judge("CTX005", controlled(*alone, ("together:2:different-1", A, given)))
        assert (found is not None) is is_mixed


@pytest.mark.parametrize(
    ("controls", "is_found"),
    [
        ([("A", True), ("B", False)] * 4, True),
        ([("A", True), ("B", False)] * 3, False),  # too few to tell
        ([("A", True), ("B", False)] * 3 + [("A", True), ("B", True)], False),  # chance
        ([("A", True), ("B", True)] * 4, False),  # the same with all arguments, at another time
        ([], False),
    ],
)
def test_ctx005_compares_only_what_does_not_vary_alone(controls, is_found):
    """A coin shows what it showed with other arguments, now and then."""
    taken = ("together:2:different-1", A, {"on": False})
    seen = repeated(*steady({"on": True}, {"on": False}), taken)
    sent = {"A": A, "B": B}
    again = repeated(*((f"same:{k}:1", sent[k], {"on": on}) for k, on in controls), probe="alone")
    found = b.judge("CTX005", Exploration(seen.declarations, (*seen.calls, *again.calls)))
    assert bool(found) is is_found
