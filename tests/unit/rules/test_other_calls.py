"""RES017 on the groups of the probe `repeat`, and RES018: a text of an earlier call in the result of another one."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes.neighbours import TEXT

A, B = '{"city": "Oslo"}', '{"city": "Rome"}'
LOCKED = b.failure("database is locked")


def alone(*texts):
    return [
        b.call(f"same:{letter}:{number}", text, "repeat", "either", b.success({"ok": True}))
        for letter, text in zip("AB", texts, strict=False)
        for number in (1, 2)
    ]


def group(name, *results, texts=(A, A)):
    return [
        b.call(f"together:{len(results)}:{name}-{number}", text, "repeat", "either", result)
        for number, (text, result) in enumerate(zip(texts, results, strict=True), start=1)
    ]


def judged(code, *calls, **declared):
    exploration = Exploration((b.declaration(**declared),), calls)
    rule = b.RULES[code]
    return list(rule.findings(exploration)) if rule.when(exploration) else None


# ---- RES017


def test_a_call_that_fails_only_beside_another_is_found_and_its_group_shows_it():
    good = b.success({"ok": True})
    both = group("different", good, LOCKED, texts=(A, B))
    (finding,) = judged("RES017", *alone(A, B), *both)
    assert finding.message == "A call that succeeds alone failed beside others: 'database is locked'."
    assert finding.call is both[0]
    assert finding.timed


@pytest.mark.parametrize(
    "calls",
    [
        [*alone(A), *group("equal", b.success({}), b.success({}))],
        [*alone(A), *group("equal", b.success({}), b.failure("The server is busy."))],
        [*alone(A), *group("many", b.success({}), LOCKED)],
        [*alone(A)[:1], *group("equal", b.success({}), LOCKED)],
        [
            *alone(A),
            b.call("same:A:3", A, "repeat", "either", LOCKED),
            *group("equal", b.success({}), LOCKED),
        ],
        [*alone(A), b.call("missing:city", "{}", "invalid", result=LOCKED), *group("equal", LOCKED, LOCKED)],
    ],
    ids=["none fails", "busy", "fifty at once", "known once", "fails alone too", "the same words alone"],
)
def test_what_does_not_fail_because_of_the_others_is_not(calls):
    assert not judged("RES017", *calls)


# ---- RES018

QUIET = "Primary purpose:\n- Greets a person by name."
PLAIN = '{"name": "Ada"}'


def neighbourly(shown, *, files=None, before=None):
    """The call that works, alone and after one with another name, whose results are these."""
    first = b.call("generated", PLAIN, "valid", "either", b.success(before or {"greeting": "Hi"}))
    other = b.call("same:neighbour:1", json.dumps({"name": TEXT}), "neighbours", "either", b.success({}))
    last = [
        replace(b.call(f"same:base:{number}", PLAIN, "neighbours", "either", b.success(shown)), files=files)
        for number in (1, 2)
    ]
    return [first, other, *last]


def test_a_text_that_only_an_earlier_call_sent_is_found():
    (finding,) = judged("RES018", *neighbourly({"names": [TEXT]}), usage=QUIET)
    assert finding.message == "The payload holds 'neighbouring text', an argument of an earlier call."


ONE = '{"amount": 1000}'


def counting(before, *shown, others=(5000, 7000), files=None):
    """As `neighbourly`, of a tool that takes numbers; `shown` are the results of the last calls."""
    first = b.call("generated", ONE, "valid", "either", b.success(before))
    between = [
        b.call(f"same:neighbour:{n}", json.dumps({"amount": n}), "neighbours", "either", b.success({}))
        for n in others
    ]
    last = [
        replace(b.call(f"same:base:{n}", ONE, "neighbours", "either", b.success(each)), files=files)
        for n, each in enumerate(shown, start=1)
    ]
    return [first, *between, *last]


@pytest.mark.parametrize(
    ("before", "after", "again"),
    [
        ({"sums": [1000]}, {"sums": [5000, 7000, 1000]}, {"sums": [5000, 7000, 1000, 1000]}),
        ({"sums": []}, {"sums": [5000]}, {"sums": [5000]}),
        ({"sums": [{"sum": 1000}]}, {"sums": [{"sum": 5000}, {"sum": 1000}]}, {"sums": [{"sum": 5000}, {"sum": 1000}]}),
    ],
    ids=["all", "the last one", "in objects"],
)  # fmt: skip
def test_an_array_that_grew_by_the_numbers_of_others_is_found(before, after, again):
    (finding,) = judged("RES018", *counting(before, after, again), usage=QUIET)
    assert finding.message == "$.sums of the payload grew by 5000, an argument of an earlier call."


@pytest.mark.parametrize(
    "calls",
    [
        counting({"sums": [1000]}, {"sums": [1000, 1000]}, {"sums": [1000] * 3}),
        counting({"sums": [3, 4]}, {"sums": [5000, 4]}, {"sums": [5000, 4]}),
        counting({"sums": [3]}, {"sums": [3, 5000, 6]}, {"sums": [3, 5000, 6]}),
        counting({"sums": [3]}, {"sums": [3, 5000]}, {"sums": [3]}),
        counting({"sums": [3]}, {"sums": [3, 1]}, {"sums": [3, 1]}, others=(1,)),
        counting({"sums": [3], "most": 5000}, {"sums": [3, 5000]}, {"sums": [3, 5000]}),
        counting({"sums": []}, {"sums": [5000]}, {"sums": [5000]}, files=(("sums.txt", "5000"),)),
    ],
    ids=["its own", "not longer", "others too", "once", "a common number", "shown before", "kept in a file"],
)
def test_an_array_that_grew_otherwise_is_not(calls):
    assert judged("RES018", *calls, usage=QUIET) is None


@pytest.mark.parametrize(
    "calls",
    [
        neighbourly({"names": ["Ada"]}),
        neighbourly({"names": [TEXT]}, before={"names": [TEXT]}),
        neighbourly({"names": [TEXT]}, files=(("names.json", f'["{TEXT}"]'),)),
    ],
    ids=["its own", "shown before", "kept in a file"],
)
def test_what_is_no_leak_is_not(calls):
    assert judged("RES018", *calls, usage=QUIET) is None


def test_a_value_taken_over_is_left_to_ctx005():
    calls = neighbourly({"name": TEXT}, before={"name": "Ada"})
    (finding,) = judged("RES018", *calls, usage=QUIET)
    assert finding.defers_to == "CTX005"


@pytest.mark.parametrize(
    ("name", "usage", "applies"),
    [
        ("greet", QUIET, True),
        ("greet", "Purpose:\n- Greets.\n\nErrors:\n- A note says what to add, with a message.", True),
        ("greet", "Purpose:\n- Greets, and keeps a history of names.", False),
        ("add_note", "Purpose:\n- Greets.", False),
        ("greetingLog", "Purpose:\n- Greets.", False),
        ("greet", "Purpose:\n- Greets. Read-only and idempotent.", False),
    ],
)
def test_a_tool_that_may_keep_things_or_claims_not_to_is_not_for_it(name, usage, applies):
    declared = b.declaration(name=name, usage=usage)
    assert (b.RULES["RES018"].applies(declared) is None) is applies
