"""A schema is usable or there is a sentence that says why not; nothing is raised."""

import json

import pytest

from aptix_conformance.core.model import Constant, Declaration, Member, SchemaReading
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.systems.art.traits import TRAITS as ART


def declaration(text, outcome="returned"):
    constant, member = Constant("X", "plain", "x", "str"), Member("x", "property")
    reading = SchemaReading(outcome, text, None if outcome == "returned" else "it said no")
    fields = {
        "class_name": "T", "module": "m", "when": "start", "tool_name": constant, "usage_text": constant,
        "get_schema": member, "schema": reading, "schema_again": reading, "name": member,
        "is_tool_fully_executed_on_server": member, "execute": member, "constructor": (), "construction_error": None,
    }  # fmt: skip
    assert set(fields) <= set(Declaration.__struct_fields__)
    return Declaration(**fields)


def test_the_parameters_are_found_at_the_top_and_inside_function():
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    flat = {"type": "function", "name": "t", "parameters": parameters}
    for emitted in (flat, {"type": "function", "function": flat}):
        assert usable_schema(declaration(json.dumps(emitted))) == (parameters, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no object named parameters"),
        ('{"parameters": true}', "no object named parameters"),
        ('{"function": 1}', "no object named parameters"),
        ('{"parameters": {"type": "strng"}}', "no usable JSON Schema"),
        ('{"parameters": {"properties": {"a": {"pattern": "("}}}}', "no usable JSON Schema"),
        ('{"parameters": {"properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}}}', "no usable JSON Schema"),
        ('{"parameters": {"properties": {"a": {"$ref": "file:///etc/hostname"}}}}', "no usable JSON Schema"),
        ('{"parameters": {"properties": {"\\ud800": {}}}}', "no usable JSON Schema"),
        ('{"parameters": ' + '{"not":' * 100 + "{}" + "}" * 100 + "}", "levels deep"),
        ('{"parameters": {"minProperties": ' + "9" * 5000 + "}}", "no JSON"),
        (" " * 1_000_001, "characters"),
    ],
    ids=lambda value: value[:40],
)
def test_what_cannot_be_used_is_explained(text, said):
    schema, reason = usable_schema(declaration(text))
    assert schema is None
    assert said in reason


def test_a_schema_that_could_not_be_read_is_explained():
    assert usable_schema(declaration(None, "raised")) == (None, "the tool gave no schema: it said no")


def test_a_schema_that_is_not_there_is_said_once():
    missing = replace(
        declaration(None, "not_callable"), schema=SchemaReading("not_callable", error="there is no schema")
    )
    assert usable_schema(missing) == (None, "there is no schema")


TUPLE = {"properties": {"a": {"type": "array", "items": [{"type": "number"}], "additionalItems": False}}}
WRITTEN_ANEW = {"properties": {"a": {"type": "array", "prefixItems": [{"type": "number"}], "items": False}}}


def test_a_schema_of_draft_07_is_usable_where_it_says_so_and_where_it_is_of_an_art_tool():
    """Others that declare nothing are of 2020-12, in which it is a fault."""
    plain = declaration(json.dumps({"parameters": TUPLE}))
    declared = declaration(
        json.dumps({"parameters": {"$schema": "http://json-schema.org/draft-07/schema#", **TUPLE}})
    )
    assert usable_schema(declared) == (WRITTEN_ANEW, None)
    assert usable_schema(replace(plain, traits=ART)) == (WRITTEN_ANEW, None)
    assert usable_schema(plain)[0] is None
