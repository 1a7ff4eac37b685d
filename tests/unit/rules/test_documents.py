"""Payloads are judged by the grammar of RFC 8259, whatever their size and depth."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.rules.lib import documents
from aptix_conformance.systems.mcp.facts import McpResult

VALID = [
    "null",
    " [ ] ",
    '{"a":{"b":[1,-0.5e+3,"\\u00e9\\n",true,false,null]},"a":2}',
    "9" * 5000,
    '"\\ud800"',
    "1e999",
]
BROKEN = [
    "", "nul", "[1,]", "[,1]", '{"a":1,}', '{"a"}', '{"a":}', "{1:2}", "[1 2]", "[1]]", "[1", '{"a":1', "01", "+1", ".5",
    "'a'", '"\t"', '"\\x41"', "NaN", "[-Infinity]", "\ufeff{}", '"\udc00"', "{} {}", '{"a":1 "b":2}', "]", "[}", '{"a":]',
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_json_has_no_fault(text):
    assert documents.read(text).fault is None


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json_has_a_fault(text):
    assert documents.read(text).fault


@pytest.mark.parametrize("text", VALID)
def test_depth_changes_nothing_for_json(text):
    assert documents.read("[" * 50_000 + text + "]" * 50_000).fault is None


@pytest.mark.parametrize("text", [text for text in BROKEN if text not in ("", "NaN", "[-Infinity]")])
def test_depth_hides_no_fault(text):
    assert documents.read("[" * 50_000 + text + "]" * 50_000).fault


MANY = "[" + "{}," * 300_000


@pytest.mark.parametrize("text", VALID)
def test_json_of_very_many_values_has_no_fault_and_is_not_held(text):
    assert documents.read(f"{MANY}{text}]") == documents.Document(is_parsed=False)


@pytest.mark.parametrize("text", BROKEN)
def test_very_many_values_hide_no_fault(text):
    assert documents.read(f"{MANY}{text}]").fault


def test_an_escaped_backslash_before_a_surrogates_digits_is_no_fault():
    assert documents.read(f'{MANY}"\\\\ud800"]').fault is None


def test_numbers_of_any_length_are_read():
    assert documents.read("[" + "7" * 100_000 + "]").fault is None


def test_a_payload_too_large_to_parse_is_not_readable():
    """A rule that finds nothing in it has seen nothing: it judges other calls, or is inconclusive."""
    assert not documents.has_readable_payload(b.call(result=b.success("[" * 100_000 + "]" * 100_000)))


def test_a_payload_of_plain_text_is_to_be_read_where_its_contract_lets_it_be_one_and_the_call_succeeded():
    done, failed = (b.replace(result, payload="Hello Ada") for result in (b.success("{}"), b.failure()))
    for result, is_read in ((done, True), (failed, False)):
        plain = b.call(result=b.replace(result, facts=McpResult()))
        assert documents.has_readable_payload(plain) is is_read
        assert documents.payload_of(plain) == documents.Document("Hello Ada", is_prose=True)
        assert not documents.has_readable_payload(b.call(result=result))


def test_members_are_found_without_regard_to_spelling():
    value = json.loads('{"Session_ID": 1}')
    assert documents.member(value, "sessionId") == 1
    assert documents.has_member(value, "SESSIONID")
    assert documents.member(value, "session") is None


def test_arguments_are_read_as_forgivingly_as_a_tool_may():
    assert documents.reads_as_object('{"a": NaN}')
    assert not documents.reads_as_object("[1]")
    assert not documents.reads_as_object("[" * 100_000)
    assert not documents.reads_as_object('{"a": ' + "9" * 5000 + "}")
    assert not documents.reads_as_object(None)


def test_a_member_is_there_whatever_else_is():
    assert documents.has_member({"x": 1, "Session_Id": 2}, "sessionId")
    assert not documents.has_member({"x": 1}, "sessionId")


def test_as_many_values_as_the_limit_are_held_and_one_more_is_not():
    most = documents.MOST_VALUES
    assert documents.read("[" + "0," * (most - 1) + "0]").value == [0] * most
    assert documents.read("[" + "0," * most + "0]") == documents.Document(is_parsed=False)


DEEP = 40_000


@pytest.fixture
def few_are_many(monkeypatch):
    """Any long text counts as one of very many values."""
    monkeypatch.setattr(documents, "MOST_VALUES", 10)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("text", VALID)
def test_json_of_very_many_values_at_any_depth_has_no_fault(text):
    assert documents.read(f"[1,{'[' * DEEP}{text}{']' * DEEP}]") == documents.Document(is_parsed=False)


@pytest.mark.usefixtures("few_are_many")
def test_very_many_values_at_any_depth_hide_no_fault():
    assert documents.read(f"[2,{'[' * DEEP}nul{']' * DEEP}]").fault


@pytest.mark.usefixtures("few_are_many")
def test_a_deep_text_is_checked_up_to_its_longest_length_only(monkeypatch):
    text = f"[3,{'[' * DEEP}nul{']' * DEEP}]"
    monkeypatch.setattr(documents, "_LONGEST_DEEP_TEXT", len(text))
    assert documents.read(text).fault
    assert documents.read(f"{text} ").fault is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"c": 0, "a": 1, "a": 2}', "a"),
        ('[{"a": 1, "a": 2}, {"b": 1, "b": 2}]', "a"),
        ('{"a": {"a": 1}}', None),
        ('{"a": 1, "a": ' * 100_000 + "1" + "}" * 100_000, None),
    ],
)
def test_the_first_name_that_an_object_has_twice(text, name):
    assert documents.repeated_name(text) == name


@pytest.mark.parametrize("text", ['{"a": "\\ud83d"}', '{"\\ude00": 1}', '{"a": ["\ud83d"]}'])
def test_an_object_with_half_of_a_character_holds_a_lone_surrogate(text):
    assert documents.holds_lone_surrogate(text) is True


@pytest.mark.parametrize(
    "text",
    [
        None,
        '{"a": "e"}',
        '{"a": "\u00e9"}',
        '{"a": "\\u00e9"}',
        '{"a": "\\ud83d\\ude00"}',
        '["\\ud83d"]',
        '"\\ud83d"',
        "{\\ud83d",
    ],
)
def test_whole_characters_and_what_is_no_object_hold_none(text):
    assert documents.holds_lone_surrogate(text) is False
