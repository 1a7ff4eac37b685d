"""What goes over HTTP: events as they arrive in pieces, and headers that repeat a message."""

import pytest

from aptix_conformance.runners.mcp.events import EventStream, EventTooLongError
from aptix_conformance.runners.mcp.exchange import Endpoint
from aptix_conformance.runners.mcp.headers import encoded, mirrored, parameters_of
from aptix_conformance.runners.mcp.opening import HANDSHAKE, META, connector

STREAM = "\ufeffevent: message\ndata: {\ndata:}\n\n: a comment\r\nid: 7\r\rdata: ü\r\n\r\ndata\n\ndata: never ended".encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_the_same_in_whatever_pieces_they_come(size):
    stream = EventStream(100)
    pieces = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
    assert [event for piece in pieces for event in stream.feed(piece)] == [
        (b"message", b"{\n}"),
        (b"", "ü".encode()),
        (b"", b""),
    ]


@pytest.mark.parametrize(
    "data", [b"data: " + b"x" * 200, b"data: " + b"x" * 60 + b"\ndata: " + b"x" * 60 + b"\n"]
)
def test_an_event_is_bounded(data):
    with pytest.raises(EventTooLongError):
        EventStream(100).feed(data)


@pytest.mark.parametrize("more", [b":" * 1023 + b"\n", b"database: " + b"x" * 1013 + b"\n", b"\n" * 1024])
@pytest.mark.parametrize("before", [b"", b"data: x\n"])
def test_what_holds_no_data_is_bounded_too(before, more):
    stream = EventStream(100)
    stream.feed(b"data: an event\n\n" + before + more * 1022)
    with pytest.raises(EventTooLongError, match="more than 1 MiB without data"):
        stream.feed(more * 4)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("us-west1", "us-west1"),
        ("a b", "a b"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("", "=?base64??="),
    ],
)
def test_a_value_that_is_not_safe_in_a_header_is_in_base64(text, value):
    assert encoded(text) == value


def test_a_call_has_the_headers_of_its_method_its_tool_and_its_parameters():
    schema = {
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limits": {"properties": {"most": {"type": "integer", "x-mcp-header": "Most"}}},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"},
            "bad": {"x-mcp-header": "not a token"},
            "left_out": {"x-mcp-header": "Out"},
        }
    }
    arguments = {"region": "Oslo", "limits": {"most": 5.0}, "dry": True, "bad": "x", "left_out": None}
    call = {"method": "tools/call", "params": {"name": "wetter", "arguments": arguments}}
    assert mirrored(call, "2026-07-28", parameters_of(schema)) == {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "wetter",
        "Mcp-Param-Region": "Oslo",
        "Mcp-Param-Most": "5",
        "Mcp-Param-Dry": "true",
    }


@pytest.mark.parametrize(
    "schema", [None, True, {"properties": 5}, {"properties": {"a": {"x-mcp-header": 7}}}]
)
def test_a_schema_that_asks_for_no_header_has_none(schema):
    assert parameters_of(schema) == {}


@pytest.mark.parametrize(
    ("url", "place", "path"),
    [
        ("https://example.com", ("example.com", 443), "/"),
        ("http://[::1]:8000/mcp?a=b", ("::1", 8000), "/mcp?a=b"),
    ],
)
def test_where_a_url_leads(url, place, path):
    found = Endpoint(url, {})
    assert (found.place, found.path) == (place, path)


def test_only_a_server_that_is_not_started_here_is_told_who_calls():
    there = connector({"command": [], "directory": None, "url": "http://127.0.0.1:1/mcp"})()
    assert there.endpoint.headers == {"User-Agent": "aptix-conformance"}
    assert "aptix" not in f"{there.headers({})} {HANDSHAKE} {META}"
