"""What all readers of schemas share."""

import pytest

from aptix_conformance.core.schemas.nodes import at_fragment, leads_back, referred, same, type_of

DOCUMENT = {"a/b": [{"c%": 1}], "$defs": {"x": {"$anchor": "here"}}, "": 2}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"), (True, "boolean"), (1, "integer"), (1.0, "integer"), (1.5, "number"),
        ("", "string"), ([], "array"), ({}, "object"), (float("inf"), "number"),
    ],
)  # fmt: skip
def test_a_value_has_the_type_that_json_schema_gives_it(value, name):
    assert type_of(value) == name


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        ([1], [True], False),
        ({"a": 0}, {"a": False}, False),
        ([], {}, False),
    ],
)
def test_equality_is_that_of_json_at_any_depth(one, other, equal):
    assert same(one, other) is equal
    assert same(other, one) is equal


@pytest.mark.parametrize(
    ("fragment", "found"),
    [
        ("", DOCUMENT), ("/a~1b/0/c%25", 1), ("here", {"$anchor": "here"}), ("/", 2),
        ("/a~1b/1", None), ("/a~1b/-", None), ("/a~1b/\u0661", None), ("there", None), ("/none/0", None),
    ],
)  # fmt: skip
def test_a_fragment_names_a_node_by_pointer_or_anchor(fragment, found):
    assert at_fragment(DOCUMENT, fragment, ("$anchor",)) == found


def test_a_reference_leads_back_through_others():
    nodes = {
        "a": {"items": {"$ref": "b"}},
        "b": [{"$ref": "a"}],
        "c": {"$ref": "a"},
        "d": {"$dynamicRef": "d"},
    }
    assert leads_back("a", nodes.get, ("$ref",))
    assert not leads_back("c", nodes.get, ("$ref",))
    assert not leads_back("d", nodes.get, ("$ref",))
    assert leads_back("d", nodes.get, ("$ref", "$dynamicRef"))
    assert not leads_back("gone", nodes.get, ("$ref",))


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#/$defs/x/$anchor", "here"),
        ("#here", {"$anchor": "here"}),
        ("own#/n", 1),
        ("inner#/n", 2),
        ("no#/n", None),
    ],
)
def test_a_reference_names_a_node_of_the_document_or_of_a_resource_in_it(reference, found):
    root = {"$id": "own", "n": 1, "$defs": {"x": {"$anchor": "here"}, "y": {"$id": "inner", "n": 2}}}
    assert referred(root, reference) == found
