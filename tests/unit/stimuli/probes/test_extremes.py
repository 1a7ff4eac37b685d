"""Probe `extremes` sends what a schema allows and careless code does not expect, whatever is drawn."""

import json

import pytest

from aptix_conformance.core.model import Kind
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate.extremes import SHELL_TEXTS
from aptix_conformance.stimuli.probes import ExtremesProbe, extremes
from aptix_conformance.systems.mcp.traits import TRAITS as MCP

PROBE = ExtremesProbe()
TEXT = {"type": "string"}


def schema_of(**properties):
    return {"type": "object", "properties": properties, "required": sorted(properties)}


@pytest.fixture
def sent(make_subject):
    """What is planned for some properties: the value at the argument, by argument and detail."""

    def plans(properties, **settings):
        subject = make_subject(schema_of(**properties), **settings)
        return {
            (plan.change.argument, plan.change.detail): json.loads(plan.arguments)
            for plan in PROBE.fixed(subject, [])
        }

    return plans


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("nul", "a\x00b"),
        ("controls", "\x01\x08\x1b[31m\x7f"),
        ("quotes", 'a "b" c'),
        ("home", "~aptix-nobody"),
        ("parent", "../"),
        ("environment", "/proc/self/environ"),
        ("environment-from-below", "../" * 16 + "proc/self/environ"),
        ("two-units-each", "\U0001f600" * 90),
        ("one-unit-first", "a" + "\U0001f600" * 90),
        ("nested-brackets", "[" * 600 + "]" * 600),
        ("repeated-letters", "a" * 60 + "!"),
        ("repeated-digits", "1" * 60 + "!"),
        ("repeated-words", "a1 " * 20 + "!"),
        ("repeated-spaces", "a" + " " * 60 + "!"),
        ("long-name", "n" * 300),
        ("apostrophe", "O'Brien"),
        ("percent", "50%"),
        ("substitution", "$(echo aptix$((6*7)))'$(echo aptix$((6*7)))'"),
        ("command", SHELL_TEXTS["command"]),
        ("semicolon", "a; b"),
        ("braces", "{0}"),
        ("right-to-left", "\u202eabc\u200f"),
        ("lone-surrogate", "a\ud800b"),
        ("megabyte", "x" * 1024 * 1024),
    ],
)
def test_each_text_is_sent_for_each_string_at_any_depth(sent, detail, text):
    inner = {"type": "array", "items": schema_of(note=TEXT), "minItems": 1}
    plans = sent({"title": TEXT, "lines": inner})
    assert plans["title", detail]["title"] == text
    assert plans["lines[].note", detail]["lines"][0]["note"] == text


def test_a_lone_surrogate_is_sent_as_an_escape(make_subject):
    plans = PROBE.fixed(make_subject(schema_of(title=TEXT)), [])
    assert any("a\\ud800b" in plan.arguments for plan in plans)


@pytest.mark.parametrize(
    "node", [{**TEXT, "maxLength": 20}, {**TEXT, "pattern": "^[a-z]+$"}, {**TEXT, "enum": ["a"]}]
)
def test_what_the_schema_forbids_is_not_sent(sent, node):
    plans = sent({"title": node})
    assert ("title", "long-name") not in plans or "pattern" in node
    assert ("title", "megabyte") not in plans or "pattern" in node
    assert ("title", "lone-surrogate") not in plans or "maxLength" in node
    assert ("title", "nul") not in plans or "maxLength" in node


@pytest.mark.parametrize(
    ("node", "details"),
    [
        (
            {"type": "integer"},
            {
                *("int32-maximum", "below-int32", "int53-maximum", "above-int53"),
                *("int64-minimum", "above-int64"),
            },
        ),
        ({"type": "number"}, {"above-int64", "1e308", "-1e308", "negative-zero"}),
        ({"type": "integer", "minimum": 0, "maximum": 2**31 - 1}, {"int32-maximum"}),
    ],
)
def test_numbers_at_the_bounds_of_machine_types_are_sent(sent, node, details):
    found = {detail for _, detail in sent({"n": node})}
    assert details <= found
    assert ("above-int64" in found) is ("maximum" not in node)


@pytest.mark.parametrize(
    ("detail", "number"),
    [
        ("int53-maximum", "9007199254740991"),
        ("above-int53", "9007199254740993"),
        ("1e308", "1e+308"),
        ("negative-zero", "-0.0"),
    ],
)
def test_a_number_is_sent_as_it_is(make_subject, detail, number):
    plans = PROBE.fixed(make_subject(schema_of(n={"type": "number"})), [])
    (sent,) = [plan.arguments for plan in plans if plan.change.detail == detail]
    assert sent == f'{{"n": {number}}}'


@pytest.mark.parametrize(
    ("node", "is_sent"),
    [
        ({"pattern": "^[a-z]+$"}, False),
        ({"pattern": "^[^/]+$"}, True),
        ({"pattern": "^.{1,9}$"}, True),
        ({"pattern": r"^[\s\S]*$"}, True),
        ({"pattern": r"^\w"}, True),
        ({"pattern": r"^[^\uD800-\uDFFF]*$"}, False),
        ({"pattern": r"^[^\p{Cs}]*$"}, False),
        ({"pattern": r"^\P{Cs}*$"}, False),
        ({"format": "email"}, False),
        ({"format": "uuid"}, False),
        ({"format": "a-word-of-our-own"}, True),
    ],
)
def test_half_of_a_character_is_sent_where_pattern_and_format_allow_it(sent, node, is_sent):
    assert (("title", "lone-surrogate") in sent({"title": {**TEXT, **node}})) is is_sent


UNIQUE = {"type": "array", "uniqueItems": True}
LINE = {"type": "object", "properties": {"kind": {"enum": ["a"]}, "sku": TEXT}, "required": ["kind", "sku"]}


@pytest.mark.parametrize(
    ("items", "count"),
    [
        (LINE, 10_000),
        ({"type": "array", "items": {"type": "number"}, "minItems": 1}, 10_000),
        ({"type": "boolean"}, 2),
        ({"enum": [*"abcdefg"]}, 7),
    ],
)
def test_arrays_of_items_that_must_differ_get_many(make_subject, items, count):
    subject = make_subject(schema_of(x={**UNIQUE, "items": items}))
    plans = [
        json.loads(plan.arguments) for plan in PROBE.fixed(subject, []) if plan.change.detail == "many-items"
    ]
    (found,) = [made["x"] for made in plans if len(made["x"]) == count]
    assert len({json.dumps(item) for item in found}) == count
    assert PROBE.shortfall(subject, []) is None


def test_an_array_that_no_long_one_is_known_for_is_said(make_subject):
    pairs = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]}
    subject = make_subject(schema_of(x={**UNIQUE, "items": pairs, "minItems": 1}, title=TEXT))
    assert "1 of its arrays got no many items" in PROBE.shortfall(subject, []).reason


def test_arrays_get_many_items_and_open_objects_many_members(sent):
    plans = sent({"tags": {"type": "array", "items": TEXT}, "labels": {"type": "object"}})
    assert len(plans["tags", "many-items"]["tags"]) == 10_000
    assert len(plans["labels", "many-members"]["labels"]) == 10_000
    distinct = sent({"tags": {"type": "array", "items": TEXT, "uniqueItems": True}})
    assert len(set(distinct["tags", "many-items"]["tags"])) == 10_000


def test_arrays_of_numbers_get_several_of_the_largest_number(sent):
    numbers = {"type": "array", "items": {"type": "number"}}
    plans = sent(
        {
            "x": numbers,
            "few": {**numbers, "maxItems": 2},
            "whole": {"type": "array", "items": {"type": "integer"}},
        }
    )
    assert plans["x", "large-numbers"]["x"] == [1e308] * 3
    assert not {("few", "large-numbers"), ("whole", "large-numbers")} & plans.keys()


def depth(value):
    levels = 0
    while value and not isinstance(value, int):
        value, levels = (value[0] if isinstance(value, list) else next(iter(value.values()))), levels + 1
    return levels


@pytest.mark.parametrize(
    "node",
    [
        {"type": "array"},
        {"type": "object"},
        {"type": "array", "items": {"type": "object"}},
        {"type": "object", "additionalProperties": {"type": "array"}},
    ],
)
def test_what_may_hold_anything_is_nested_600_levels_deep(sent, node):
    assert 590 <= depth(sent({"x": node})["x", "deeply-nested"]["x"]) <= 610


def test_no_call_of_an_mcp_tool_nests_deeper_than_every_sdk_reads(make_subject):
    subject = make_subject(schema_of(x={"type": "object"}))
    subject = replace(subject, declaration=replace(subject.declaration, traits=MCP))
    deep = [plan for plan in PROBE.fixed(subject, []) if plan.change.detail == "deeply-nested"]
    assert 140 <= depth(json.loads(deep[0].arguments)["x"]) <= 160


def test_an_object_with_members_of_its_own_is_nested_by_another_one(sent):
    point = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    value = sent({"x": point})["x", "deeply-nested"]["x"]
    for _ in range(590):
        assert value["n"] is not None
        value = value["a"]


def test_what_may_hold_itself_is_nested_600_levels_deep(make_subject):
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": False}
    subject = make_subject({**schema_of(head={"$ref": "#/$defs/node"}), "$defs": {"node": node}})
    plans = {plan.change.detail: json.loads(plan.arguments) for plan in PROBE.fixed(subject, [])}
    assert depth(plans["deeply-nested"]["head"]) > 590


def test_a_tree_that_contains_itself_by_an_optional_array_is_nested_too(make_subject):
    node = {
        "type": "object",
        "properties": {"name": TEXT, "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["name"],
    }
    subject = make_subject({**schema_of(head={"$ref": "#/$defs/node"}), "$defs": {"node": node}})
    texts = [plan.arguments for plan in PROBE.fixed(subject, []) if plan.change.detail == "deeply-nested"]
    assert max(text.count('"parts"') for text in texts) >= 300


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("regex", TEXT),
        ("searchPattern", TEXT),
        ("query", {**TEXT, "description": "A regular expression."}),
        ("query", {**TEXT, "format": "regex"}),
    ],
)
def test_an_argument_that_is_a_pattern_gets_a_catastrophic_one_and_its_subject(make_subject, name, node):
    subject = make_subject(schema_of(**{name: node, "text": TEXT}))
    pairs = [
        json.loads(plan.arguments)
        for plan in PROBE.fixed(subject, [])
        if plan.change.detail == "catastrophic-pattern"
    ]
    assert {arguments[name] for arguments in pairs} == {r"(.+)+\x01"}
    assert any(arguments["text"] == "a" * 40 for arguments in pairs)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("expression", "endless-power"),
        ("sql", "endless-query"),
        ("path", "file-uri"),
        ("url", "file-uri"),
        ("regex", "catastrophic-pattern"),
    ],
)
def test_what_has_a_grammar_gets_its_texts_first_and_no_more_calls(make_subject, name, first):
    plans = list(PROBE.fixed(make_subject(schema_of(aside=TEXT, **{name: TEXT})), []))
    plain = list(PROBE.fixed(make_subject(schema_of(aside=TEXT, other=TEXT)), []))
    assert (plans[0].change.argument, plans[0].change.detail) == (name, first)
    assert len(plans) <= len(plain) + 3


def test_a_description_alone_takes_no_other_texts_place(make_subject):
    described = {**TEXT, "description": "A regular expression."}
    sent = [plan.change.detail for plan in PROBE.fixed(make_subject(schema_of(query=described)), [])]
    assert {"catastrophic-pattern", "superscript", "repeated-spaces"} <= set(sent)
    named = [plan.change.detail for plan in PROBE.fixed(make_subject(schema_of(pattern=TEXT)), [])]
    assert not {"superscript", "repeated-spaces"} & set(named)


def test_a_program_without_an_end_is_sent_with_the_least_time(make_subject):
    seconds = {"type": "integer", "minimum": 1, "default": 60}
    subject = make_subject(schema_of(python_code=TEXT, timeoutSeconds=seconds, count=seconds))
    sent = {plan.change.detail: json.loads(plan.arguments) for plan in PROBE.fixed(subject, [])}
    assert (sent["endless-loop"]["timeoutSeconds"], sent["endless-loop"]["count"]) == (1, 60)
    assert sent["exits"]["timeoutSeconds"] == 60


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("json", TEXT),
        ("settingsJson", TEXT),
        ("filter_json", TEXT),
        ("body", {**TEXT, "description": "A document in JSON."}),
        ("body", {**TEXT, "contentMediaType": "application/json"}),
    ],
)
def test_an_argument_that_holds_json_gets_deep_documents(sent, name, node):
    plans = sent({name: node})
    parsed = json.loads(plans[name, "json-object-nested"][name])
    assert depth(parsed) == 600
    assert plans[name, "json-array-nested"][name].count("[") == 100_000


@pytest.mark.parametrize(("name", "node"), [("text", TEXT), ("jsonish", TEXT), ("json", {"type": "integer"})])
def test_an_argument_that_holds_none_gets_no_document(sent, name, node):
    assert (name, "json-object-nested") not in sent({name: node})


def test_an_argument_that_is_no_pattern_gets_none(sent):
    assert ("topic", "catastrophic-pattern") not in sent({"topic": {**TEXT, "description": "A topic."}})


@pytest.mark.parametrize(
    ("value", "detail", "varied"),
    [
        ("ones(3,3)", "more-digits", "ones(100000,100000)"),
        ("ones(3,3)", "nested", "ones(" * 600 + "3,3" + ")" * 600),
        ("ones(3,3)", "in-brackets", "(" * 600 + "ones(3,3)" + ")" * 600),
        ("ab", "longer", "ab" * 5_000),
        ("name,q1\nAnn,31\nBob,4.5", "nan-for-numbers", "name,q1\nAnn,NaN\nBob,NaN"),
        ("name,q1\nAnn,31\nBob,4.5", "infinity-for-number", "name,q1\nAnn,31\nBob,1e999"),
        ("2024-01-05 10:30 fee -3.5e2", "nan-for-numbers", "2024-01-05 10:30 fee -NaN"),
        ("5km", "nan-for-numbers", "NaNkm"),
        ("--lines 3 --level WARN", "abbreviated-option", "--l 3 --level WARN"),
        ("--lines 3 --level WARN", "option-without-value", "--lines 3 --level"),
        ("tail --lines=3", "abbreviated-option", "tail --l=3"),
        ("tail -n 3", "option-without-value", "tail -n"),
        ("net work", "first-letter", "n"),
        ("net work", "last-letter", "k"),
        ("Dear {name} of {city}", "placeholder-member", "Dear {name.x.y} of {city}"),
        ("Dear {name}", "placeholder-item", "Dear {name[x]}"),
        ("Dear {{ name }}", "placeholder-member", "Dear {{ name.x.y }}"),
        ("Dear {name}", "placeholder-width", "Dear {name:1000000000}"),
        ("Dear %(name)s", "placeholder-conversion", "Dear %(name)d"),
        ("Dear $name", "placeholder-open", "Dear ${name"),
        (["Red"], "other-case", ["Red", "rED"]),
        (["Red", "Blue"], "repeated-item", ["Red", "Blue", "Red"]),
        (["Red"], "more-items", ["Red"] * 1_000),
        ([2.5, 1], "zero-sum", [2.5, -2.5]),
        ([0], "zero-sum", [1, -1]),
        ([2.5], "zeros", [0, 0]),
        ([{"id": "A", "n": 1}], "other-case", [{"id": "A", "n": 1}, {"id": "a", "n": 1}]),
        ({"Red": 1}, "other-case", {"Red": 1, "rED": 1}),
    ],
)
def test_an_example_is_varied_in_its_own_form(sent, value, detail, varied):
    plans = sent({"x": {}}, examples=[{"x": value}])
    assert plans["x", detail] == {"x": varied}


@pytest.mark.parametrize(
    ("value", "details"),
    [
        ("2024-01-05", {"nan-for-numbers", "infinity-for-number", "first-letter"}),
        ("item q1", {"nan-for-numbers", "infinity-for-number"}),
        ("31", {"first-letter", "last-letter"}),
        ("noon", {"last-letter"}),
        ("n", {"first-letter", "last-letter"}),
        ("a well-known -- fact", {"abbreviated-option", "option-without-value"}),
        ("ls -la", {"abbreviated-option", "option-without-value"}),
    ],
)
def test_an_example_without_such_a_part_is_not_varied_in_it(sent, value, details):
    assert not {("x", detail) for detail in details} & sent({"x": {}}, examples=[{"x": value}]).keys()


def test_every_listed_value_gets_extreme_texts_beside_it(make_subject, host, explore):
    schema = {
        "type": "object",
        "properties": {"action": {"enum": ["add", "drop"]}, "name": TEXT},
        "required": ["action", "name"],
    }
    subject = make_subject(schema, examples=[{"action": "add", "name": "Ada"}])
    seen = explore(subject, host(subject), "valid")
    sent = [json.loads(plan.arguments) for plan in PROBE.fixed(subject, seen)]
    assert {"add", "drop"} == {arguments["action"] for arguments in sent if "\x00" in arguments["name"]}


def test_narrowed_arguments_keep_to_their_narrowing(sent):
    plans = sent({"ms": {"type": "integer"}}, narrowing={"ms": {"minimum": 0, "maximum": 20}})
    assert all(0 <= arguments["ms"] <= 20 for arguments in plans.values())


def test_nothing_is_demanded_of_an_extreme_call(make_subject):
    plans = list(PROBE.fixed(make_subject(schema_of(title=TEXT)), []))
    assert {plan.demand for plan in plans} == {"either"}
    assert {plan.kind for plan in plans} == {Kind.EXTREME, Kind.VARIED}


def test_what_is_left_out_of_a_large_schema_is_said(make_subject, monkeypatch):
    monkeypatch.setattr(extremes, "MOST_CALLS", 30)
    subject = make_subject(schema_of(**{f"p{number}": TEXT for number in range(100)}))
    calls = list(PROBE.fixed(subject, []))
    assert len(calls) == 30
    assert "40 of its arguments" in PROBE.shortfall(subject, []).reason


def test_a_tool_without_arguments_has_nothing_extreme(make_subject):
    shortfall = PROBE.shortfall(make_subject({"type": "object", "properties": {}}), [])
    assert shortfall.expected
