"""A long message that comes beside an answer keeps its form."""

import json

import pytest

from aptix_conformance.runners.mcp.connection import Message, excerpt

LONG = "x" * 100_000


def kept(**members):
    value = {"jsonrpc": "2.0", "id": "aptix-1", **members}
    return json.loads(excerpt(Message(json.dumps(value), value)))


def test_a_short_message_is_shown_as_it_was_sent():
    assert excerpt(Message('{"id":1}', {"id": 1})) == '{"id":1}'


def test_a_long_result_is_still_a_result():
    found = kept(result={"tools": [LONG], "resultType": "complete"})
    assert found == {"jsonrpc": "2.0", "id": "aptix-1", "result": {"resultType": "complete"}}


def test_a_long_error_keeps_its_code_and_the_beginning_of_its_message():
    error = kept(error={"code": -32602, "message": LONG})["error"]
    assert error["code"] == -32602
    assert error["message"] == LONG[:1_000]


@pytest.mark.parametrize("members", [{"result": LONG}, {"method": LONG}, {"error": {"code": LONG}}])
def test_what_is_long_is_left_out(members):
    assert len(json.dumps(kept(**members))) < 200


def test_a_message_of_many_members_is_empty():
    value = {f"member-{number}": 1 for number in range(10_000)}
    assert excerpt(Message(json.dumps(value), value)) == "{}"


def test_a_message_that_nests_too_deeply_to_write_loses_that_part():
    value = {"id": 1}
    value["result"] = deep = {}
    for _ in range(100_000):
        deep["a"] = deep = {}
    assert json.loads(excerpt(Message(LONG, value))) == {"id": 1, "result": {}}
