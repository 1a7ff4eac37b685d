"""What holds for comparisons of all kinds: hostile schemas, several tools, witnesses made small."""

import pytest

from aptix_conformance.core.schemas.diff import ChangeClass, ToolSchema, compare, compare_all, promised
from aptix_conformance.core.schemas.diff.witness import smallest
from aptix_conformance.stimuli.generate.witness import find_witness

TEXT = {"type": "string"}


def compared(old, new):
    return compare(
        ToolSchema({"name": "t", "parameters": old}),
        ToolSchema({"name": "t", "parameters": new}),
        find_witness,
    )


def an_object(**properties):
    return {"type": "object", "properties": properties}


def nested(depth):
    node = TEXT
    for _ in range(depth):
        node = an_object(a=node)
    return node


DOUBLING = {
    "$defs": {
        **{
            f"d{i}": an_object(a={"$ref": f"#/$defs/d{i + 1}"}, b={"$ref": f"#/$defs/d{i + 1}"})
            for i in range(40)
        },
        "d40": TEXT,
    },
    "$ref": "#/$defs/d0",
}
HOSTILE = {
    "no schema": {"type": "strin"},
    "a list": [],
    "a text": "object",
    "properties are a list": {"type": "object", "properties": []},
    "a remote reference": {"$ref": "https://example.com/schema.json"},
    "a reference to nothing": {"$ref": "#/$defs/none"},
    "a reference to itself": {"$ref": "#"},
    "references that double": DOUBLING,
    "nested without end": nested(3_000),
    "a dynamic reference": {"$dynamicRef": "#x", "$defs": {"x": {"$dynamicAnchor": "x"}}},
    "a lone surrogate": an_object(a={"const": "\ud800"}),
    "numbers past every float": an_object(a={"type": "integer", "minimum": 10**400, "multipleOf": 10**30}),
    "lengths with a fraction that is none": an_object(
        a={"type": "string", "minLength": 2.0, "maxLength": 4.0},
        b={"type": "array", "minItems": 1.0, "maxItems": 3.0},
    ),
    "counts past all memory": an_object(
        a={"type": "string", "minLength": 10**12},
        b={"type": "array", "minItems": 10**12},
        c={"minProperties": 10**12},
    ),
    "a pattern that takes for ever": an_object(a={"type": "string", "pattern": "^(a+)+$"}),
    "a pattern that is none": an_object(a={"type": "string", "pattern": "("}),
    "many alternatives": an_object(
        a={"anyOf": [an_object(**{f"k{i}": {"enum": [i, j]} for i in range(20)}) for j in range(60)]}
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_compared_or_unknown_and_never_compatible_unseen(name):
    """On either side: no exception, no end of memory, and a verdict."""
    plain = an_object(a=TEXT)
    for pair in ((plain, HOSTILE[name]), (HOSTILE[name], plain)):
        found = compared(*pair)
        assert found.changes
        assert (found.witness is None) == (found.change_class is not ChangeClass.BREAKING)


def test_what_cannot_be_read_is_unknown_unless_it_is_the_same():
    """Nothing is known of a schema that is none, and it did not change."""
    wrong = {"type": "strin"}
    assert compared(wrong, an_object()).change_class is ChangeClass.UNKNOWN
    assert compared(wrong, dict(wrong)).change_class is ChangeClass.IDENTICAL


def test_tools_are_paired_by_name_and_renamed_ones_by_their_arguments():
    """Removed, added, renamed, unchanged."""

    def tools(**parameters):
        return {name: ToolSchema({"name": name, "parameters": schema}) for name, schema in parameters.items()}

    old = tools(kept=an_object(), gone=an_object(x=TEXT), before=an_object(city=TEXT))
    new = tools(kept=an_object(), come=an_object(y={"type": "null"}), after=an_object(city=TEXT))
    found = {
        comparison.tool: comparison
        for comparison in compare_all(old, new, lambda one, other: compare(one, other, find_witness))
    }
    codes = {name: [change.code for change in comparison.changes] for name, comparison in found.items()}
    assert codes == {
        "kept": [],
        "gone": ["tool-removed"],
        "come": ["tool-added"],
        "after": ["tool-renamed"],
    }
    classes = {name: comparison.change_class.label for name, comparison in found.items()}
    assert classes == {"kept": "identical", "gone": "breaking", "come": "compatible", "after": "breaking"}


def test_one_tool_on_each_side_is_the_same_tool_whatever_its_name():
    """So that a renamed tool with another argument is reported as both."""
    old = {"a": ToolSchema({"name": "a", "parameters": an_object(x=TEXT)})}
    new = {"b": ToolSchema({"name": "b", "parameters": an_object()})}
    (found,) = compare_all(old, new, lambda one, other: compare(one, other, find_witness))
    assert [change.code for change in found.changes] == ["tool-renamed", "argument-removed"]


def test_a_witness_holds_nothing_that_it_need_not():
    """Required arguments and the one that is refused, as short as they can be."""
    old = {**an_object(city=TEXT, unit=TEXT, tags={"type": "array", "items": TEXT}), "required": ["city"]}
    new = {**an_object(city=TEXT, unit={"type": "string", "minLength": 3}, tags={}), "required": ["city"]}
    assert compared(old, new).witness == {"city": "", "unit": ""}


def test_a_value_is_made_smaller_in_every_part():
    """Members, items, texts and numbers."""
    start = {"a": ["long", "longer"], "b": {"c": 512.0, "d": "x"}, "e": True}

    def proves(value):
        below = value.get("b")
        return isinstance(value.get("a"), list) and isinstance(below, dict) and below.get("c", 0) > 8

    found = smallest(start, proves)
    assert found == {"a": [], "b": {"c": 9}}


def test_a_value_is_made_smaller_by_what_is_inside_of_it():
    """An object that holds another like it, and so on."""
    inside = {"n": {"n": {"n": None}}}
    assert smallest(inside, lambda value: "None" in str(value) and isinstance(value, dict)) == {"n": None}


@pytest.mark.parametrize("least", [6, 12_345, 10**15 + 1])
def test_a_number_and_a_text_are_made_as_small_as_they_can_be(least):
    """However far away the search began."""
    assert smallest({"a": 10**400}, lambda value: value.get("a", 0) >= least) == {"a": least}
    if least < 10**6:
        found = smallest({"a": "x" * 50_000}, lambda value: len(value.get("a", "")) >= least)
        assert len(found["a"]) == least


@pytest.mark.parametrize("open_schema", [True, {}])
def test_a_root_of_any_schema_is_an_object(open_schema):
    """Arguments are never anything else, and a schema that is `true` is compared like one that is empty."""
    found = compared(open_schema, an_object(city=TEXT))
    assert found.change_class is ChangeClass.BREAKING
    assert compared(open_schema, {"type": "object"}).change_class is ChangeClass.IDENTICAL
    assert (
        compared({"properties": {"city": TEXT}}, an_object(city=TEXT)).change_class is ChangeClass.IDENTICAL
    )


def test_a_value_gone_from_thousands_is_found():
    """It is tried before those that stayed."""
    values = [f"v{index}" for index in range(9_000)]
    old, new = (an_object(a={"enum": listed}) for listed in (values, values[:-1]))
    assert compared(old, new).witness == {"a": "v8999"}


def test_a_sentence_names_the_values_of_a_map():
    """Not the map."""
    old, new = (
        an_object(prices={"type": "object", "additionalProperties": {"type": kind}})
        for kind in ("number", "string")
    )
    (change,) = compared(old, new).changes
    assert change.message.startswith("`prices.*` must be string")


def test_a_promise_closes_what_declares_properties_and_leaves_open_what_says_so():
    """At the root, inside, in items; not where a word was said, and not under `not`."""
    found = promised(
        an_object(
            inner=an_object(x=TEXT),
            items={"type": "array", "items": an_object()},
            open={**an_object(x=TEXT), "additionalProperties": True},
            map={"type": "object", "additionalProperties": TEXT},
            never={"not": an_object(x=TEXT)},
        )
    )
    below = found["properties"]
    assert found["additionalProperties"] is False
    assert below["inner"]["additionalProperties"] is False
    assert below["items"]["items"]["additionalProperties"] is False
    assert "additionalProperties" not in below["open"]
    assert below["map"]["additionalProperties"] == {"type": ["string"]}
    assert "additionalProperties" not in below["never"]["not"]


def test_objects_that_are_composed_are_closed_as_a_whole():
    """Members of every part are declared; members of none are not."""
    parts = {"allOf": [an_object(a=TEXT), an_object(b=TEXT)]}
    assert (
        compared({**parts, "type": "object"}, an_object(a=TEXT, b=TEXT)).change_class is ChangeClass.IDENTICAL
    )
    beside = {**an_object(c=TEXT), "anyOf": [an_object(a=TEXT), an_object(b=TEXT)]}
    assert compared(beside, {**beside, "properties": {}}).witness == {"c": ""}


def test_what_is_required_is_declared_where_nothing_else_declares_it():
    """Beside a schema that says nothing of it; where a branch does, the branch is believed."""
    bare = {**an_object(city=TEXT), "required": ["day"]}
    assert (
        compared(bare, {**an_object(city=TEXT, day=True), "required": ["day"]}).change_class
        is ChangeClass.IDENTICAL
    )
    old, new = (
        {**bare, "anyOf": [{"properties": {"day": {"type": kind}}}, {"properties": {"hour": TEXT}}]}
        for kind in ("string", "integer")
    )
    assert compared(old, new).witness == {"day": ""}


def test_dependencies_are_compared_though_no_draft_is_declared():
    """2020-12 has no such keyword, and validators hold calls to it."""
    old = an_object(a=TEXT, b=TEXT)
    found = compared(old, {**old, "dependencies": {"a": ["b"]}})
    assert found.change_class is ChangeClass.BREAKING
    assert found.witness == {"a": ""}


def test_the_schema_of_an_art_tool_is_of_draft_07_where_it_declares_none():
    """Its lock has what ART asks for beside the parameters, and that is how it is known."""
    old, new = (
        ToolSchema({"name": "t", "parameters": an_object(a={"type": "array", "items": [item]}), "art": {}})
        for item in ({"type": "number"}, TEXT)
    )
    found = compare(old, new, find_witness)
    assert found.change_class is ChangeClass.BREAKING
    assert [change.code for change in found.changes] == ["type-changed"]
