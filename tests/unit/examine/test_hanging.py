"""After a call that hangs, calls with as much of the same argument are not made, and all others are."""

import json

import pytest
from tests.stimuli import stimulus
from tests.unit.examine.fakes import Host, answer, comes_back, hanging, never_raises, raising, run

from aptix_conformance.core.model import Call, Outcome
from aptix_conformance.examine import Options
from aptix_conformance.examine.hanging import Hanging


def call(arguments, outcome=Outcome.RETURNED):
    return Call(planned(arguments), outcome, 0.0)


def planned(arguments):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return stimulus("valid", "generated", text, None)


def after(hung, *came_back, times=2):
    """What is known once a call hung, after others that came back."""
    known = Hanging()
    for _ in range(times):
        known.learn(call(hung, Outcome.TIMED_OUT), [call(each) for each in came_back])
    return known


BASE = {"steps": 3, "text": "abc", "items": [1], "loud": True}


@pytest.mark.parametrize(
    ("changed", "likely", "unlikely"),
    [
        ({"steps": 10**9}, [10**9, 10**400, 1e300], [10**9 - 1, 0, -(10**12), "1000000000", None, True]),
        ({"steps": -5}, [-5, -6.5], [-4, 10**9]),
        ({"text": "a" * 100}, ["b" * 100, "c" * 5000], ["a" * 99, "", None, [1] * 200]),
        ({"items": [1] * 9}, [[2] * 9, [[]] * 10], [[1] * 8, "x" * 9]),
        ({"items": {"a": 1, "b": 2}}, [{"c": 1, "d": 2}], [{"a": 1}, [1, 2, 3]]),
    ],
)
def test_as_much_of_what_made_a_call_hang_is_likely_to_hang(changed, likely, unlikely):
    (name,) = changed
    known = after({**BASE, **changed}, {"text": "x"}, BASE)
    for value in likely:
        assert known.named(planned({"text": "other", name: value})) == (name,)
    for value in unlikely:
        assert known.named(planned({**BASE, name: value})) == ()


def test_one_number_is_enough_and_of_texts_two_are():
    """What hangs for what is in a text comes back with most longer ones."""
    assert after({"steps": 9}, {"steps": 1}, times=1).named(planned({"steps": 9})) == ("steps",)
    assert after({"text": "aaa"}, {"text": "a"}, times=1).named(planned({"text": "aaaa"})) == ()
    known = after({"text": "aaa"}, {"text": "a"}, times=1)
    known.learn(call({"text": "bb"}, Outcome.TIMED_OUT), [call({"text": "a"})])
    assert known.causes == []
    known.learn(call({"text": "cccc"}, Outcome.TIMED_OUT), [call({"text": "a"})])
    assert known.named(planned({"text": "dddd"})) == ("text",)


def test_of_several_arguments_each_has_to_be_as_large():
    known = after({"wide": 900, "high": 900}, {"wide": 1, "high": 1})
    assert set(known.named(planned({"wide": 900, "high": 1000}))) == {"wide", "high"}
    assert known.named(planned({"wide": 900, "high": 2})) == ()


def test_an_argument_that_no_other_call_had_counts_as_more():
    assert after({"steps": 1, "times": 7}, {"steps": 1}).named(planned({"times": 7})) == ("times",)


@pytest.mark.parametrize(
    ("hung", "came_back"),
    [
        (BASE, []),
        (BASE, [BASE]),
        ({**BASE, "loud": False}, [BASE]),
        ({**BASE, "steps": 1}, [BASE]),
        ("[1", [BASE]),
        ("[1]", [BASE]),
        ({"steps": 9}, ["[1"]),
        ("[" * 5000, [BASE]),
    ],
    ids=[
        "nothing came back",
        "nothing differs",
        "no size",
        "less",
        "no JSON",
        "no object",
        "nothing to compare",
        "deep",
    ],
)
def test_where_no_cause_is_seen_nothing_is_likely(hung, came_back):
    known = after(hung, *came_back)
    assert known.causes == []
    assert known.named(planned({"steps": 10**9, "text": "x" * 999})) == ()


def test_a_call_that_ended_its_process_says_nothing_of_others():
    known = Hanging()
    known.learn(call({"steps": 10**9}, Outcome.CRASHED), [call(BASE)])
    assert known.causes == []


def test_a_tool_that_counts_for_ever_is_examined_with_its_other_arguments():
    """It hangs once for its count, and what it does with a word is found as well."""

    def behave(plan, earlier):
        try:
            found = json.loads(plan.arguments or "null")
        except (ValueError, RecursionError):
            return answer(successful=False)
        if not isinstance(found, dict) or not isinstance(found.get("count"), int):
            return answer(successful=False)
        if found["count"] > 2**31:
            return hanging()
        word = found.get("word")
        return raising() if isinstance(word, str) and len(word) > 5000 else answer()

    host = Host(behave)
    verdicts, found = run(host, comes_back, never_raises, options=Options(examples=10))
    assert verdicts["EXC902"].verdict.value == verdicts["EXC901"].verdict.value == "fail"
    seen = found.exploration
    assert 1 <= sum(bool(each.incident) for each in seen.calls) <= 3
    skipped = [each for each in seen.shortfalls if "not made: a call with as much in 'count'" in each.reason]
    assert skipped
    numbers = {each.probe: [] for each in skipped}
    for each in skipped:
        numbers[each.probe].append(each.unmade)
        assert not each.unmade or each.reason.startswith(f"{each.unmade} planned calls were")
    assert numbers["valid"] == [2, 0], "others are drawn in the place of drawn calls"
    assert numbers["extremes"] == [2]
    assert sum(each.plan.probe == "extremes" for each in seen.calls) > 5
