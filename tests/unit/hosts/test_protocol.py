"""Whatever is not a message of the protocol is refused, with the host and the place named."""

import json

import pytest

from aptix_conformance.core.errors import ProtocolError
from aptix_conformance.hosts.protocol import Answer, Event, Failure, LineBuffer, read, request


def test_messages_are_read_as_what_they_are():
    assert read(b'{"jsonrpc": "2.0", "id": 3, "result": {"a": "\\ud800"}}', "host") == Answer(
        3, {"a": "\ud800"}
    )
    assert read(b'{"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "m"}}', "host") == Answer(
        3, failure=Failure(1, "m")
    )
    assert read(b'{"jsonrpc": "2.0", "method": "log"}', "host") == Event("log", {})


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage\xff",
        b"[]",
        b"{}",
        b'{"jsonrpc": "1.0", "id": 1, "result": 1}',
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "2.0", "id": true, "result": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "result": 1, "error": {"code": 1, "message": "m"}}',
        b'{"jsonrpc": "2.0", "id": 1, "error": "e"}',
        b'{"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": "m"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "m"}',
        b'{"jsonrpc": "2.0", "method": 3}',
        b'{"jsonrpc": "2.0", "method": "gossip"}',
        b'{"jsonrpc": "2.0", "method": "m", "params": []}',
        b"[" * 100_000,
        b"1" * 5_000,
    ],
)
def test_anything_else_is_an_error_that_names_the_host(line):
    with pytest.raises(ProtocolError, match=r"^the host wrote '.*to the protocol channel"):
        read(line, "the host")


def test_a_request_is_one_line_of_ascii():
    line = request(1, "m", {"a": "é\n\ud800"})
    assert line.isascii()
    assert line.count(b"\n") == 1


def test_lines_are_cut_wherever_the_pieces_end():
    buffer = LineBuffer()
    lines = []
    for byte in b"one\n\nthree\nfo":
        buffer.feed(bytes([byte]))
        lines.append(buffer.line())
    assert [line for line in lines if line is not None] == [b"one", b"", b"three"]
    buffer.feed(b"ur\nfive\n")
    assert [buffer.line(), buffer.line(), buffer.line()] == [b"four", b"five", None]


@pytest.mark.parametrize(
    "text", [b'{"result":[' + b"[]," * 300_000, b'"",' * 500_000, b"\\" * 70_001 + b'"[' * 900_000]
)
def test_a_line_of_more_values_than_any_answer_has_is_not_read(text):
    """A small value takes many times its text in the memory of the suite."""
    with pytest.raises(ProtocolError, match="more than 200000 values in one line"):
        read(text, "host")


def test_a_long_text_may_hold_what_it_likes():
    """Marks within a text are no values."""
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": json.dumps([{"a": '"'}] * 100_000)})
    assert read(text.encode(), "host") == Answer(1, json.dumps([{"a": '"'}] * 100_000))
