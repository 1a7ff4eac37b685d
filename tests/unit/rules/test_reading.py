"""SCH018 and SCH019: what was seen of reading, and what proves that an argument is taken or is not."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import explored

from aptix_conformance.core.model import Disturbed, Exploration, Missed, Reading
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes.reading import OTHER

BOTH = '{"name": "Ada", "mood": "kind"}'
ALL = ("/name", "/mood", "/count")


def watched(label="again:1", arguments=BOTH, result=None, reached=True, **seen):
    """A watched call; without more it succeeds and asks for every declared argument."""
    made = b.call(label, arguments, "reading", "either", result)
    disturbed = Disturbed(reached, reading=Reading(**{"read": ALL, **seen}))
    return replace(made, disturbed=disturbed)


def missing(*names, by="name"):
    return (Missed("", names, by=by),)


def test_an_argument_that_is_asked_for_and_taken_is_reported_with_the_call_that_took_it():
    taken = watched("extra:days:1", read=(*ALL, "/days"))
    other = watched("extra:nights:1", read=ALL)
    found = b.judge("SCH018", explored(watched(missed=missing("days", "d")), other, taken))
    assert found.call == taken
    assert "'days'" in found.message


def test_an_argument_that_is_asked_for_and_never_taken_is_not():
    """It may be looked for and refused, or asked for on the way to something else."""
    asked = watched(missed=missing("days"))
    refused = watched("extra:days:1", result=b.failure("days is unknown."), read=(*ALL, "/days"))
    unread = watched("extra:days:2")
    unseen = replace(watched("extra:days:2", read=(*ALL, "/days")), disturbed=None)
    for call in (refused, unread, unseen):
        assert b.judge("SCH018", explored(asked, call)) is None
    assert b.judge("SCH018", explored(asked)) is None


def test_one_that_is_not_taken_does_not_hide_another_that_is():
    asked = watched(missed=(*missing("nights"), *missing("days")))
    unseen = replace(watched("extra:nights:1"), disturbed=None)
    taken = watched("extra:days:1", read=(*ALL, "/days"))
    assert "'days'" in b.judge("SCH018", explored(asked, taken)).message
    assert "'days'" in b.judge("SCH018", explored(asked, unseen, taken)).message


def test_of_what_a_class_names_it_counts_whether_a_name_that_nobody_knows_is_refused():
    """A class that takes anything proves nothing."""
    asked = watched(missed=missing("days", by="class"))
    taken = watched("extra:days:1")
    strict = watched("control:days", result=b.failure("What is this?"))
    assert b.judge("SCH018", explored(asked, taken, strict))
    assert b.judge("SCH018", explored(asked, taken, watched("control:days"))) is None
    assert b.judge("SCH018", explored(asked, taken)) is None


def test_another_spelling_of_a_declared_name_is_declared():
    taken = watched("extra:Name:1", read=(*ALL, "/Name"))
    assert b.judge("SCH018", explored(watched(missed=missing("Name")), taken)) is None


def unread(*, again=2, **changes):
    """Calls that never ask for the mood, and one with a mood that cannot be."""
    known = {"read": ("/name", "/count")}
    return [*(watched(**known) for _ in range(again)), watched("other:mood", **{**known, **changes})]


def test_an_argument_that_is_never_asked_for_and_not_minded_is_reported():
    calls = unread()
    found = b.judge("SCH019", explored(*calls))
    assert found.call == calls[-1]
    assert "'mood'" in found.message


def test_one_that_is_minded_or_comes_back_was_read_out_of_sight():
    for result in (b.failure("mood is odd."), b.success({"mood": OTHER})):
        assert b.judge("SCH019", explored(*unread(result=result))) is None


def test_one_that_was_sent_once_may_be_asked_for_another_time():
    assert b.judge("SCH019", explored(*unread(again=1))) is None


def test_nothing_is_said_before_the_tool_was_asked_again():
    assert b.judge("SCH019", explored(*unread()[:2])) is None
    elsewhere = watched("other:name", read=("/name", "/count"))
    assert b.judge("SCH019", explored(*unread()[:2], elsewhere)) is None


@pytest.mark.parametrize("code", ["SCH018", "SCH019"])
def test_they_are_for_calls_that_were_watched_and_parameters_that_could_be_read(code):
    rule = b.RULES[code]
    assert rule.when(explored(watched()))
    assert not rule.when(explored(b.call()))
    assert not rule.when(explored(watched(reached=False)))
    assert not rule.when(explored(watched(), declared=b.declaration(b.schema(parameters=None))))
    assert not rule.when(explored(watched(), declared=b.declaration(b.parameters(required=[7]))))
    assert not rule.when(Exploration((), (watched(),)))


@pytest.mark.parametrize("code", ["SCH018", "SCH019"])
def test_a_tool_that_asks_for_what_it_declares_keeps_both(code):
    assert b.judge(code, explored(watched(), watched(), watched("turn:mood:1"))) is None


def test_sch016_is_left_to_sch018_only_where_that_has_something_to_say():
    example = b.call("example:1", '{"name": "Ada", "days": 1}', demand="accepted")
    assert b.judge("SCH016", explored(watched(), example)).call == example
    asked, taken = watched(missed=missing("days")), watched("extra:days:1", read=(*ALL, "/days"))
    assert b.judge("SCH016", explored(asked, taken, example)) is None


@pytest.mark.parametrize("argument", ["mood", "mood.colour", "mood[0]"])
def test_what_is_accepted_for_an_argument_that_is_never_read_is_sch019s(argument):
    accepted = b.call(f"type:{argument}:object", "{}", "invalid", "refused")
    (found,) = b.RULES["ARG008"].findings(explored(*unread(), accepted))
    assert found.defers_to == "SCH019"
    assert found.not_its_own


@pytest.mark.parametrize("argument", ["moody", "name"])
def test_what_is_accepted_for_another_argument_is_not(argument):
    accepted = b.call(f"type:{argument}:object", "{}", "invalid", "refused")
    assert b.judge("ARG008", explored(*unread(), accepted)).call == accepted
