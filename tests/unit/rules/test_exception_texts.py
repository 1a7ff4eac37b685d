"""The text of an exception without its class and stack is found where it is all of a success, and is no data."""

import asyncio  # noqa: F401 - the expressions below use it
import datetime  # noqa: F401 - as above
import json
import re
import sqlite3
import subprocess  # noqa: F401 - as above
from contextlib import closing

import pydantic
import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.rules.lib.exception_sentences import SENTENCES
from aptix_conformance.rules.lib.exception_texts import bare_exception, failed_by_contrast, sentence_in
from aptix_conformance.systems.art.facts import ArtResult
from aptix_conformance.systems.frameworks import FrameworkResult
from aptix_conformance.systems.mcp.facts import McpResult
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=())}
LENGTHS = '{"metres": 5}'


class Point(pydantic.BaseModel):
    x: int


def sql(statement):
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(statement)


def raised(expression):
    """The text of the exception that an expression raises here."""
    try:
        eval(expression)
    except Exception as error:  # noqa: BLE001 - whatever it raises is what is looked at
        return str(error)
    raise AssertionError(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "''.get",
        "(lambda: None)()['a']",
        "(lambda: None)()()",
        "list(5)",
        "len(5)",
        "'a' + 1",
        "1 + 'a'",
        "None + 1",
        "'a' < 1",
        "-'a'",
        "{[]: 1}",
        "int('abc')",
        "int(None)",
        "float('x')",
        "float(None)",
        "int(math.nan)",
        "1 // 0",
        "1 / 0",
        "1.0 / 0",
        "math.sqrt(-1)",
        "math.exp(1e9)",
        "int('1' * 5000)",
        "[][0]",
        "()[0]",
        "''[0]",
        "[].pop()",
        "list()['a']",
        "str(5)['b']",
        "max([])",
        "'%d' % 'a'",
        "'%s%s' % 'a'",
        "'{:d}'.format('a')",
        "', '.join([1])",
        "b'\\xff'.decode()",
        "'é'.encode('ascii')",
        "open('/dev/null/a')",
        "open('a\\0b')",
        "unknown_name",
        "(lambda a: a)()",
        "(lambda a: a)(b=1)",
        "(lambda a: a)(1, 2)",
        "json.dumps({1})",
        "json.dumps(math.inf, allow_nan=False)",
        "json.loads('')",
        "json.loads('{a')",
        "json.loads('{} {}')",
        "json.loads('[1 2]')",
        "json.loads('\"a')",
        "json.loads(None)",
        "datetime.date(2020, 2, 31)",
        "datetime.date(2020, 13, 1)",
        "datetime.datetime.strptime('x', '%Y')",
        "datetime.date.fromisoformat('x')",
        "datetime.datetime.now() - datetime.datetime.now(datetime.UTC)",
        "asyncio.get_running_loop()",
        "subprocess.CompletedProcess(['git'], 1).check_returncode()",
        "__import__('no_such_module')",
        "sql('SELECT * FROM orders')",
        "sql('SELECT a')",
        "sql('SELEC 1')",
        "sql('SELECT ?')",
        "sql('SELECT 1; SELECT 2')",
        "Point()",
        "Point(x='a')",
    ],
)
def test_what_this_python_says_is_a_sentence_of_an_exception(expression):
    assert sentence_in(raised(expression))


@pytest.mark.parametrize(
    "text",
    [
        "Cannot read properties of undefined (reading 'x')",
        "data.items.map is not a function",
        "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "Object reference not set to an instance of an object",
        "Value cannot be null.\r\nParameter name: source",
        'Cannot invoke "String.length()" because "<local1>" is null',
        "runtime error: index out of range [5] with length 3",
        'Get "https://api.example.com/v1": dial tcp: lookup api.example.com: no such host',
        'relation "orders" does not exist\nLINE 1: SELECT * FROM orders\n                      ^',
        "(1146, \"Table 'shop.orders' doesn't exist\")",
        "(sqlite3.OperationalError) no such table: orders\n[SQL: SELECT 1]",
        "404 Client Error: Not Found for url: https://example.com/a",
        "HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by X)",
        "Client error '404 Not Found' for url 'https://example.com'\nFor more information check: https://x",
        "Request failed with status code 404",
        "called `Option::unwrap()` on a `None` value",
        json.dumps([{"code": "invalid_type", "expected": "string", "path": ["x"]}], indent=2),
        "  'str' object has no attribute 'get'\n",
        "TypeError: 'str' object has no attribute 'get'",
        "OperationalError: no such table: orders",
        'psycopg2.errors.UndefinedTable: relation "orders" does not exist',
        "TypeError [ERR_INVALID_URL]: Invalid URL",
        "Error: Object of type Decimal is not JSON serializable",
        "Failed to convert: KeyError: 'to'",
        "KeyError: 'to'",
        "ValueError: there is no unit furlong",
        "System.FormatException: The input string 'x' was not in a correct format.",
    ],
)
def test_what_other_runtimes_and_libraries_say_is_one_too(text):
    assert sentence_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5 km is 3.1 miles",
        "There is no such table.",
        "No orders.",
        "Not found",
        "Permission denied",
        "Could not find Ada.",
        "It said: no such table: orders",
        "no such table: orders, so nothing was done",
        "12:00 no such table: orders",
        "no such table: orders\nno such table: customers",
        "'a' object has no attribute",
        "''object has no attribute 'get'",
        "The list is not iterable",
        "Object of type Decimal and of type Fraction is not JSON serializable",
        "no such table: " + "x" * 5_000,
        "Error: the disk is full",
        "OrderError: there is no such order",
        "Failed to convert: there is no unit furlong",
        "ValueError: ",
        "ValueError: one\ntwo",
        "My favourite is TypeError: it is so short.",
        "Hint: no such table: orders",
    ],
)
def test_what_a_person_writes_is_none(text):
    assert not sentence_in(text)


def test_no_sentence_stands_twice_or_fits_everything():
    every = [sentence for group in SENTENCES.values() for sentence in group]
    assert len(every) == len(set(every))
    literal = {sentence: re.sub(r"\{(?:any|name|number|more)\}", "", sentence) for sentence in every}
    assert [sentence for sentence, text in literal.items() if len(text) < 6] == []


def test_a_hostile_text_is_looked_at_once():
    """Texts on which a pattern that backtracks would not come back."""
    for text in (
        "a." * 2_000,
        "Error " * 600,
        "'" * 4_000,
        "[Errno " * 500,
        "a.a " * 1_000,
        '"' * 3_999,
        "{any}" * 800,
    ):
        assert not sentence_in(text)


def said(payload, arguments=LENGTHS, probe="valid", facts=None, **changes):
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return b.call(
        "generated",
        arguments,
        probe,
        "either",
        b.replace(b.success(text), facts=facts or McpResult()),
        **changes,
    )


def found(*calls, name="convert_length", usage="Converts lengths."):
    exploration = Exploration((b.declaration(name=name, usage=usage),), calls)
    return [call.result.payload for call, _ in failed_by_contrast(exploration)]


DECIMAL = "Object of type Decimal is not JSON serializable"


@pytest.mark.parametrize("other", [{"rows": []}, [], [1], "5 m is 5 m.", {"error": None, "rows": 1}])
def test_it_is_found_beside_an_ordinary_answer(other):
    assert found(said(DECIMAL), said(other)) == [DECIMAL]


@pytest.mark.parametrize(
    "calls",
    [
        (said(DECIMAL),),
        (said(DECIMAL), said("no such table: orders")),
        (said(DECIMAL), said("Error: the disk is full")),
        (said(DECIMAL), said("")),
        (said(DECIMAL), said("5 m is 5 m.", probe="malformed")),
        (said(f"It said: {DECIMAL}"), said("5 m is 5 m.")),
        (said({"message": DECIMAL}), said({"message": "Hello"})),
        (said({"error": DECIMAL, "rows": [1]}), said("5 m is 5 m.")),
        (said([DECIMAL, DECIMAL]), said("5 m is 5 m.")),
    ],
)
def test_it_is_none_without_a_contrast_or_beside_other_data(calls):
    assert found(*calls) == []


@pytest.mark.parametrize("payload", [{"error": DECIMAL}, {"message": DECIMAL, "code": None}, [DECIMAL]])
def test_the_only_member_of_an_answer_is_the_whole_of_it(payload):
    assert found(said(payload), said({"rows": []})) == [json.dumps(payload)]


def test_a_text_that_a_call_sent_is_none():
    sent = json.dumps({"text": DECIMAL})
    assert found(said(DECIMAL, sent), said("Hello")) == []
    assert found(said(DECIMAL), said("Kept.", sent)) == [], "another call sent it, and this one gives it back"


def test_a_line_about_a_class_that_the_call_sent_is_none():
    text, other = "KeyError: Raised when a mapping key is not found.", said("A unit of length.")
    assert found(said(text, '{"term": "KeyError"}'), other, name="glossary") == []
    assert found(said(text, '{"term": "the error keyerror"}'), other, name="glossary") == []
    assert found(said(text, '{"term": "key"}'), other, name="glossary") == [text]


def test_what_a_program_of_the_caller_says_is_none():
    assert not bare_exception(said(DECIMAL, '{"code": "1"}'))
    assert not bare_exception(b.call(result=b.failure(DECIMAL)))


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("read_note", "Returns what was written."),
        ("readNote", "Returns what was written."),
        ("search", "Finds rows of the log."),
        ("last_error", "Returns a text."),
        ("job_status", "Returns a text."),
        ("get_crash", "Give the newest crash of an app as its first line."),
        ("list_alerts", "Returns a text."),
        ("last_build", "Returns a text."),
        ("newest_bug", "Returns a text."),
        ("define_term", "Returns a text."),
        ("is_valid_json", "Says whether a text is JSON and if not, why."),
    ],
)
def test_a_tool_that_speaks_of_texts_of_others_may_give_one_back(name, usage):
    assert found(said(DECIMAL), said("5 m is 5 m."), name=name, usage=usage) == []


def test_what_answers_with_data_of_one_form_gives_no_text_back():
    """A file may hold JSON; two with the same members that were asked for by different names are the tool's own form."""
    rows = [said({"rows": [number]}, json.dumps({"number": number})) for number in (1, 2)]
    assert found(said(DECIMAL), *rows, name="read_note") == [DECIMAL]
    assert found(said(DECIMAL), rows[0], rows[0], name="read_note") == []
    assert found(said(DECIMAL), rows[0], said({"a": 1}, '{"b": 2}'), name="read_note") == []
    assert found(said(DECIMAL), said("Milk"), said("Bread", '{"b": 2}'), name="read_note") == []


def test_a_remark_is_no_note():
    assert found(
        said(DECIMAL), said("5"), usage="Converts lengths. Note: metres only. Please note that feet work."
    )


TRACEBACK = 'Traceback (most recent call last):\n  File "/app/orders.py", line 3, in find\n    raise error\nLookupError: feet\n'


def orders(*calls, code):
    exploration = Exploration((b.declaration(name="orders", usage="Lists orders."),), calls)
    return RULES[code].findings(exploration)


def answer(payload, **changes):
    """A result as the host of an MCP server gives it."""
    content = {"content": [{"type": "text", "text": payload}]}
    facts = McpResult(json.dumps({"jsonrpc": "2.0", "id": 1, "result": content}))
    return said(payload, facts=facts, **changes)


def test_in_mcp_it_is_a_call_that_does_not_say_that_it_failed():
    failed, listed = answer(DECIMAL), answer('{"rows": []}')
    (finding,) = orders(failed, listed, code="MCP087")
    assert finding.call is failed
    assert (finding.defers_to, finding.cause) == ("", "Object of type {name} is not JSON serializable")
    (same,) = orders(failed, listed, code="RES007")
    assert (same.call, same.defers_to) == (failed, "MCP087")


@pytest.mark.parametrize(
    ("payload", "first"), [(TRACEBACK, "MCP087"), (json.dumps({"error": TRACEBACK}), "")]
)
def test_in_mcp_a_traceback_is_all_of_such_a_call_and_its_only_finding(payload, first):
    (same,) = orders(answer(payload), code="RES007")
    assert same.defers_to == first
    assert len(orders(answer(payload), code="MCP087")) == bool(first)


def test_in_mcp_a_refusal_of_what_the_schema_forbids_needs_no_contrast():
    refused = answer("'list' object has no attribute 'lower'", probe="invalid")
    (finding,) = orders(refused, code="MCP087")
    assert finding.cause == "refusal"


@pytest.mark.parametrize("facts", [ArtResult("object"), FrameworkResult(), None])
def test_elsewhere_it_is_a_success_that_reports_a_failure(facts):
    failed, listed = (said(payload, facts=facts) for payload in ({"message": DECIMAL}, {"rows": []}))
    failed, listed = (
        b.replace(each, result=b.replace(each.result, facts=facts)) for each in (failed, listed)
    )
    (finding,) = orders(failed, listed, code="RES007")
    assert finding.call is failed
    assert DECIMAL in finding.message
