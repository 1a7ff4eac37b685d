"""What a schema declares, by path, and what a document has there."""

import pytest

from aptix_conformance.stimuli.generate.schema_members import Members, found_at, join, placed, spoken

ADDRESS = {"type": "object", "properties": {"city": {"type": "string"}, "a/b~c": {"enum": ["x", 1]}}}
SCHEMA = {
    "type": "object",
    "properties": {
        "home": {"$ref": "#/$defs/address"},
        "others": {"type": "array", "items": {"$ref": "#/$defs/address"}},
        "urgent": {"type": "boolean"},
        "free": {"type": "object"},
        "either": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"left": {}}}]},
    },
    "$defs": {"address": ADDRESS},
}


def test_members_are_told_by_path_outer_ones_first():
    assert Members(SCHEMA).paths == (
        "/either", "/free", "/home", "/others", "/urgent",
        "/either/left", "/home/a~1b~0c", "/home/city", "/others/*/a~1b~0c", "/others/*/city",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("", {"home", "others", "urgent", "free", "either"}),
        ("/home", {"city", "a/b~c"}),
        ("/others/*", {"city", "a/b~c"}),
        ("/either", {"left"}),
        ("/free", None),
        ("/urgent", None),
        ("/nowhere/at/all", None),
    ],
)
def test_an_object_declares_names_unless_it_is_open_or_none(path, names):
    assert Members(SCHEMA).declared(path) == names


@pytest.mark.parametrize("keyword", ["additionalProperties", "patternProperties", "unevaluatedProperties"])
def test_an_object_that_lets_others_in_is_open(keyword):
    closed = {"type": "object", "properties": {"a": {}}}
    assert Members(closed).declared("") == {"a"}
    assert Members({**closed, "additionalProperties": False}).declared("") == {"a"}
    assert (
        Members({**closed, keyword: {"x": {}} if keyword.startswith("pattern") else {}}).declared("") is None
    )


def test_a_member_has_the_values_that_are_listed_for_it():
    members = Members(SCHEMA)
    assert members.values("/home/a~1b~0c") == ["x", 1]
    assert members.values("/urgent") == [True, False]
    assert members.values("/home/city") == []


def test_a_schema_that_leads_back_to_itself_has_an_end():
    tree = {"type": "object", "properties": {"name": {}, "child": {"$ref": "#"}}}
    assert Members(tree).paths[:4] == ("/child", "/name", "/child/child", "/child/name")
    assert len(Members(tree).paths) < 20


def test_paths_are_escaped_and_spoken():
    assert join("/home", "a/b~c") == "/home/a~1b~0c"
    assert spoken("/home/a~1b~0c") == "home.a/b~c"
    assert spoken("/others/*/city") == "others[].city"


def test_what_stands_at_a_path_is_found_and_replaced():
    document = {"home": {"city": "Oslo"}, "others": [{"city": "Rome"}, {}, {"city": "Bern"}]}
    assert found_at(document, "/others/*/city") == ["Rome", "Bern"]
    assert found_at(document, "/home/street") == []
    changed = placed(document, "/others/*/city", 1)
    assert changed == {"home": {"city": "Oslo"}, "others": [{"city": 1}, {}, {"city": "Bern"}]}
    assert placed(document, "/home/street", 2)["home"] == {"city": "Oslo", "street": 2}
    assert placed(document, "/garden/city", 3) == document
