"""ART: the data that a success carries."""

import pytest
from tests.unit.rules import art_builders as a
from tests.unit.rules.tables import findings, observations

from aptix_conformance.core.contracts import Level

CODES = ("ART028", "ART033", "ART041", "ART042")
OF_VALUES = ("ART028", "ART041", "ART042")
LIMIT = 60_000
WITHOUT_OUTPUT = a.without(a.succeeded(), "output")
IN_PART = a.call(a.in_part(a.succeeded({"count": None}), "output.count"))


def of_length(length, character="x"):
    """A call whose output has so many characters as JSON, its two quotation marks among them."""
    return a.call(a.succeeded(character * (length - 2)))


def odd(what, place="output.high"):
    return a.call(a.resolved(a.succeeded(), [a.Oddity(place, what)]))


def without_output(what):
    """A success whose output JSON leaves out for what it is."""
    return a.call(a.resolved(WITHOUT_OUTPUT, [a.Oddity("output", what)]))


def with_output(*outputs):
    return [a.call(a.succeeded(output)) for output in outputs]


NOT_JUDGED = {
    CODES: {
        "a call that did not succeed has no output": [
            a.threw(),
            a.hung(),
            a.call(a.failed()),
            a.call(a.nothing()),
        ],
    },
    OF_VALUES: {
        "only the output of a success is judged": [
            a.call(WITHOUT_OUTPUT),
            a.call(a.failed(output={"data": 0, "rest": 1})),
            a.call(a.suspended(output=0)),
            a.call(a.succeeded(0, status="ok")),
            a.call({"output": 0}),
        ],
        "an output that JSON cannot write is judged elsewhere": a.call(a.unwritten()),
    },
    ("ART028",): {
        "an output without a text has no length": [
            a.call(a.replace(a.resolved(a.succeeded()), payload=None)),
            IN_PART,
        ],
    },
    ("ART033",): {
        "a result of which nothing is known": a.call(a.replace(a.resolved(a.succeeded()), facts=None)),
        "the oddities of an error": a.call(a.unwritten(status="error")),
    },
    ("ART041",): {
        "an output that is left out for another reason is none": [
            without_output(what) for what in ("undefined", "-0", "getter", "toJSON")
        ],
    },
}

CONFORMS = {
    CODES: {"the model call": a.call()},
    ("ART041", "ART042"): {
        "an output that JSON cannot hold is an output all the same": [
            IN_PART,
            a.call(a.in_part(a.succeeded(None), "output")),
            without_output("function"),
            without_output("symbol"),
        ],
    },
    ("ART028",): {
        "an output of the limit's length": of_length(LIMIT),
        "characters are counted and not bytes": [of_length(LIMIT, "\u00e9"), of_length(LIMIT, "\u6f6e")],
        "only the output counts": a.call(a.succeeded("x", metadata={"page": "x" * LIMIT})),
    },
    ("ART033",): {
        "what JSON writes down is not lost": [
            odd(what)
            for what in (
                *("-0", "getter", "toJSON", "proxy", "lone surrogate", "too deep", "too many", "undefined"),
                *("class Date", "class URL", "class Tide", "class ErrorBook"),
            )
        ],
        "undefined outside arrays is left out": [
            odd("undefined", place) for place in ("output", "output.high", "output[0].note")
        ],
        "what stands elsewhere is not the output": [
            odd("function", place) for place in ("", "metadata.output", "outputs", "outputs.x", "error")
        ],
        "a success without an output where JSON threw nothing": a.call(WITHOUT_OUTPUT),
    },
    ("ART041",): {
        "other outputs reach the model": with_output(
            None, [], {}, 1, -1, True, " ", "0", {"count": 0}, [0], [False]
        ),
    },
    ("ART042",): {
        "a falsy data is not taken for the output": with_output(
            *({"data": data, "count": 2} for data in (None, 0, False, ""))
        ),
        "data alone or none loses nothing": with_output(
            {"data": [1]},
            {"count": 2, "page": 1},
            {"count": 2},
            {"inner": {"data": [1], "count": 2}},
            {},
            [{"data": [1], "count": 2}],
            "data and count",
            None,
            7,
        ),
    },
}

FOUND = {
    ("ART033",): {
        "undefined in the output, an array, becomes null": (
            odd("undefined", "output[0]"),
            "output[0] is undefined.",
        ),
        "undefined in an array becomes null": (
            odd("undefined", "output.high[2]"),
            "output.high[2] is undefined.",
        ),
        "the output is looked at": (odd("function", "output"), "output is a function"),
        "a member of the output is looked at": (odd("function", "output.high"), "output.high is a function"),
        "an item of the output is looked at": (odd("function", "output[3]"), "output[3] is a function"),
        "what JSON threw": (
            a.call(a.unwritten("RangeError: the tide is out")),
            "RangeError: the tide is out",
        ),
    },
    ("ART041",): {
        "zero reaches the model as undefined": (a.call(a.succeeded(0)), "output is 0."),
        "zero with a point reaches the model as undefined": (a.call(a.succeeded(0.0)), "output is 0.0."),
        "false reaches the model as undefined": (a.call(a.succeeded(False)), "output is false."),
        "an empty text reaches the model as undefined": (a.call(a.succeeded("")), 'output is "".'),
    },
    ("ART042",): {
        **{
            f"what stands beside data is lost where data is {data!r}": (
                a.call(a.succeeded({"data": data, "count": 2, "page": 1})),
                "'count' stands beside data",
            )
            for data in ([], {}, [1], {"a": 1}, "x", 1, True)
        },
        "what stands before data is lost as well": (
            a.call(a.succeeded({"count": 2, "data": [1]})),
            "'count'",
        ),
        "what JSON cannot write stands beside data": (
            a.call(a.in_part(a.succeeded({"data": [1], "count": None}), "output.count")),
            "'count' stands beside data",
        ),
        "it stands beside data that JSON cannot write": (
            a.call(a.in_part(a.succeeded({"data": None, "count": 1}), "output.data")),
            "'count' stands beside data",
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


@pytest.mark.parametrize("code", CODES)
def test_the_output_of_a_blocking_tool_is_a_persons(code):
    assert "blocking" in a.unconcerned(code, a.tool(executionMode="blocking"))
    for other in (a.tool(), a.tool(executionMode="display")):
        assert a.unconcerned(code, other) is None


@pytest.mark.parametrize("code", ["ART041", "ART042"])
def test_what_the_orchestrator_does_to_a_tool_is_a_must_under_art_alone(code):
    assert a.RULES[code].level(a.EDITION) is Level.MUST
    assert a.RULES[code].code in a.EDITION.adopted


def test_an_output_of_one_character_more_is_found_with_both_lengths():
    said = a.judge("ART028", of_length(LIMIT + 1))
    assert "60,001" in said
    assert "60,000" in said


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


def test_the_cause_of_what_json_threw_is_its_first_line():
    finding = a.found("ART033", a.call(a.unwritten("TypeError: circular\n    --> at x\n    --- y")))
    assert finding.cause == "TypeError: circular"


def test_the_place_is_told_instead_of_what_json_threw():
    unwritten = a.unwritten(oddities=[a.Oddity("output.count", "BigInt")])
    (finding,) = a.RULES["ART033"].findings(a.call(unwritten))
    assert "output.count is a BigInt" in finding.message
