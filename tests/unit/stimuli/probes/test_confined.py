"""The probe confined: which texts of which calls it replaces, and by which paths."""

import json
from dataclasses import replace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.core.model.codec import replace as changed
from aptix_conformance.stimuli.probes import ConfinedProbe
from aptix_conformance.stimuli.probes.confined import paths_outside

PROBE = ConfinedProbe()
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
GOOD = Result("InvokeResult", True, True, "{}", "str")
BAD = Result("InvokeResult", True, False, error_message="No.")


EMPTIED = "emptied-folder"


def call(arguments, label="example:1", result=GOOD, seconds=0.001, probe="valid", **seen):
    plan = stimulus(probe, label, json.dumps(arguments), {})
    return Call(plan, Outcome.RETURNED, seconds, result, **seen)


@pytest.fixture
def subject(make_subject):
    made = make_subject(SCHEMA)
    return replace(
        made,
        settings=replace(made.settings, files="/data", confined_to="notes"),
        disturbances=frozenset({"confined"}),
    )


def controls(subject, *seen):
    return [plan for plan in PROBE.fixed(subject, list(seen)) if plan.label == EMPTIED]


def sent(subject, *seen):
    plans = PROBE.fixed(subject, list(seen))
    return [json.loads(plan.arguments) for plan in plans if plan.label != EMPTIED]


def test_the_text_of_an_example_is_replaced_by_each_path(subject):
    made = sent(subject, call({"path": "a.txt", "lines": 3}))
    assert [each["path"] for each in made] == list(paths_outside("notes").values())
    assert {each["lines"] for each in made} == {3}


@pytest.mark.parametrize(
    "path",
    [
        "../canary-7a90c4d2/canary.txt",
        "../notes-canary-7a90c4d2/canary.txt",
        "notes/../notes-canary-7a90c4d2/canary.txt",
        "inner-7a90c4d2/../../canary-7a90c4d2/canary.txt",
        "notes-canary-7a90c4d2/canary.txt",
        "notes/link-7a90c4d2/canary.txt",
        "/proc/self/cwd/canary-7a90c4d2/canary.txt",
        "../canary-7a90c4d2",
        "notes/link-7a90c4d2.txt",
        "notes/../canary-7a90c4d2",
        "--output=../new-7a90c4d2.txt",
        "--files0-from=../canary-7a90c4d2/canary.txt",
        "--pathspec-from-file=canary-7a90c4d2/canary.txt",
    ],
)
def test_paths_relative_to_either_folder_links_and_options_are_among_them(path):
    assert path in paths_outside("notes").values()


def test_texts_within_are_replaced_one_at_a_time(subject):
    example = {"files": [{"path": "a.txt"}, {"path": "b.txt"}], "mode": "read"}
    made = sent(subject, call(example))
    assert {each["files"][1]["path"] for each in made} == {"b.txt"}
    assert {(each["files"][0]["path"] == "a.txt") + (each["mode"] == "read") for each in made} == {1}
    names = {plan.change.argument for plan in PROBE.fixed(subject, [call(example)])}
    assert names == {None, "files[0].path", "mode"}


def test_examples_go_before_other_calls_and_those_that_failed_are_left_out(subject):
    seen = [call({"path": "a"}, result=BAD), call({"path": "b", "n": 1}), call({"path": "c"}, "minimal")]
    assert {each["n"] for each in sent(subject, *seen)} == {1}
    assert sent(subject, seen[0], seen[2])


def test_no_more_texts_than_eight_are_replaced_and_that_is_said(subject):
    seen = call({letter: letter for letter in "abcdefghij"})
    planned = list(PROBE.fixed(subject, [seen]))
    assert {plan.change.argument for plan in planned} - {None} == {*"abcdefgh"}
    made = [seen, *(Call(plan, Outcome.RETURNED, 5.0, BAD) for plan in planned)]
    shortfall = PROBE.shortfall(subject, made)
    assert shortfall.reduced_coverage
    assert shortfall.reason == "the paths were not sent for i, j"


def test_nothing_is_planned_without_a_declaration(subject):
    undeclared = replace(subject, settings=replace(subject.settings, confined_to=""))
    assert not sent(undeclared, call({"path": "a"}))
    assert PROBE.shortfall(undeclared, []) is None


def test_a_host_that_plants_nothing_makes_no_call_and_says_so(subject):
    bare = replace(subject, disturbances=frozenset())
    assert not sent(bare, call({"path": "a"}))
    assert PROBE.shortfall(bare, []).rules == ("EXC015",)


def test_no_example_that_worked_is_said(subject):
    assert PROBE.shortfall(subject, [call({"n": 1})]).reason == "no example with a text succeeded: give one"


def test_each_call_is_made_first_while_the_folder_is_empty(subject):
    example = {"path": "a.txt", "mode": "read"}
    plans = list(PROBE.fixed(subject, [call(example), call({"path": "b.txt"})]))
    assert [plan.label == EMPTIED for plan in plans][:3] == [True, True, False]
    assert [json.loads(plan.arguments) for plan in plans[:2]] == [example, {"path": "b.txt"}]
    assert len(controls(subject, call(example), call(example, "example:2"))) == 1


OTHER = changed(GOOD, payload="[]")
ARGUMENTS = {"path": "a.txt"}


def control(result=GOOD, **seen):
    return call(ARGUMENTS, EMPTIED, result, probe="confined", **seen)


def judged_by(subject, *seen, first=GOOD):
    """What is said of the rule, after a call that worked and all its paths were made."""
    first = call(ARGUMENTS, result=first)
    made = [Call(plan, Outcome.RETURNED, 0.001, BAD) for plan in PROBE.fixed(subject, [first])]
    tried = [each for each in made if each.plan.label != EMPTIED]
    return PROBE.shortfall(subject, [first, *seen, *tried])


def test_a_tool_that_answers_alike_with_an_empty_folder_may_work_elsewhere(subject):
    shortfall = judged_by(subject, control(inside=()))
    assert shortfall.rules == ("EXC015",)
    assert not shortfall.reduced_coverage
    assert "the tool may work elsewhere" in shortfall.reason


@pytest.mark.parametrize(
    "shown",
    [
        {"result": BAD},
        {"result": OTHER},
        {"inside": ("notes/a.txt",)},
        {"result": None, "left_out": "the tool cannot be loaded"},
    ],
    ids=["it fails", "it answers otherwise", "it writes there", "it cannot be loaded"],
)
def test_what_is_another_with_an_empty_folder_shows_that_the_tool_works_there(subject, shown):
    assert judged_by(subject, control(**shown)) is None


def test_an_answer_that_is_never_the_same_shows_nothing(subject):
    varying = [call(ARGUMENTS, "same:1:2", changed(GOOD, payload=text), probe="repeat") for text in "12"]
    assert judged_by(subject, *varying, control(OTHER)).rules == ("EXC015",)


def test_an_answer_with_the_path_of_each_processs_own_directory_is_one_answer(subject):
    """A tool that lists files by their whole path works in the folder; one that has the same list without it does not."""
    one, two, three = (changed(GOOD, payload=f'["/tmp/tool-{number}/notes/a.txt"]') for number in (1, 2, 3))
    again = call(ARGUMENTS, "same:1:2", two, probe="repeat")
    assert judged_by(subject, again, control(OTHER), first=one) is None
    assert judged_by(subject, again, control(three), first=one).rules == ("EXC015",)


def test_one_call_that_shows_it_is_enough(subject):
    other = call({"path": "b.txt"}, EMPTIED, BAD, probe="confined")
    assert judged_by(subject, control(), other) is None
