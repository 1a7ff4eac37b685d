"""Which calls are watched, and what is asked again; what is seen of real tools says tests/process/hosts/test_disturb_arguments.py."""

import pytest

from aptix_conformance.core.model import (
    Call,
    Change,
    Disturbed,
    Kind,
    Missed,
    Outcome,
    Reading,
    Result,
    WatchedArguments,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.stimuli.probes.reading import MARK, OTHER, ReadingProbe, reading

PROBE = ReadingProbe()
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "scale": {"enum": ["c", "f"]}, "unit": {"type": "string"}},
}


@pytest.fixture
def subject(make_subject):
    return replace(make_subject(SCHEMA), disturbances=frozenset({"arguments"}))


def succeeded(planned, elapsed=0.0, seen=None):
    disturbed = None if seen is None else Disturbed(reached=True, reading=seen)
    return Call(
        planned, Outcome.RETURNED, elapsed, Result("InvokeResult", True, True, "{}"), disturbed=disturbed
    )


def run(subject, *documents, elapsed=0.0, look=lambda _: Reading(read=("/city", "/scale", "/unit"))):
    """The calls that the probe makes after valid ones with some arguments; `look` is what each plan shows of its reading."""
    seen = [succeeded(plan(subject, "valid", Change(Kind.GENERATED), text)) for text in documents]
    for planned in PROBE.fixed(subject, seen):
        seen.append(succeeded(planned, elapsed, look(planned)))  # noqa: PERF401 - what comes next depends on it
    return list(reading(seen)), seen


def labels(calls):
    return [call.plan.label for call in calls]


def test_calls_that_differ_are_made_again_with_a_mark_and_then_each_listed_value(subject):
    calls, _ = run(subject, '{"city": "a"}', '{"city":"a"}', '{"city": "b", "unit": "m"}')
    assert labels(calls) == ["again:1", "again:2", "turn:scale:1", "turn:scale:2"]
    assert {call.plan.disturbance for call in calls} == {WatchedArguments()}
    assert [call.plan.arguments for call in calls] == [
        MARK + '"city": "b", "unit": "m"}',
        MARK + '"city": "a"}',
        MARK + '"city": "b", "unit": "m", "scale": "c"}',
        MARK + '"city": "b", "unit": "m", "scale": "f"}',
    ]


def test_what_is_asked_for_and_not_declared_is_sent_until_it_is_taken(subject):
    seen = Reading(read=("/city", "/unit", "/scale"), missed=(Missed("", ("days",), "3"),))
    calls, _ = run(subject, '{"city": "a"}', look=lambda _: seen)
    (extra,) = [call for call in calls if call.plan.kind == "extra"]
    assert extra.plan.arguments.endswith('"days": 3}')


def test_a_field_of_a_class_is_set_against_a_name_that_nobody_knows(subject):
    seen = Reading(read=("/city", "/unit", "/scale"), missed=(Missed("", ("days",), by="class"),))
    calls, _ = run(subject, '{"city": "a"}', look=lambda _: seen)
    assert labels(calls)[-2:] == ["extra:days:1", "control:days"]


@pytest.mark.parametrize("names", [("Scale",), ("days", "unit")])
def test_another_spelling_or_another_name_of_a_declared_one_is_not_sent(subject, names):
    seen = Reading(read=("/city", "/unit", "/scale"), missed=(Missed("", names),))
    calls, _ = run(subject, '{"city": "a"}', look=lambda _: seen)
    assert "extra" not in {call.plan.kind for call in calls}


def test_what_nobody_asks_for_is_sent_as_it_cannot_be(subject):
    documents = ('{"city": "a", "unit": "m"}', '{"city": "b", "unit": "m"}')
    calls, _ = run(subject, *documents, look=lambda _: Reading(read=("/city", "/scale")))
    assert labels(calls)[-1] == "other:unit"
    assert OTHER in calls[-1].plan.arguments


@pytest.mark.parametrize(
    "seen",
    [
        Reading(read=("/city", "/scale"), named=("unit",)),
        Reading(read=("/city", "/scale"), looked_for=("/unit",)),
        Reading(read=("/city", "/scale"), whole=("",)),
    ],
)
def test_what_may_be_asked_for_elsewhere_is_left_alone(subject, seen):
    documents = ('{"city": "a", "unit": "m"}', '{"city": "b", "unit": "m"}')
    calls, _ = run(subject, *documents, look=lambda _: seen)
    assert "other" not in {call.plan.kind for call in calls}


@pytest.mark.parametrize(("most", "turns"), [(200, 102), (21, 21)])
def test_each_member_has_its_turn_before_one_has_its_second_and_what_is_left_out_is_said(
    make_subject, monkeypatch, most, turns
):
    """At most a hundred values of a member, as many as are sent at all."""
    monkeypatch.setattr("aptix_conformance.stimuli.probes.reading._MOST_TURNS", most)
    many = {"type": "object", "properties": {"a": {"enum": list(range(160))}, "b": {"enum": ["x", "y"]}}}
    asked = replace(make_subject(many), disturbances=frozenset({"arguments"}))
    calls, seen = run(asked, '{"a": 1, "b": "x"}', look=lambda _: Reading(read=("/a", "/b")))
    assert labels(calls)[1:5] == ["turn:a:1", "turn:b:2", "turn:a:3", "turn:b:4"]
    assert len(calls) == 1 + turns
    said = PROBE.shortfall(asked, seen)
    assert (
        f"of 102 listed values of arguments {turns} were watched" in said.reason
        if turns < 102
        else said is None
    )


def test_nothing_is_asked_of_a_host_that_cannot_watch_or_a_tool_that_never_works(make_subject, subject):
    blind = make_subject(SCHEMA)
    assert run(blind, '{"city": "a"}')[0] == []
    assert PROBE.shortfall(blind, []).expected
    assert run(subject)[0] == []
    assert PROBE.shortfall(subject, []) is None
    assert PROBE.drawn(subject, []) is None


def test_a_tool_that_fails_when_it_is_watched_is_told(subject):
    failed = Result("InvokeResult", True, False)
    _, seen = run(subject, '{"city": "a"}')
    changed = [replace(call, result=failed) if call.plan.probe == "reading" else call for call in seen]
    assert PROBE.shortfall(subject, seen) is None
    assert "do not when their arguments are watched" in PROBE.shortfall(subject, changed).reason
