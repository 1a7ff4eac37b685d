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
        (
            {"steps": 10**9},
            [10**9, 25 * 10**7, 10**400, 1e300],
            [10**8, 0, -(10**12), "1000000000", None, True],
        ),
        ({"steps": -5}, [-5, -6.5], [-1, 10**9]),
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


def test_what_is_nearer_to_a_call_that_came_back_is_made():
    known = after({"steps": 10_000}, {"steps": 6_400}, times=1)
    assert known.named(planned({"steps": 8_000})) == ("steps",)
    assert known.named(planned({"steps": 7_999})) == ()


def test_an_integer_too_large_for_a_float_is_compared_beside_one():
    known = after({"steps": 10**400}, {"steps": 0.5}, times=1)
    assert known.named(planned({"steps": 10**401})) == ("steps",)
    assert known.named(planned({"steps": 10**9})) == ()


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


def test_of_the_texts_without_an_end_one_that_hangs_is_enough_for_its_argument():
    def extreme(argument, detail):
        return stimulus("extremes", f"extreme:{argument}:{detail}", '{"code": "x"}', None)

    known = Hanging()
    came_back = Call(extreme("code", "quotes"), Outcome.RETURNED, 0.0)
    known.learn(Call(extreme("code", "endless-loop"), Outcome.TIMED_OUT, 0.0), [came_back])
    assert known.reason(extreme("code", "endless-function")).endswith(
        "in 'code' did not come back within its limit"
    )
    assert "'code'" in known.reason(extreme("code", "catastrophic-pattern"))
    assert known.reason(extreme("code", "exits")) == known.reason(extreme("other", "endless-loop")) == ""
    assert known.suspected == known.causes == [], "its length is not to blame"


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
    skipped = [
        each for each in seen.shortfalls if "not made: a call with about as much in 'count'" in each.reason
    ]
    assert skipped[0].reason.endswith("did not come back within its limit"), "it may be slow only"
    numbers = {each.probe: [] for each in skipped}
    for each in skipped:
        numbers[each.probe].append(each.unmade)
        assert not each.unmade or each.reason.startswith(f"{each.unmade} planned calls were")
    assert numbers["valid"] == [2, 0], "others are drawn in the place of drawn calls"
    assert numbers["extremes"] == [3], "the largest count that comes back is likely to hang"
    assert sum(each.plan.probe == "extremes" for each in seen.calls) > 5


def test_after_two_texts_of_one_form_that_hang_no_other_one_is_sent():
    known = Hanging()
    came_back = [call(BASE)]
    assert not known.learn(call("[1", Outcome.TIMED_OUT), came_back)
    assert known.reason(planned("{'a'")) == "", "it may hang for what is in it"
    assert known.learn(call("{", Outcome.TIMED_OUT), came_back)
    assert known.reason(planned("{'a'")) == (
        "2 calls with a text that is no JSON did not come back within their limit"
    )
    assert {known.reason(planned(other)) for other in ("[1]", " ", BASE)} == {""}


def test_texts_with_thousands_of_digits_that_hang_leave_those_that_are_no_json():
    known = Hanging()
    digits = f'{{"count": {"9" * 5_000}}}'
    hung = [known.learn(call(digits, Outcome.TIMED_OUT), [call(BASE)]) for _ in range(2)]
    assert hung == [False, True]
    assert known.reason(planned(digits)) == (
        "2 calls with an integer of thousands of digits did not come back within their limit"
    )
    assert known.reason(planned("{")) == ""


def test_of_several_numbers_that_are_larger_none_is_to_blame_after_one_call():
    known = Hanging()
    assert not known.learn(call('{"a": 9, "b": 9}', Outcome.TIMED_OUT), [call('{"a": 1, "b": 1}')])
    assert known.learn(call('{"a": 9, "b": 10}', Outcome.TIMED_OUT), [call('{"a": 1, "b": 1}')])


def test_where_no_call_came_back_the_form_of_a_text_is_not_to_blame():
    known = Hanging()
    assert not [each for each in "[{" * 2 if known.learn(call(each, Outcome.TIMED_OUT), [])]


def test_a_tool_that_waits_for_ever_on_what_is_no_json_gets_all_other_malformed_calls():
    """Hangs whose cause is known end no probe: a list still shows that the tool throws."""

    def behave(plan, earlier):
        try:
            found = json.loads(plan.arguments or "null")
        except (ValueError, RecursionError):
            return hanging()
        return answer() if isinstance(found, dict) else raising()

    host = Host(behave)
    verdicts, found = run(host, comes_back, never_raises, options=Options(examples=10))
    assert verdicts["EXC902"].verdict.value == verdicts["EXC901"].verdict.value == "fail"
    seen = found.exploration
    assert not any(each.cut for each in seen.shortfalls)
    hung = [each.plan.arguments for each in seen.calls if each.incident]
    assert sum(not each.strip() for each in hung) == len(hung) / 2 == 2, "two are blank, two are others"
    assert any("a text that is no JSON" in each.reason for each in seen.shortfalls)
