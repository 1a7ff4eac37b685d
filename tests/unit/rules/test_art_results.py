"""ART: the members of a ToolResult."""

import pytest
from tests.unit.rules import art_builders as a

NO_RESULTS = {
    "undefined": a.nothing(),
    "naked data": a.resolved({"port": "Brest", "high": []}),
    "an array": a.resolved([a.succeeded()]),
    "a text": a.resolved("04:10"),
    "null": a.resolved(None),
    "an empty object": a.resolved({}),
}


@pytest.mark.parametrize("code", ["ART020", "ART021", "ART023", "ART024"])
def test_the_model_call_conforms(code):
    assert a.unconcerned(code, a.tool()) is None
    assert a.judge(code, a.call()) is None


# ---- ART020: a ToolResult, and not the data


@pytest.mark.parametrize("call", [a.threw(), a.hung()], ids=["threw", "hung"])
@pytest.mark.parametrize("code", ["ART020", "ART021", "ART023", "ART024", "ART025", "ART026", "ART027"])
def test_a_call_that_resolved_to_nothing_is_not_judged_by_its_result(code, call):
    assert a.is_for(code, call) is False


@pytest.mark.parametrize("code", ["ART020", "ART021", "ART023", "ART024"])
def test_a_call_of_which_nothing_is_known_is_not_judged(code):
    unknown = a.replace(a.resolved(a.succeeded()), facts=None)
    assert a.is_for(code, a.call(unknown)) is False


@pytest.mark.parametrize("result", [a.succeeded(), a.failed(), a.suspended()])
def test_every_status_makes_a_tool_result(result):
    assert a.judge("ART020", a.call(result)) is None


@pytest.mark.parametrize("name", ["callId", "toolName", "status"])
def test_an_object_with_one_member_of_a_tool_result_is_meant_for_one(name):
    """What it lacks is for the rules on its members to say."""
    assert a.judge("ART020", a.call({name: "x"})) is None


def test_a_tool_result_that_json_cannot_write_is_one_all_the_same():
    assert a.judge("ART020", a.call(a.unwritten())) is None


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ({"port": "Brest"}, '{"port": "Brest"}'),
        ({"output": "04:10"}, "output"),
        ([1], "[1]"),
        ("high", '"high"'),
    ],
)
def test_naked_data_is_quoted(value, quoted):
    said = a.judge("ART020", a.call(a.resolved(value)))
    assert quoted in said


@pytest.mark.parametrize(
    ("result", "kind"), [(a.nothing(), "undefined"), (a.resolved([1]), "array"), (a.resolved("x"), "string")]
)
def test_the_cause_of_naked_data_is_its_kind(result, kind):
    assert a.found("ART020", a.call(result)).cause == kind


def test_what_has_no_json_is_told_by_its_kind():
    assert "execute gave undefined." in a.judge("ART020", a.call(a.nothing()))


@pytest.mark.parametrize("result", NO_RESULTS.values(), ids=NO_RESULTS)
@pytest.mark.parametrize("code", ["ART021", "ART023", "ART024", "ART025", "ART026", "ART027"])
def test_what_is_no_tool_result_is_judged_by_no_rule_on_its_members(code, result):
    assert a.is_for(code, a.call(result)) is False


@pytest.mark.parametrize("code", ["ART021", "ART023", "ART024"])
def test_a_result_that_json_cannot_write_is_not_judged_by_its_members(code):
    assert a.is_for(code, a.call(a.unwritten())) is False


@pytest.mark.parametrize("code", ["ART021", "ART023", "ART024"])
def test_the_other_members_are_judged_where_json_cannot_write_the_output(code):
    result = a.in_part(a.succeeded(None, callId="mine", status="success"), "output")
    finding = a.RULES[code].check(a.call(result))
    assert a.is_for(code, a.call(result)) is True
    assert (finding is not None) is (code == "ART021")


def test_naked_data_that_json_cannot_write_is_told_by_its_kind():
    data = a.replace(a.in_part({"count": None}, "count"), is_invoke_result=False)
    assert "execute gave object." in a.judge("ART020", a.call(data))


@pytest.mark.parametrize(
    ("code", "result", "place", "said"),
    [
        ("ART021", a.succeeded(callId=None), "callId", "callId is a value that JSON cannot write"),
        ("ART025", a.failed(error=None), "error", "error is a value that JSON cannot write"),
        ("ART025", a.failed(error={"code": None}), "error.code", "error is a value that JSON cannot write"),
        (
            "ART026",
            a.suspended(metadata={"suspensionId": None}),
            "metadata.suspensionId",
            "suspensionId is a value that JSON cannot write",
        ),
        (
            "ART027",
            a.succeeded(metadata={"sources": None}),
            "metadata.sources",
            "sources hold a value that JSON cannot write",
        ),
    ],
)
def test_a_member_that_json_cannot_write_is_not_what_it_must_be(code, result, place, said):
    assert said in a.judge(code, a.call(a.in_part(result, place)))


def test_a_tool_name_that_json_cannot_write_is_not_the_schemas():
    call = a.call(a.in_part(a.succeeded(toolName=None), "toolName"))
    assert "toolName is a value that JSON cannot write" in a.judge("ART022", a.explored(call))


# ---- ART021: the callId


@pytest.mark.parametrize("context", [None, {}])
def test_a_call_without_a_context_has_no_id_to_give_back(context):
    assert a.is_for("ART021", a.call(context=context)) is False


@pytest.mark.parametrize("result", [a.succeeded(), a.failed(), a.suspended()])
def test_the_contexts_id_conforms_whatever_the_status(result):
    assert a.judge("ART021", a.call(result)) is None


def test_another_id_is_named_beside_the_contexts():
    said = a.judge("ART021", a.call(a.succeeded(callId="mine")))
    assert '"mine" and the context' in said
    assert said.index("mine") < said.index(a.CONTEXT["callId"])


@pytest.mark.parametrize("name", ["traceId", "threadId"])
def test_another_id_of_the_context_is_the_wrong_one(name):
    assert a.CONTEXT[name] in a.judge("ART021", a.call(a.succeeded(callId=a.CONTEXT[name])))


def test_a_result_without_a_call_id_is_found():
    assert "callId is null" in a.judge("ART021", a.call(a.without(a.succeeded(), "callId")))


# ---- ART022: the toolName


def test_the_schemas_name_conforms_in_every_result():
    assert a.judge("ART022", a.explored(a.call(), a.call(a.failed()), a.call(a.suspended()))) is None


@pytest.mark.parametrize("declared", [a.tool("name"), a.tool(name=7), a.without_art()])
def test_without_a_name_in_the_schema_no_tool_name_is_judged(declared):
    assert a.is_for("ART022", a.explored(a.call(), declared=declared)) is False


def test_without_any_reading_no_tool_name_is_judged():
    assert a.is_for("ART022", a.replace(a.explored(a.call()), declarations=())) is False


@pytest.mark.parametrize(
    "calls", [(), (a.call(a.nothing()),), (a.call(a.unwritten()),), (a.threw(), a.call(a.resolved({"a": 1})))]
)
def test_without_a_result_that_can_be_read_no_tool_name_is_judged(calls):
    assert a.is_for("ART022", a.explored(*calls)) is False


def test_one_result_among_others_is_enough():
    assert a.judge("ART022", a.explored(a.threw(), a.call())) is None


@pytest.mark.parametrize("other", [a.call(a.resolved({"toolNames": []})), a.call(a.unwritten()), a.threw()])
def test_what_is_no_result_is_passed_over(other):
    assert a.judge("ART022", a.explored(other, a.call())) is None


def test_each_other_name_is_told_beside_the_schemas_and_is_a_cause_of_its_own():
    one = a.call(a.succeeded(toolName="TideTool"), arguments='{"port": "Bremerhaven"}')
    other = a.call(a.failed(toolName="Tides"), "boundary:port:minLength")
    first, second = a.RULES["ART022"].findings(a.explored(a.call(), one, other))
    assert (first.call, second.call) == (one, other)
    assert first.cause != second.cause
    assert second.message.index('"Tides"') < second.message.index(f"'{a.NAME}'")


def test_a_result_without_a_tool_name_is_found():
    said = a.judge("ART022", a.explored(a.call(a.without(a.succeeded(), "toolName"))))
    assert "toolName is null" in said


# ---- ART023: the status


@pytest.mark.parametrize("result", [a.succeeded(), a.failed(), a.suspended()])
def test_the_three_statuses_conform(result):
    assert a.judge("ART023", a.call(result)) is None


@pytest.mark.parametrize(
    ("status", "quoted"), [("ok", '"ok"'), ("Success", '"Success"'), (True, "true"), (["error"], '["error"]')]
)
def test_another_status_is_quoted(status, quoted):
    said = a.judge("ART023", a.call(a.succeeded(status=status)))
    assert f"status is {quoted}" in said


@pytest.mark.parametrize(("status", "cause"), [("ok", "ok"), ("done", "done"), (7, "int"), (["x"], "list")])
def test_another_status_is_a_cause_by_its_text_or_its_type(status, cause):
    """Numbers that change from call to call are one cause."""
    assert a.found("ART023", a.call(a.succeeded(status=status))).cause == cause


def test_a_missing_status_is_found():
    assert "status is null" in a.judge("ART023", a.call(a.without(a.succeeded(), "status")))


# ---- ART024: the output of a success


@pytest.mark.parametrize("output", [None, 0, False, "", [], {}, "04:10", {"data": 1}])
def test_any_output_conforms(output):
    assert a.judge("ART024", a.call(a.succeeded(output))) is None


@pytest.mark.parametrize("result", [a.failed(), a.suspended(), a.succeeded(status="ok")])
def test_only_a_success_has_to_carry_an_output(result):
    assert a.is_for("ART024", a.call(result)) is False


def test_a_blocking_tool_is_not_concerned():
    assert "blocking" in a.unconcerned("ART024", a.tool(executionMode="blocking"))
    for mode in ("functional", "immediate", "display"):
        assert a.unconcerned("ART024", a.tool(executionMode=mode)) is None


@pytest.mark.parametrize("name", ["data", "result", "value", "content"])
def test_data_under_another_name_is_named(name):
    said = a.judge("ART024", a.call({**a.without(a.succeeded(), "output"), name: a.OUTPUT}))
    assert f"There is no output; there is {name}." in said


def test_of_several_other_names_the_one_most_often_meant_is_named():
    said = a.judge("ART024", a.call({**a.without(a.succeeded(), "output"), "content": 1, "data": 2}))
    assert "there is data." in said


def test_a_success_with_nothing_is_found():
    said = a.judge("ART024", a.call(a.without(a.succeeded(), "output")))
    assert said == "There is no output."


def odd_output(what, place="output"):
    return a.call(a.resolved(a.without(a.succeeded(), "output"), [a.Oddity(place, what)]))


def test_an_output_that_is_undefined_is_none():
    assert "There is no output" in a.judge("ART024", odd_output("undefined"))


@pytest.mark.parametrize("what", ["function", "symbol"])
def test_an_output_that_json_drops_is_there_and_judged_elsewhere(what):
    assert a.judge("ART024", odd_output(what)) is None


@pytest.mark.parametrize("place", ["metadata", "outputs", "data.output", ""])
def test_what_is_odd_elsewhere_is_no_output(place):
    assert "There is no output" in a.judge("ART024", odd_output("function", place))


# ---- ART025: the text of an error


@pytest.mark.parametrize("result", [a.succeeded(), a.suspended(), a.succeeded(status="failed")])
def test_only_an_error_has_to_carry_a_text(result):
    assert a.is_for("ART025", a.call(result)) is False


@pytest.mark.parametrize("text", ["There is no such port.", " x "])
def test_a_text_conforms(text):
    assert a.judge("ART025", a.call(a.failed(text))) is None


@pytest.mark.parametrize(
    ("error", "quoted"), [({}, "{}"), ("", '""'), (" \n", r'" \n"'), (404, "404"), (["x"], '["x"]')]
)
def test_what_is_no_text_of_an_error_is_quoted(error, quoted):
    said = a.judge("ART025", a.call(a.failed(error)))
    assert f"error is {quoted}" in said


def test_an_error_without_a_text_is_found():
    message_only = {**a.without(a.failed(), "error"), "message": "There is no such port."}
    assert "error is null" in a.judge("ART025", a.call(message_only))


# ---- ART026: the id of a suspension


@pytest.mark.parametrize("result", [a.succeeded(metadata={}), a.failed()])
def test_only_a_suspension_has_to_carry_an_id(result):
    assert a.is_for("ART026", a.call(result)) is False


def test_a_text_is_an_id():
    assert a.judge("ART026", a.call(a.suspended())) is None


@pytest.mark.parametrize(
    ("metadata", "quoted"),
    [
        ({}, "null"),
        ({"suspensionId": ""}, '""'),
        ({"suspensionId": " "}, '" "'),
        ({"suspensionId": 7}, "7"),
        ({"suspensionID": "x"}, "null"),
        (None, "null"),
        (["suspensionId"], "null"),
    ],
)
def test_a_suspension_without_an_id_is_found(metadata, quoted):
    assert f"suspensionId is {quoted}" in a.judge("ART026", a.call(a.suspended(metadata=metadata)))


def test_an_id_outside_the_metadata_is_none():
    outside = a.without(a.suspended(suspensionId="5a5e0001"), "metadata")
    assert "suspensionId is null" in a.judge("ART026", a.call(outside))


# ---- ART027: the sources


def citing(sources):
    return a.call(a.succeeded(metadata={"sources": sources}))


@pytest.mark.parametrize("metadata", [None, {}, {"sources": None}, "sources", ["sources"]])
def test_a_result_without_sources_is_not_judged_by_them(metadata):
    assert a.is_for("ART027", a.call(a.succeeded(metadata=metadata))) is False


@pytest.mark.parametrize(
    "sources",
    [
        [],
        [{"sourceName": "Admiralty"}],
        [{"sourceName": "Admiralty", "url": "https://example.org/tides", "page": 3}, {"sourceName": ""}],
    ],
)
def test_sources_with_names_conform(sources):
    assert a.judge("ART027", citing(sources)) is None


@pytest.mark.parametrize("result", [a.failed, a.suspended])
def test_sources_are_judged_whatever_the_status(result):
    assert "Admiralty" in a.judge("ART027", a.call(result(metadata={"sources": ["Admiralty"]})))


@pytest.mark.parametrize(
    ("source", "quoted"),
    [
        ("Admiralty", '"Admiralty"'),
        ({}, "{}"),
        ({"name": "Admiralty"}, '"name"'),
        ({"sourceName": 7}, "7"),
        ({"sourceName": "Admiralty", "url": 7}, '"url": 7'),
        ({"sourceName": "Admiralty", "url": None}, '"url": null'),
        ({"url": "https://example.org"}, "https://example.org"),
        (None, "null"),
    ],
)
def test_a_source_out_of_form_is_quoted_wherever_it_stands(source, quoted):
    good = {"sourceName": "Tables of 1911"}
    for sources in ([source], [good, source], [source, good]):
        said = a.judge("ART027", citing(sources))
        assert f"The sources hold {a.json.dumps(source)}" in said
        assert quoted in said


@pytest.mark.parametrize(
    ("source", "cause"),
    [({"sourceName": 7}, "sourceName"), ("Admiralty", "sourceName"), ({"sourceName": "A", "url": 7}, "url")],
)
def test_the_cause_of_a_source_out_of_form_is_the_member(source, cause):
    assert a.found("ART027", citing([source])).cause == cause


@pytest.mark.parametrize("sources", [{"sourceName": "Admiralty"}, "Admiralty", 1, False])
def test_sources_that_are_no_array_are_quoted(sources):
    assert f"The sources hold {a.json.dumps(sources)}" in a.judge("ART027", citing(sources))


@pytest.mark.parametrize("code", ["ART025", "ART026", "ART027"])
def test_what_a_tool_need_not_do_is_no_gap_when_it_was_not_seen(code):
    assert a.RULES[code].is_optional
