"""Leaks, words of usage texts, faults of dependencies and levels, at their edges."""

import pytest

from aptix_conformance import canaries
from aptix_conformance.contracts import Level, load
from aptix_conformance.model import Disturbed, Exploration
from aptix_conformance.model.codec import replace
from aptix_conformance.rules.lib import documents, leaks, prose
from aptix_conformance.systems.art.rules.strict_schema import strict_fault


def explored(b, *calls):
    return Exploration((b.declaration(),), calls)


# ---- leaks


def test_a_long_text_is_searched_to_its_middle_and_no_further(b):
    mark = canaries.DEPENDENCY_MARK

    def found(before, after):
        return leaks.secrets(b.call(), ["x" * before + mark + "x" * after])

    both = 2 * leaks.SEARCHED - len(mark)
    assert found(both // 2, both - both // 2)
    assert found(0, 10 * leaks.SEARCHED)
    assert found(10 * leaks.SEARCHED, 0)
    assert not found(2 * leaks.SEARCHED, 2 * leaks.SEARCHED)


def test_a_trace_inside_a_text_is_found_below_its_escapes(b):
    trace = 'Traceback (most recent call last):\n  File "/srv/tool.py", line 9, in execute\nKeyError: 1'
    for text in (trace, trace.replace("\n", "\\n").replace('"', '\\"')):
        leak = leaks.internals(b.call(result=b.failure(text)))
        assert "stack trace" in leak.what
        assert list(leaks.without_stack_traces([text, "plain"])) == ["plain"]


# ---- usage texts


def test_a_counted_line_hides_no_other():
    text = "Never ask http://10.0.0.7/a for it.\nIt asks http://10.0.0.8/b for it."
    assert prose.environment_specific(text) == "http://10.0.0.8/b"


def test_anybodys_home_hides_no_other():
    text = "Write to /home/user/notes or to /home/ada.l/notes."
    assert prose.environment_specific(text) == "/home/ada.l/notes."
    assert prose.environment_specific("Write to /home/user/notes.") is None


@pytest.mark.parametrize(("above", "count"), [("Purpose", 1), ("A", 1), ("1. Purpose", 0)])
def test_an_underlined_line_of_words_is_a_heading(above, count):
    assert len(prose.headings(f"{above}\n=======\nIt greets.")) == count


MUCH = "It greets: call it when asked; never twice. Arguments: name. Errors: none. E.g. hello."


@pytest.mark.parametrize(
    ("headings", "is_broken"), [((), True), (("Purpose",), True), (("Purpose", "Rules"), False)]
)
def test_use014_wants_two_sections_at_least(b, headings, is_broken):
    lines = [line for heading in headings for line in (f"{heading}:", f"- {MUCH}")] or [MUCH, MUCH]
    declared = b.declaration(usage="\n".join(lines))
    rule = b.RULES["USE014"]
    assert rule.when(declared)
    assert (rule.check(declared) is not None) is is_broken


def test_use014_is_for_texts_that_say_much_in_several_lines(b):
    assert not b.RULES["USE014"].when(b.declaration(usage=MUCH))
    assert not b.RULES["USE014"].when(b.declaration(usage="It greets.\nHello."))


@pytest.mark.parametrize("code", ["USE010", "USE011", "USE012", "USE013", "CAT010", "CAT011", "USE020"])
def test_rules_on_what_a_usage_text_says_are_for_texts(b, code):
    assert not b.RULES[code].when(b.declaration(usage=" \n"))


# ---- strict schemas


def test_of_several_unknown_keywords_the_first_is_named():
    assert "'aaa'" in strict_fault({"type": "object", "zzz": 1, "aaa": 1})


@pytest.mark.parametrize("keyword", ["properties", "patternProperties", "definitions", "dependencies"])
def test_schemas_under_names_are_judged_too(keyword):
    assert "'odd'" in strict_fault({"type": "object", keyword: {"a": {"odd": 1}}})


def test_what_only_looks_like_a_place_for_schemas_is_data():
    assert strict_fault({"type": "object", "default": {"a": {"odd": 1}}}) is None
    assert strict_fault({"type": "object", "dependencies": {"a": ["b"]}}) is None


# ---- faults


def failing(b, kind, probe="fault", label="library:1", place="open() at tool.py:9", **changes):
    raised = changes.pop("raised", "RuntimeError")
    made = b.call(f"{label}:{kind}", probe=probe, raised=raised, **changes)
    return replace(made, disturbed=Disturbed(reached=True, place=place, injected=kind))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("gives_none", "gave None"),
        ("gives_wrong_type", "gave an object of another type"),
        ("unprintable", "raised an exception that cannot be shown"),
        ("never_heard_of", "raised an exception"),
    ],
)
def test_a_finding_tells_what_the_dependency_did(b, kind, words):
    assert f"open() at tool.py:9 {words}" in b.judge("EXC010", explored(b, failing(b, kind))).message


def test_exc012_looks_past_what_did_not_come_out(b):
    guarded = b.call("parser:1:unknown", probe="fault", result=b.failure())
    guarded = replace(guarded, disturbed=Disturbed(True, "loads() at tool.py:8", injected="unknown"))
    beyond = failing(b, "unknown", label="parser:1")
    assert b.judge("EXC012", explored(b, guarded, beyond)).call == beyond


@pytest.mark.parametrize(
    ("record", "counts"),
    [
        ({"method": "add_exception"}, True),
        ({"method": "log", "level": "ERROR"}, True),
        ({"method": "log", "level": "CRITICAL"}, True),
        ({"method": "log", "level": "INFO", "exception_type": "KeyError"}, True),
        ({"method": "log", "level": "INFO"}, False),
        ({"method": "add_error", "level": "ERROR"}, False),
        ({"method": "trace", "exception_type": "KeyError"}, False),
    ],
)
def test_log010_takes_an_exception_or_an_error_of_pythons_own_logging(b, record, counts):
    made = b.call("service:1:unknown", probe="fault", result=b.failure(), logs=(b.LogRecord(**record),))
    seen = replace(made, disturbed=Disturbed(reached=True, place="get()", injected="unknown"))
    assert (b.judge("LOG010", seen) is None) is counts


# ---- levels


ADVICE = {
    "CAN004", "CAT010", "CAT011", "EXC006", "EXC011", "EXC012", "EXC013", "LOG002", "RES005",
    "SCH013", "SCH014", "SCH015", "USE002", "USE003", "USE004", "USE010", "USE012", "USE013", "USE014",
}  # fmt: skip


@pytest.mark.parametrize("code", sorted(ADVICE))
def test_what_guesses_at_prose_or_intent_is_never_more_than_advice(b, code):
    assert b.RULES[code].advice
    for edition in load().editions.values():
        assert b.RULES[code].level(edition) in (None, Level.SHOULD)


def test_good_practice_elsewhere_is_a_should_there_and_a_duty_at_home(b):
    """A rule of the contract's binds other systems as good practice, where it says so, and nobody else."""
    rule = b.RULES["EXC003"]
    levels = {name: rule.level(edition) for name, edition in load().editions.items()}
    assert levels["aptix-agn-005-1.1"] is Level.MUST
    assert levels["art-0.4.16"] is Level.SHOULD
    assert replace(rule, also=()).level(load().edition("art-0.4.16")) is None


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("- city: the city", ["city"]),
        ("- City: a word", []),
        ("- cityName: the city", ["cityName"]),
        ("- aB: two letters", ["aB"]),
        ("- City_Name: the city", ["City_Name"]),
        ("- `City`: quoted", ["City"]),
        ("- `City: half quoted", []),
        ("- City`: half quoted", []),
        ("- optional: no name", []),
        ("- the city, if any", []),
    ],
)
def test_an_argument_is_named_where_the_layout_leaves_no_doubt(line, names):
    assert list(prose.argument_names(f"Arguments:\n{line}\n")) == names


def test_items_further_in_describe_an_argument():
    text = (
        "Arguments:\n- city: the city\n  - big: above a million\n- unit: c or f\nRules:\n- never: not this\n"
    )
    assert list(prose.argument_names(text)) == ["city", "unit"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Set the argument `city`.", ["city"]),
        ("The `city` argument is a name.", ["city"]),
        ("It has no `city` argument.", []),
        ("It is not for all. Set the `city` argument.", ["city"]),
        ("The `city` argument of the other_tool is something else.", []),
    ],
)
def test_an_argument_is_spoken_of_where_it_is_not_denied(text, names):
    assert list(prose.argument_names(text)) == names


@pytest.mark.parametrize(
    ("text", "is_broken"), [("One line.", True), ("Two\nlines.", False), ("One.\n\n", True)]
)
def test_use002_counts_lines_that_hold_text(b, text, is_broken):
    assert (b.judge("USE002", b.declaration(usage=text)) is not None) is is_broken


def test_a_heading_is_its_words():
    assert [section.heading for section in prose.sections("It greets.\nArguments:\n- a: b\n**Rules**\n")] == [
        "",
        "Arguments",
        "Rules",
    ]


def test_exc005_reports_a_path_of_the_host_in_a_payload(b):
    path = f"/tmp/{canaries.SCRATCH_PREFIX}x1/notes.txt"
    found = b.judge("EXC005", b.call(result=b.success({"file": path})))
    assert "a path of the machine" in found.message
    asked = b.call(arguments=f'{{"file": "{path}"}}', result=b.success({"file": path}))
    assert b.judge("EXC005", asked) is None


def test_a_fault_below_the_root_has_its_place():
    assert strict_fault({"type": "object", "properties": {"a": {"odd": 1}}}).endswith("(at /properties/a)")
    assert "(at" not in strict_fault({"type": "object", "odd": 1})


def test_a_member_is_there_whatever_else_is():
    assert documents.has_member({"x": 1, "Session_Id": 2}, "sessionId")
    assert not documents.has_member({"x": 1}, "sessionId")


@pytest.mark.parametrize(
    ("usage", "much"),
    [
        ("Call it when asked.\nNever twice.\nErrors: none.", False),
        ("Call it when asked.\nNever twice.\nErrors: none.\nE.g. hello.", True),
    ],
)
def test_use014_takes_four_contents_for_much(b, usage, much):
    """Of a usage text's contents: when, when not, errors, and examples."""
    assert sum(prose.says(usage, content) for content in prose.CONTENTS) == (4 if much else 3)
    assert b.RULES["USE014"].when(b.declaration(usage=usage)) is much


def test_a_place_in_a_trace_is_found_below_its_escapes():
    text = '{\\"at\\": \\"File \\"/srv/tool.py\\", line 9\\"}'
    assert list(leaks.without_stack_traces([text, "plain"])) == ["plain"]


def test_use001_is_for_texts_in_a_constant(b):
    for kind, value in (("plain", None), ("property", "It greets.")):
        own = b.replace(b.declaration().usage_text, kind=kind, value=value)
        assert not b.RULES["USE001"].when(b.declaration(usage_text=own))
    assert b.RULES["USE001"].when(b.declaration(usage=""))


# ---- strict schemas that are large, or that only look alike


def test_a_schema_too_deep_to_be_read_is_said_to_be():
    schema = {"type": "object"}
    for _ in range(100):
        schema = {"not": schema}
    assert "too deep" in strict_fault(schema)


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
