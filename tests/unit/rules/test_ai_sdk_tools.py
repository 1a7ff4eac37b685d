"""AIS: what the AI SDK demands of a tool, and no other contract does; and the facts of its tools."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.argument_builders import emitted

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.ai_sdk.facts import AISDKTool
from aptix_conformance.systems.ai_sdk.profile import TRAITS
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=())}
AIS001 = RULES["AIS001"]
EDITION = load().editions["ai-sdk-7"]
PAIR = {"type": "array", "items": [{"type": "number"}, {"type": "number"}], "additionalItems": False}
DRAFT_07 = {"$schema": "http://json-schema.org/draft-07/schema#"}


def returned(lost):
    return b.call(result=replace(b.success("{}"), unserialisable=lost))


@pytest.mark.parametrize("lost", ["NaN at rows[3].total", "class Map at the top"])
def test_a_result_that_json_does_not_hold_is_found_by_what_was_lost(lost):
    (found,) = AIS001.findings(returned(lost))
    assert lost in found.message
    assert found.cause == lost.partition(" at ")[0]


def test_a_result_of_plain_data_is_not():
    assert not list(AIS001.findings(returned(None)))


def test_a_failure_is_not_for_it():
    assert not AIS001.when(b.call(result=b.failure("No.")))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('[{"input": {"a": 1}}, {"input": 3}, 4]', [{"a": 1}]),
        ('{"input": {}}', []),
        ("[", []),
        (None, []),
    ],
)
def test_the_examples_of_a_tool_are_those_whose_input_is_an_object(text, arguments):
    facts = AISDKTool("ai 7.0.173", is_async=True, validates=True, input_examples=text)
    assert [example.arguments for example in facts.examples()] == arguments


@pytest.mark.parametrize("draft", [DRAFT_07, {}])
def test_sch010_takes_the_tuple_that_the_sdk_makes_of_z_tuple(draft):
    """A contract that names no draft is strict: it knows 2020-12 only."""
    declared = emitted(properties={"pair": PAIR}, required=["pair"], **draft)
    assert b.judge("SCH010", replace(declared, traits=TRAITS)) is None
    assert "$.properties.pair.items" in b.judge("SCH010", declared).message


@pytest.mark.parametrize(
    ("fault", "place"),
    [({"minItems": "two"}, "$.properties.pair.minItems"), ({"items": "number"}, "$.properties.pair.items")],
)
def test_sch010_finds_what_no_draft_takes(fault, place):
    declared = emitted(properties={"pair": {**PAIR, **fault}}, required=["pair"], **DRAFT_07)
    assert place in b.judge("SCH010", replace(declared, traits=TRAITS)).message


def test_sch010_finds_a_schema_of_draft_07_that_is_too_deep():
    schema = {"type": "string"}
    for _ in range(200):
        schema = {"type": "object", "properties": {"a": schema}}
    declared = replace(b.declaration(b.with_property(deep=schema)), traits=TRAITS)
    assert "nest more than" in b.judge("SCH010", declared).message


def test_what_the_documentation_only_allows_or_shows_is_advice():
    """z.unknown() and z.record() make parameters without properties, and it says of the signal what one can do with it."""
    advice = ("AIS001", "CAN005", "CAN006", "SCH006", "SCH009", "SCH015")
    assert {RULES[code].level(EDITION) for code in advice} == {Level.SHOULD}
    assert RULES["SCH010"].level(EDITION) is Level.MUST
    assert load().clauses["AIS.1.5"].rules == ("SCH009",)
