"""Probe `malformed` sends what is not JSON, or no object, and says rightly which."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate import is_json_object
from aptix_conformance.stimuli.probes import MalformedProbe
from aptix_conformance.stimuli.probes.mutations import mutate

PROBE = MalformedProbe()


@pytest.fixture
def plans(five_fields):
    return {plan.label: plan for plan in PROBE.fixed(five_fields, [])}


def test_garbage_and_truncations_are_no_json_whatever_the_schema(subject, of):
    plans = list(PROBE.fixed(subject, []))
    for plan in [*of(plans, "garbage:"), *of(plans, "truncated:")]:
        with pytest.raises(json.JSONDecodeError):
            json.loads(plan.arguments)


def test_roots_are_json_and_no_objects(subject, of):
    for plan in of(PROBE.fixed(subject, []), "root:"):
        json.loads(plan.arguments)
        assert not is_json_object(plan.arguments)


def test_mutations_are_no_json_objects(subject, draws):
    for plan in draws(PROBE.drawn(subject, [])):
        assert (plan.label, plan.demand) == ("mutation", "either")
        assert not is_json_object(plan.arguments)


@given(st.binary(max_size=40))
@settings(max_examples=300, database=None, deadline=None)
def test_no_bytes_make_a_mutation_an_object(choices):
    assert not is_json_object(mutate(['{"a": {"b": [1, "x"]}}', "{}"], choices))


def test_the_simplest_mutation_is_the_document_without_its_end():
    assert mutate(['{"a": 1}'], b"") == '{"a": 1'


def test_garbage_and_other_roots_must_be_refused(plans):
    refused = {label for label, plan in plans.items() if plan.demand == "refused"}
    assert {label.partition(":")[0] for label in refused} == {"garbage", "root", "blank"}
    assert {label for label in plans if label.startswith(("garbage:", "root:", "blank:"))} == refused


def test_blank_is_refused_only_where_something_is_required(make_subject, of):
    optional = {"type": "object", "properties": {"n": {"type": "integer"}}}
    defaulted = {**optional, "properties": {"n": {"type": "integer", "default": 3}}, "required": ["n"]}
    for schema in (optional, defaulted):
        plans = list(PROBE.fixed(make_subject(schema), []))
        assert {plan.demand for plan in [*of(plans, "blank:"), *of(plans, "root:null")]} == {"either"}
    plans = list(PROBE.fixed(make_subject({**optional, "required": ["n"]}), []))
    assert {plan.demand for plan in [*of(plans, "blank:"), *of(plans, "root:null")]} == {"refused"}


@pytest.mark.parametrize(
    ("parts", "demand"),
    [
        ({"anyOf": [{"required": ["n"]}, {"required": ["m"]}]}, "refused"),
        ({"minProperties": 1}, "refused"),
        ({"properties": {"o": {"type": "object", "required": ["n"]}}}, "either"),
    ],
)
def test_blank_is_refused_where_the_schema_forbids_the_empty_object(make_subject, of, parts, demand):
    plans = PROBE.fixed(make_subject({"type": "object", "properties": {"n": {}, "m": {}}, **parts}), [])
    assert {plan.demand for plan in of(plans, "blank:")} == {demand}


def test_null_is_the_argument_itself(plans):
    assert plans["blank:null"].arguments is None
    assert plans["root:null"].arguments == "null"


@pytest.mark.parametrize(
    "what",
    [
        "trailing-text", "trailing-comma", "bom", "nan", "infinity", "minus-infinity", "duplicate-key", "unquoted-key",
        "single-quotes", "line-comment", "block-comment", "hex-escape", "short-unicode-escape", "raw-control",
        "surrogate-raw", "surrogate-escaped", "nul-raw", "nul-escaped", "leading-nul", "trailing-nul", "leading-zero",
        "leading-plus", "hexadecimal", "long-integer", "long-float", "huge-exponent", "deep-array", "deep-object",
        "deep-array-in-member", "deep-unclosed-array", "deep-unclosed-in-member", "megabyte-string", "megabyte-garbage",
    ],
)  # fmt: skip
def test_what_parsers_differ_on_is_in_the_corpus_and_may_go_either_way(plans, what):
    assert plans[f"lenient:{what}"].demand == "either"


def test_the_large_are_as_large_as_they_say(plans):
    assert plans["lenient:long-integer"].arguments.count("9") >= 5000
    assert plans["lenient:deep-object-in-member"].arguments.count("{") > 100_000
    assert len(plans["lenient:megabyte-string"].arguments) > 1024 * 1024


def test_what_is_put_into_members_goes_where_its_type_is_declared(plans):
    assert plans["lenient:nan"].arguments == '{"city": "Oslo", "days": NaN}'
    assert plans["lenient:single-quoted"].arguments == """{"days": 3, "city": 'text'}"""


def test_a_narrowed_argument_is_left_as_it_is(make_subject):
    schema = {"type": "object", "properties": {"milliseconds": {"type": "integer"}}}
    narrowing = {"milliseconds": {"maximum": 20, "minimum": 0}}
    subject = make_subject(schema, narrowing=narrowing, examples=[{"milliseconds": 5}])
    plans = {plan.label: plan for plan in PROBE.fixed(subject, [])}
    assert plans["lenient:infinity"].arguments == '{"milliseconds": 5, "extra": Infinity}'


def test_calls_that_succeeded_are_what_is_mutated(five_fields, host, explore, draws):
    seen = explore(five_fields, host(five_fields), "valid")
    texts = [plan.arguments for plan in draws(PROBE.drawn(five_fields, seen))]
    assert any("detailed" in text for text in texts)
    assert any('"city": "x' in text or "Oslo" in text for text in texts)


def test_truncations_are_beginnings_of_objects(plans, of):
    for plan in of(plans.values(), "truncated:"):
        if plan.label != "truncated:without-opening-brace":
            assert plan.arguments.startswith("{")
    assert json.loads(plans["truncated:before-closing-brace"].arguments + "}") == {"city": "Oslo", "days": 3}


def test_a_quick_tool_gets_every_document(five_fields, host, explore, plans):
    seen = explore(five_fields, host(five_fields), "malformed")
    assert {call.plan.label for call in seen if call.plan.probe == "malformed"} == plans.keys()
    assert PROBE.shortfall(five_fields, seen) is None


def test_a_system_that_sends_no_odd_documents_gets_an_empty_object_only(five_fields):
    """What is part of a message cannot be text that breaks the message."""
    declared = five_fields.declaration
    traits = replace(
        declared.traits, given=frozenset({"unchecked"}), unsent_documents="it is part of a message"
    )
    subject = replace(five_fields, declaration=replace(declared, traits=traits))
    assert [plan.label for plan in PROBE.fixed(subject, [])] == ["blank:no-members"]
    assert PROBE.shortfall(subject, []).reason == "it is part of a message"
