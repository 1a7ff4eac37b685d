"""The host of MCP servers answers each request, whatever its own code does."""

import pytest

from aptix_conformance.runners.mcp.connection import ServerEndedError
from aptix_conformance.runners.mcp.server_host import Host
from aptix_conformance.runners.python.codes import INTERNAL_ERROR


class Channel:
    """Holds one message for the host, and keeps what it sends; then the suite is gone."""

    def __init__(self, *messages):
        self.socket = self
        self.messages = list(messages)
        self.sent = []

    def send(self, message):
        self.sent.append(message)

    def receive(self):
        return [self.messages.pop()] if self.messages else None


@pytest.fixture(autouse=True)
def _always_readable(monkeypatch):
    monkeypatch.setattr("select.select", lambda inputs, *_: (inputs, [], []))


@pytest.fixture
def exits(monkeypatch):
    def leave(status):
        raise SystemExit(status)

    monkeypatch.setattr("os._exit", leave)


REQUEST = {"id": 7, "method": "initialize", "params": {"module": '{"name": "server", "command": ["python"]}'}}


@pytest.mark.usefixtures("exits")
def test_a_fault_in_the_hosts_own_code_is_an_error_of_the_request_and_no_end_of_the_process(monkeypatch):
    """An end would be charged to the tool as a crash."""

    def fails(_):
        raise KeyError("jsonrpc")

    monkeypatch.setattr("aptix_conformance.runners.mcp.server_host.connector", fails)
    channel = Channel(REQUEST)
    with pytest.raises(SystemExit, match="0"):
        Host(channel).serve()
    (sent,) = channel.sent
    assert sent["id"] == 7
    assert sent["error"]["code"] == INTERNAL_ERROR
    assert "the runner failed: KeyError" in sent["error"]["message"]


@pytest.mark.usefixtures("exits")
def test_the_end_of_a_server_is_still_an_incident(monkeypatch):
    def ends(_):
        raise ServerEndedError("the server ended")

    monkeypatch.setattr("aptix_conformance.runners.mcp.server_host.connector", ends)
    channel = Channel(REQUEST)
    with pytest.raises(SystemExit, match="3"):
        Host(channel).serve()
    (sent,) = channel.sent
    assert sent["method"] == "incident"
    assert "the server ended" in sent["params"]["words"]
