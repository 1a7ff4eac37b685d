"""A call that hung is repeated in a process of its own while other calls are made."""

import psutil
import pytest

from aptix_conformance.core.model import Change, Kind, Outcome, Stimulus
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    known = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": []},
    }
    while message.get("params", {}).get("arguments"):
        pass
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": known.get(message["method"], {})}), flush=True)
"""
COMMAND = "python server.py"
PLAIN, ENDLESS = (Stimulus("valid", Change(Kind.GENERATED), text, None) for text in ("{}", '{"a": 1}'))


@pytest.fixture
def host(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    with McpPool(
        Environment(tmp_path, (), limits=Limits(timeout=1.0, start=10.0), systems=OURS.traits)
    ) as pool:
        yield pool.open(Target(f"mcp:{COMMAND}#t", "mcp", COMMAND, "t"), ToolSettings())


def test_a_call_ahead_is_taken_as_the_first_of_a_new_process(host, monkeypatch):
    starts, start = [], host._pool.start
    monkeypatch.setattr(host._pool, "start", lambda *given: starts.append(given) or start(*given))
    host.execute_ahead(ENDLESS, 2.0)
    assert host.execute(PLAIN).succeeded, "the process of the other calls goes on"
    host.reset()
    call = host.execute(ENDLESS, 2.0)
    assert (call.outcome, call.incident, call.earlier) == (Outcome.TIMED_OUT, "no answer within 2 s", 0)
    assert len(starts) == 1
    assert host.execute(PLAIN).succeeded, "in a new process"


def test_a_call_that_nobody_asks_for_ends_with_the_host(host):
    host.execute_ahead(ENDLESS, 600.0)
    servers = _servers()
    assert len(servers) == 2
    host.close()
    psutil.wait_procs(servers, timeout=10)
    assert _servers() == []


def _servers():
    children = psutil.Process().children(recursive=True)
    return [
        each
        for each in children
        if each.status() != psutil.STATUS_ZOMBIE
        and any(word.endswith("server.py") for word in each.cmdline())
    ]
