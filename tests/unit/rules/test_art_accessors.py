"""Reading what is ART's own: whole schemas, whole results, and what JSON loses."""

import pytest
from tests.unit.rules import art_builders as a

from aptix_conformance.systems.art.rules import accessors


def test_a_member_is_read_from_the_whole_schema():
    declared = a.tool(executionMode="display")
    assert accessors.member(declared, "executionMode") == "display"
    assert accessors.member(declared, "outputSchema") is None
    assert accessors.member(a.without_art(), "name") is None


def test_a_schema_is_an_object_or_none():
    assert accessors.schema_of(a.with_schema('{"name": "x"}')) == {"name": "x"}
    for text in (None, "null", "[]", "{", "[" * 200_000):
        assert accessors.schema_of(a.with_schema(text)) is None
        assert accessors.has_schema(a.with_schema(text)) is False


def test_the_whole_result_is_an_object_or_none():
    assert accessors.whole(a.call()) == a.succeeded()
    for result in (a.nothing(), a.unwritten(), a.resolved([1]), a.resolved(None)):
        assert accessors.whole(a.call(result)) is None
    assert accessors.whole(a.threw()) is None


def test_what_cannot_be_read_as_json_is_no_result():
    for text in ("{", "[" * 200_000):
        call = a.call(a.replace(a.resolved({}), facts=a.ArtResult("object", text)))
        assert accessors.whole(call) is None
        assert accessors.is_tool_result(call) is False


def test_a_result_is_told_by_its_members_where_json_can_write_them_and_by_its_status_where_not():
    assert accessors.is_tool_result(a.call(a.unwritten())) is True
    assert accessors.is_tool_result(a.call({"callId": None})) is True
    assert accessors.is_tool_result(a.call(a.resolved({"output": 1}))) is False
    assert accessors.is_tool_result(a.threw()) is False
    assert accessors.is_tool_result(a.call(a.replace(a.unwritten(), facts=None))) is False


def test_a_status_is_one_of_those_asked_for():
    asked = accessors.has_status("success", "suspended")
    assert [asked(a.call(each)) for each in (a.succeeded(), a.suspended(), a.failed())] == [True, True, False]
    assert asked(a.call(a.resolved({"a": 1}))) is False


def test_an_output_may_be_null():
    assert accessors.has_output(a.call(a.succeeded(None))) is True
    assert accessors.has_output(a.call(a.without(a.succeeded(), "output"))) is False
    assert accessors.has_output(a.call(a.failed(output=1))) is False


def test_oddities_are_those_of_one_member():
    oddities = [
        a.Oddity(place, "getter") for place in ("inputSchema", "inputSchema.a", "name", "inputSchema[1]")
    ]
    found = accessors.oddities(a.tool(oddities=oddities), "inputSchema")
    assert [oddity.place for oddity in found] == ["inputSchema", "inputSchema.a", "inputSchema[1]"]
    assert accessors.oddities(a.without_art(), "inputSchema") == []


def test_what_was_not_resolved_has_no_oddities():
    assert accessors.output_oddities(a.threw()) == []
    assert accessors.resolved(a.threw()) is None


@pytest.mark.parametrize(
    "what",
    [
        "class Map",
        "class WeakSet",
        "class WeakRef",
        "class TypeError",
        "class Uint8Array",
        "class NodeBuffer",
    ],
)
def test_objects_whose_content_json_does_not_see_are_lost(what):
    assert accessors.is_lost(a.Oddity("output.x", what)) is True


@pytest.mark.parametrize("what", ["class Date", "class Mapping", "Map", "Error", "class Arrays", "toJSON"])
def test_other_objects_are_kept(what):
    assert accessors.is_lost(a.Oddity("output.x", what)) is False


def test_undefined_is_lost_where_its_place_stays():
    assert accessors.is_lost(a.Oddity("output[1]", "undefined")) is True
    assert accessors.is_lost(a.Oddity("output.x", "undefined")) is False
    assert accessors.is_lost(a.Oddity("output[1]", "-0")) is False


def test_the_name_is_that_of_the_first_reading():
    second = a.tool(name="moon_phases")
    assert accessors.tool_name(a.Exploration((a.tool(), second))) == a.NAME
    assert accessors.tool_name(a.Exploration((second, a.tool()))) == "moon_phases"
    assert accessors.tool_name(a.Exploration()) is None
    assert accessors.tool_name(a.Exploration((a.tool(name=7),))) is None
