"""Probe `invalid` sends what the schema forbids, each object labelled with what was done to it."""

import json
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from aptix_conformance.core.model import codec
from aptix_conformance.stimuli.probes import InvalidProbe, ValidProbe
from aptix_conformance.stimuli.probes.argument_changes import _converting_to

PROBE = InvalidProbe()

NESTED = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 5},
        "count": {"type": "integer", "minimum": 0, "maximum": 9},
        "kind": {"enum": ["red", "blue"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
        "on": {"type": "boolean"},
        "address": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
            "required": ["city"],
        },
    },
    "required": ["name", "count"],
    "additionalProperties": False,
}
EXAMPLE = {
    "name": "Ada", "count": 1, "kind": "red", "tags": ["a"], "code": "AB", "on": True, "address": {"city": "Oslo"},
}  # fmt: skip


@pytest.fixture
def plans(make_subject, host, explore):
    subject = make_subject(NESTED, examples=[EXAMPLE])
    seen = explore(subject, host(subject), "valid")
    made = list(PROBE.fixed(subject, seen))
    return {plan.label: plan for plan in reversed(made)}  # the first with each label


def optional(plan):
    return plan.kind in ("omitted-optional", "null-optional")


def test_everything_to_be_refused_is_forbidden_by_another_validator(subject, host, explore, draws):
    judge = Draft202012Validator(subject.schema)
    seen = explore(subject, host(subject), "valid")
    strategy = PROBE.drawn(subject, seen)
    drawn = draws(strategy, 100) if strategy is not None else []
    for plan in [*PROBE.fixed(subject, seen), *drawn]:
        if not optional(plan):
            assert not judge.is_valid(json.loads(plan.arguments)), plan
        if plan.demand == "refused":
            kept = {name: value for name, value in json.loads(plan.arguments).items() if value is not None}
            assert not judge.is_valid(kept), plan


@pytest.mark.parametrize(
    ("label", "demand", "change"),
    [
        ("missing:name", "refused", {"name": ...}),
        ("null:count", "refused", {"count": None}),
        ("type:name:object", "refused", {"name": {"unexpected": True}}),
        ("type:count:string", "refused", {"count": "not-a-value"}),
        ("type:count:empty-array", "refused", {"count": []}),
        ("type:on:array", "refused", {"on": ["unexpected"]}),
        ("type:tags:string", "refused", {"tags": "not-a-value"}),
        ("type:address:number", "refused", {"address": 12345}),
        ("type:tags[0]:object", "refused", {"tags": [{"unexpected": True}]}),
        ("missing:address.city", "refused", {"address": {}}),
        ("null:address.city", "refused", {"address": {"city": None}}),
        ("coercible:count:numeric-string", "either", {"count": "5"}),
        ("coercible:count:fraction", "either", {"count": 1.5}),
        ("coercible:name:integer", "either", {"name": 5}),
        ("coercible:on:one", "either", {"on": 1}),
        ("enum:kind", "refused", {"kind": "__no_such_value__"}),
        ("enum:kind:case", "either", {"kind": "RED"}),
        ("bounds:count:minimum", "refused", {"count": -1}),
        ("bounds:count:maximum", "refused", {"count": 10}),
        ("length:name:minLength", "refused", {"name": "x"}),
        ("length:name:maxLength", "refused", {"name": "xxxxxx"}),
        ("pattern:code", "refused", {"code": ""}),
        ("pattern:code:behind", "refused", {"code": "AB!"}),
        ("pattern:code:before", "refused", {"code": "!AB"}),
        ("items:tags:maxItems", "refused", {"tags": ["a", "a", "a"]}),
        ("items:tags:uniqueItems", "refused", {"tags": ["a", "a"]}),
        ("additional:unexpected", "either", {"unexpected": "value"}),
    ],
)
def test_each_change_is_labelled_and_changes_nothing_else(plans, label, demand, change):
    expected = {name: value for name, value in {**EXAMPLE, **change}.items() if value is not ...}
    assert plans[label].demand == demand
    assert json.loads(plans[label].arguments) == expected


KIND = {"type": "string", "enum": ["red", "blue"]}
REFERENCE = {"$ref": "#/$defs/Kind"}


@pytest.mark.parametrize(
    ("node", "label", "value"),
    [
        (REFERENCE, "enum:x", "__no_such_value__"),
        ({"type": "string", "allOf": [REFERENCE]}, "enum:x", "__no_such_value__"),
        ({"anyOf": [REFERENCE, {"type": "null"}], "default": None}, "enum:x", "__no_such_value__"),
        ({"anyOf": [{"type": "null"}, KIND]}, "enum:x", "__no_such_value__"),
        ({"type": "array", "items": REFERENCE}, "enum:x[0]", ["__no_such_value__"]),
        (
            {"anyOf": [{"type": "null"}, {"type": "array", "items": KIND}]},
            "enum:x[0]",
            ["__no_such_value__"],
        ),
        ({"anyOf": [KIND, {"type": "array", "items": KIND}]}, "enum:x[0]", ["__no_such_value__"]),
        ({"type": "object", "properties": {"y": KIND}}, "enum:x.y", {"y": "__no_such_value__"}),
    ],
)
def test_a_value_out_of_an_enumeration_is_sent_wherever_that_stands(make_subject, node, label, value):
    schema = {"type": "object", "properties": {"x": node}, "$defs": {"Kind": KIND}}
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(schema), [])}
    assert plans[label].demand == "refused"
    assert json.loads(plans[label].arguments) == {"x": value}


def test_null_is_not_outside_of_an_enumeration_that_has_null_beside_it(make_subject):
    schema = {"type": "object", "properties": {"x": {"anyOf": [KIND, {"type": "null"}]}}, "required": ["x"]}
    refused = [plan for plan in PROBE.fixed(make_subject(schema), []) if plan.demand == "refused"]
    assert refused
    assert all(json.loads(plan.arguments).get("x", "") is not None for plan in refused)


@pytest.mark.parametrize(
    ("facets", "ends"),
    [
        ({"pattern": "^[A-Z]+$"}, {"before", "behind"}),
        ({"pattern": "^[A-Z]+"}, {"before"}),
        ({"pattern": "[A-Z]+$"}, {"behind"}),
        ({"pattern": "[A-Z]"}, set()),
        ({"pattern": "^[A-Z]+$", "maxLength": 2}, set()),
        ({"pattern": "^[A-Z]+$", "maxLength": 3}, {"before", "behind"}),
        ({"pattern": "^[A-Z]!?$", "minLength": 2}, {"before", "behind"}),
    ],
)
def test_a_text_is_made_longer_at_the_ends_that_its_pattern_holds(make_subject, facets, ends):
    schema = {"type": "object", "properties": {"x": {"type": "string", **facets}}, "required": ["x"]}
    value = "AB" if facets["pattern"] != "^[A-Z]!?$" else "A!"
    plans = PROBE.fixed(make_subject(schema, examples=[{"x": value}]), [])
    sent = {
        plan.label.rpartition(":")[2]: json.loads(plan.arguments)["x"]
        for plan in plans
        if plan.label.startswith("pattern:x:")
    }
    assert sent == {end: {"before": f"!{value}", "behind": f"{value}!"}[end] for end in ends}


DEEP = {
    "type": "object",
    "properties": {
        "a": {
            "type": "object",
            "properties": {"b": {"type": "array", "items": {"$ref": "#/$defs/c"}}},
            "required": ["b"],
            "additionalProperties": False,
        },
        "map": {
            "type": "object",
            "additionalProperties": {"type": "integer", "maximum": 3},
            "maxProperties": 2,
        },
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "minItems": 2},
    },
    "required": ["a", "map", "pair"],
    "$defs": {
        "c": {
            "type": "object",
            "properties": {
                "d": {"type": "object", "properties": {"e": {"type": "integer"}}, "required": ["e"]},
                "more": {"$ref": "#/$defs/c"},
            },
            "required": ["d"],
            "additionalProperties": False,
        }
    },
}


@pytest.mark.parametrize(
    ("label", "demand"),
    [
        ("additional:a.unexpected", "either"),
        ("missing:a.b", "refused"),
        ("additional:a.b[0].unexpected", "either"),
        ("missing:a.b[0].d", "refused"),
        ("missing:a.b[0].d.e", "refused"),
        ("type:a.b[0].d.e:object", "refused"),
        ("coercible:a.b[0].d.e:true", "either"),
        ("type:map.key:object", "refused"),
        ("bounds:map.key:maximum", "refused"),
        ("items:map:maxProperties", "refused"),
        ("type:pair[0]:object", "refused"),
        ("type:pair[1]:array", "refused"),
    ],
)
def test_every_constraint_is_broken_at_every_depth(make_subject, label, demand):
    leaf = {"d": {"e": 1}}
    subject = make_subject(DEEP, examples=[{"a": {"b": [leaf]}, "map": {"key": 1}, "pair": [1, True]}])
    plans = {plan.label: plan for plan in PROBE.fixed(subject, [])}
    assert plans[label].demand == demand
    assert not any("more.more" in label for label in plans)


def test_ways_to_break_a_large_schema_that_were_left_out_are_told(make_subject, host, explore):
    many = {f"p{number}": {"type": "integer"} for number in range(60)}
    subject = make_subject({"type": "object", "properties": many, "required": list(many)})
    seen = explore(subject, host(subject), "invalid")
    assert "only the first 500" in PROBE.shortfall(subject, seen).reason


def test_null_for_an_optional_argument_is_not_demanded_where_the_contract_does_not_say_so(
    make_subject, host, explore
):
    subject = make_subject(NESTED, examples=[EXAMPLE])
    traits = replace(subject.declaration.traits, null_is_absent=False)
    other = replace(
        subject,
        declaration=subject.declaration.__class__(
            **{name: getattr(subject.declaration, name) for name in subject.declaration.__struct_fields__}
            | {"traits": traits}
        ),
    )
    seen = explore(other, host(other), "valid")
    plans = {plan.label: plan for plan in PROBE.fixed(other, seen)}
    assert plans["null-optional:kind"].demand == "either"
    assert plans["omitted-optional:kind"].demand == "accepted"


def test_an_optional_argument_may_be_left_out_or_null_where_it_was_accepted(plans):
    for name in ("kind", "tags", "code", "on", "address"):
        for label in (f"omitted-optional:{name}", f"null-optional:{name}"):
            assert plans[label].demand == "accepted"
            assert json.loads(plans[label].arguments).get(name) is None
    assert not {"omitted-optional:name", "null-optional:count"} & set(plans)


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [NESTED]},
        {"type": "object", "properties": {}, "required": [], "allOf": [NESTED]},
        {"$ref": "#/$defs/own", "$defs": {"own": NESTED}},
        {"allOf": [{"$ref": "#/$defs/own"}], "$defs": {"own": NESTED}},
        {"type": "object", "allOf": [{"properties": NESTED["properties"]}, {"required": NESTED["required"]}]},
    ],
)
def test_a_root_that_says_its_members_in_branches_is_broken_alike(make_subject, host, explore, plans, schema):
    subject = make_subject(schema, examples=[EXAMPLE])
    seen = explore(subject, host(subject), "valid")
    made = {plan.label: plan for plan in reversed(list(PROBE.fixed(subject, seen)))}
    left = {label: plan for label, plan in plans.items() if plan.kind != "additional"}
    assert {label: (made[label].demand, made[label].arguments) for label in left} == {
        label: (plan.demand, plan.arguments) for label, plan in left.items()
    }


def test_nothing_is_expected_where_a_branch_of_the_root_makes_members_depend_on_each_other(
    make_subject, host, explore
):
    subject = make_subject({"allOf": [NESTED, {"minProperties": 1}]}, examples=[EXAMPLE])
    seen = explore(subject, host(subject), "valid")
    assert {plan.demand for plan in PROBE.fixed(subject, seen) if optional(plan)} == {"either"}


def test_the_call_without_an_optional_argument_has_as_few_others_as_possible(plans):
    assert set(json.loads(plans["null-optional:on"].arguments)) == {"name", "count", "on"}


def test_nothing_is_expected_where_members_depend_on_each_other(make_subject, host, explore):
    for extra in (
        {"dependentRequired": {"kind": ["code"]}},
        {"anyOf": [{"required": ["name"]}, {"properties": {"kind": {"const": "red"}}}]},
        {"minProperties": 1},
        {"allOf": [{"type": "object"}, {"allOf": [{"dependentRequired": {"kind": ["code"]}}]}]},
        {"allOf": [{"if": {"required": ["kind"]}, "then": {"required": ["code"]}}]},
    ):
        subject = make_subject({**NESTED, **extra}, examples=[EXAMPLE])
        seen = explore(subject, host(subject), "valid")
        assert {plan.demand for plan in PROBE.fixed(subject, seen) if optional(plan)} == {"either"}


@pytest.mark.parametrize(
    "parts",
    [[{"type": "object"}], [{"required": ["name"]}, True], [{"allOf": [{"description": "A person."}]}]],
)
def test_all_of_several_schemas_without_such_a_keyword_ties_no_members(parts, make_subject, host, explore):
    subject = make_subject({**NESTED, "allOf": parts}, examples=[EXAMPLE])
    seen = explore(subject, host(subject), "valid")
    plans = {plan.label: plan for plan in PROBE.fixed(subject, seen)}
    assert plans["omitted-optional:kind"].demand == "accepted"


def test_what_a_part_of_all_of_requires_is_not_left_out(make_subject, host, explore):
    subject = make_subject({**NESTED, "allOf": [{"required": ["kind"]}]}, examples=[EXAMPLE])
    seen = explore(subject, host(subject), "valid")
    assert "omitted-optional:kind" not in {plan.label for plan in PROBE.fixed(subject, seen)}


def test_nothing_is_expected_of_a_tool_that_changes_something(make_subject, host, explore):
    subject = make_subject(NESTED, examples=[EXAMPLE])
    seen = explore(subject, host(subject, stateful=True), "valid")
    assert {plan.demand for plan in PROBE.fixed(subject, seen) if optional(plan)} == {"either"}


def test_an_argument_that_was_never_accepted_is_not_expected_to_be_optional(make_subject, host, explore):
    subject = make_subject(NESTED, examples=[{"name": "Ada", "count": 1}])
    seen = explore(subject, host(subject, refuses=lambda arguments: "kind" in arguments), "valid")
    plans = {plan.label: plan for plan in PROBE.fixed(subject, seen)}
    assert plans["omitted-optional:kind"].demand == "either"
    assert plans["omitted-optional:on"].demand == "accepted"


def test_an_optional_argument_is_left_out_of_a_call_with_each_listed_value(make_subject, host, explore):
    action = {"type": "string", "enum": ["add", "show", "drop"]}
    schema = {
        "type": "object",
        "properties": {"action": action, "item": {"type": "string"}},
        "required": ["action"],
    }
    examples = [{"action": each, "item": "bread"} for each in action["enum"]]
    subject = make_subject(schema, examples=examples)
    seen = explore(subject, host(subject, refuses=lambda arguments: arguments["action"] == "drop"), "valid")
    left = [plan for plan in PROBE.fixed(subject, seen) if plan.label == "omitted-optional:item"]
    assert {json.loads(plan.arguments)["action"] for plan in left} == {"add", "show"}
    assert {plan.demand for plan in left} == {"accepted"}


ONE_OF_TWO = {
    "type": "object",
    "properties": {"slug": {"type": "string"}, "words": {"type": "string"}, "exact": {"type": "boolean"}},
}


def calls_of(subject, host):
    """What the probe sends to a tool, each call after the answer to the one before."""
    seen = [host.execute(plan) for plan in [*ValidProbe().fixed(subject, [])] * 2]
    for plan in PROBE.fixed(subject, seen):
        seen.append(host.execute(plan))  # noqa: PERF401 - the probe reads the list meanwhile
    return [call for call in seen if call.plan.probe == "invalid"]


def test_a_refused_call_without_an_optional_argument_is_made_with_another_one(make_subject, host):
    subject = make_subject(
        ONE_OF_TWO, examples=[{"slug": "a"}, {"words": "desk"}, {"slug": "a", "words": "b"}]
    )
    tool = host(subject, refuses=lambda sent: sent.get("slug") is None and sent.get("words") is None)
    calls = [call.plan for call in calls_of(subject, tool)]
    demands = {(plan.label, plan.arguments): plan.demand for plan in calls if optional(plan)}
    assert demands["omitted-optional:slug", "{}"] == "accepted"
    assert demands["null-optional:slug", '{"words": "desk", "slug": null}'] == "accepted"
    assert ("omitted-optional:slug", '{"words": "desk"}') not in demands


def test_what_has_not_been_sent_yet_is_sent_until_a_call_succeeds(make_subject, host):
    examples = [{"slug": "a"}, {"words": "desk", "exact": True}]
    subject = make_subject(ONE_OF_TWO, examples=examples)
    tool = host(subject, refuses=lambda sent: sent.get("slug") is None and sent.get("words") != "desk")
    sent = [
        (call.plan.arguments, call.succeeded)
        for call in calls_of(subject, tool)
        if call.plan.label == "omitted-optional:slug"
    ]
    assert ("{}", False) in sent
    assert ('{"words": "desk"}', True) in sent


def test_branches_that_only_require_some_leave_other_arguments_optional(make_subject, host, explore):
    for keyword in ("anyOf", "oneOf"):
        schema = ONE_OF_TWO | {keyword: [{"required": ["slug"]}, {"required": ["words"]}]}
        subject = make_subject(schema, examples=[{"slug": "a", "exact": True}, {"words": "desk"}])
        seen = explore(subject, host(subject), "valid")
        plans = {plan.label: plan for plan in PROBE.fixed(subject, seen)}
        assert plans["omitted-optional:exact"].demand == "accepted"
        missing = plans["missing:slug or words"]
        assert (missing.demand, missing.arguments) == ("refused", '{"exact": true}')
        tied = [plan for plan in plans.values() if optional(plan) and plan.change.argument != "exact"]
        assert {plan.demand for plan in tied} <= {"either"}


def test_no_argument_of_several_is_missing_where_one_has_a_default_or_a_branch_requires_none(make_subject):
    branches = [{"required": ["slug"]}, {"required": ["words"]}]
    properties = ONE_OF_TWO["properties"] | {"slug": {"type": "string", "default": "a"}}
    with_default = ONE_OF_TWO | {"properties": properties, "anyOf": branches}
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(with_default), [])}
    assert plans["missing:slug or words"].demand == "either"
    free = ONE_OF_TWO | {"anyOf": [*branches, {"required": []}]}
    assert not [plan for plan in PROBE.fixed(make_subject(free), []) if plan.kind == "missing"]


def test_what_parsers_are_known_to_convert_is_not_called_a_wrong_type(plans):
    for label in (
        "type:name:boolean",
        "type:name:number",
        "type:count:boolean",
        "type:on:number",
        "type:name:string",
        "type:tags:empty-array",
    ):
        assert label not in plans


def test_a_required_argument_with_a_default_may_be_missing(make_subject):
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string", "default": "ping"}},
        "required": ["text"],
    }
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(schema), [])}
    assert (plans["missing:text"].demand, plans["null:text"].demand) == ("either", "either")


def test_null_for_a_nullable_argument_is_not_forbidden(make_subject):
    schema = {"type": "object", "properties": {"text": {"type": ["string", "null"]}}, "required": ["text"]}
    labels = {plan.label for plan in PROBE.fixed(make_subject(schema), [])}
    assert "missing:text" in labels
    assert "null:text" not in labels


def test_of_two_allowed_types_neither_makes_the_other_wrong(make_subject):
    schema = {
        "type": "object",
        "properties": {"x": {"type": ["string", "integer"], "maximum": 5}},
        "required": ["x"],
    }
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(schema), [])}
    assert "type:x:number" not in plans
    assert "type:x:string" not in plans
    assert plans["type:x:object"].demand == "refused"
    assert plans["bounds:x:maximum"].demand == "either"


def test_a_narrowed_argument_gets_no_other_value_of_its_type(make_subject, draws):
    subject = make_subject(NESTED, examples=[EXAMPLE], narrowing={"count": {"maximum": 2}})
    plans = [*PROBE.fixed(subject, []), *draws(PROBE.drawn(subject, []), 100)]
    sent = [json.loads(plan.arguments).get("count", 0) for plan in plans]
    assert all(0 <= value <= 2 for value in sent if isinstance(value, (int, float)))
    assert "type:count:object" in {plan.label for plan in plans}


def test_an_example_against_its_own_schema_is_not_changed(make_subject):
    subject = make_subject(NESTED, examples=[{"name": 5}])
    assert [plan for plan in PROBE.fixed(subject, []) if not optional(plan)] == []


def test_several_changes_at_once_are_drawn_and_refused_for_one_of_them(make_subject, draws, of):
    subject = make_subject(NESTED, examples=[EXAMPLE])
    combined = of(draws(PROBE.drawn(subject, []), 200), "combined:")
    assert combined
    assert {plan.demand for plan in combined} == {"refused", "either"}
    for plan in combined:
        kinds = {part.partition(":")[0] for part in plan.label.removeprefix("combined:").split("+")}
        if kinds & {"missing", "null", "type", "bounds", "length", "items", "pattern"}:
            assert plan.demand == "refused"
        if kinds <= {"coercible", "additional"}:
            assert plan.demand == "either"


TOGETHER = {
    "dependentRequired": ({"dependentRequired": {"a": ["b"]}}, {"a": "x", "b": "y"}, {"a": "x"}),
    "not": ({"not": {"required": ["a", "b"]}}, {"a": "x"}, {"a": "x", "b": "text"}),
    "propertyNames": (
        {"propertyNames": {"pattern": "^[a-z]+$"}},
        {"a": "x"},
        {"a": "x", "no such name!": "text"},
    ),
}
WITHIN = {
    "contains": ({"type": "array", "contains": {"const": 1}}, [1], []),
    "maxContains": ({"type": "array", "contains": {"const": 1}, "maxContains": 1}, [1], [1, 1, 1]),
    "items": ({"type": "array", "prefixItems": [{"const": 1}], "items": False}, [1], [1, "unexpected"]),
    "not": ({"type": "integer", "not": {"const": 0}}, 1, 0),
}


@pytest.mark.parametrize("keyword", TOGETHER)
def test_what_members_may_not_be_together_is_sent_at_the_root_and_inside(make_subject, keyword):
    constraint, allowed, forbidden = TOGETHER[keyword]
    node = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, **constraint}
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(node, examples=[allowed]), [])}
    assert json.loads(plans[f"relation:{keyword}"].arguments) == forbidden
    whole = {"type": "object", "properties": {"x": {"allOf": [{"$ref": "#/$defs/n"}]}}, "$defs": {"n": node}}
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(whole, examples=[{"x": allowed}]), [])}
    assert json.loads(plans[f"relation:x:{keyword}"].arguments) == {"x": forbidden}
    assert plans[f"relation:x:{keyword}"].demand == "refused"


def test_what_one_branch_says_of_members_together_is_broken_with_values_that_the_other_allows(make_subject):
    members = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}}
    for keyword, constraint, forbidden in (
        ("dependentRequired", {"dependentRequired": {"a": ["b"]}}, {"a": 1}),
        ("not", {"not": {"required": ["a", "b"]}}, {"a": 1, "b": True}),
    ):
        for schema in ({"allOf": [members, constraint]}, {**constraint, "allOf": [members]}):
            plans = {plan.label: plan for plan in PROBE.fixed(make_subject(schema), [])}
            assert json.loads(plans[f"relation:{keyword}"].arguments) == forbidden


@pytest.mark.parametrize("keyword", WITHIN)
def test_what_a_value_may_not_hold_is_sent(make_subject, keyword):
    node, allowed, forbidden = WITHIN[keyword]
    schema = {"type": "object", "properties": {"x": node}}
    plans = list(PROBE.fixed(make_subject(schema, examples=[{"x": allowed}]), []))
    sent = [json.loads(plan.arguments) for plan in plans if plan.kind == "relation"]
    assert {"x": forbidden} in sent
    assert {plan.demand for plan in plans if plan.kind == "relation"} == {"refused"}


CONDITIONAL = {
    "type": "object",
    "properties": {
        "how": {"enum": ["post", "mail"]},
        "zip": {"type": "string", "maxLength": 5},
        "address": {"type": "string"},
    },
    "required": ["how"],
}
POST = {"properties": {"how": {"const": "post"}}}
MAIL = {"properties": {"how": {"const": "mail"}}}


@pytest.mark.parametrize(
    ("constraint", "label", "expected"),
    [
        ({"if": POST, "then": {"required": ["zip"]}}, "missing:zip", {"how": "post", "address": "x"}),
        ({"if": MAIL, "then": {"required": ["address"]}}, "missing:address", {"how": "mail", "zip": "12345"}),
        ({"if": MAIL, "else": {"required": ["zip"]}}, "missing:zip", {"how": "post", "address": "x"}),
        ({"dependentSchemas": {"zip": {"required": ["address"]}}}, "missing:address", {"how": "post", "zip": "12345"}),
    ],
)  # fmt: skip
def test_what_binds_under_a_condition_is_broken_under_it(make_subject, constraint, label, expected):
    schema = {**CONDITIONAL, **constraint}
    example = {"how": "post", "zip": "12345", "address": "x"}
    for node, wrap in ((schema, lambda value: value), (None, lambda value: {"x": value})):
        outer = node or {"type": "object", "properties": {"x": schema}}
        plans = list(PROBE.fixed(make_subject(outer, examples=[wrap(example)]), []))
        name = label if node else label.replace(":", ":x.")
        sent = [json.loads(plan.arguments) for plan in plans if plan.label == name]
        assert [plan.demand for plan in plans if plan.label == name]
        assert wrap(expected) in sent


def test_branches_that_overlap_may_be_refused_or_not(make_subject):
    schema = {
        "type": "object",
        "properties": {"x": {"oneOf": [{"minimum": 1}, {"maximum": 3}], "type": "integer"}},
    }
    plans = {plan.label: plan for plan in PROBE.fixed(make_subject(schema, examples=[{"x": 9}]), [])}
    assert plans["relation:x:oneOf"].demand == "either"


def test_members_whose_names_a_pattern_wants_are_changed(make_subject):
    schema = {
        "type": "object",
        "properties": {
            "x": {"type": "object", "patternProperties": {"^x-": {"type": "integer", "maximum": 3}}}
        },
    }
    plans = {
        plan.label: plan for plan in PROBE.fixed(make_subject(schema, examples=[{"x": {"x-key": 1}}]), [])
    }
    assert json.loads(plans["bounds:x.x-key:maximum"].arguments) == {"x": {"x-key": 4}}


def test_what_binds_several_arguments_leaves_a_narrowed_one_alone(make_subject):
    node = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    schema = {**node, "not": {"required": ["a", "b"]}}
    subject = make_subject(schema, examples=[{"a": "x"}], narrowing={"b": {"const": "x"}})
    assert not [plan for plan in PROBE.fixed(subject, []) if plan.kind == "relation"]


def test_a_call_with_each_other_listed_value_has_one_change_of_another_argument(make_subject, host, explore):
    properties = {"unit": {"enum": [*"abcdef"]}, "days": {"type": "integer"}}
    asked = make_subject({"type": "object", "properties": properties, "required": ["unit", "days"]})
    tool = host(asked)
    seen = explore(asked, tool, "valid")
    plans = []
    for plan in InvalidProbe().fixed(asked, seen):
        plans.append(plan)
        seen.append(tool.execute(plan))
    made = [plan for plan in plans if json.loads(plan.arguments).get("unit") in [*"bcdef"]]
    assert {json.loads(plan.arguments)["unit"] for plan in made} == {*"bcdef"}
    assert {plan.change.argument for plan in made} <= {"days"}
    assert {plan.demand for plan in made} <= {"either"}
    assert len({plan.change for plan in made}) == len(made)


def graded(subject):
    """The same subject of a system that grades conversions by what they lose."""
    traits = replace(subject.declaration.traits, grades_conversions=True)
    return replace(subject, declaration=codec.replace(subject.declaration, traits=traits))


@pytest.mark.parametrize(
    ("label", "demand", "value"),
    [
        ("coercible:count:fraction", "refused", 1.5),
        ("coercible:count:empty-string", "refused", ""),
        ("coercible:count:numeric-string", "either", "1"),
        ("coercible:count:true", "either", True),
        ("coercible:on:numeric-string", "refused", "5"),
        ("coercible:on:word", "either", "yes"),
        ("coercible:on:zero", "either", 0),
        ("coercible:tags:json-text", "either", '["a"]'),
        ("coercible:address:json-text", "either", '{"city": "Oslo"}'),
        ("coercible:name:integer", "either", 5),
    ],
)
def test_a_conversion_with_loss_has_to_be_refused_where_a_system_grades_them(
    make_subject, host, explore, label, demand, value
):
    subject = graded(make_subject(NESTED, examples=[EXAMPLE]))
    made = {plan.label: plan for plan in PROBE.fixed(subject, explore(subject, host(subject), "valid"))}
    assert made[label].demand == demand
    assert json.loads(made[label].arguments)[label.split(":")[1]] == value


WAITS = {
    "type": "object",
    "properties": {"sleep_time": {"type": "integer"}, "count": {"type": "integer"}},
    "required": ["sleep_time", "count"],
}


def test_the_text_of_a_number_asks_for_no_longer_wait_than_a_valid_call(make_subject, host, explore):
    subject = make_subject(WAITS, examples=[{"sleep_time": 0, "count": 2}])
    made = {plan.label: plan for plan in PROBE.fixed(subject, explore(subject, host(subject), "valid"))}
    sent = {
        name: json.loads(made[f"coercible:{name}:numeric-string"].arguments)[name]
        for name in ("sleep_time", "count")
    }
    assert sent == {"sleep_time": "0", "count": "5"}


OPTIONAL = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "unit": {"type": "string"},
        "days": {"type": ["integer", "null"]},
        "note": {"type": "string", "default": None},
        "part": {
            "type": "object",
            "properties": {
                "size": {"type": "integer"},
                "hint": {"type": ["string", "null"]},
                "mark": {"type": "string", "default": None},
            },
        },
    },
    "required": ["name"],
}
WHOLE = {
    "name": "a",
    "unit": "m",
    "days": 1,
    "note": "b",
    "part": {"size": 1, "hint": "c", "mark": "d"},
}


@pytest.mark.parametrize(
    ("place", "demand"),
    [
        ("unit", "refused"),
        ("days", "accepted"),
        ("note", "either"),
        ("part", "refused"),
        ("part.size", "refused"),
    ],
)
def test_null_for_an_optional_argument_is_a_value_of_another_type_where_a_system_grades_conversions(
    make_subject, host, explore, place, demand
):
    """Where the schema names null as the default, both answers are right."""
    subject = make_subject(OPTIONAL, examples=[WHOLE])
    traits = replace(subject.declaration.traits, grades_conversions=True, null_is_absent=False)
    asked = replace(subject, declaration=codec.replace(subject.declaration, traits=traits))
    made = {plan.label: plan for plan in PROBE.fixed(asked, explore(asked, host(asked), "valid"))}
    plan = made[f"null-optional:{place}"]
    assert plan.demand == demand
    sent = json.loads(plan.arguments)
    assert (sent["part"]["size"] if "." in place else sent[place]) is None
    assert not made.keys() & {"null-optional:part.hint", "null-optional:part.mark"}


def test_null_in_a_part_of_an_argument_is_not_sent_in_other_systems(make_subject, host, explore):
    subject = make_subject(OPTIONAL, examples=[WHOLE])
    made = {plan.label for plan in PROBE.fixed(subject, explore(subject, host(subject), "valid"))}
    assert "null-optional:part" in made
    assert "null-optional:part.size" not in made


def test_where_a_system_does_not_a_tool_may_convert_as_it_likes(plans):
    demands = {plan.demand for label, plan in plans.items() if label.startswith("coercible:")}
    assert demands == {"either"}
    assert "coercible:on:word" not in plans


@pytest.mark.parametrize(
    ("number", "sent"), [(0, 0.5), (7, 7.5), (-7, -7.5), (10**400, 1.5), (1.0, 1.5), (True, 1.5)]
)
def test_a_fraction_is_half_a_step_beyond_a_number_that_is_allowed(number, sent):
    """To cut it off gives that number; one that has no half stays what it is in other systems."""
    assert _converting_to("fraction", number, 1.5) == sent
