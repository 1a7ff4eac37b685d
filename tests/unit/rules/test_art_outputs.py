"""ART: the data that a success carries."""

import pytest
from tests.unit.rules import art_builders as a

from aptix_conformance.contracts import Level

CODES = ["ART028", "ART033", "ART041", "ART042"]
LIMIT = 60_000


@pytest.mark.parametrize("code", CODES)
def test_the_model_call_conforms(code):
    assert a.unconcerned(code, a.tool()) is None
    assert a.judge(code, a.call()) is None


@pytest.mark.parametrize("code", CODES)
def test_the_output_of_a_blocking_tool_is_a_persons(code):
    assert "blocking" in a.unconcerned(code, a.tool(executionMode="blocking"))
    assert a.unconcerned(code, a.tool(executionMode="display")) is None


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("call", [a.threw(), a.hung(), a.call(a.failed()), a.call(a.nothing())])
def test_a_call_that_did_not_succeed_has_no_output(code, call):
    assert a.is_for(code, call) is False


@pytest.mark.parametrize("code", ["ART028", "ART041", "ART042"])
@pytest.mark.parametrize(
    "result",
    [
        a.without(a.succeeded(), "output"),
        a.failed(output={"data": 0, "rest": 1}),
        a.suspended(output=0),
        a.succeeded(0, status="ok"),
        {"output": 0},
    ],
)
def test_only_the_output_of_a_success_is_judged(code, result):
    assert a.is_for(code, a.call(result)) is False


@pytest.mark.parametrize("code", ["ART028", "ART041", "ART042"])
def test_an_output_that_json_cannot_write_is_judged_elsewhere(code):
    assert a.is_for(code, a.call(a.unwritten())) is False


@pytest.mark.parametrize("code", ["ART041", "ART042"])
@pytest.mark.parametrize(
    "result",
    [
        a.in_part(a.succeeded({"count": None}), "output.count"),
        a.in_part(a.succeeded(None), "output"),
        a.resolved(a.without(a.succeeded(), "output"), [a.Oddity("output", "function")]),
        a.resolved(a.without(a.succeeded(), "output"), [a.Oddity("output", "symbol")]),
    ],
    ids=["a part", "the whole", "a function", "a symbol"],
)
def test_an_output_that_json_cannot_hold_is_an_output_all_the_same(code, result):
    assert a.judge(code, a.call(result)) is None


def test_what_stands_beside_data_is_lost_also_where_json_cannot_write_it():
    result = a.in_part(a.succeeded({"data": [1], "count": None}), "output.count")
    assert "'count' stands beside data" in a.judge("ART042", a.call(result))
    result = a.in_part(a.succeeded({"data": None, "count": 1}), "output.data")
    assert "'count' stands beside data" in a.judge("ART042", a.call(result))


@pytest.mark.parametrize("what", ["undefined", "-0", "getter", "toJSON"])
def test_an_output_that_is_left_out_for_another_reason_is_none(what):
    result = a.resolved(a.without(a.succeeded(), "output"), [a.Oddity("output", what)])
    assert a.is_for("ART041", a.call(result)) is False


@pytest.mark.parametrize("code", ["ART041", "ART042"])
def test_what_the_orchestrator_does_to_a_tool_is_a_must_under_art_alone(code):
    assert a.RULES[code].level(a.EDITION) is Level.MUST
    assert a.RULES[code].code in a.EDITION.adopted


# ---- ART028: the limit


def of_length(length, character="x"):
    """A call whose output has so many characters as JSON, its two quotation marks among them."""
    return a.call(a.succeeded(character * (length - 2)))


def test_an_output_of_the_limits_length_conforms():
    assert a.judge("ART028", of_length(LIMIT)) is None


def test_an_output_of_one_character_more_is_found_with_both_lengths():
    said = a.judge("ART028", of_length(LIMIT + 1))
    assert "60,001" in said
    assert "60,000" in said


def test_characters_are_counted_and_not_bytes():
    assert a.judge("ART028", of_length(LIMIT, "\u00e9")) is None
    assert a.judge("ART028", of_length(LIMIT, "\u6f6e")) is None


def test_a_character_beyond_the_basic_plane_counts_twice():
    """As in JavaScript, which cuts the text."""
    pairs = (LIMIT - 2) // 2
    assert a.judge("ART028", a.call(a.succeeded("\U0001f30a" * pairs))) is None
    assert "60,002" in a.judge("ART028", a.call(a.succeeded("\U0001f30a" * (pairs + 1))))


def test_half_a_character_counts_as_one():
    lone = a.replace(a.resolved(a.succeeded("x")), payload='"' + "\ud83c" * (LIMIT - 2) + '"')
    assert a.judge("ART028", a.call(lone)) is None
    longer = a.replace(lone, payload=f"{lone.payload} ")
    assert "60,001" in a.judge("ART028", a.call(longer))


def test_an_output_without_a_text_has_no_length():
    assert a.is_for("ART028", a.call(a.replace(a.resolved(a.succeeded()), payload=None))) is False
    assert a.is_for("ART028", a.call(a.in_part(a.succeeded({"count": None}), "output.count"))) is False


def test_only_the_output_counts():
    assert a.judge("ART028", a.call(a.succeeded("x", metadata={"page": "x" * LIMIT}))) is None


# ---- ART033: what JSON has no form for


def odd(what, place="output.high"):
    return a.call(a.resolved(a.succeeded(), [a.Oddity(place, what)]))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("function", "a function"),
        ("symbol", "a symbol"),
        ("BigInt", "a BigInt"),
        ("cycle", "a cycle"),
        ("hole", "a hole"),
        ("NaN", "is NaN"),
        ("Infinity", "is Infinity"),
        ("-Infinity", "is -Infinity"),
        ("class Map", "a Map"),
        ("class Set", "a Set"),
        ("class RegExp", "a RegExp"),
        ("class Error", "a Error"),
        ("class RangeError", "a RangeError"),
        ("class Promise", "a Promise"),
        ("class Float64Array", "a Float64Array"),
        ("class SharedArrayBuffer", "a SharedArrayBuffer"),
    ],
)
def test_what_json_makes_something_else_of_is_named_with_its_place(what, said):
    found = a.judge("ART033", odd(what))
    assert f"output.high is {said.removeprefix('is ')}." in found


@pytest.mark.parametrize(
    "what",
    [
        "-0",
        "getter",
        "toJSON",
        "proxy",
        "lone surrogate",
        "too deep",
        "too many",
        "undefined",
        "class Date",
        "class URL",
        "class Tide",
        "class ErrorBook",
    ],
)
def test_what_json_writes_down_is_not_lost(what):
    assert a.judge("ART033", odd(what)) is None


@pytest.mark.parametrize("place", ["output[0]", "output.high[2]"])
def test_undefined_in_an_array_becomes_null(place):
    assert f"{place} is undefined." in a.judge("ART033", odd("undefined", place))


@pytest.mark.parametrize("place", ["output", "output.high", "output[0].note"])
def test_undefined_elsewhere_is_left_out(place):
    assert a.judge("ART033", odd("undefined", place)) is None


@pytest.mark.parametrize("place", ["output", "output.high", "output[3]"])
def test_the_output_and_all_below_it_is_looked_at(place):
    assert f"{place} is a function" in a.judge("ART033", odd("function", place))


@pytest.mark.parametrize("place", ["", "metadata.output", "outputs", "outputs.x", "error"])
def test_what_stands_elsewhere_is_not_the_output(place):
    assert a.judge("ART033", odd("function", place)) is None


def test_the_first_loss_is_named_and_not_what_is_kept_before_it():
    oddities = [
        a.Oddity(f"output.{name}", what) for name, what in (("a", "-0"), ("b", "NaN"), ("c", "symbol"))
    ]
    assert "output.b is NaN" in a.judge("ART033", a.call(a.resolved(a.succeeded(), oddities)))


def test_what_cannot_be_shown_beside_the_output_is_not_the_outputs():
    """A cycle in the metadata: the whole is no JSON, and the output is."""
    beside = a.call(a.unwritten("TypeError: cyclic object value"))
    shown = a.replace(beside, result=a.replace(beside.result, payload='{"port":"Brest"}'))
    assert a.judge("ART033", shown) is None


def test_what_json_threw_is_told():
    """A toJSON or a getter may throw: nothing odd was seen in the output then."""
    said = a.judge("ART033", a.call(a.unwritten("RangeError: the tide is out")))
    assert "RangeError: the tide is out" in said


def test_the_cause_of_what_json_threw_is_its_first_line():
    finding = a.found("ART033", a.call(a.unwritten("TypeError: circular\n    --> at x\n    --- y")))
    assert finding.cause == "TypeError: circular"


def test_where_json_threw_nothing_a_success_without_an_output_conforms():
    assert a.judge("ART033", a.call(a.without(a.succeeded(), "output"))) is None


def test_the_place_is_told_instead_of_what_json_threw():
    unwritten = a.unwritten(oddities=[a.Oddity("output.count", "BigInt")])
    (finding,) = a.RULES["ART033"].findings(a.call(unwritten))
    assert "output.count is a BigInt" in finding.message


def test_a_result_of_which_nothing_is_known_is_not_judged():
    assert a.is_for("ART033", a.call(a.replace(a.resolved(a.succeeded()), facts=None))) is False


def test_the_oddities_of_an_error_are_not_judged():
    assert a.is_for("ART033", a.call(a.unwritten(status="error"))) is False


# ---- ART041: falsy outputs


@pytest.mark.parametrize(("output", "quoted"), [(0, "0"), (0.0, "0.0"), (False, "false"), ("", '""')])
def test_what_reaches_the_model_as_undefined_is_quoted(output, quoted):
    said = a.judge("ART041", a.call(a.succeeded(output)))
    assert f"output is {quoted}." in said


@pytest.mark.parametrize("output", [None, [], {}, 1, -1, True, " ", "0", {"count": 0}, [0], [False]])
def test_other_outputs_reach_the_model(output):
    assert a.judge("ART041", a.call(a.succeeded(output))) is None


# ---- ART042: data beside others


@pytest.mark.parametrize("data", [[], {}, [1], {"a": 1}, "x", 1, True])
def test_what_stands_beside_data_is_named(data):
    said = a.judge("ART042", a.call(a.succeeded({"data": data, "count": 2, "page": 1})))
    assert "'count' stands beside data" in said


def test_what_stands_before_data_is_named_as_well():
    assert "'count'" in a.judge("ART042", a.call(a.succeeded({"count": 2, "data": [1]})))


@pytest.mark.parametrize("data", [None, 0, False, ""])
def test_a_falsy_data_is_not_taken_for_the_output(data):
    assert a.judge("ART042", a.call(a.succeeded({"data": data, "count": 2}))) is None


@pytest.mark.parametrize(
    "output",
    [
        {"data": [1]},
        {"count": 2, "page": 1},
        {"count": 2},
        {"inner": {"data": [1], "count": 2}},
        {},
        [{"data": [1], "count": 2}],
        "data and count",
        None,
        7,
    ],
)
def test_data_alone_or_none_loses_nothing(output):
    assert a.judge("ART042", a.call(a.succeeded(output))) is None
