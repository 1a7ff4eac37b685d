"""How the Node host sees the values of JavaScript."""

import json
import shutil

import pytest

from aptix_conformance.systems.art.facts import Oddity

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
ANSWER = {"callId": "c-1", "toolName": "tool", "status": "success"}


# ---- values


@pytest.mark.parametrize(
    ("expression", "oddities"),
    [
        ("undefined", {("output", "undefined")}),
        ("{ a: undefined, b: [undefined] }", {("output.a", "undefined"), ("output.b[0]", "undefined")}),
        (
            "[NaN, Infinity, -Infinity, -0]",
            {
                ("output[0]", "NaN"),
                ("output[1]", "Infinity"),
                ("output[2]", "-Infinity"),
                ("output[3]", "-0"),
            },
        ),
        ("{ f() {}, s: Symbol('x') }", {("output.f", "function"), ("output.s", "symbol")}),
        ("{ [Symbol('key')]: 1 }", {("output", "symbol")}),
        ("[1, , 3]", {("output[1]", "hole")}),
        ("{ get a() { return 1; } }", {("output.a", "getter")}),
        ("{ toJSON: () => 1 }", {("output", "toJSON"), ("output.toJSON", "function")}),
        ("new Map([[1, 2]])", {("output", "class Map")}),
        ("{ when: new Date(0) }", {("output.when", "class Date")}),
        ("new (class Money { amount = 1; })()", {("output", "class Money")}),
        ("new Proxy({}, {})", {("output", "proxy")}),
        ("'\\ud800'", {("output", "lone surrogate")}),
        ("Object.create(null)", set()),
        ("{ a: [1, 'x', null, true, { b: 1.5 }] }", set()),
    ],
)
def test_values_are_seen_for_what_they_are(expression, oddities, bench):
    """Before they are serialised."""
    result = bench.output(expression)
    assert set(result.facts.oddities) == {Oddity(place, what) for place, what in oddities}
    assert result.facts.fault is None


@pytest.mark.parametrize(
    ("expression", "oddity", "fault", "output", "unwritten"),
    [
        ("10n", Oddity("output", "BigInt"), "TypeError", None, "output"),
        (
            "{ n: 10n, x: [1, NaN] }",
            Oddity("output.n", "BigInt"),
            "TypeError",
            {"n": None, "x": [1, None]},
            "output.n",
        ),
        (
            "(() => { const a = {}; a.b = [a]; return a; })()",
            Oddity("output.b[0]", "cycle"),
            "TypeError",
            {"b": [None]},
            "output.b[0]",
        ),
        (
            "{ get a() { throw new RangeError('no'); }, b: 1 }",
            Oddity("output.a", "getter"),
            "RangeError: no",
            {"a": None, "b": 1},
            "output.a",
        ),
        (
            "{ on: { toJSON() { throw new Error('never'); }, a: 1n }, f() {} }",
            Oddity("output.on", "toJSON"),
            "Error: never",
            {"on": {"a": None}},
            "output.on.a",
        ),
        (
            "{ day: new Date(0), n: new Number(3), m: new Map(), u: undefined, x: [, () => 1, 1n] }",
            Oddity("output.x[2]", "BigInt"),
            "TypeError",
            {"day": "1970-01-01T00:00:00.000Z", "n": 3, "m": {}, "x": [None, None, None]},
            "output.x[2]",
        ),
        (
            "new Proxy({ a: 1n, b: 2 }, {})",
            Oddity("output", "proxy"),
            "TypeError",
            {"a": None, "b": 2},
            "output.a",
        ),
        (
            "new Proxy({}, { ownKeys() { throw new Error('trap'); } })",
            Oddity("output", "proxy"),
            "Error: trap",
            None,
            "output",
        ),
    ],
)
def test_what_cannot_be_serialised_is_told_and_harms_nobody(
    expression, oddity, fault, output, unwritten, bench
):
    """The call came back all the same, and all that can be written is written."""
    result = bench.output(expression)
    assert oddity in result.facts.oddities
    assert fault in result.facts.fault
    assert json.loads(result.facts.text) == {**ANSWER, "output": output}
    assert (result.facts.unwritten, result.payload, result.successful) == ((unwritten,), None, True)


def test_a_member_that_throws_when_it_is_read_leaves_the_others(bench):
    facts = bench.call("return { ...answer, get output() { throw new Error('no'); } };").result.facts
    assert (json.loads(facts.text), facts.unwritten) == ({**ANSWER, "output": None}, ("output",))


def test_a_cycle_through_the_result_is_cut_where_it_closes(bench):
    result = bench.call("const found = { ...answer, output: 1 }; found.self = [found]; return found;").result
    assert json.loads(result.facts.text) == {**ANSWER, "output": 1, "self": [None]}
    assert (result.facts.unwritten, result.payload) == (("self[0]",), "1")


def test_of_a_result_that_lists_no_members_nothing_is_written(bench):
    body = "return new Proxy({ ...answer, output: 1 }, { ownKeys() { throw new Error('trap'); } });"
    facts = bench.call(body).result.facts
    assert (facts.text, facts.unwritten) == (None, ("",))


ENDLESS = """{
  ownKeys: () => ['a', 'b'],
  get: () => endless(),
  getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
}"""


@pytest.mark.parametrize(
    "expression",
    [
        "Array.from({ length: 200_000 }, (_, n) => BigInt(n))",
        "(() => { const a = [1n]; a.length = 4e9; return a; })()",
        "Array.from({ length: 60 }).reduce((below) => ({ a: below, b: below }), 1n)",
        "Array.from({ length: 9_000 }).reduce((below) => [below], 1n)",
        f"(() => {{ const endless = () => new Proxy({{}}, {ENDLESS}); return {{ a: 1n, b: endless() }}; }})()",
    ],
    ids=["many", "sparse", "shared", "deep", "endless"],
)
def test_what_is_written_in_part_has_an_end(expression, bench):
    """50 places at most are named."""
    facts = bench.output(expression).facts
    assert json.loads(facts.text)["status"] == "success"
    assert 0 < len(facts.unwritten) <= 50


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("return;", "undefined"),
        ("return null;", "null"),
        ("return 'x';", "string"),
        ("return [1];", "array"),
        ("return 7n;", "bigint"),
    ],
)
def test_what_is_no_object_is_no_tool_result(statement, kind, bench):
    """Whatever it is."""
    result = bench.call(statement).result
    assert (result.is_invoke_result, result.facts.kind) == (False, kind)


@pytest.mark.parametrize(
    ("thrown", "type_name", "message", "category"),
    [
        ("new RangeError('too far')", "RangeError", "too far", "exception"),
        ("'a text'", "string", "a text", "exception"),
        ("null", "null", "", "nothing"),
        ("undefined", "undefined", "", "nothing"),
        ("{ get message() { throw 1; } }", "Object", "[object Object]", "exception"),
        ("new Proxy(new Error('x'), { get() { throw 1; } })", "proxy", "<a Proxy>", "exception"),
    ],
)
def test_whatever_is_thrown_is_told(thrown, type_name, message, category, bench):
    """Null and undefined can be thrown, too."""
    raised = bench.call(f"throw {thrown};").raised
    assert (raised.type_name, raised.message, raised.category) == (type_name, message, category)
