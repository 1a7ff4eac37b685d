"""A tool that refuses everything is tried with the values that its refusals, descriptions and files name."""

import json
from dataclasses import replace

import pytest

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.stimuli.probes import ValidProbe
from aptix_conformance.stimuli.probes.authors_world import KNOWN, MOST_CALLS

TEXT = {"type": "string"}


def schema_of(**properties):
    return {"type": "object", "properties": properties, "required": sorted(properties)}


@pytest.fixture
def explored(make_subject):
    """The calls of the probe `valid` of a tool in memory; `why` says why it refuses arguments, None where it does not."""

    def explore(schema, why, files=(), ended=Outcome.RETURNED, network=()):
        calls = []
        for plan in ValidProbe().fixed(replace(make_subject(schema), file_names=files), calls):
            said = why(json.loads(plan.arguments))
            result = Result("InvokeResult", True, said is None, None if said else "{}", error_message=said)
            calls.append(Call(plan, ended, 0.0, result, network=network))
        return calls

    return explore


def tried(calls):
    return [json.loads(call.plan.arguments) for call in calls if call.plan.change.detail == KNOWN]


def test_a_value_that_a_refusal_names_is_sent_before_anything_else(explored):
    said = "The city is not known. Known are: Oslo, Rome."
    calls = explored(schema_of(city=TEXT), lambda found: None if found["city"] == "Rome" else said)
    assert tried(calls) == [{"city": "Oslo"}, {"city": "Rome"}]
    kinds = [call.plan.kind for call in calls]
    assert "boundary" not in kinds[: [call.plan.change.detail for call in calls].index(KNOWN)]


def test_one_value_after_the_other_is_found(explored):
    def why(found):
        if found["city"] not in ("Oslo", "Rome"):
            return "city is unknown. Known are: Oslo, Rome."
        return None if found["unit"] == "km" else "unit must be one of 'm', 'km'."

    calls = explored(schema_of(city=TEXT, unit=TEXT), why)
    assert tried(calls)[-1] == {"city": "Oslo", "unit": "km"}
    assert any(call.succeeded for call in calls)


@pytest.mark.parametrize(
    ("schema", "files", "wanted"),
    [
        (schema_of(unit={**TEXT, "description": "Units: m, km, mi"}), (), {"unit": "km"}),
        (schema_of(coupon={**TEXT, "description": "Such as SPRING10."}), (), {"coupon": "SPRING10"}),
        (schema_of(name=TEXT), ("a.txt", "b/c.txt"), {"name": "b/c.txt"}),
        (schema_of(size={"type": "integer", "description": "Sizes: 36, 38, 40."}), (), {"size": 38}),
    ],
)
def test_descriptions_and_files_name_values_too(explored, schema, files, wanted):
    calls = explored(schema, lambda found: None if found == wanted else "There is no such thing.", files)
    assert tried(calls)[-1] == wanted


def test_a_tool_that_answered_a_call_gets_none(explored):
    """What works already needs no help, so that no tool that works gets more calls."""
    known = {**TEXT, "description": "Units: m, km, mi"}
    assert tried(explored(schema_of(unit=known), lambda found: None)) == []


@pytest.mark.parametrize("members", [{"ended": Outcome.TIMED_OUT}, {"network": ("bank.example:443",)}])
def test_what_fails_for_another_reason_than_its_arguments_gets_none(explored, members):
    assert tried(explored(schema_of(unit=TEXT), lambda _: "Known are: a, b", **members)) == []


def test_their_number_is_bounded_and_none_is_sent_twice(explored):
    numbers = iter(range(10**9))
    words = ", ".join("abcdefgh")
    schema = schema_of(**{f"p{n}": TEXT for n in range(9)})
    found = tried(explored(schema, lambda _: f"{next(numbers) * 'x'} Known are: {words}"))
    assert len({json.dumps(each) for each in found}) == len(found) == MOST_CALLS
