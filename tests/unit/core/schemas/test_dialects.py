"""Schemas of older drafts in the words of 2020-12: the same values are allowed, and nothing else is touched."""

import copy

import jsonschema_rs
import pytest

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.schemas.dialects import as_2020_12

DRAFT_04, DRAFT_06, DRAFT_07 = (f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7))
NEW = "https://json-schema.org/draft/2020-12/schema"
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
PAIR = [NUMBER, TEXT]

VALUES = (
    *(
        None,
        True,
        0,
        1,
        5,
        9,
        -1,
        "",
        "a",
        [],
        [1],
        [1, "a"],
        ["a", 1],
        [1, "a", 2],
        [1, "a", "b"],
        [[1], "a"],
    ),
    *({}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": "x", "b": [1, "a"]}, {"c": {"a": 1}}, {"p": [1, 1]}),
    *(
        {"p": [1, "a"]},
        {"p": [1, "a"], "q": "a"},
        {"p": [1, "a"], "q": 1},
        {"q": 1},
        {"q": "a"},
        {"tree": ["a"]},
    ),
    *({"tree": [1, [1, ["a"]]]}, {"tree": [1, [1, [2]]]}),
)
SCHEMAS = {
    "a fixed list": {"items": PAIR, "additionalItems": False},
    "a list with a beginning": {"items": PAIR, "additionalItems": TEXT},
    "additionalItems beside one schema for all": {"items": NUMBER, "additionalItems": False},
    "a list in a list": {"items": [{"items": [NUMBER]}, TEXT]},
    "dependencies of both kinds": {"dependencies": {"a": ["b"], "b": {"minProperties": 2}, "c": {"not": {}}}},
    "dependencies inside": {"properties": {"c": {"dependencies": {"a": ["b"]}}}},
    "a definition": {
        "properties": {"p": {"$ref": "#/definitions/x~1y"}},
        "definitions": {"x/y": {"items": PAIR}},
    },
    "a reference into a list": {
        "properties": {"p": {"items": PAIR}, "q": {"$ref": "#/properties/p/items/1"}},
    },
    "a reference into a list under an odd name": {
        "properties": {"p": {"$ref": "#/definitions/x~1y%20z/items/0"}},
        "definitions": {"x/y z": {"items": [{"type": "object"}]}},
    },
    "a reference to what comes after a list": {
        "properties": {"p": {"items": PAIR, "additionalItems": NUMBER}},
        "additionalProperties": {"$ref": "#/properties/p/additionalItems"},
    },
    "a reference into dependencies": {
        "dependencies": {"a": {"required": ["b"]}},
        "properties": {"c": {"$ref": "#/dependencies/a"}},
    },
    "a definition with itself in a list": {
        "properties": {"tree": {"$ref": "#/definitions/t"}},
        "definitions": {"t": {"type": "array", "items": [NUMBER, {"$ref": "#/definitions/t"}]}},
    },
    "a keyword as the name of an argument": {"properties": {"items": NUMBER, "dependencies": TEXT}},
    "lists under every other keyword": {
        "anyOf": [{"not": {"items": PAIR}}, {"oneOf": [{"allOf": [{"items": [TEXT]}]}]}],
        "patternProperties": {"p": {"items": [TEXT]}},
    },
    "keywords that came later": {"dependentRequired": {"a": ["b"]}, "prefixItems": PAIR, "minContains": 3},
}


def allowed(schema):
    """Which of the values a schema allows, by a validator for the draft that it declares."""
    validator = jsonschema_rs.validator_for(schema, offline=True)
    return [value for value in VALUES if validator.is_valid(value)]


@pytest.mark.parametrize("draft", [DRAFT_04, DRAFT_06, DRAFT_07])
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_of_an_older_draft_allows_what_it_did(name, draft):
    """A validator of the old draft and one of 2020-12 agree; what was given is not changed."""
    given = {"$schema": draft, **SCHEMAS[name]}
    before = copy.deepcopy(given)
    written = as_2020_12(given)
    assert given == before
    assert "$schema" not in written
    assert allowed({"$schema": NEW, **written}) == allowed(given)


@pytest.mark.parametrize(
    "schema",
    [
        {"minimum": 1, "exclusiveMinimum": True, "maximum": 5, "exclusiveMaximum": True},
        {"minimum": 1, "exclusiveMinimum": False},
        {"maximum": 9, "exclusiveMaximum": False},
        {"const": 1},
        {"id": "http://example.com/x", "properties": {"p": {"$ref": "http://example.com/x#/definitions/l/items/0"}},
         "definitions": {"l": {"items": [{"items": PAIR}]}}},
        {"properties": {"p": {"$ref": "#here"}, "id": TEXT}, "definitions": {"l": {"id": "#here", "items": PAIR}}},
    ],
)  # fmt: skip
def test_draft_04_says_some_things_in_its_own_way(schema):
    """Bounds that are left out by true and false, `id`, and no `const`."""
    given = {"$schema": DRAFT_04, **schema}
    assert allowed({"$schema": NEW, **as_2020_12(given)}) == allowed(given)


def test_an_anchor_of_draft_07_is_one():
    """`$id` with only a fragment names a place."""
    given = {
        "$schema": DRAFT_07,
        "properties": {"q": {"$ref": "#text"}},
        "definitions": {"t": {"$id": "#text", **TEXT}},
    }
    assert allowed({"$schema": NEW, **as_2020_12(given)}) == allowed(given)


def test_who_declares_no_draft_is_read_as_whoever_knows_says():
    """ART reads draft 07 where nothing is declared; elsewhere that is 2020-12, and a list under `items` is a fault."""
    assert as_2020_12({"items": PAIR}, "draft-07") == {"prefixItems": PAIR}
    assert as_2020_12({"items": PAIR}) == {"items": PAIR}
    assert as_2020_12({"$schema": NEW, "items": PAIR}, "draft-07") == {"$schema": NEW, "items": PAIR}
    assert as_2020_12({"prefixItems": PAIR}, "draft-07") == {"prefixItems": PAIR}


def test_dependencies_are_written_anew_in_every_draft():
    """2020-12 has no such keyword, and validators keep it; it joins what is there by its new name."""
    given = {
        "dependencies": {"a": ["b", "c"], "b": TEXT},
        "dependentRequired": {"a": ["c", "d"]},
        "dependentSchemas": {"b": NUMBER},
    }
    assert as_2020_12(given) == {
        "dependentRequired": {"a": ["c", "d", "b"]},
        "dependentSchemas": {"b": {"allOf": [NUMBER, TEXT]}},
    }


@pytest.mark.parametrize("malformed", [5, True, [{}], {"b": 1}, "b"])
def test_what_is_malformed_under_the_new_name_of_a_dependency_stays_for_the_validator(malformed):
    given = {"dependencies": {"a": ["b"]}, "dependentRequired": {"a": malformed}}
    assert as_2020_12(given) == {"dependentRequired": {"a": malformed}}


@pytest.mark.parametrize(
    "schema",
    [
        {"dependencies": {"a": "b"}},
        {"dependencies": [1]},
        {"items": [], "additionalItems": NUMBER},
        {"properties": [{"items": PAIR}]},
        {"exclusiveMinimum": True},
        {"$id": "#/no/anchor"},
        {"enum": [{"items": [1], "dependencies": {"a": ["b"]}}], "default": {"additionalItems": 1}},
    ],
)
def test_what_is_no_schema_of_its_draft_or_no_schema_at_all_is_left_alone(schema):
    """A validator is to refuse it as it was written; values are no schemas, whatever they look like."""
    assert as_2020_12({"$schema": DRAFT_07, **schema}) == schema


@pytest.mark.parametrize("schema", [True, None, [], "x"])
def test_what_is_no_object_is_given_back(schema):
    """The one who judges it says what it is."""
    assert as_2020_12(schema, "draft-07") is schema


def test_keywords_beside_a_reference_stay():
    """Ajv looks at them in draft 07 too."""
    given = {"definitions": {"t": TEXT}, "$ref": "#/definitions/t", "minLength": 2}
    assert as_2020_12({"$schema": DRAFT_07, **given}) == given


def test_what_nests_without_end_is_an_error_of_ours():
    """No stack overflows."""
    schema = {}
    for _ in range(5_000):
        schema = {"not": schema}
    with pytest.raises(RecordError, match="flatten it"):
        as_2020_12(schema)
