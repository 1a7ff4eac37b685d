"""ART: the members of a ToolResult."""

import pytest
from tests.unit.rules import art_builders as a
from tests.unit.rules.tables import findings, observations

WITHOUT_OUTPUT = a.without(a.succeeded(), "output")
STATUSES = [a.call(a.succeeded()), a.call(a.failed()), a.call(a.suspended())]
NO_RESULTS = {
    "undefined": a.call(a.nothing()),
    "naked data": a.call(a.resolved({"port": "Brest", "high": []})),
    "an array": a.call(a.resolved([a.succeeded()])),
    "a text": a.call(a.resolved("04:10")),
    "null": a.call(a.resolved(None)),
    "an empty object": a.call(a.resolved({})),
}
OF_EVERY_STATUS = ("ART021", "ART023", "ART024")
OF_MEMBERS = (*OF_EVERY_STATUS, "ART025", "ART026", "ART027")


def odd_output(what, place="output"):
    return a.call(a.resolved(WITHOUT_OUTPUT, [a.Oddity(place, what)]))


def citing(sources):
    return a.call(a.succeeded(metadata={"sources": sources}))


NOT_JUDGED = {
    ("ART020", *OF_MEMBERS): {"a call that threw": a.threw(), "a call that hung": a.hung()},
    ("ART020", *OF_EVERY_STATUS): {
        "a call of which nothing is known": a.call(a.replace(a.resolved(a.succeeded()), facts=None)),
    },
    OF_MEMBERS: NO_RESULTS,
    OF_EVERY_STATUS: {"a result that JSON cannot write": a.call(a.unwritten())},
    ("ART021",): {
        "a call without a context has no id to give back": [a.call(context=None), a.call(context={})],
    },
    ("ART022",): {
        "there is no name in the schema": [
            a.explored(a.call(), declared=declared)
            for declared in (a.tool("name"), a.tool(name=7), a.without_art())
        ],
        "there is no reading": a.replace(a.explored(a.call()), declarations=()),
        "there is no result that can be read": [
            a.explored(),
            a.explored(a.call(a.nothing())),
            a.explored(a.call(a.unwritten())),
            a.explored(a.threw(), a.call(a.resolved({"a": 1}))),
        ],
    },
    ("ART024",): {
        "only a success has to carry an output": [
            a.call(a.failed()),
            a.call(a.suspended()),
            a.call(a.succeeded(status="ok")),
        ],
    },
    ("ART025",): {
        "only an error has to carry a text": [
            a.call(a.succeeded()),
            a.call(a.suspended()),
            a.call(a.succeeded(status="failed")),
        ],
    },
    ("ART026",): {
        "only a suspension has to carry an id": [a.call(a.succeeded(metadata={})), a.call(a.failed())],
    },
    ("ART027",): {
        "a result without sources": [
            a.call(a.succeeded(metadata=metadata))
            for metadata in (None, {}, {"sources": None}, "sources", ["sources"])
        ],
    },
}

CONFORMS = {
    ("ART020", *OF_EVERY_STATUS): {"the model call": a.call()},
    ("ART020", "ART021", "ART023"): {"every status makes a ToolResult, has an id, and is known": STATUSES},
    ("ART020",): {
        "an object with one member of a ToolResult is meant for one": [
            a.call({name: "x"}) for name in ("callId", "toolName", "status")
        ],
        "a ToolResult that JSON cannot write is one all the same": a.call(a.unwritten()),
    },
    ("ART022",): {
        "the schema's name in every result": a.explored(*STATUSES),
        "one result among others is enough": a.explored(a.threw(), a.call()),
        "what is no result is passed over": [
            a.explored(other, a.call())
            for other in (a.call(a.resolved({"toolNames": []})), a.call(a.unwritten()), a.threw())
        ],
    },
    ("ART024",): {
        "any output": [
            a.call(a.succeeded(output)) for output in (None, 0, False, "", [], {}, "04:10", {"data": 1})
        ],
        "an output that JSON drops is there and judged elsewhere": [
            odd_output("function"),
            odd_output("symbol"),
        ],
    },
    ("ART025",): {"a text": [a.call(a.failed("There is no such port.")), a.call(a.failed(" x "))]},
    ("ART026",): {"a text is an id": a.call(a.suspended())},
    ("ART027",): {
        "no sources at all": citing([]),
        "a source with a name": citing([{"sourceName": "Admiralty"}]),
        "sources with more than a name": citing(
            [{"sourceName": "Admiralty", "url": "https://example.org/tides", "page": 3}, {"sourceName": ""}]
        ),
    },
}

FOUND = {
    ("ART020",): {
        "a value without JSON is named by its kind": (a.call(a.nothing()), "execute gave undefined."),
        "naked data that JSON cannot write is named by its kind": (
            a.call(a.replace(a.in_part({"count": None}, "count"), is_invoke_result=False)),
            "execute gave object.",
        ),
        "naked data is quoted": (a.call(a.resolved({"port": "Brest"})), '{"port": "Brest"}'),
        "an output alone is quoted": (a.call(a.resolved({"output": "04:10"})), "output"),
        "an array is quoted": (a.call(a.resolved([1])), "[1]"),
        "a text is quoted": (a.call(a.resolved("high")), '"high"'),
    },
    ("ART021",): {
        "a result without a callId": (a.call(a.without(a.succeeded(), "callId")), "callId is null"),
        "the traceId is the wrong id": (
            a.call(a.succeeded(callId=a.CONTEXT["traceId"])),
            a.CONTEXT["traceId"],
        ),
        "the threadId is the wrong id": (
            a.call(a.succeeded(callId=a.CONTEXT["threadId"])),
            a.CONTEXT["threadId"],
        ),
        "a callId that JSON cannot write": (
            a.call(a.in_part(a.succeeded(callId=None), "callId")),
            "callId is a value that JSON cannot write",
        ),
    },
    ("ART022",): {
        "a result without a toolName": (
            a.explored(a.call(a.without(a.succeeded(), "toolName"))),
            "toolName is null",
        ),
        "a toolName that JSON cannot write": (
            a.explored(a.call(a.in_part(a.succeeded(toolName=None), "toolName"))),
            "toolName is a value that JSON cannot write",
        ),
    },
    ("ART023",): {
        "a missing status": (a.call(a.without(a.succeeded(), "status")), "status is null"),
        "an unknown status": (a.call(a.succeeded(status="ok")), 'status is "ok"'),
        "a known status in upper case": (a.call(a.succeeded(status="Success")), 'status is "Success"'),
        "a status that is true": (a.call(a.succeeded(status=True)), "status is true"),
        "a status that is an array": (a.call(a.succeeded(status=["error"])), 'status is ["error"]'),
    },
    ("ART024",): {
        **{
            f"data under the name {name} is named": (
                a.call({**WITHOUT_OUTPUT, name: a.OUTPUT}),
                f"There is no output; there is {name}.",
            )
            for name in ("data", "result", "value", "content")
        },
        "of several other names the one most often meant is named": (
            a.call({**WITHOUT_OUTPUT, "content": 1, "data": 2}),
            "there is data.",
        ),
        "an output that is undefined is none": (odd_output("undefined"), "There is no output"),
        "what is odd in the metadata is no output": (
            odd_output("function", "metadata"),
            "There is no output",
        ),
        "what is odd in outputs is no output": (odd_output("function", "outputs"), "There is no output"),
        "what is odd in data.output is no output": (
            odd_output("function", "data.output"),
            "There is no output",
        ),
        "what is odd in the whole is no output": (odd_output("function", ""), "There is no output"),
    },
    ("ART025",): {
        "an error without a text": (
            a.call({**a.without(a.failed(), "error"), "message": "There is no such port."}),
            "error is null",
        ),
        "an empty object": (a.call(a.failed({})), "error is {}"),
        "an empty text": (a.call(a.failed("")), 'error is ""'),
        "white space": (a.call(a.failed(" \n")), r'error is " \n"'),
        "a number": (a.call(a.failed(404)), "error is 404"),
        "an array": (a.call(a.failed(["x"])), 'error is ["x"]'),
        "an error that JSON cannot write": (
            a.call(a.in_part(a.failed(error=None), "error")),
            "error is a value that JSON cannot write",
        ),
        "an error that JSON cannot write in part": (
            a.call(a.in_part(a.failed(error={"code": None}), "error.code")),
            "error is a value that JSON cannot write",
        ),
    },
    ("ART026",): {
        "an id outside the metadata is none": (
            a.call(a.without(a.suspended(suspensionId="5a5e0001"), "metadata")),
            "suspensionId is null",
        ),
        **{
            f"the metadata {metadata!r}": (
                a.call(a.suspended(metadata=metadata)),
                f"suspensionId is {quoted}",
            )
            for metadata, quoted in (
                ({}, "null"),
                ({"suspensionId": ""}, '""'),
                ({"suspensionId": " "}, '" "'),
                ({"suspensionId": 7}, "7"),
                ({"suspensionID": "x"}, "null"),
                (None, "null"),
                (["suspensionId"], "null"),
            )
        },
        "an id that JSON cannot write": (
            a.call(a.in_part(a.suspended(metadata={"suspensionId": None}), "metadata.suspensionId")),
            "suspensionId is a value that JSON cannot write",
        ),
    },
    ("ART027",): {
        "the sources of an error": (a.call(a.failed(metadata={"sources": ["Admiralty"]})), "Admiralty"),
        "the sources of a suspension": (
            a.call(a.suspended(metadata={"sources": ["Admiralty"]})),
            "Admiralty",
        ),
        **{
            f"sources that are no array, as {sources!r}": (
                citing(sources),
                f"The sources hold {a.json.dumps(sources)}",
            )
            for sources in ({"sourceName": "Admiralty"}, "Admiralty", 1, False)
        },
        "sources that JSON cannot write": (
            a.call(a.in_part(a.succeeded(metadata={"sources": None}), "metadata.sources")),
            "sources hold a value that JSON cannot write",
        ),
    },
}


@pytest.mark.parametrize(("code", "observation"), observations(NOT_JUDGED))
def test_a_rule_is_not_for_an_observation(code, observation):
    assert a.is_for(code, observation) is False


@pytest.mark.parametrize(("code", "observation"), observations(CONFORMS))
def test_an_observation_conforms(code, observation):
    assert a.judge(code, observation) is None


@pytest.mark.parametrize(("code", "observation", "words"), findings(FOUND))
def test_a_fault_is_found_and_described(code, observation, words):
    assert words in a.judge(code, observation)


@pytest.mark.parametrize("code", ["ART020", *OF_EVERY_STATUS])
def test_the_rules_on_members_concern_every_tool(code):
    assert a.unconcerned(code, a.tool()) is None


@pytest.mark.parametrize(
    ("result", "kind"), [(a.nothing(), "undefined"), (a.resolved([1]), "array"), (a.resolved("x"), "string")]
)
def test_the_cause_of_naked_data_is_its_kind(result, kind):
    assert a.found("ART020", a.call(result)).cause == kind


@pytest.mark.parametrize("code", ["ART021", "ART023", "ART024"])
def test_the_other_members_are_judged_where_json_cannot_write_the_output(code):
    result = a.in_part(a.succeeded(None, callId="mine", status="success"), "output")
    finding = a.RULES[code].check(a.call(result))
    assert a.is_for(code, a.call(result)) is True
    assert (finding is not None) is (code == "ART021")


def test_another_id_is_named_beside_the_contexts():
    said = a.judge("ART021", a.call(a.succeeded(callId="mine")))
    assert '"mine" and the context' in said
    assert said.index("mine") < said.index(a.CONTEXT["callId"])


def test_each_other_name_is_told_beside_the_schemas_and_is_a_cause_of_its_own():
    one = a.call(a.succeeded(toolName="TideTool"), arguments='{"port": "Bremerhaven"}')
    other = a.call(a.failed(toolName="Tides"), "boundary:port:minLength")
    first, second = a.RULES["ART022"].findings(a.explored(a.call(), one, other))
    assert (first.call, second.call) == (one, other)
    assert first.cause != second.cause
    assert second.message.index('"Tides"') < second.message.index(f"'{a.NAME}'")


@pytest.mark.parametrize(("status", "cause"), [("ok", "ok"), ("done", "done"), (7, "int"), (["x"], "list")])
def test_another_status_is_a_cause_by_its_text_or_its_type(status, cause):
    """Numbers that change from call to call are one cause."""
    assert a.found("ART023", a.call(a.succeeded(status=status))).cause == cause


def test_a_blocking_tool_is_not_concerned():
    assert "blocking" in a.unconcerned("ART024", a.tool(executionMode="blocking"))
    for mode in ("functional", "immediate", "display"):
        assert a.unconcerned("ART024", a.tool(executionMode=mode)) is None


def test_a_success_with_nothing_is_found():
    said = a.judge("ART024", a.call(a.without(a.succeeded(), "output")))
    assert said == "There is no output."


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


@pytest.mark.parametrize("code", ["ART025", "ART026", "ART027"])
def test_what_a_tool_need_not_do_is_no_gap_when_it_was_not_seen(code):
    assert a.RULES[code].is_optional
