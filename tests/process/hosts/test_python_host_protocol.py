"""The Python host, spoken to line by line, as docs/host-protocol.md has it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance.runners.paths import START
from aptix_conformance.runners.python import codes

SOURCE = """
import asyncio
from aptix_harness import InvokeResult

class Tool:
    TOOL_NAME = "tool"
    async def execute(self, arguments, context, token):
        if arguments == "wait":
            await token.wait()
            return InvokeResult.create("cancelled")
        if arguments == "callback":
            def fail(): raise SystemExit
            token.register(fail)
            await token.wait()
        return InvokeResult.create(arguments)
"""


class Client:
    """A zygote without a launcher, and one tool's process forked from it."""

    def __init__(self, place: Path) -> None:
        self.control, theirs = socket.socketpair()
        command = [sys.executable, str(START), "python.zygote", str(theirs.fileno())]
        self.process = subprocess.Popen(command, pass_fds=(theirs.fileno(),))
        theirs.close()
        (place / "home").mkdir()
        self.ask(
            self.control,
            "initialize",
            sys_path=[str(place), *sys.path],
            replace_path=True,
            rootdir=str(place),
            home=str(place / "home"),
            harness="",
            contained=False,
            shared=[],
            coverage=None,
            patches={},
            disturbances=True,
        )
        self.tool, theirs = socket.socketpair()
        with Path(os.devnull).open("w") as null:
            line = self.line(1, "spawn", scratch=str(place / "tool"))
            socket.send_fds(self.control, [line], [theirs.fileno(), null.fileno(), null.fileno()])
        theirs.close()
        self.pid = self.hear(self.control)["result"]["pid"]

    @staticmethod
    def line(number, method, **params):
        return (
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
        )

    @staticmethod
    def hear(channel):
        line = b""
        while not line.endswith(b"\n"):
            byte = channel.recv(1)
            assert byte, "the host has hung up"
            line += byte
        return json.loads(line)

    def ask(self, channel, method, number=1, **params):
        channel.sendall(self.line(number, method, **params))
        return self.hear(channel)


@pytest.fixture
def client(tmp_path):
    (tmp_path / "tools.py").write_text(SOURCE)
    client = Client(tmp_path)
    yield client
    client.control.close()
    client.tool.close()
    assert client.process.wait(10) == 0


LOAD = {"module": "tools", "qualname": "Tool", "services": {}}


def test_initialize_names_version_and_capabilities(client):
    answer = client.ask(client.tool, "initialize", **LOAD)
    capabilities = answer["result"].pop("capabilities")
    assert answer["result"] == {"protocol": "1", "host": "python"}
    assert capabilities[:4] == ["cancel", "log", "together", "threads"]
    assert all(name.startswith("disturb:") for name in capabilities[4:])


def test_a_tool_that_cannot_be_loaded_is_a_target_fault(client):
    answer = client.ask(client.tool, "initialize", **{**LOAD, "qualname": "None"})
    assert answer["error"]["code"] == codes.TARGET_FAULT


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/what", {}, -32601),
        ("tools/execute", {"arguments": "x"}, -32602),
        ("tools/describe", {}, -32602),
    ],
)
def test_requests_that_make_no_sense_are_refused(client, method, params, code):
    assert client.ask(client.tool, method, **params)["error"]["code"] == code


@pytest.mark.parametrize("arguments", ["wait", "callback"])
def test_a_call_is_cancelled_by_its_id_while_others_go_on(client, arguments):
    client.ask(client.tool, "initialize", **LOAD)
    client.tool.sendall(client.line(7, "tools/execute", arguments=arguments, context=None))
    other = client.ask(client.tool, "tools/execute", 8, arguments="other", context=None)
    assert (other["id"], other["result"]["result"]["payload"]) == (8, "other")
    client.tool.sendall(b'{"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 7}}\n')
    answer = client.hear(client.tool)
    assert answer["id"] == 7
    assert answer["result"]["token_consultations"] > 0


def test_shutdown_is_answered_and_ends_the_process(client):
    assert client.ask(client.tool, "shutdown")["result"] == {}
    assert client.tool.recv(1) == b""
    assert client.ask(client.control, "reap", pid=client.pid)["result"] == {"status": 0}


def test_hanging_up_ends_the_process(client):
    client.tool.shutdown(socket.SHUT_WR)
    assert client.ask(client.control, "reap", pid=client.pid)["result"] == {"status": 0}
