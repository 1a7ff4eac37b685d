"""What later probes may build on."""

import pytest

from aptix_conformance.stimuli.probes.planning import argument_label, base_of, repeatable, succeeded


@pytest.fixture
def seen(five_fields, host, explore):
    return explore(five_fields, host(five_fields), "valid")


def test_a_tool_that_answers_equal_calls_alike_is_repeatable(seen):
    assert repeatable(seen)


def test_one_call_that_was_answered_differently_is_enough(seen, five_fields, host):
    refusing = host(five_fields, refuses=lambda _: True)
    changed = [refusing.execute(call.plan) if call.plan.label == "again:full" else call for call in seen]
    assert not repeatable(changed)


def test_calls_that_were_made_once_prove_nothing(seen):
    assert not repeatable([call for call in seen if call.plan.label == "full"])
    assert not repeatable([])


def test_the_base_is_the_first_valid_call_that_succeeded(five_fields, seen, host, explore):
    assert base_of(five_fields, seen).arguments == {"city": "Oslo", "days": 3}
    assert base_of(five_fields, seen).proven
    picky = explore(five_fields, host(five_fields, refuses=lambda made: len(made) < 3), "valid")
    assert "unit" in base_of(five_fields, picky).arguments
    assert all(len(made) >= 3 for made in succeeded(picky))


def test_without_success_the_example_is_the_base_and_then_what_the_schema_makes(five_fields, make_subject):
    assert base_of(five_fields, []).arguments == {"city": "Oslo", "days": 3}
    assert not base_of(five_fields, []).proven
    assert base_of(make_subject(five_fields.schema), []).arguments == {"city": "text", "days": 1}
    assert base_of(make_subject(None), []).arguments == {}


@pytest.mark.parametrize(
    "name", ["plain", "with space", "line\nfeed", "\x00", "\ud800", "\u202e", "x" * 500, ""]
)
def test_names_in_labels_are_printable_and_short(name):
    assert argument_label(name).isprintable()
    assert len(argument_label(name)) <= 60
