"""Answers without an end, a bottom or a size: a limit of bytes ends the server, or nothing happens. No clock decides."""

import pytest
from tests.process.hosts.mcp.servers import note, opened

from aptix_conformance.core.model import Outcome

FLOODS = {
    "one line": "while True: os.write(1, b'x' * 2**20)",
    "lines": "while True: os.write(1, NOTIFICATION)",
}
NOTIFICATION = """
NOTIFICATION = json.dumps({"jsonrpc": "2.0", "method": "notifications/x", "params": {"x": "x" * 2**20}}).encode() + b"\\n"
"""
ODD = {
    "nested": "b'[' * 10**6 + b']' * 10**6",
    "nested in an answer": "b'{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": ' + b'[' * 10**6 + b']' * 10**6 + b'}'",
    "huge number": 'b\'{"jsonrpc": "2.0", "id": 1, "result": \' + b\'9\' * 10**6 + b\'}\'',
    "huge exponent": 'b\'{"jsonrpc": "2.0", "id": 1, "result": 1e\' + b\'9\' * 10**6 + b\'}\'',
    "many values": "b'[' + b'0,' * 10**6 + b'0]'",
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_server_that_floods_is_ended_by_what_it_sent(bench, name):
    host = opened(bench(f"{NOTIFICATION}def call(arguments):\n    {FLOODS[name]}"))
    call = host.execute(note("x"))
    assert call.outcome is Outcome.CRASHED
    assert "the server sent" in call.incident


@pytest.mark.parametrize("name", ODD)
def test_a_line_that_no_reader_should_read_changes_no_answer(bench, name):
    host = opened(
        bench(f"def call(arguments):\n    os.write(1, {ODD[name]} + b'\\n')\n    return {{'content': []}}")
    )
    assert host.execute(note("x")).outcome is Outcome.RETURNED
    assert host.execute(note("y")).outcome is Outcome.RETURNED
