"""Our reading of what Ajv's strict mode refuses.

tests/process/rules/test_ajv.py asks Ajv itself about the same table.
"""

import json
from pathlib import Path

import pytest

from aptix_conformance.systems.art.rules.strict_schema import strict_fault

TABLE = json.loads((Path(__file__).parents[2] / "data" / "ajv_strict_mode.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("schema", TABLE["compiled"].values(), ids=TABLE["compiled"])
def test_what_compiles_is_not_complained_of(schema):
    assert strict_fault(schema) is None


@pytest.mark.parametrize("schema", TABLE["refused"].values(), ids=TABLE["refused"])
def test_what_does_not_compile_is_complained_of(schema):
    assert strict_fault(schema)


def test_of_several_unknown_keywords_the_first_is_named():
    assert "'aaa'" in strict_fault({"type": "object", "zzz": 1, "aaa": 1})


@pytest.mark.parametrize("keyword", ["properties", "patternProperties", "definitions", "dependencies"])
def test_schemas_under_names_are_judged_too(keyword):
    assert "'odd'" in strict_fault({"type": "object", keyword: {"a": {"odd": 1}}})


def test_what_only_looks_like_a_place_for_schemas_is_data():
    assert strict_fault({"type": "object", "default": {"a": {"odd": 1}}}) is None
    assert strict_fault({"type": "object", "dependencies": {"a": ["b"]}}) is None


def test_a_fault_below_the_root_has_its_place():
    assert strict_fault({"type": "object", "properties": {"a": {"odd": 1}}}).endswith("(at /properties/a)")
    assert "(at" not in strict_fault({"type": "object", "odd": 1})


def test_a_schema_too_deep_to_be_read_is_said_to_be():
    schema = {"type": "object"}
    for _ in range(300):
        schema = {"not": schema}
    assert "too deep" in strict_fault(schema)


def test_a_schema_that_names_another_file_is_not_fetched(tmp_path):
    elsewhere = tmp_path / "tides.json"
    elsewhere.write_text('{"type": "object"}', encoding="utf-8")
    assert strict_fault({"properties": {"tides": {"$ref": elsewhere.as_uri()}}})


@pytest.mark.parametrize(("asked", "overlaps"), [(True, False), ({}, False), (False, True)])
def test_a_pattern_that_asks_for_nothing_does_not_overlap(asked, overlaps):
    schema = {"properties": {"ab": {}}, "patternProperties": {"^a": asked}}
    assert (strict_fault(schema) is not None) is overlaps


def test_a_pattern_that_python_cannot_read_hides_no_other():
    patterns = {"(?<first>^b)": {"type": "string"}, "^a": {"type": "string"}}
    schema = {"properties": {"ab": {}}, "patternProperties": patterns}
    assert "its pattern '^a' matches" in strict_fault(schema)


def test_a_fault_in_one_of_several_schemas_has_its_number():
    assert strict_fault({"allOf": [{}, {"odd": 1}]}).endswith("(at /allOf/1)")
    assert strict_fault({"items": {"odd": 1}}).endswith("(at /items)")
