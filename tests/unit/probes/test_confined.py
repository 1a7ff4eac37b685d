"""The probe confined: which texts of which calls it replaces, and by which paths."""

import json
from dataclasses import replace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.model import Call, Outcome, Result
from aptix_conformance.probes import ConfinedProbe
from aptix_conformance.probes.confined import paths_outside

PROBE = ConfinedProbe()
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
GOOD = Result("InvokeResult", True, True, "{}", "str")
BAD = Result("InvokeResult", True, False, error_message="No.")


def call(arguments, label="example:1", result=GOOD, seconds=0.001):
    return Call(stimulus("valid", label, json.dumps(arguments), {}), Outcome.RETURNED, seconds, result)


@pytest.fixture
def subject(make_subject):
    made = make_subject(SCHEMA)
    return replace(
        made,
        settings=replace(made.settings, files="/data", confined_to="notes"),
        disturbances=frozenset({"confined"}),
    )


def sent(subject, *seen):
    return [json.loads(plan.arguments) for plan in PROBE.fixed(subject, list(seen))]


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
        "--output=../new-7a90c4d2.txt",
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
    assert names == {"files[0].path", "mode"}


def test_examples_go_before_other_calls_and_those_that_failed_are_left_out(subject):
    seen = [call({"path": "a"}, result=BAD), call({"path": "b", "n": 1}), call({"path": "c"}, "minimal")]
    assert {each["n"] for each in sent(subject, *seen)} == {1}
    assert sent(subject, seen[0], seen[2])


def test_slow_calls_have_one_text_replaced(subject):
    seen = call({"a": "x", "b": "y"}, seconds=5.0)
    assert {each["b"] for each in sent(subject, seen)} == {"y"}
    made = [seen, *(Call(plan, Outcome.RETURNED, 5.0, BAD) for plan in PROBE.fixed(subject, [seen]))]
    shortfall = PROBE.shortfall(subject, made)
    assert shortfall.reduced_coverage
    assert shortfall.reason == "the paths were not sent for b"


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
