"""The host of MCP servers over HTTP with SSE: what opens the stream, and what a POST is answered with."""

import contextlib
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

TOOL = {"name": "echo", "inputSchema": {"type": "object"}}


class Streaming(BaseHTTPRequestHandler):
    """A server with one client at a time, whose texts come on the stream."""

    def do_GET(self):
        self.server.stream = queue.Queue()
        self.send_response(200)
        self.send_header("Content-Type", self.server.kind)
        self.end_headers()
        self.wfile.write(self.server.first.encode())
        if "endpoint" in self.server.first:
            with contextlib.suppress(OSError):
                while message := self.server.stream.get():
                    self.wfile.write(f"data: {json.dumps(message)}\n\n".encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/messages":
            self.answer(405)
            return
        message = json.loads(body)
        results = {
            "initialize": {
                "protocolVersion": self.server.version or message.get("params", {}).get("protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            },
            "tools/list": {"tools": [TOOL]},
            "tools/call": {"content": [{"type": "text", "text": "done"}]},
        }
        is_refused = message["method"] == self.server.refused
        self.answer(400 if is_refused else 202)
        if "id" in message and not is_refused:
            result = results.get(message["method"], {})
            self.server.stream.put({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args):
        pass


@pytest.fixture
def served():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
    server.daemon_threads = True
    server.kind, server.first = "text/event-stream", "event: endpoint\ndata: /messages\n\n"
    server.version = server.refused = None
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def opened(served, tmp_path):
    """Opens the tool of the server."""
    url = f"http://127.0.0.1:{served.server_port}/sse"
    limits = replace(Limits(), timeout=10.0, start=20.0)
    pool = McpPool(Environment(tmp_path, limits, systems=OURS.traits))
    hosts = []

    def open_():
        target = Target(f"mcp:{url}#echo", "mcp", url, "echo")
        hosts.append(pool.open(target, ToolSettings(url=url, side_effects="none")))
        return hosts[-1]

    yield open_
    for host in hosts:
        host.close()
    pool.close()


def test_a_server_is_examined_in_the_revision_of_the_transport(opened):
    host = opened()
    facts = host.describe().facts
    assert (facts.revision, facts.http.is_sse) == ("2024-11-05", True)
    call = host.execute(stimulus("valid", "minimal", "{}", None))
    assert (call.outcome, call.result.payload) == (Outcome.RETURNED, "done")


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("data: {}\n\n", "the first event of the stream is of the type 'message', and not endpoint"),
        ("event: endpoint\ndata: http://169.254.0.1/m\n\n", "names 'http://169.254.0.1/m', which is no URL"),
        ("event: endpoint\ndata: http://[\n\n", "names 'http://[', which is no URL of this server"),
        ("", "it closed the stream before its first event"),
    ],
)
def test_a_stream_that_names_no_url_of_the_server_is_told(served, opened, first, reason):
    served.first = first
    with pytest.raises(TargetError, match=reason.replace("[", r"\[")):
        opened().describe()


def test_a_url_without_a_stream_is_told_by_its_first_answer(served, opened):
    served.kind = "text/html"
    with pytest.raises(TargetError, match="initialize: the HTTP answer, with status 405"):
        opened().describe()


def test_a_server_of_a_later_revision_is_told_that_the_transport_has_one(served, opened):
    served.version = "2025-03-26"
    with pytest.raises(TargetError, match="that transport is of 2024-11-05 alone"):
        opened().describe()


def test_a_request_that_is_refused_by_a_status_has_no_response(served, opened):
    host = opened()
    host.describe()
    served.refused = "tools/call"
    call = host.execute(stimulus("valid", "minimal", "{}", None))
    assert (call.outcome, call.result.facts.message, call.result.facts.http.status) == (
        Outcome.RETURNED,
        None,
        400,
    )
