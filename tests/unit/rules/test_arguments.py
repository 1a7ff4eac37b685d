"""ARG: which arguments a tool must refuse, and what is another rule's."""

import dataclasses
import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.argument_builders import KINDS, LABELS, emitted, invalid
from tests.unit.rules.explorations import explored

from aptix_conformance.core.model import Exploration, ResultError
from aptix_conformance.core.model.codec import replace


@pytest.mark.parametrize("code", KINDS)
@pytest.mark.parametrize("label", LABELS)
def test_an_object_that_should_be_refused_is_for_the_rule_of_its_kind(code, label):
    rule = b.RULES[code]

    def seen(call):
        return call if rule.over is not Exploration else explored(call)

    accepted = invalid(label)
    assert rule.when(seen(accepted)) is (label in KINDS[code])
    if label not in KINDS[code]:
        return
    assert rule.check(seen(accepted))
    assert rule.check(seen(invalid(label, b.failure()))) is None
    assert not rule.when(seen(invalid(label, demand="either")))
    assert not rule.when(seen(invalid(label, raised="KeyError")))
    assert not rule.when(seen(b.call(label, "{}", "valid", "refused")))


def test_arg007_leaves_an_argument_that_is_not_looked_for_to_arg006():
    null, absent = invalid("null:name"), invalid("missing:name")
    assert b.judge("ARG007", explored(null)).call == null
    assert b.judge("ARG007", explored(null, absent)) is None
    assert b.judge("ARG007", explored(null, invalid("missing:other")))
    assert b.judge("ARG007", explored(null, invalid("missing:name", b.failure())))


def test_a_refusal_that_is_labelled_as_a_success_is_mcp087s_and_never_arg006s():
    wrong = invalid("missing:name", b.success({"success": False, "error": "name is missing"}))
    (found,) = b.RULES["ARG006"].findings(explored(wrong))
    assert (found.defers_to, found.not_its_own) == ("MCP087", True)


@pytest.mark.parametrize("kind", ["enum", "const"])
def test_arg008_leaves_an_argument_whose_value_is_not_looked_at_to_arg009(kind):
    typed = invalid("type:mood:array")
    assert b.judge("ARG008", explored(typed, invalid(f"{kind}:mood"))) is None
    assert b.judge("ARG008", explored(typed, invalid(f"{kind}:name")))


@pytest.mark.parametrize("code", ["ARG007", "ARG008"])
def test_they_do_not_mind_what_the_contract_lets_through(code):
    label = {"ARG007": "null:name", "ARG008": "type:name:object"}[code]
    refused, lenient = invalid(label, b.failure()), invalid(label, demand="either")
    assert b.judge(code, explored(refused, lenient)) is None


@pytest.mark.parametrize(
    ("label", "code"), [("garbage:prose", "ARG003"), ("root:array", "ARG004"), ("root:number", "ARG004")]
)
def test_documents_are_told_by_what_they_are(label, code):
    sent = b.call(label, "[1]", "malformed", "refused")
    assert b.judge(code, sent)
    other = {"ARG003": "ARG004", "ARG004": "ARG003"}[code]
    assert not b.RULES[other].when(sent)
    for skipped in (
        b.call(label, "[1]", "malformed", "either"),
        b.call(label, "[1]", "valid", "refused"),
        b.call(label, "[1]", "malformed", "refused", raised="ValueError"),
    ):
        assert not b.RULES[code].when(skipped)


@pytest.mark.parametrize("label", ["blank:null", "blank:empty", "root:null"])
def test_blank_arguments_are_arg001s_alone(label):
    blank = b.call(label, None, "malformed", "refused")
    assert not b.RULES["ARG003"].when(blank)
    assert not b.RULES["ARG004"].when(blank)
    assert b.judge("ARG001", explored(blank)).call == blank


def test_arg001_leaves_a_tool_that_looks_for_nothing_to_arg006():
    blank = b.call("blank:null", None, "malformed", "refused")
    assert b.judge("ARG001", explored(blank, invalid("missing:name"))) is None
    assert b.judge("ARG001", explored(blank, invalid("missing:other")))
    lenient = b.call("blank:empty", "", "malformed", "either")
    refused = b.call("blank:null", None, "malformed", "refused", b.failure())
    assert b.judge("ARG001", explored(refused, lenient)) is None


def test_arg011_does_not_take_words_that_refuse_any_call_at_times_for_a_refusal_of_an_argument():
    busy = b.failure("Too many calls.")
    without = invalid("omitted-optional:mood", busy, "accepted")
    assert b.judge("ARG011", explored(b.call(), without))
    limited = explored(b.call(), without, b.call(result=busy))
    assert not b.RULES["ARG011"].when(limited)
    assert (
        b.judge("ARG011", explored(*limited.calls, invalid("null-optional:mood", demand="accepted"))) is None
    )


@pytest.mark.parametrize(
    ("label", "words"), [("omitted-optional:mood", "'mood' left out"), ("null-optional:mood", "'mood' null")]
)
def test_arg011_says_what_was_done_to_the_argument(label, words):
    refused = invalid(label, b.failure("mood is missing."), "accepted")
    found = b.judge("ARG011", explored(refused)).message
    assert words in found
    assert "mood is missing." in found
    assert b.judge("ARG011", explored(invalid(label, demand="accepted"))) is None
    for skipped in (
        invalid(label, b.failure(), "either"),
        invalid("additional:x", b.failure(), "accepted"),
        b.call(label, "{}", "valid", "accepted", b.failure()),
        invalid(label, demand="accepted", raised="KeyError"),
    ):
        assert not b.RULES["ARG011"].when(explored(skipped))


def dispatching(**item):
    """A tool with an action, which says whether an item is needed."""
    action = {"type": "string", "enum": ["add", "show"]}
    return emitted(properties={"action": action, "item": {"type": "string", **item}}, required=["action"])


def without_an_item(action, kind="omitted-optional"):
    """A refused call of an action, from which the item was taken."""
    sent = {"action": action, "item": None} if kind == "null-optional" else {"action": action}
    return invalid(f"{kind}:item", b.failure("item is missing."), "accepted", arguments=json.dumps(sent))


@pytest.mark.parametrize("kind", ["omitted-optional", "null-optional"])
def test_an_argument_that_one_action_needs_may_be_missed_there(kind):
    shown = b.call("valid", '{"action": "show"}', "valid")
    calls = (shown, without_an_item("add", kind))
    assert b.judge("ARG011", explored(*calls, declared=dispatching())) is None


def test_an_argument_that_a_successful_call_of_the_same_action_lacks_is_optional():
    added = b.call("valid", '{"action": "add", "item": null}', "valid")
    calls = (added, without_an_item("add"))
    assert b.judge("ARG011", explored(*calls, declared=dispatching()))


def test_an_argument_without_which_nothing_succeeds_is_refused_wrongly():
    whole = b.call("valid", '{"action": "show", "item": "x"}', "valid")
    calls = (whole, without_an_item("add"))
    assert b.judge("ARG011", explored(*calls, declared=dispatching()))


def test_an_argument_with_a_default_is_needed_by_no_action():
    shown = b.call("valid", '{"action": "show"}', "valid")
    calls = (shown, without_an_item("add"))
    assert b.judge("ARG011", explored(*calls, declared=dispatching(default="bread")))


def test_an_action_that_is_not_listed_says_nothing_of_what_is_needed():
    free = emitted(properties={"action": {"type": "string"}, "item": {"type": "string"}}, required=["action"])
    shown = b.call("valid", '{"action": "show"}', "valid")
    assert b.judge("ARG011", explored(shown, without_an_item("add"), declared=free))


ONE_OF_TWO = {"slug": {"type": "string"}, "words": {"type": "string"}}


def with_neither(kind="omitted-optional", sent="{}", name="slug"):
    """A refused call without a slug."""
    return invalid(f"{kind}:{name}", b.failure("Give a slug or words."), "accepted", arguments=sent)


@pytest.mark.parametrize(("kind", "sent"), [("omitted-optional", "{}"), ("null-optional", '{"slug": null}')])
def test_a_call_with_none_of_several_arguments_may_be_refused_where_another_one_will_do(kind, sent):
    declared = emitted(properties=ONE_OF_TWO, required=[])
    by_words = b.call("valid", '{"words": "desk"}', "valid")
    assert b.judge("ARG011", explored(by_words, with_neither(kind, sent), declared=declared)) is None
    tried = invalid("omitted-optional:slug", demand="either", arguments='{"words": "desk"}')
    assert b.judge("ARG011", explored(tried, with_neither(kind, sent), declared=declared)) is None


def test_an_argument_that_no_other_replaces_is_refused_wrongly():
    declared = emitted(properties=ONE_OF_TWO, required=[])
    both = b.call("valid", '{"slug": "a", "words": "desk"}', "valid")
    refused = invalid("omitted-optional:slug", b.failure(), "either", arguments='{"words": "desk"}')
    assert b.judge("ARG011", explored(both, refused, with_neither(), declared=declared))


@pytest.mark.parametrize(
    ("refused", "succeeded"),
    [
        ('{"words": "desk", "slug": null}', '{"words": "desk"}'),
        ('{"words": "desk"}', '{"words": "desk", "slug": null}'),
    ],
)
def test_nothing_and_null_are_alike_also_for_one_of_several_arguments(refused, succeeded):
    properties = ONE_OF_TWO | {"exact": {"type": "string"}}
    declared = emitted(properties=properties, required=[])
    more = b.call("valid", '{"words": "desk", "exact": "yes"}', "valid")
    kind = "null-optional" if "null" in refused else "omitted-optional"
    calls = (b.call("valid", succeeded, "valid"), more, with_neither(kind, refused))
    assert b.judge("ARG011", explored(*calls, declared=declared))


@pytest.mark.parametrize("name", ONE_OF_TWO)
def test_an_argument_with_a_default_is_none_of_several_and_null_is_no_default(name):
    by_words = b.call("valid", '{"words": "desk"}', "valid")
    for default, is_found in (("a", True), (None, False)):
        properties = ONE_OF_TWO | {name: {"type": ["string", "null"], "default": default}}
        declared = emitted(properties=properties, required=[])
        found = b.judge("ARG011", explored(by_words, with_neither(), declared=declared))
        assert (found is not None) is is_found


def test_another_call_with_other_values_does_not_show_what_replaces_an_argument():
    declared = emitted(properties=ONE_OF_TWO | {"kind": {"type": "string"}}, required=["kind"])
    other = b.call("valid", '{"kind": "news", "words": "desk"}', "valid")
    refused = with_neither(sent='{"kind": "page"}')
    assert b.judge("ARG011", explored(other, refused, declared=declared))
    same = b.call("valid", '{"kind": "page", "words": "desk"}', "valid")
    assert b.judge("ARG011", explored(other, same, refused, declared=declared)) is None


def test_arg005_reports_a_fault_of_its_own_only():
    frame = b.Raised("KeyError", "'name'", '  File "/srv/tool.py", line 9, in execute')
    wrong = invalid("type:name:object", raised=frame)
    assert b.judge("ARG005", explored(wrong)).call == wrong
    proper = b.call(raised=frame)
    assert b.judge("ARG005", explored(wrong, proper)) is None
    elsewhere = b.call(raised=replace(frame, traceback='  File "/srv/tool.py", line 8, in execute'))
    assert b.judge("ARG005", explored(wrong, elsewhere))


def test_arg008_finds_true_for_a_number_where_text_for_it_is_refused():
    text = invalid("coercible:count:numeric-string", b.failure(), "either")
    true = invalid("coercible:count:true", demand="either")
    assert (
        "true for the number"
        in b.judge(
            "ARG008",
            explored(text, true, b.call("type:count:object", "{}", "invalid", "refused", b.failure())),
        ).message
    )
    converts = invalid("coercible:count:numeric-string", demand="either")
    refused = b.call("type:count:object", "{}", "invalid", "refused", b.failure())
    assert b.judge("ARG008", explored(converts, true, refused)) is None


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(
            [({"name": "x", "count": "2"}, False)], id="the text was refused beside other arguments"
        ),
        pytest.param([({"count": "4"}, False)], id="the schema forbids the number of the text"),
        pytest.param(
            [({"count": "2"}, False), ({"name": "x", "count": "2"}, True)], id="text was taken elsewhere"
        ),
    ],
)
def test_arg008_takes_no_refusal_for_another_reason_for_strictness(texts):
    label = "coercible:count:numeric-string"
    calls = [
        invalid(label, None if taken else b.failure(), "either", json.dumps(arguments))
        for arguments, taken in texts
    ]
    true = invalid("coercible:count:true", None, "either", '{"count": true}')
    refused = b.call("type:count:object", "{}", "invalid", "refused", b.failure())
    assert b.judge("ARG008", explored(*calls, true, refused)) is None
    strict = invalid(label, b.failure(), "either", '{"count": "2"}')
    assert b.judge("ARG008", explored(strict, true, refused)) is not None


def text_for_a_number(arguments):
    return invalid("coercible:count:numeric-string", b.failure(), "either", json.dumps(arguments))


def true_for_a_number(arguments):
    return invalid("coercible:count:true", None, "either", json.dumps(arguments))


REFUSES_OBJECTS = ("type:count:object", "{}", "invalid", "refused")


def judged_with_count(count, text, *later):
    """What ARG008 finds where "4" was refused and true was taken, by the schema of `count` at the first reading."""
    readings = [b.declaration(b.with_property(count=each)) for each in (count, *later)]
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number({"count": text}),
        true_for_a_number({"count": True}),
    )
    return b.judge("ARG008", Exploration(tuple(readings), calls))


def test_arg008_compares_calls_whose_other_arguments_are_equal_in_any_order():
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number({"name": "Ada", "mood": "kind", "count": "2"}),
        true_for_a_number({"mood": "kind", "name": "Ada", "count": True}),
    )
    assert b.judge("ARG008", explored(*calls))


def test_arg008_asks_the_first_reading_of_the_schema_what_number_is_allowed():
    few, many = ({"type": "integer", "maximum": most} for most in (3, 9))
    assert judged_with_count(few, "4", many) is None
    assert judged_with_count(many, "4", few)


def test_arg008_follows_a_reference_to_learn_what_number_is_allowed():
    readings = [
        b.declaration(
            b.parameters(
                **{"$defs": {"few": {"type": "integer", "maximum": most}}},
                properties={**b.PARAMETERS["properties"], "count": {"$ref": "#/$defs/few"}},
            )
        )
        for most in (3, 4)
    ]
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number({"count": "4"}),
        true_for_a_number({"count": True}),
    )
    forbidden, allowed = (Exploration((reading,), calls) for reading in readings)
    assert b.judge("ARG008", forbidden) is None
    assert b.judge("ARG008", allowed)


def test_arg008_fetches_no_schema_and_takes_the_number_for_allowed(tmp_path):
    elsewhere = tmp_path / "few.json"
    elsewhere.write_text('{"maximum": 3}', encoding="utf-8")
    assert judged_with_count({"type": "integer", "maximum": 3}, "4") is None
    assert judged_with_count({"$ref": elsewhere.as_uri()}, "4")


def test_arg008_takes_a_text_that_is_no_number_for_refused_as_text():
    assert judged_with_count({"type": "integer", "maximum": 3}, "four")


def test_arg008_finds_what_is_converted_with_loss_where_that_has_to_be_refused():
    cut = invalid("coercible:count:fraction", None, "refused", '{"count": 1.5}')
    assert (
        b.judge("ARG008", explored(cut)).message
        == "The tool succeeded with a fraction for the integer 'count'."
    )
    refused = invalid("coercible:count:fraction", b.failure(), "refused", '{"count": 1.5}')
    assert b.judge("ARG008", explored(refused)) is None
    assert not b.RULES["ARG008"].when(explored(invalid("coercible:count:fraction", demand="either")))


def test_arg008_finds_null_for_an_optional_argument_where_that_has_to_be_refused():
    null = invalid("null-optional:count", None, "refused", '{"count": null}')
    said = "The tool succeeded with null for the optional 'count', whose type excludes null."
    assert b.judge("ARG008", explored(null)).message == said
    refused = invalid("null-optional:count", b.failure(), "refused", '{"count": null}')
    assert b.judge("ARG008", explored(refused)) is None
    assert b.RULES["ARG008"].when(explored(refused))
    assert not b.RULES["ARG008"].when(explored(invalid("null-optional:count", demand="either")))


def test_arg008_finds_one_cause_where_null_is_taken_like_any_value_of_another_type():
    null = invalid("null-optional:count", None, "refused", '{"count": null}')
    other = invalid("type:count:object", None, "refused", '{"count": {}}')
    found = b.RULES["ARG008"].findings(explored(null, other))
    assert {each.message for each in found} == {"The tool succeeded with another type for 'count'."}
    assert len({each.cause for each in found}) == 1


def test_arg008_leaves_true_for_a_number_to_a_system_that_grades_conversions():
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number({"count": "2"}),
        true_for_a_number({"count": True}),
    )
    assert b.judge("ARG008", explored(*calls))
    graded = b.declaration(traits=dataclasses.replace(b.declaration().traits, grades_conversions=True))
    assert b.judge("ARG008", Exploration((graded,), calls)) is None


def test_arg008_finds_nothing_where_true_is_refused_like_the_text_of_a_number():
    refused = invalid("coercible:count:true", b.failure(), "either", '{"count": true}')
    calls = (b.call(*REFUSES_OBJECTS, b.failure()), text_for_a_number({"count": "2"}), refused)
    assert b.RULES["ARG008"].findings(explored(*calls)) == ()


def test_arg008_does_not_count_the_object_around_a_changed_argument_as_another_argument():
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        invalid("coercible:size.width:numeric-string", b.failure(), "either", '{"size": {"width": "2"}}'),
        invalid("coercible:size.width:true", None, "either", '{"size": {"width": true}}'),
    )
    assert "size.width" in b.judge("ARG008", explored(*calls)).message


@pytest.mark.parametrize(
    ("label", "broken"),
    [
        ("bounds:count:maximum", "maximum"),
        ("length:name:minLength", "minLength"),
        ("pattern:name:behind", "pattern"),
        ("pattern:name", "pattern"),
    ],
)
def test_arg010_names_the_constraint(label, broken):
    assert b.judge("ARG010", explored(invalid(label))).message.endswith(f"breaks its {broken}.")


def test_arg005_judges_what_a_parser_makes_an_object_of_and_arg002_the_rest():
    lenient = b.call("lenient:nan", '{"n": NaN}', "malformed", "either", raised="KeyError")
    broken = b.call("truncated:open", '{"n":', "malformed", "either", raised="KeyError")
    assert b.judge("ARG005", explored(lenient))
    assert b.judge("ARG002", explored(lenient)) is None
    assert b.judge("ARG002", explored(broken))
    assert not b.RULES["ARG005"].when(explored(broken))
    accepted = invalid("omitted-optional:mood", demand="accepted", raised="KeyError")
    assert not b.RULES["ARG005"].when(explored(accepted))


def test_arg002_gives_way_to_the_rule_on_calls_that_a_model_may_make():
    same = b.call(raised=b.Raised("KeyError", "'x'", 'File "tool.py", line 3'))
    other = b.call(raised=b.Raised("KeyError", "'x'", 'File "tool.py", line 4'))
    broken = b.call("truncated:open", '{"n":', "malformed", "either", raised=same.raised)
    (finding,) = b.RULES["ARG002"].findings(explored(same, broken))
    assert (finding.defers_to, finding.call) == ("EXC001", broken)
    (finding,) = b.RULES["ARG002"].findings(explored(other, broken))
    assert finding.defers_to == ""
    assert finding.cause == ("KeyError", "tool.py:3")


def test_a_results_own_message_is_told_before_those_of_its_errors():
    said = replace(b.failure("The mood is odd."), errors=(ResultError("E17", None, None),))
    refused = invalid("omitted-optional:mood", said, "accepted")
    assert "The mood is odd." in b.judge("ARG011", explored(refused)).message
    silent = invalid("omitted-optional:mood", replace(said, error_message=None), "accepted")
    assert "E17" in b.judge("ARG011", explored(silent)).message


@pytest.mark.parametrize(
    ("code", "inner", "concerned"),
    [
        ("ARG009", {"enum": ["a"]}, True),
        ("ARG009", {"const": "a"}, True),
        ("ARG009", {"type": "string"}, False),
        ("ARG009", {"$ref": "#/$defs/kind"}, True),
        ("ARG009", {"$ref": "#/$defs/tree"}, False),
        ("ARG009", {"$ref": "elsewhere.json"}, False),
        ("ARG009", {"type": "string", "allOf": [{"$ref": "#/$defs/kind"}]}, True),
        ("ARG009", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, True),
        ("ARG009", {"anyOf": [{"type": "string"}, {"const": None}]}, False),
        ("ARG009", {"oneOf": [{"type": "integer"}, {"const": "a"}]}, True),
        ("ARG009", {"type": "array", "items": {"enum": ["a"]}}, True),
        ("ARG009", {"type": "array", "prefixItems": [{"enum": ["a"]}]}, True),
        ("ARG009", {"type": "object", "properties": {"deep": {"enum": ["a"]}}}, True),
        ("ARG009", {"type": "object", "properties": {"enum": {"type": "string"}}}, False),
        ("ARG009", {"type": "object", "additionalProperties": {"enum": ["a"]}}, True),
        ("ARG009", {"type": "string", "default": {"enum": ["a"]}}, False),
        ("ARG010", {"type": "string", "minLength": 1}, True),
        ("ARG010", {"type": "string", "enum": ["a"]}, False),
        ("ARG010", {"type": "string", "title": "x", "$comment": "y"}, False),
    ],
)
def test_rules_on_values_are_for_schemas_that_say_something_of_them(code, inner, concerned):
    kept = {"$defs": {"kind": {"enum": ["a"]}, "tree": {"items": {"$ref": "#/$defs/tree"}}}}
    own = emitted(properties={"a": inner, "b": True}, required=[], **kept)
    assert (b.RULES[code].applies(own) is None) is concerned


def test_rules_on_types_and_defaults_are_for_schemas_with_such_arguments():
    none = emitted(properties={}, required=[])
    assert b.RULES["ARG008"].applies(none)
    assert b.RULES["ARG011"].applies(none)
    assert b.RULES["ARG011"].applies(emitted(properties={"a": {}}, required=["a"]))
    assert b.RULES["ARG011"].applies(b.declaration()) is None
    assert b.RULES["ARG008"].applies(b.declaration()) is None


@pytest.mark.parametrize("untyped", [{}, True, {"description": "Any value."}])
def test_a_type_is_judged_where_an_argument_excludes_one(untyped):
    any_value = emitted(properties={"a": untyped}, required=["a"])
    assert b.RULES["ARG008"].applies(any_value) == "no argument has a type that excludes a value"
    typed = emitted(properties={"a": untyped, "n": {"type": "integer"}}, required=["a"])
    assert b.RULES["ARG008"].applies(typed) is None
