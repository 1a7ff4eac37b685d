"""RES013 finds names that collide and halves of characters in payloads, and leaves alone what the call itself sent."""

import json

import pytest
from msgspec.structs import replace
from tests.unit.rules import builders as b

from aptix_conformance.systems.mcp.facts import McpResult


def judged(payload, **plan):
    return b.judge("RES013", b.call(result=b.success(payload), **plan))


@pytest.mark.parametrize(
    "payload", ['{"a": 1, "a": 2}', '{"b": [{"a": {}, "c": 1, "a": {}}]}', r'{"a": 1, "\u0061": 1}']
)
def test_a_name_that_stands_twice_in_one_object_is_found(payload):
    assert "'a' twice" in judged(payload).message


@pytest.mark.parametrize(
    "payload", ['{"a": {"a": 1}}', '[{"a": 1}, {"a": 1}]', '{"a": 1, "A": 2}', '"a"', "1"]
)
def test_a_name_that_stands_once_in_each_object_is_not(payload):
    assert judged(payload) is None


@pytest.mark.parametrize("payload", [r'{"a": "\ud83d"}', r'{"\ude00": 1}', r'["\ude00\ud83d"]'])
def test_half_of_a_character_is_found(payload):
    assert "half of a character (U+D" in judged(payload).message


@pytest.mark.parametrize("payload", [r'{"a": "\ud83d\ude00"}', r'{"a": "\\ud83d"}'])
def test_a_whole_character_is_not(payload):
    assert judged(payload) is None


def test_half_of_a_character_that_the_call_sent_may_come_back():
    assert judged(r'{"a": "\ud83d"}', arguments=r'{"name": "\ud83d"}') is None
    assert judged(r'{"a": "\ud83d"}', context={"session_id": "a\ud83d"}) is None


def test_half_of_a_character_that_an_earlier_call_sent_may_be_shown_later():
    """The tool keeps texts, and another call lists them; a half of its own beside it is found."""
    assert judged(r'{"last": "You asked: a\ud800b"}') is None
    assert judged(r'{"last": "a\ud800b", "cut": "a\ud83d"}').message


OF_OTHER_PROBES = [
    ("malformed", "lenient:nan", '{"name": NaN}'),
    ("malformed", "garbage:x", "{"),
    ("invalid", "missing:name", "{}"),
    ("extremes", "extreme:name:nul", r'{"name": "\u0000"}'),
    ("context", "context:none", '{"name": "Ada"}'),
    ("repeat", "same:A:1", '{"name": "Ada"}'),
    ("cancel", "uncancelled:1", '{"name": "Ada"}'),
    ("fault", "library:1:unknown", '{"name": "Ada"}'),
]


@pytest.mark.parametrize(("probe", "label", "arguments"), OF_OTHER_PROBES)
@pytest.mark.parametrize(
    ("code", "payload", "said"),
    [
        ("RES003", '{"a": NaN}', "NaN"),
        ("RES003", '"\ud83d"', "U+D83D"),
        ("RES013", r'{"a": "\ud83d"}', "half of a character"),
        ("RES013", '{"a": 1, "a": 2}', "'a' twice"),
    ],
)
def test_payloads_are_judged_on_the_calls_of_every_probe(code, payload, said, probe, label, arguments):
    call = b.call(label, arguments, probe, result=b.success(payload))
    rule = b.RULES[code]
    assert rule.probes is None
    assert rule.when(call)
    assert said in b.judge(code, call).message


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ('{"a": NaN}', "NaN"),
        ('[1, -Infinity, "NaN"]', "-Infinity"),
        ('{"a": "NaN"}', None),
        ("NaN is what a division by zero gives.", None),
        ("NaN", None),
        ('{"a": NaN} and more', None),
        ('{"a": NaN, }', None),
        ("[" * 100_000 + "NaN", None),
        ("[" + "NaN, " * 100_000 + "1]", None),
    ],
)
def test_a_text_that_is_json_but_for_nan_is_found_where_any_text_may_come(text, constant):
    """Only where the whole text is one object or array: then a parser wrote it, and no person."""
    found = b.judge("RES013", b.call(result=replace(b.success(text), facts=McpResult())))
    assert found is None if constant is None else f"JSON but for {constant}" in found.message


def test_nan_that_the_call_sent_may_come_back():
    facts = replace(b.success('{"a": NaN}'), facts=McpResult())
    assert b.judge("RES013", b.call(arguments='{"text": "NaN"}', result=facts)) is None


def test_a_payload_that_is_no_json_is_not_for_it():
    assert not b.RULES["RES013"].when(b.call(result=b.success('{"a": 1, "a": NaN}')))


def test_a_payload_that_nests_beyond_what_python_reads_is_not_judged():
    deep = '{"a": 1, "a": ' * 100_000 + "1" + "}" * 100_000
    assert not b.RULES["RES013"].when(b.call(result=b.success(deep)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<orders.Order object at 0x7f3a5c0d1e20>", "<orders.Order object at 0x…>"),
        ("total <function total at 0x7f3a5c0d1e20>", "<function total at 0x…>"),
        ("<coroutine object Warehouse.count at 0x7f3a5c0d1e20>", "<coroutine object Warehouse.count at 0x…>"),
        ("<bound method Order.total of <Order 7>> or [object Promise]", "[object Promise]"),
        ("for [object Object]", "[object Object]"),
        (
            "System.Collections.Generic.List`1[System.String]",
            "System.Collections.Generic.List`1[System.String]",
        ),
        ("System.String[]", "System.String[]"),
    ],
)
def test_an_object_without_a_written_form_is_found(text, shown):
    beside = ["red", text, "blue"]
    assert judged(json.dumps({"a": beside})).message == f"The payload shows an object as {shown!r}."
    sent = json.dumps({"name": text})
    assert judged(json.dumps({"a": text}), arguments=sent) is None


def test_one_of_which_every_character_is_escaped_is_found_too():
    escaped = "".join(f"\\u{ord(each):04x}" for each in "[object Object]")
    assert "'[object Object]'" in judged(f'{{"a": "{escaped}"}}').message


@pytest.mark.parametrize(
    "arguments",
    [r'{"name": "<Gr\u00f6\u00dfe object at 0x7f3a5c0d1e20>"}', '["<Größe object at 0x7f3a5c0d1e20>"]'],
    ids=["in escapes", "in no object"],
)
def test_one_that_the_call_sent_may_come_back_however_it_was_written(arguments):
    payload = json.dumps({"a": "<Größe object at 0x7f3a5c0d1e20>"})
    assert judged(payload)
    assert judged(payload, arguments=arguments) is None


@pytest.mark.parametrize(
    "text",
    ["an object at 0x10", "<b>bold</b>", "[object]", "System.Text is a library", "<Order 7>", "list[str]"],
)
def test_a_text_with_such_words_is_not(text):
    assert judged(json.dumps({"a": text})) is None


def test_a_payload_of_plain_text_is_searched_where_the_contract_allows_one():
    """MCP lets a result be any text; elsewhere a payload that is no JSON is a finding of another rule."""
    of_mcp = b.call(result=replace(b.success("It is [object Object]."), facts=McpResult()))
    assert "'[object Object]'" in b.judge("RES013", of_mcp).message
    assert b.judge("RES013", b.call(result=replace(b.success("It is 3 km."), facts=McpResult()))) is None
    assert not b.RULES["RES013"].when(b.call(result=b.success("It is [object Object].")))


def test_half_of_a_character_in_plain_text_is_found():
    cut = b.call(result=replace(b.success("Good morning \ud83d"), facts=McpResult()))
    assert "U+D83D" in b.judge("RES013", cut).message
