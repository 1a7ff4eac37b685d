"""RES010 and RES014: calls that are answered in another way after others, or by turns, and what is chance."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import OtherHashSeed
from aptix_conformance.rules.lib.earlier_calls import names_time

READS = "Behaviour:\n- Read-only and idempotent."
SENT = {"query": "bread"}


def judged(alone, fresh, after, kind="same", later=(), **declared):
    """Judges the answers to one call: alone, twice in a fresh process, and twice after calls with other arguments.

    `later` are the names at later readings of the declaration.
    """
    sent, other = json.dumps(SENT), json.dumps({"query": "neighbouring text"})
    made = [
        *(b.call(f"example:{n}", sent, result=b.success(each)) for n, each in enumerate(alone, 1)),
        *(
            b.call(f"same:before:{n}", sent, "after-refusals", result=b.success(each))
            for n, each in enumerate(fresh, 1)
        ),
        b.call("same:neighbour:1", other, "neighbours", result=b.success({"notes": []})),
        *(
            b.call(f"{kind}:base:{n}", sent, "neighbours", result=b.success(each))
            for n, each in enumerate(after, 1)
        ),
    ]
    again = [b.declaration(usage=READS, **{**declared, "name": name}) for name in later]
    readings = (b.declaration(usage=READS, **declared), *again)
    exploration = b.replace(b.explore(), calls=made, declarations=readings)
    return next(iter(b.RULES["RES014"].findings(exploration)), None)


def counted(*numbers):
    return [{"count": number} for number in numbers]


@pytest.mark.parametrize(
    ("alone", "fresh", "after"),
    [
        ([{"n": 1}], [{"n": 1}, {"n": 1}], [{"n": 2}, {"n": 2}]),
        ([{"slug": "a-b"}, {"slug": "a_b"}], [{"slug": "a-b"}, {"slug": "a-b"}], [{"slug": "a_b"}] * 2),
        ([{"notes": ["a"]}], [{"notes": ["a"]}] * 2, [{"notes": []}] * 2),
        ([{"notes": ["a"]}], [{"notes": ["a"]}] * 2, [{"notes": ["b"]}] * 2),
        ([{"by": {"n": 1}}], [{"by": {"n": 1}}] * 2, [{"by": {}}] * 2),
        (counted(1, 5), counted(1, 2), counted(9, 10)),
        ([{"items": ["a"]}, {"items": []}], [{"items": ["a"]}, {"items": ["b"]}], [{"items": []}] * 2),
        ([{"message": "a"}], [{"message": "a"}] * 2, [{"message": "b"}] * 2),
        ([{"seen": ["a"]}, {"seen": ["a"] * 5}], [{"seen": ["a"]}, {"seen": ["a"] * 2}], [{"seen": ["a"] * n} for n in (3, 4)]),
        ([{"n": 1, "took": 1}], [{"n": 1, "took": 2}] * 2, [{"n": 2, "took": 1}] * 2),  # beside a time
        (counted(1, 5, 5), counted(1, 2), counted(9, 10)),
        ([{"a": ["b"]}, {}], [{"a": ["b"]}, {"a": ["c"]}], [{}] * 2),
        ([{"a": ["b"]}, {"a": []}], [{"a": ["b"]}, {"a": ["c"]}], [{}, {"a": []}]),
        ([{"a": ["b"]}] * 2 + [{"a": []}], [{"a": ["b"]}, {"a": ["c"]}], [{"a": []}] * 2),
    ],
)  # fmt: skip
def test_an_answer_that_earlier_calls_changed_is_found(alone, fresh, after):
    found = judged(alone, fresh, after)
    assert f"another after calls with other arguments: {json.dumps(after[0])}" in found.message
    assert found.call.plan.label == "same:base:1"


@pytest.mark.parametrize(
    ("alone", "fresh", "after"),
    [
        ([{"n": 1}], [{"n": 1}, {"n": 1}], [{"n": 1}, {"n": 1}]),
        ([{"n": 1}], [{"n": 1}, {"n": 3}], [{"n": 2}, {"n": 2}]),  # chance
        ([{"n": 1}], [{"n": 1}, {"n": 1}], [{"n": 2}, {"n": 3}]),
        ([{"n": 1}], [{"n": 1}, {"n": 1}], [{"n": 2}]),
        ([{"n": 1}], [{"n": 1}], [{"n": 2}, {"n": 2}]),  # seen too seldom
        ([], [{"n": 1}] * 3, [{"n": 2}] * 2),
        ([{"n": 1}] * 2, [], [{"n": 2}] * 2),
        (counted(1, 5), counted(2, 3), counted(9, 10)),  # another start in each process
        (counted(1, 1), counted(1, 2), counted(9, 10)),
        (counted(1, 5), counted(1, 1), counted(9, 10)),
        (counted(1, 5), counted(1, 2), counted(9, 9)),
        (counted(1, 5), counted(1, 2), counted(9, 10, 9)),
        (counted(1, 5), counted(1, 2), [{"count": 9}, {}]),
        ([{"on": False}, {"on": True}], [{"on": False}, {"on": True}], [{"on": False}, {"on": True}]),
        ([{"took": 1}], [{"took": 1}] * 2, [{"took": 2}] * 2),  # a time
        ([{"at": {"timestamp": 1}}], [{"at": {"timestamp": 1}}] * 2, [{"at": {"timestamp": 2}}] * 2),
    ],
)
def test_what_stayed_or_changed_by_chance_is_not(alone, fresh, after):
    assert judged(alone, fresh, after) is None


def test_without_refusals_the_repeated_calls_show_how_it_answers_alone():
    assert judged([{"n": 1}] * 3, [], [{"n": 2}] * 2)


def test_idempotence_that_is_configured_is_res011s():
    found = judged([{"n": 1}], [{"n": 1}] * 2, [{"n": 2}] * 2, kind="idempotent")
    assert found.defers_to == "RES011"


def test_a_listing_of_modes_that_changes_is_cat012s():
    found = judged([{"n": 1}], [{"n": 1}] * 2, [{"n": 2}] * 2, name="agent_list_modes")
    assert found.defers_to == "CAT012"


def test_whether_it_lists_modes_is_a_matter_of_the_first_reading():
    answers, names = ([{"n": 1}], [{"n": 1}] * 2, [{"n": 2}] * 2), ("agent_list_modes", "testing_greeter")
    assert judged(*answers, name=names[0], later=names[1:]).defers_to == "CAT012"
    assert judged(*answers, name=names[1], later=names[:1]).defers_to == ""


def in_a_row(*succeeded, **context):
    """The exploration of equal calls in a row, each of which succeeded or failed, and a refused one after them."""
    row = [
        b.call(
            f"same:before:{n}", "{}", "after-refusals",
            result=b.success({"n": 1}) if each else b.failure("There is no word in it."),
        )
        for n, each in enumerate(succeeded, 1)
    ]  # fmt: skip
    refused = b.call("again:missing:n", "{}", "after-refusals", result=b.failure("No."))
    return b.replace(b.explore(), calls=[*context.get("before", ()), *row, refused])


@pytest.mark.parametrize("number", [5, 6])
def test_calls_that_succeed_and_fail_by_turns_are_found(number):
    exploration = in_a_row(*([True, False] * 3)[:number])
    assert b.RULES["RES010"].when(exploration)
    found = b.judge("RES010", exploration)
    assert found.message == f"Of {number} equal calls in a row each second one failed."
    assert found.call.plan.label == "same:before:2"


@pytest.mark.parametrize(
    "succeeded",
    [
        (True, False, False, False, False, False),  # done already
        (True, True, True, False, True, True),
        (False, True, False, True, False, True),
        (True, False, True, False),
    ],
)
def test_calls_that_fail_otherwise_are_not(succeeded):
    assert not b.RULES["RES010"].when(in_a_row(*succeeded))


def test_a_refusal_by_turns_has_nothing_to_do_with_the_context():
    refused = b.call("context:none", "{}", "context", "accepted", b.failure("There is no word in it."))
    (alone,) = b.RULES["CTX006"].findings(in_a_row(True, True, before=(refused,)))
    (alternating,) = b.RULES["CTX006"].findings(in_a_row(*[True, False] * 3, before=(refused,)))
    assert (alone.defers_to, alternating.defers_to) == ("", "RES010")


def test_a_list_that_gets_longer_in_one_process_is_not_used_up():
    assert judged([{"n": [1]}, {"n": []}], [{"n": [1]}, {"n": [1, 2]}], [{"n": []}] * 2) is None
    assert judged([{"n": [1]}, {"n": [1]}], [{"n": [1]}, {"n": [2]}], [{"n": []}, {"n": [3]}]) is None


def test_a_list_that_is_as_long_after_other_calls_is_not_used_up():
    assert judged([{"n": [1]}, {"n": []}], [{"n": [1]}, {"n": [2]}], [{"n": [3]}, {"n": [4]}]) is None


@pytest.mark.parametrize(
    "name", ["at_ms", "elapsedMs", "cacheAge", "seconds", "updated_at", "startTime", "TTLSeconds"]
)
def test_a_name_of_a_time_is_told_from_a_word_that_ends_alike(name):
    assert names_time(f"$.{name}")
    assert not any(map(names_time, ("$.items", "$.params", "$.message", "$.language", "$.candidates[0]")))


def by_turns(*answers, earlier=range(10)):
    """The finding of RES014 in equal calls that one process served, two of them before the first refusal.

    `earlier` tells how many calls the process had served before each of them; an answer of None is a failure.
    """
    sent = json.dumps(SENT)
    labels = [
        "same:before:1",
        "same:before:2",
        *(f"after:missing:query:{n}" for n in range(len(answers) - 2)),
    ]
    made = [
        b.call(
            label,
            sent,
            "after-refusals",
            result=b.failure() if each is None else b.success(json.dumps(each)),
            earlier=n,
        )
        for n, label, each in zip(earlier, labels, answers, strict=False)
    ]
    last = b.call("same:base:1", sent, "neighbours", result=b.success(answers[0]))
    exploration = b.replace(b.explore(), calls=(*made, last), declarations=(b.declaration(usage=READS),))
    return next(iter(b.RULES["RES014"].findings(exploration)), None)


def test_an_answer_that_is_another_by_turns_is_found():
    found = by_turns(*counted(1, 2, 1, 2, 1))
    assert found.message.startswith("$.count of the payload is another in every second one of equal calls")
    assert found.call.earlier == 1


@pytest.mark.parametrize(
    "answers",
    [
        counted(1, 2, 1, 2),
        counted(1, 2, 1, 1, 2),
        counted(1, 2, 3, 4, 5),
        counted(1, 1, 1, 1, 1),
        [{"seconds": n % 2} for n in range(6)],
        [{"a": 1}, {"b": 1}] * 3,
        [7, None, 7, None, 7],
    ],
    ids=["too few", "chance", "grows", "alike", "a time", "another shape", "failures"],
)
def test_what_is_not_by_turns_is_not(answers):
    assert by_turns(*answers) is None


@pytest.mark.parametrize("earlier", [(0, 0, 1, 2, 3), (0, 1, 2, 3, 0)])
def test_turns_are_those_of_one_process(earlier):
    """A new process begins with the same answer, whose turn it may be."""
    assert by_turns(*counted(1, 2, 1, 2, 1), earlier=earlier) is None


def under_another_seed(usual, other):
    """The finding of RES014 in equal calls under the usual hash seed, and under another one."""
    sent = json.dumps(SENT)
    labels = ["example:1", "same:before:1", "same:before:2", "same:before:3"]
    made = [
        b.call(label, sent, "after-refusals" if n else "valid", result=b.success(each), earlier=max(n - 1, 0))
        for n, (label, each) in enumerate(zip(labels, usual, strict=False))
    ]
    for n, each in enumerate(other, 1):
        seen = b.call(f"same:seed:{n}", sent, "hash-seed", result=b.success(each))
        made.append(b.replace(seen, plan=b.replace(seen.plan, disturbance=OtherHashSeed("1"))))
    exploration = b.replace(b.explore(), calls=made, declarations=(b.declaration(usage=READS),))
    return next(iter(b.RULES["RES014"].findings(exploration)), None)


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ({"found": ["EUR", "USD"]}, {"found": ["USD", "EUR"]}),
        ({"said": "one of EUR, USD"}, {"said": "one of USD, EUR"}),
    ],
)
def test_another_order_under_another_hash_seed_is_found(usual, other):
    found = under_another_seed([usual] * 3, [other] * 2)
    assert "is another in a process in which texts have other hashes" in found.message
    assert found.call.plan.label == "same:seed:1"


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ([["a", "b"]] * 3, [["a", "b"]] * 2),
        ([["a", "b"]] * 3, [["a", "/tmp/x"]] * 2),
        ([["a", "b"]] * 3, [["b", "a"]]),
        ([["a", "b"]] * 3, [["b", "a"], ["a", "b"]]),
        ([["a", "b"]] * 2, [["b", "a"]] * 2),
        ([["a", "b"], ["b", "a"], ["a", "b"]], [["b", "a"]] * 2),
    ],
    ids=["equal", "other words", "once", "chance under it", "too few", "chance"],
)
def test_what_the_hash_seed_does_not_decide_is_not(usual, other):
    assert under_another_seed([{"found": row} for row in usual], [{"found": row} for row in other]) is None


def test_a_value_by_turns_shows_without_refusals_too():
    """In calls made after others; a tool that is only sent what its schema allows refuses nothing."""
    sent = json.dumps(SENT)
    made = [
        b.call(f"same:base:{n}", sent, "neighbours", result=b.success({"count": n % 2}), earlier=n)
        for n in range(1, 6)
    ]
    other = json.dumps({"query": "neighbouring text"})
    made.insert(0, b.call("same:neighbour:1", other, "neighbours", result=b.success({"count": 7})))
    exploration = b.replace(b.explore(), calls=made, declarations=(b.declaration(usage=READS),))
    (found,) = b.RULES["RES014"].findings(exploration)
    assert "in every second one of equal calls" in found.message
