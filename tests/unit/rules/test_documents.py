"""Payloads are judged by the grammar of RFC 8259, whatever their size and depth."""

import json

import pytest

from aptix_conformance.rules.lib import documents

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
    assert documents.read(f"{MANY}{text}]") == documents.Document()


@pytest.mark.parametrize("text", BROKEN)
def test_very_many_values_hide_no_fault(text):
    assert documents.read(f"{MANY}{text}]").fault


def test_an_escaped_backslash_before_a_surrogates_digits_is_no_fault():
    assert documents.read(f'{MANY}"\\\\ud800"]').fault is None


def test_numbers_of_any_length_are_read():
    assert documents.read("[" + "7" * 100_000 + "]").fault is None


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
