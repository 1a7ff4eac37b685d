"""No call asks a tool to wait for longer than a second, unless the author shows or says that it may."""

import pytest

from aptix_conformance.stimuli.generate import Arguments
from aptix_conformance.stimuli.generate.waits import bounded_waits


def schema(name, **node):
    return {"type": "object", "properties": {name: {"type": "number", **node}}, "required": [name]}


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("delay", 1),
        ("delay_ms", 1000),
        ("delaySeconds", 1),
        ("retry_wait_milliseconds", 1000),
        ("sleep_for", 1),
    ],
)
def test_an_argument_that_asks_for_a_wait_is_bounded_in_its_unit(name, most):
    assert bounded_waits(schema(name)) == {name: {"maximum": most}}


@pytest.mark.parametrize("name", ["seconds", "delays", "delay_reason", "waiter", "await"])
def test_another_argument_is_not(name):
    assert bounded_waits(schema(name)) == {}


def test_a_description_says_of_a_number_of_seconds_that_it_is_a_wait():
    assert bounded_waits(schema("seconds", description="How long to sleep.")) == {"seconds": {"maximum": 1}}
    assert bounded_waits(schema("milliseconds", description="The delay.")) == {
        "milliseconds": {"maximum": 1000}
    }
    assert bounded_waits(schema("seconds", description="Where the clip begins.")) == {}


@pytest.mark.parametrize("node", [{"minimum": 5}, {"enum": [10, 20]}, {"type": "string"}, {"multipleOf": 7}])
def test_what_cannot_be_as_short_is_not_bounded(node):
    assert bounded_waits(schema("delay", **node)) == {}


def test_an_example_shows_that_it_may_be_longer():
    assert bounded_waits(schema("delay"), [{"delay": 3}, {"delay": "long"}]) == {"delay": {"maximum": 3}}


def test_calls_ask_for_no_longer_wait_and_the_schema_still_allows_one():
    arguments = Arguments(schema("delay_ms", minimum=0, maximum=60_000))
    assert not arguments.judge.admits({"delay_ms": 1001})
    assert arguments.judge.allows({"delay_ms": 60_000})
    assert not arguments.judge.forbids({"delay_ms": 60_000})
    told = Arguments(schema("delay_ms"), {"delay_ms": {"maximum": 5000}})
    assert told.judge.admits({"delay_ms": 5000})


@pytest.mark.parametrize("bound", [{"maximum": 0.2}, {"maximum": 1}, {"exclusiveMaximum": 1}])
def test_where_the_schema_has_a_bound_as_low_there_is_none(bound):
    assert bounded_waits(schema("delay", **bound)) == {}
