"""The reference MCP server serves the official client of the Python SDK, in both revisions and over both transports."""

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from mcp import Client, MCPError, StdioServerParameters

TOOLBOX = Path(__file__).parents[2] / "reference_tools" / "mcp-toolbox"
CALLS = {
    "convert_length": ({"length": 5, "unit": "km", "to": "m"}, {"length": 5000.0, "unit": "m"}),
    "count_primes": ({"below": 100}, {"count": 25}),
    "count_words": ({"text": "Grüße,\n世界!"}, {"characters": 10, "words": 2, "lines": 2}),
    "keep_note": ({"notebook": "new", "note": "One."}, {"notebook": "new", "note": "One."}),
    "read_notes": ({"notebook": "new"}, {"notebook": "new", "notes": ["One."]}),
}
"""A call of each tool, with its result."""
LONG = {"below": 300_000_000}
"""Takes more than two seconds of a processor."""

pytestmark = [
    pytest.mark.parametrize("server", ["stdio", "http"], indirect=True),
    pytest.mark.parametrize(
        ("mode", "revision"),
        [("legacy", "2025-11-25"), ("auto", "2026-07-28")],
        ids=["2025-11-25", "2026-07-28"],
    ),
]


@pytest.fixture
def server(request, tmp_path):
    """What the client is given to reach the server, whose notes are in a temporary folder."""
    shutil.copytree(TOOLBOX / "testdata" / "notebooks", tmp_path / "notebooks")
    program = str(TOOLBOX / "server.py")
    if request.param == "stdio":
        yield StdioServerParameters(command=sys.executable, args=[program], cwd=tmp_path)
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen([sys.executable, program, "--port", str(port)], cwd=tmp_path) as process:
        try:
            until_it_listens(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


def until_it_listens(port):
    until = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


async def computed():
    """Seconds that the server has computed when it does so no more, as far as half a second shows that."""
    (process,) = (
        each for each in psutil.Process().children() if str(TOOLBOX / "server.py") in each.cmdline()
    )
    before, after = -1.0, sum(process.cpu_times()[:2])
    while before < after:
        await asyncio.sleep(0.5)
        before, after = after, sum(process.cpu_times()[:2])
    return after


def opened(server, mode):
    return Client(server, mode=mode, read_timeout_seconds=60)


async def test_each_tool_is_listed_and_gives_what_it_promises(server, mode, revision):
    """The client checks each result against the outputSchema."""
    async with opened(server, mode) as client:
        assert client.protocol_version == revision
        assert {tool.name for tool in (await client.list_tools()).tools} == CALLS.keys()
        for name, (arguments, expected) in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert (result.is_error, result.structured_content) == (False, expected)


async def test_calls_at_the_same_time_get_their_own_results(server, mode, revision):
    async with opened(server, mode) as client:
        calls = [client.call_tool("count_words", {"text": "x" * length}) for length in range(20)]
        results = await asyncio.gather(*calls)
    assert [result.structured_content["characters"] for result in results] == list(range(20))


async def test_what_is_wrong_is_refused_as_the_client_expects(server, mode, revision):
    async with opened(server, mode) as client:
        result = await client.call_tool("convert_length", {"length": -5, "unit": "km", "to": "m"})
        assert result.is_error
        with pytest.raises(MCPError, match="no tool of this name"):
            await client.call_tool("no_such_tool", {})
        assert not (await client.call_tool("count_primes", {"below": 10})).is_error


async def test_a_call_reports_progress_and_the_client_can_cancel_it(server, mode, revision):
    seen = []

    async def progress(done, total, message):
        seen.append((done, total))
        if len(seen) == 3:
            call.cancel()

    async with opened(server, mode) as client:
        call = asyncio.create_task(client.call_tool("count_primes", LONG, progress_callback=progress))
        with pytest.raises(asyncio.CancelledError):
            await call
        assert seen[:3] == sorted(seen[:3])
        assert {total for _, total in seen} == {LONG["below"]}
        assert (await client.call_tool("count_primes", {"below": 100})).structured_content == {"count": 25}
        assert await computed() < 1.5
