"""Calls that the host cancels: what crossed the cancellation, what came after it, and what of the call goes on."""

import socket
import sys

import pytest

from aptix_conformance.runners.mcp.cancelling import Canceller
from aptix_conformance.runners.mcp.connection import StdioConnection
from aptix_conformance.runners.mcp.exchange import Endpoint
from aptix_conformance.runners.mcp.http_connection import HttpConnection
from aptix_conformance.runners.mcp.opening import LEGACY, MODERN, open_session

COMMON = """
import json, subprocess, sys, threading, time
META = "io.modelcontextprotocol/"
OPENING = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
    "tools/list": {"tools": [{"name": "wait", "inputSchema": {"type": "object"}}]},
    "ping": {},
}
DONE = {"content": [{"type": "text", "text": "done"}]}
cancelled = {}
"""
STDIO = """
def write(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
    sys.stdout.flush()

def progress(number, value):
    params = {"progressToken": number, "progress": value}
    write({"method": "notifications/progress", "params": params})

def begin(number):
    threading.Thread(target=call, args=(number,), daemon=True).start()

def call(number):
    if not cancelled[number].wait(0.3):
        write({"id": number, "result": DONE})
"""
SERVE = """
for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message.get("params", {})
    if method == "notifications/cancelled":
        cancelled[params["requestId"]].set()
    elif method == "tools/call":
        cancelled[message["id"]] = threading.Event()
        begin(message["id"])
    elif "id" in message:
        write({"id": message["id"], "result": OPENING[method]})
"""
OVER_HTTP = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_call = message["method"] == "tools/call"
        if "id" not in message:
            cancelled.get(message.get("params", {}).get("requestId"), threading.Event()).set()
            self.send_response(202)
            self.end_headers()
            return
        told = cancelled[message["id"]] = threading.Event()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for _ in range(20 if is_call else 0):
            if told.wait(0.05):
                return
            self.wfile.write(b": still at work\\n\\n")
        result = DONE if is_call else OPENING[message["method"]]
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        self.wfile.write(f"data: {text}\\n\\n".encode())

    def handle(self):
        try:
            super().handle()
        except OSError:
            open("hung-up", "w").close()

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def canceller(tmp_path):
    """Makes a canceller for a server over stdio: the one above, with `changes` before it serves."""
    sessions = []

    def make(changes="", revision=LEGACY):
        script = tmp_path / "server.py"
        script.write_text(f"{COMMON}{STDIO}{changes}{SERVE}")
        sessions.append(open_session(lambda: StdioConnection([sys.executable, str(script)], None), revision))
        return Canceller(sessions[-1], "wait")

    yield make
    for session in sessions:
        session.connection.close()


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_server_that_drops_a_cancelled_call_is_seen_to_keep_silent(canceller, revision):
    made = canceller(revision=revision)
    seen = made.apply("cancelled-at-50", "{}")
    assert seen.response is None
    assert seen.tokened["sent"] <= seen.tokened["read"]
    assert seen.tokened["answered"] is None
    assert made.apply("watched-call-afterwards", "{}").response
    assert made.needs_new_server("watched-call-afterwards")


def test_a_cancellation_that_waits_for_the_call_is_read_after_the_response(canceller):
    seen = canceller("begin = call").apply("cancelled-at-50", "{}")
    assert seen.response
    assert seen.tokened["sent"] < seen.tokened["answered"] <= seen.tokened["read"]


def test_a_call_that_ends_before_its_moment_is_not_cancelled(canceller):
    """Its first call is slow, and no other is."""
    changes = "def call(number):\n    time.sleep(0.3 if number == 2 else 0)\n    write({'id': number, 'result': DONE})"
    seen = canceller(changes).apply("cancelled-at-50", "{}")
    assert seen.response
    assert seen.tokened["sent"] is None


def test_a_call_whose_first_took_longer_is_cancelled_all_the_same(canceller):
    changes = "def call(number):\n    cancelled[number].wait(1 if number == 2 else 0.2)\n    write({'id': number, 'result': DONE})"
    seen = canceller(changes).apply("cancelled-at-50", "{}")
    assert seen.tokened["sent"] is not None
    assert seen.tokened["took"] < 0.9


def test_a_call_is_cancelled_at_its_first_progress(canceller):
    changes = """
def call(number):
    progress(number, 1)
    cancelled[number].wait(0.5)
    progress(number, 2)
    write({"id": number, "result": DONE})
"""
    seen = canceller(changes).apply("cancelled-at-progress", "{}")
    assert seen.tokened["sent"] <= seen.tokened["answered"]  # times leave out waits for a processor
    assert len(seen.tokened["progress"]) == seen.tokened["in_time"] == 2


def test_progress_behind_the_response_is_told_from_progress_before_it(canceller):
    changes = """
def call(number):
    progress(number, 1)
    write({"id": number, "result": DONE})
    progress(number, 2)
    progress(str(number), 3)
begin = call
"""
    seen = canceller(changes).apply("watched-call", "{}")
    assert (len(seen.tokened["progress"]), seen.tokened["in_time"]) == (2, 1)
    assert len(seen.others) == 1


def test_a_process_that_a_cancelled_call_leaves_is_named(canceller):
    changes = """
def call(number):
    helper = subprocess.Popen(["sleep", "60"])
    if not cancelled[number].wait(0.3):
        helper.kill()
        helper.wait()
        write({"id": number, "result": DONE})
"""
    seen = canceller(changes).apply("cancelled-at-50", "{}")
    assert (seen.tokened["left"], seen.tokened["left_usually"]) == (["sleep"], [])


def test_a_thread_that_computes_after_the_cancellation_is_work(canceller):
    changes = """
def call(number):
    while not cancelled[number].is_set() and number == 4:
        time.sleep(0.01)
    until = time.monotonic() + (0.3 if number == 2 else 5)
    while time.monotonic() < until:
        pass
    if not cancelled[number].is_set():
        write({"id": number, "result": DONE})
"""
    seen = canceller(changes).apply("cancelled-at-50", "{}")
    assert seen.tokened["idle"] < 0.3 < seen.tokened["busy"]


@pytest.mark.parametrize(
    ("answer", "measured"),
    [("'error': {'code': 0, 'message': 'cancelled'}", True), ("'result': DONE", False)],
)
def test_work_behind_an_error_that_answers_the_cancellation_is_seen(canceller, answer, measured):
    """A call that is answered by its result may have ended by itself."""
    changes = f"""
def call(number):
    if number == 2:
        time.sleep(2.5)
        return write({{"id": number, "result": DONE}})
    cancelled[number].wait()
    write({{"id": number, {answer}}})
    until = time.monotonic() + 5
    while time.monotonic() < until:
        pass
"""
    made = canceller(changes)
    seen = made.apply("cancelled-at-25", "{}")
    assert seen.tokened["answered"] is not None
    assert (seen.tokened["busy"] is not None) is measured
    if measured:
        assert seen.tokened["idle"] < 0.3 < seen.tokened["busy"]
    assert made.needs_new_server("watched-call-afterwards") is measured


@pytest.fixture
def over_http(tmp_path):
    """Cancels a call of a server over HTTP: the one above, with a text replaced by another."""

    def cancelled(before="", after="", revision=MODERN):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        script = tmp_path / "server.py"
        script.write_text(COMMON + OVER_HTTP.replace(before, after))
        endpoint = Endpoint(f"http://127.0.0.1:{port}/", {})
        command = [sys.executable, str(script), str(port)]
        session = open_session(lambda: HttpConnection(endpoint, command, str(tmp_path)), revision)
        try:
            return Canceller(session, "wait").apply("cancelled-at-50", "{}")
        finally:
            session.connection.close()

    return cancelled


def test_over_http_a_call_of_the_later_revision_is_cancelled_by_closing_its_answer(over_http, tmp_path):
    seen = over_http()
    assert seen.response is None
    assert seen.tokened["closed"]
    assert seen.tokened["sent"] <= seen.tokened["read"]
    assert (tmp_path / "hung-up").exists()


def test_over_http_an_answer_that_has_not_begun_is_closed_too(over_http):
    seen = over_http("self.send_response", "time.sleep(1.5 * is_call); self.send_response")
    assert seen.response is None
    assert seen.tokened["closed"]
    assert seen.tokened["sent"] <= seen.tokened["read"]


def test_over_http_a_call_of_the_earlier_revision_is_cancelled_by_a_notification(over_http, tmp_path):
    seen = over_http(revision=LEGACY)
    assert seen.response is None
    assert not seen.tokened["closed"]
    assert seen.tokened["sent"] <= seen.tokened["read"]
    assert not (tmp_path / "hung-up").exists()
