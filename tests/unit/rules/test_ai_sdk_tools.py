"""AIS: what the AI SDK demands of a tool, and no other contract does; and the facts of its tools."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.ai_sdk.facts import AISDKTool
from aptix_conformance.systems.rulebook import all_rules

AIS001 = next(rule for rule in all_rules(others=()) if rule.code == "AIS001")


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
