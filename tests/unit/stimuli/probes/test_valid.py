"""Probe `valid` sends what the schema allows, and the author's examples whatever it allows."""

import json

from jsonschema import Draft202012Validator

from aptix_conformance.stimuli.probes import ValidProbe

PROBE = ValidProbe()


def test_every_planned_object_is_valid(subject, draws):
    judge = Draft202012Validator(subject.schema)
    for plan in [*PROBE.fixed(subject, []), *draws(PROBE.drawn(subject, []), 60)]:
        judge.validate(json.loads(plan.arguments))


def test_examples_come_first_and_must_be_accepted(five_fields):
    first = next(PROBE.fixed(five_fields, []))
    assert (first.label, first.demand, json.loads(first.arguments)) == (
        "example:1",
        "accepted",
        {"city": "Oslo", "days": 3},
    )


USAGE = 'Good usage:\n- {"n": 7}\n- {"n": "x"}\n'


def test_the_examples_of_a_usage_text_are_sent_twice_where_the_schema_allows_them(make_subject, of):
    subject = make_subject({"type": "object", "properties": {"n": {"type": "integer"}}}, usage=USAGE)
    plans = list(PROBE.fixed(subject, []))
    assert [(plan.arguments, plan.demand) for plan in of(plans, "declared:")] == [('{"n": 7}', "either")]
    assert [plan.arguments for plan in of(plans, "again:declared:")] == ['{"n": 7}']
    assert [plan.label for plan in plans[:3]] == ["minimal", "full", "declared:1"]


def test_an_author_who_configures_examples_is_not_taken_at_the_word_of_the_usage_text(make_subject, of):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    subject = make_subject(schema, examples=[{"n": 3}], usage=USAGE)
    assert of(PROBE.fixed(subject, []), "declared:") == []


def test_an_example_against_the_schema_is_sent_all_the_same(make_subject, of):
    subject = make_subject(
        {"type": "object", "properties": {"n": {"type": "integer"}}}, examples=[{"n": "x"}]
    )
    assert of(PROBE.fixed(subject, []), "example:1")[0].arguments == '{"n": "x"}'


def test_nothing_but_an_example_must_be_accepted(five_fields, draws):
    plans = [*PROBE.fixed(five_fields, []), *draws(PROBE.drawn(five_fields, []), 30)]
    assert {plan.kind for plan in plans if plan.demand != "either"} == {"example"}


def test_examples_and_made_objects_are_sent_a_second_time(five_fields, of):
    plans = list(PROBE.fixed(five_fields, []))
    once = {plan.label: plan for plan in plans}
    for again in of(plans, "again:"):
        first = once[again.label.removeprefix("again:")]
        assert again.arguments == first.arguments
        assert again.context != first.context
    assert len(of(plans, "again:")) == 3


def test_a_large_schema_is_not_gone_through_to_the_end(make_subject):
    many = {f"p{n}": {"type": "boolean"} for n in range(100)}
    subject = make_subject({"type": "object", "properties": many})
    assert "100 properties" in PROBE.shortfall(subject, []).reason
    assert len(list(PROBE.fixed(subject, []))) < 200


def test_narrowed_arguments_keep_to_their_narrowing(make_subject, draws):
    schema = {"type": "object", "properties": {"milliseconds": {"type": "integer"}}}
    subject = make_subject(schema, narrowing={"milliseconds": {"minimum": 0, "maximum": 20}})
    for plan in [*PROBE.fixed(subject, []), *draws(PROBE.drawn(subject, []), 60)]:
        assert 0 <= json.loads(plan.arguments).get("milliseconds", 0) <= 20
