"""ART: the schemas and the examples that a tool declares, beside what it returns."""

import pytest
from tests.unit.rules import art_builders as a

from aptix_conformance.core.contracts import Level

GOOD = {"input": {"port": "Brest"}, "output": a.OUTPUT}
NOT_SCHEMAS = [None, [], "object", True]


# ---- ART005: the inputs of examples


def with_examples(*examples, **members):
    return a.tool(examples=list(examples), **members)


@pytest.mark.parametrize("code", ["ART005", "ART032"])
def test_a_tool_without_examples_is_not_concerned(code):
    assert "examples" in a.unconcerned(code, a.tool())
    assert "examples" in a.unconcerned(code, a.without_art())
    for examples in ([], [GOOD], None):
        assert a.unconcerned(code, a.tool(examples=examples)) is None


@pytest.mark.parametrize("code", ["ART005", "ART009"])
@pytest.mark.parametrize("schema", NOT_SCHEMAS)
def test_without_an_input_schema_that_is_an_object_nothing_is_judged_by_it(code, schema):
    assert a.is_for(code, with_examples(GOOD, inputSchema=schema)) is False


@pytest.mark.parametrize("code", ["ART005", "ART009"])
def test_without_an_input_schema_nothing_is_judged_by_it(code):
    assert a.is_for(code, a.tool("inputSchema", examples=[GOOD])) is False
    assert a.is_for(code, a.without_art()) is False


@pytest.mark.parametrize(
    "examples", [(), (GOOD,), (GOOD, {"input": {"port": "Rotterdam"}, "description": "Another."})]
)
def test_inputs_that_the_schema_allows_conform(examples):
    assert a.judge("ART005", with_examples(*examples)) is None


@pytest.mark.parametrize(
    ("examples", "quoted"), [(None, "null"), ({"input": {}}, '{"input": {}}'), ("x", '"x"')]
)
def test_examples_that_are_no_array_are_quoted(examples, quoted):
    said = a.judge("ART005", a.tool(examples=examples))
    assert quoted in said
    assert "no array" in said


@pytest.mark.parametrize(
    ("example", "quoted"), [({"output": []}, '{"output": []}'), ({}, "{}"), ("Brest", '"Brest"')]
)
def test_an_example_without_an_input_is_told_by_its_number(example, quoted):
    said = a.judge("ART005", with_examples(GOOD, example, {}))
    assert f"Example 2 has no input: {quoted}" in said


@pytest.mark.parametrize(
    ("given", "told"),
    [({}, "port"), ({"port": "B"}, "/port"), ({"port": 7}, "/port"), (None, "null"), ("Brest", "Brest")],
)
def test_an_input_that_the_schema_forbids_is_told_by_its_number_and_place(given, told):
    said = a.judge("ART005", with_examples(GOOD, GOOD, {"input": given}))
    assert "input of example 3 is not allowed" in said
    assert told in said


def test_a_place_within_an_input_is_told_whole():
    schema = {"properties": {"ports": {"items": {"properties": {"name": {"type": "string"}}}}}}
    said = a.judge("ART005", with_examples({"input": {"ports": [{}, {"name": 7}]}}, inputSchema=schema))
    assert "at /ports/1/name." in said


def test_a_fault_of_the_whole_input_has_no_place():
    said = a.judge("ART005", with_examples({"input": {}}))
    assert " at " not in said


@pytest.mark.parametrize(
    "schema", [{"type": "no such type"}, {"minLength": -1}, {"$ref": "https://example.org/port.json"}]
)
def test_no_input_is_forbidden_by_what_is_no_schema(schema):
    """ART009 says what is wrong with it."""
    assert a.judge("ART005", with_examples({"input": {"port": "B"}}, inputSchema=schema)) is None


def test_an_input_schema_of_another_draft_is_read_as_draft_07():
    schema = {**a.INPUT, "$schema": "https://json-schema.org/draft/2020-12/schema"}
    assert a.judge("ART005", with_examples(GOOD, inputSchema=schema)) is None
    assert "/port" in a.judge("ART005", with_examples({"input": {"port": 7}}, inputSchema=schema))


# ---- ART009: an inputSchema that compiles


@pytest.mark.parametrize("schema", [a.INPUT, {}])
def test_an_input_schema_of_draft_07_compiles(schema):
    assert a.judge("ART009", a.tool(inputSchema=schema)) is None


def test_without_a_validator_of_its_own_the_schema_is_read():
    said = a.judge("ART009", a.tool(inputSchema={"properties": {"day": {"format": "date"}}}))
    assert said.startswith("The inputSchema has the format 'date'")
    assert "/properties/day" in said


@pytest.mark.parametrize("pattern", ["^[^]*$", r"(?<year>\d{4})-\k<year>"])
def test_a_pattern_that_javascript_alone_knows_is_no_fault(pattern):
    for schema in ({"properties": {"day": {"pattern": pattern}}}, {"patternProperties": {pattern: {}}}):
        assert a.judge("ART009", a.tool(inputSchema=schema)) is None


def test_a_pattern_that_nobody_knows_is_a_fault():
    said = a.judge("ART009", a.tool(inputSchema={"properties": {"day": {"pattern": "(", "type": "string"}}}))
    assert "no JSON Schema of draft 07" in said


def test_the_projects_own_validator_is_believed_when_it_takes_the_schema():
    """It may have been taught formats."""
    declared = a.tool(
        inputSchema={"properties": {"day": {"format": "date"}}}, input_compiled=a.Compilation("ajv 8.17.1")
    )
    assert a.judge("ART009", declared) is None


def test_the_projects_own_validator_is_believed_when_it_refuses_the_schema():
    compiled = a.Compilation("ajv 8.17.1", 'strict mode: unknown keyword: "unit"')
    said = a.judge("ART009", a.tool(input_compiled=compiled))
    assert "ajv 8.17.1" in said
    assert 'unknown keyword: "unit"' in said


def test_what_the_orchestrator_cannot_compile_is_a_must_under_art_alone():
    assert a.RULES["ART009"].level(a.EDITION) is Level.MUST
    assert a.RULES["ART009"].code in a.EDITION.adopted


@pytest.mark.parametrize("text", ["\ud83d", ["a", "\ud83d"]])
def test_half_of_a_character_in_an_example_hides_no_wrong_type(text):
    declared = a.tool(
        inputSchema={"properties": {"n": {"type": "integer"}}}, examples=[{"input": {"n": text}}]
    )
    assert "example 1" in a.judge("ART005", declared)


# ---- ART029: outputs as the outputSchema has them


def described(*calls, schema=a.OUTPUT_SCHEMA):
    return a.explored(*calls, declared=a.tool(outputSchema=schema))


def returning(output, **changes):
    return a.call(a.succeeded(output), **changes)


def test_a_tool_without_an_output_schema_is_not_concerned():
    assert "outputSchema" in a.unconcerned("ART029", a.tool())
    assert a.unconcerned("ART029", a.tool(outputSchema=a.OUTPUT_SCHEMA)) is None
    assert a.unconcerned("ART029", a.tool(outputSchema=None)) is None


def test_a_blocking_tools_output_is_a_persons():
    declared = a.tool(outputSchema=a.OUTPUT_SCHEMA, executionMode="blocking")
    assert "blocking" in a.unconcerned("ART029", declared)


@pytest.mark.parametrize(
    "calls",
    [
        (),
        (a.call(a.failed()), a.threw(), a.call(a.suspended())),
        (a.call(a.without(a.succeeded(), "output")),),
    ],
)
def test_without_an_output_none_is_judged(calls):
    assert a.is_for("ART029", described(*calls)) is False


def nested(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


FAMILY = {
    "definitions": {f"d{n}": {"allOf": [{"$ref": f"#/definitions/d{n + 1}"}] * 2} for n in range(40)},
    "$ref": "#/definitions/d0",
}
"""A schema of one page that no validator finishes."""

ODD_PATTERN = {"properties": {"port": {"type": "string", "pattern": r"[\w-x]"}}}


HALF = {"properties": {"port": {"enum": ["\ud800"]}}}


@pytest.mark.parametrize(
    "schema", [nested(125), nested(126), nested(130), nested(300), FAMILY, ODD_PATTERN, HALF]
)
def test_a_schema_that_the_suite_cannot_read_is_not_judged_and_never_the_tools_fault(schema):
    assert not a.is_for("ART029", described(returning({"in": 7}), schema=schema))
    assert not a.is_for("ART005", a.tool(inputSchema=schema, examples=[{"input": {}}]))


@pytest.mark.parametrize("is_compiled", [False, True])
def test_art009_judges_a_schema_that_is_too_deep_where_the_project_has_a_validator(is_compiled):
    compiled = a.Compilation("ajv 8.17.1", "strict mode: unknown keyword") if is_compiled else None
    declared = a.tool(inputSchema=nested(130))
    declared = a.replace(declared, facts=a.replace(declared.facts, input_compiled=compiled))
    assert a.is_for("ART009", declared) is is_compiled
    assert not is_compiled or "unknown keyword" in a.judge("ART009", declared)


def test_a_schema_of_the_greatest_depth_that_it_reads_is_read():
    assert a.is_for("ART029", described(returning({"in": 7}), schema={"not": nested(124)}))


@pytest.mark.parametrize("schema", [nested(60), {"type": "objekt"}, 7])
def test_a_schema_that_it_can_read_is_judged(schema):
    assert a.judge("ART029", described(returning({"in": 7}), schema=schema))


def test_a_lone_surrogate_is_left_to_art033():
    said = described(
        returning({"port": "\ud800", "high": []}), schema={"properties": {"port": {"type": "string"}}}
    )
    assert a.judge("ART029", said) is None


@pytest.mark.parametrize("schema", [{"enum": ["Brest"]}, {"pattern": "^B"}])
def test_a_text_that_the_library_cannot_read_breaks_no_schema(schema):
    """ART033 reports half of a character; here nothing is known of it."""
    port = returning({"port": "\ud800", "high": []})
    assert a.judge("ART029", described(port, schema={"properties": {"port": schema}})) is None


@pytest.mark.parametrize("output", [{"port": "\ud800"}, {"port": ["\ud800"]}])
def test_half_of_a_character_in_an_output_hides_no_wrong_type(output):
    schema = {"properties": {"port": {"type": "integer"}}}
    assert "not as the outputSchema" in a.judge("ART029", described(returning(output), schema=schema))
    assert a.judge("ART029", described(returning(output), schema={"type": "object"})) is None


def test_outputs_that_the_schema_describes_conform_among_calls_without_any():
    calls = (a.call(a.failed()), a.call(), returning({"port": "Brest", "high": []}), a.threw())
    assert a.judge("ART029", described(*calls)) is None


def test_each_keyword_that_an_output_breaks_is_a_cause_with_its_call():
    both = returning({"port": 7, "high": [3]}, arguments='{"port": "Bremerhaven"}')
    one = returning({"port": "Brest", "high": ["04:10", 16.5]}, label="full")
    found = a.RULES["ART029"].findings(described(a.call(), both, one, a.call(a.failed())))
    assert [finding.call for finding in found] == [both, both, one]
    assert len({finding.cause for finding in found}) == 2, "the place in a list is no cause"
    assert "/high/1" in found[-1].message


def test_an_output_that_lacks_a_member_is_told_by_its_name():
    assert "high" in a.judge("ART029", described(returning({"port": "Brest"})))


def test_an_output_schema_with_a_pattern_of_javascripts_is_read_without_it():
    port = {"type": "string", "pattern": "^[^]+$"}
    schema = {"type": "object", "properties": {"port": port, "pattern": {"type": "string"}}}
    assert a.judge("ART029", described(a.call(), schema=schema)) is None
    assert "/port" in a.judge("ART029", described(returning({"port": 7, "high": []}), schema=schema))
    wrong = returning({"port": "Brest", "high": [], "pattern": 7})
    assert "/pattern" in a.judge("ART029", described(wrong, schema=schema))


def test_an_output_schema_may_be_true_or_false():
    assert a.judge("ART029", described(a.call(), schema=True)) is None
    assert "not as the outputSchema has it" in a.judge("ART029", described(a.call(), schema=False))


@pytest.mark.parametrize("schema", [None, [], "object", {"type": "no such type"}, {"required": "port"}])
def test_an_output_schema_that_is_none_is_quoted(schema):
    said = a.judge("ART029", described(a.call(), schema=schema))
    assert "no JSON Schema" in said
    assert a.json.dumps(schema) in said


def test_an_output_schema_that_names_another_file_is_not_fetched(tmp_path):
    elsewhere = tmp_path / "tides.json"
    elsewhere.write_text('{"type": "object"}', encoding="utf-8")
    said = a.judge("ART029", described(a.call(), schema={"$ref": elsewhere.as_uri()}))
    assert "no JSON Schema" in said


def test_outputs_are_held_against_the_first_reading_of_their_schema():
    """That a later reading differs is for SCH012 and SCH017 to say."""
    strict, loose = (a.tool(outputSchema={"type": kind}) for kind in ("array", "object"))
    changing = a.replace(described(a.call()), declarations=(loose, strict, strict))
    assert a.judge("ART029", changing) is None
    assert "array" in a.judge("ART029", a.replace(changing, declarations=(strict, loose, loose)))


def test_whether_outputs_are_judged_is_a_matter_of_the_first_reading():
    plain, odd = a.tool(outputSchema=a.OUTPUT_SCHEMA), a.tool(outputSchema=ODD_PATTERN)
    seen = described(a.call())
    assert a.is_for("ART029", a.replace(seen, declarations=(plain, odd, odd)))
    assert not a.is_for("ART029", a.replace(seen, declarations=(odd, plain, plain)))


def test_an_output_schema_of_another_draft_is_read_as_draft_07():
    schema = {**a.OUTPUT_SCHEMA, "$schema": "https://json-schema.org/draft/2020-12/schema"}
    assert a.judge("ART029", described(a.call(), schema=schema)) is None
    assert "/port" in a.judge("ART029", described(returning({"port": 7, "high": []}), schema=schema))


# ---- ART032: the outputs of examples


def tried(*calls, examples=(GOOD,)):
    return a.explored(*calls, declared=with_examples(*examples))


def made(number=1, value=None, **changes):
    """The call that was made of an example."""
    return a.call(value, f"declared:{number}", **changes)


@pytest.mark.parametrize("calls", [(), (a.call(), a.call(label="again:declared:1"))])
def test_without_a_call_of_an_example_none_is_judged(calls):
    assert a.is_for("ART032", tried(*calls)) is False


@pytest.mark.parametrize("output", [a.OUTPUT, {"port": "Brest", "high": []}, {"port": "X", "high": ["1"]}])
def test_an_example_of_the_form_returned_conforms(output):
    assert a.judge("ART032", tried(made(), examples=[{**GOOD, "output": output}])) is None


@pytest.mark.parametrize(
    ("output", "place"),
    [
        ({"port": 7, "high": []}, "$.port"),
        ({"port": "Brest", "low": []}, "$.high"),
        ({"port": "Brest", "high": [4.1]}, "$.high[]"),
        ("04:10", "$"),
    ],
)
def test_an_example_of_another_form_is_told_by_its_number_and_place(output, place):
    call = made()
    finding = a.found("ART032", tried(a.call(), call, examples=[{**GOOD, "output": output}]))
    assert finding.call is call
    assert "output of example 1 has" in finding.message
    assert f" {place} " in finding.message


def test_the_example_is_the_first_and_what_was_returned_the_second():
    said = a.judge("ART032", tried(made(), examples=[{**GOOD, "output": {"port": 7, "high": []}}]))
    assert "number at $.port and then string" in said


def test_each_example_is_held_against_its_own_call():
    older = {**GOOD, "output": ["04:10"]}
    finding = a.found("ART032", tried(made(1), made(2), examples=[GOOD, older]))
    assert finding.call.plan.label == "declared:2"
    assert "example 2" in finding.message


def test_an_error_for_an_example_with_an_output_is_quoted():
    call = made(1, a.failed("No such port: Brest"))
    finding = a.found("ART032", tried(call))
    assert finding.call is call
    assert "Example 1 has an output" in finding.message
    assert '"No such port: Brest"' in finding.message


def test_an_example_without_an_output_promises_none_and_is_not_judged():
    without = {"input": {"port": "Brest"}}
    assert a.is_for("ART032", tried(made(1, a.failed()), examples=[without])) is False
    assert a.is_for("ART032", tried(made(), examples=[without])) is False


@pytest.mark.parametrize("answered", [a.threw(), a.hung(), a.call(a.suspended()), a.call(a.nothing())])
def test_an_example_whose_call_gave_nothing_to_compare_is_not_judged(answered):
    of_example = a.replace(answered, plan=made().plan)
    assert a.is_for("ART032", tried(of_example)) is False
    assert a.is_for("ART032", tried(of_example, made())) is True


def test_the_examples_of_a_blocking_tool_are_answered_by_a_person():
    blocking = a.tool(executionMode="blocking", examples=[GOOD])
    assert "blocking" in a.unconcerned("ART032", blocking)


@pytest.mark.parametrize(
    "passed_over",
    [
        a.suspended(),
        a.without(a.succeeded(), "output"),
        a.succeeded(7, status="ok"),
        a.nothing(),
        a.resolved(["04:10"]),
        a.unwritten(),
        a.in_part(a.succeeded({"high": None}), "output.high"),
    ],
    ids=["suspended", "no output", "odd status", "undefined", "an array", "no JSON", "JSON in part"],
)
def test_what_has_no_output_to_compare_is_passed_over_and_the_next_example_is_not(passed_over):
    older = {**GOOD, "output": ["04:10"]}
    calls = (made(1, passed_over), made(2))
    assert a.judge("ART032", tried(*calls, examples=[GOOD, GOOD])) is None
    assert "example 2" in a.judge("ART032", tried(*calls, examples=[GOOD, older]))


@pytest.mark.parametrize("broken", [{}, {"input": "Brest"}, GOOD["input"]])
def test_a_call_of_an_example_that_is_none_is_passed_over(broken):
    older = {**GOOD, "output": ["04:10"]}
    calls = (made(1), made(2))
    assert "example 2" in a.judge("ART032", tried(*calls, examples=[broken, older]))


def test_examples_are_those_of_the_first_reading():
    older = with_examples({**GOOD, "output": ["04:10"]})
    changing = a.replace(tried(made()), declarations=(with_examples(GOOD), older, older))
    assert a.judge("ART032", changing) is None
    turned = a.replace(changing, declarations=(older, with_examples(GOOD), with_examples(GOOD)))
    assert "example 1" in a.judge("ART032", turned)


def test_other_calls_are_no_examples():
    calls = (a.call(a.failed(), "example:1"), a.call(a.failed(), "full"), made())
    assert a.judge("ART032", tried(*calls)) is None
