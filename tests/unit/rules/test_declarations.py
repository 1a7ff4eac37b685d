"""Reading the parts of a declaration: types behind references and unions, names, required arguments."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.rules.lib import declarations


@pytest.mark.parametrize(
    ("schema", "is_null"),
    [({"type": "null"}, True), ({"enum": [None]}, True), ({"const": None}, True), ({"const": 0}, False)],
)
def test_a_branch_that_is_null_declares_no_type_of_its_own(schema, is_null):
    fault = declarations.type_fault({"anyOf": [{"type": "string"}, schema]}, {})
    assert (fault is None) is is_null


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_every_branch_of_a_union_declares_a_type(keyword):
    assert declarations.type_fault({keyword: [{"type": "string"}, {"type": "integer"}]}, {}) is None
    assert "no type" in declarations.type_fault({keyword: [{"type": "string"}, {}]}, {})
    assert "no type" in declarations.type_fault({keyword: [{}, {"type": "string"}]}, {})


@pytest.mark.parametrize("depth", [1, 16])
def test_a_type_may_stand_behind_as_many_as_sixteen_references(depth):
    definitions = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1, depth)}
    definitions[f"d{depth}"] = {"type": "string"}
    assert declarations.type_fault({"$ref": "#/$defs/d1"}, {"$defs": definitions}) is None


def test_and_not_behind_seventeen():
    definitions = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1, 17)}
    definitions["d17"] = {"type": "string"}
    assert declarations.type_fault({"$ref": "#/$defs/d1"}, {"$defs": definitions})


def test_references_are_unescaped_and_local():
    root = {"$defs": {"a/b~c": {"type": "string"}}}
    assert declarations.type_fault({"$ref": "#/$defs/a~1b~0c"}, root) is None
    assert declarations.type_fault({"$ref": "other.json#/$defs/a~1b~0c"}, root)
    assert declarations.type_fault({"$ref": "#/$defs/a~1b~0c/type/x"}, root)


@pytest.mark.parametrize(("place", "is_readable"), [("0", True), ("1", False), ("x", False)])
def test_a_reference_may_lead_through_a_list(place, is_readable):
    root = {"properties": {"a": {"anyOf": [{"type": "string", "enum": ["x"]}]}}}
    fault = declarations.type_fault({"$ref": f"#/properties/a/anyOf/{place}"}, root)
    assert (fault is None) is is_readable


@pytest.mark.parametrize(("declared", "word"), [(["null"], "['null']"), ([], "[]"), (["string", 7], "7")])
def test_a_list_of_types_has_one_beside_null_and_none_that_is_unknown(declared, word):
    assert word in declarations.type_fault({"type": declared}, {})


@pytest.mark.parametrize(
    ("schema", "requires"),
    [
        ({"properties": {"a": {"default": 1}}, "required": ["a"]}, False),
        ({"properties": {"a": {}}, "required": ["a"]}, True),
        ({"properties": {"a": {"default": 1}, "b": {}}, "required": ["a", "b"]}, True),
        ({"properties": {"a": {}}, "required": []}, False),
        ({"properties": {}, "required": ["a"]}, True),
        ({"properties": {"o": {"properties": {"a": {}}, "required": ["a"]}}, "required": []}, True),
        ({"properties": {"o": {"items": [{"properties": {}, "required": ["a"]}]}}, "required": []}, True),
        ({"properties": {"a": True}, "required": "a"}, False),
        ({"properties": {"a": {}}, "$defs": {"unused": {"required": ["b"]}}}, False),
        ({"properties": {"a": {"$ref": "#/$defs/used"}}, "$defs": {"used": {"required": ["b"]}}}, True),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}, False),
        ({"properties": {"definitions": {"required": ["b"]}}}, True),
    ],
)
def test_something_is_required_where_a_name_has_no_default_at_any_depth(schema, requires):
    declared = b.declaration(b.schema(parameters={"type": "object", **schema}))
    assert declarations.requires_something(declared) is requires


def test_names_of_properties_are_found_at_any_depth():
    inner = {"type": "array", "items": [{"properties": {"deep": {}}}]}
    schema = {"properties": {"a": inner, "b": {"properties": "none"}}, "anyOf": [{"properties": {"c": {}}}]}
    assert set(declarations.property_names(schema)) == {"a", "b", "deep", "c"}


@pytest.mark.parametrize(
    ("name", "annotation", "kind", "takes"),
    [
        ("logger", "", "positional", True),
        ("log", "AdminLogger", "positional", True),
        ("options", "", "var_keyword", True),
        ("catalog", "Catalog", "positional", False),
        ("rest", "", "var_positional", False),
    ],
)
def test_the_logger_is_known_by_name_or_type_and_taken_by_who_takes_anything(name, annotation, kind, takes):
    declared = b.declaration(constructor=(b.Parameter(name, kind, True, annotation),))
    assert declarations.takes_the_logger(declared) is takes


def test_a_schema_is_a_functions_by_its_type_or_its_parameters():
    for schema, expected in [
        ({"type": "function"}, True),
        ({"parameters": {}}, True),
        ({"type": "tool"}, False),
        ({"type": "function", "function": {}}, False),
    ]:
        assert declarations.is_function(b.declaration(schema)) is expected
    assert not declarations.is_function(b.declaration("[]"))


def test_what_a_schema_cannot_be_read_for_is_told():
    raised = b.declaration(schema=b.SchemaReading("raised", None, "boom"))
    assert declarations.emitted(raised).fault == "boom"
    empty = b.declaration(schema=b.SchemaReading("returned", None, None))
    assert declarations.emitted(empty).fault == "returned"


def test_a_union_that_refers_to_itself_declares_no_type_that_could_be_read():
    root = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}
    assert "could be read" in declarations.type_fault({"$ref": "#/$defs/a"}, root)


def test_a_type_may_stand_in_as_many_as_sixteen_unions():
    schema = {"type": "string"}
    for _ in range(16):
        schema = {"anyOf": [schema, {"type": "null"}]}
    assert declarations.type_fault(schema, {}) is None
    assert declarations.type_fault({"anyOf": [schema]}, {})


def test_of_several_unknown_types_the_first_is_named():
    assert "'text'" in declarations.type_fault({"type": ["text", "int"]}, {})


def test_a_type_may_stand_in_one_of_as_many_as_sixteen_parts():
    schema = {"type": "string"}
    for _ in range(16):
        schema = {"allOf": [{}, schema]}
    assert declarations.type_fault(schema, {}) is None
    assert declarations.type_fault({"allOf": [schema]}, {})


def test_a_type_is_missing_where_no_part_has_one():
    assert declarations.type_fault({"allOf": [{}, {"description": "A name."}]}, {}) == "declares no type"
    assert declarations.type_fault({"allOf": [{"type": "string"}]}, {}) is None
