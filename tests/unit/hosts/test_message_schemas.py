"""The published JSON Schemas and the parent's own reading agree."""

import copy
import json

import pytest
from jsonschema import Draft202012Validator

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Declaration, Disturbed, LogRecord, Raised, Result
from aptix_conformance.core.model.codec import from_json
from aptix_conformance.hosts.message_schemas import document, schema_of
from aptix_conformance.hosts.wire import read_declaration, read_result
from aptix_conformance.systems.registry import OURS

MEMBER = {
    "name": "n",
    "kind": "method",
    "parameters": [{"name": "p", "kind": "positional", "required": True}],
}
READING = {"outcome": "returned", "text": "{}", "error": None}
CONSTANT = {"name": "N", "kind": "plain", "value": "v", "type_name": "str", "inherited_from": None}
WHOLE = {
    Declaration: {
        "class_name": "C",
        "module": "m",
        "when": "start",
        "tool_name": CONSTANT,
        "usage_text": CONSTANT,
        "get_schema": MEMBER,
        "schema": READING,
        "schema_again": READING,
        "name": MEMBER,
        "is_tool_fully_executed_on_server": MEMBER,
        "execute": MEMBER,
        "constructor": [],
        "construction_error": None,
        "missing_services": ["a"],
        "conditions": {"clock": "1 day"},
        "system": "art",
        "art": {"exported": "class", "schema": READING, "oddities": [{"place": "", "what": "NaN"}]},
    },
    Result: {"type_name": "T", "is_invoke_result": True, "successful": None, "errors": [{"message": None}]},
    Raised: {"type_name": "T", "message": "m", "traceback": "", "category": "exit"},
    LogRecord: {"method": "trace", "pairs": [["a", "b"]], "pairs_fault": None},
    Disturbed: {"reached": True, "after": 0.5, "suspensions": ["a"], "retried": None},
}
STRANGE = (None, True, 0, 1.5, "text", [], ["a"], [[1]], {}, {"unknown": 1})


def accepted(record, data):
    try:
        if record is Declaration:
            read_declaration(data, OURS.traits)
        elif record is Result:
            read_result(data, OURS.traits, "result")
        else:
            from_json(record, data)
    except RecordError:
        return False
    return True


def variants(data):
    """The data with each member, at any depth, gone or strange, and with one too many."""
    yield data
    yield {**data, "surplus": 1}
    for path in paths(data, ()):
        *above, last = path
        for change in (*STRANGE, KeyError):
            made = copy.deepcopy(data)
            inner = made
            for step in above:
                inner = inner[step]
            if change is KeyError:
                del inner[last]
            else:
                inner[last] = change
            yield made


def paths(data, above):
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*above, key)
        if isinstance(value, (dict, list)):
            yield from paths(value, (*above, key))


@pytest.mark.parametrize("record", WHOLE, ids=lambda record: record.__name__)
def test_a_record_is_accepted_by_its_schema_exactly_where_it_can_be_read(record):
    """Whatever is missing, strange or too much."""
    validator = Draft202012Validator(schema_of(record.__name__, document(OURS.traits)))
    assert accepted(record, WHOLE[record])
    for data in variants(WHOLE[record]):
        assert validator.is_valid(data) is accepted(record, data), json.dumps(data)


def test_the_document_is_a_json_schema_with_every_message():
    """Each request has a response."""
    whole = document(OURS.traits)
    Draft202012Validator.check_schema(whole)
    names = whole["$defs"].keys()
    requests = {name.removesuffix(".request") for name in names if name.endswith(".request")}
    assert requests == {
        "initialize",
        "tools/list",
        "tools/describe",
        "tools/execute",
        "tools/execute_together",
        "shutdown",
    }
    assert {f"{name}.response" for name in requests} <= names
    assert {"log.notification", "incident.notification", "$/cancel.notification", "error.response"} <= names


@pytest.mark.parametrize(
    ("message", "is_one"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}, True),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": ["a"]}}, True),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}, True),
        ({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 3}}, True),
        ({"jsonrpc": "1.0", "id": 1, "method": "tools/list", "params": {}}, False),
        ({"jsonrpc": "2.0", "id": 2**53, "method": "tools/list", "params": {}}, False),
        ({"jsonrpc": "2.0", "method": "gossip", "params": {}}, False),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": "no"}}, False),
    ],
)
def test_the_document_tells_messages_from_what_is_none(message, is_one):
    """The whole document describes any message."""
    assert Draft202012Validator(document(OURS.traits)).is_valid(message) is is_one
