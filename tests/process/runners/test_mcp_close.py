"""An MCP server that ends when its input is closed has the time to clear away what it made."""

import sys

import pytest

from aptix_conformance.runners.mcp.connection import StdioConnection

TIDY = """
import pathlib, signal, sys
lock = pathlib.Path("lock")
lock.touch()
{deaf}
print('{{"jsonrpc": "2.0", "method": "notifications/started"}}', flush=True)
try:
    {until}
finally:
    lock.unlink()
"""
ENDS_WITH_ITS_INPUT = TIDY.format(deaf="", until="sys.stdin.read()")
ENDS_ON_REQUEST = TIDY.format(
    deaf="signal.signal(signal.SIGTERM, lambda *_: sys.exit())", until="while True: signal.pause()"
)


@pytest.mark.parametrize("code", [ENDS_WITH_ITS_INPUT, ENDS_ON_REQUEST], ids=["input", "request"])
def test_a_server_that_is_closed_leaves_no_lock_behind(tmp_path, code):
    server = StdioConnection([sys.executable, "-c", code], str(tmp_path))
    server.check()
    assert (tmp_path / "lock").exists()
    server.close()
    assert not (tmp_path / "lock").exists()
