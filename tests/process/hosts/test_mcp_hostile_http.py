"""Hostile input over HTTP: what is sent as the body of a POST, and what is seen of the answer."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from aptix_conformance.core.model import Change, Kind, ProtocolStimulus, Stimulus, canaries
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

LEGACY, MODERN = "2025-11-25", "2026-07-28"
BATCHES, LINKS = "2025-03-26", "2025-06-18"
MIB = 1 << 20
TOOL = {"name": "echo", "inputSchema": {"type": "object"}}
OPENING = {
    "protocolVersion": LEGACY,
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}
RESULTS = {
    **{
        revision: {"initialize": {**OPENING, "protocolVersion": revision}, "tools/list": {"tools": [TOOL]}}
        for revision in (BATCHES, LINKS, LEGACY)
    },
    MODERN: {
        "server/discover": {"supportedVersions": [MODERN], "capabilities": {"tools": {}}},
        "tools/list": {"tools": [TOOL]},
    },
}
AWKWARD = b'"a": 1, "a": 2'
"""What only the body of `wire:duplicate-keys` holds."""


def answer_to(message, revision):
    """What a message is answered with, an array by an array where the revision has batches; None for a notification."""
    if revision == BATCHES and isinstance(message, list):
        return [{"jsonrpc": "2.0", "id": each["id"], "result": {}} for each in message]
    result = RESULTS[revision][message["method"]]
    return {"jsonrpc": "2.0", "id": message["id"], "result": result} if "id" in message else None


class Recording(BaseHTTPRequestHandler):
    """Keeps what comes. It answers what it knows, a body that is awkward by `server.awkward`, and all else by the status 400."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.headers, body))
        if self.server.unanswered in body:
            self.close_connection = True
            return None
        if AWKWARD in body:
            return self.server.awkward(self)
        if self.server.after is not None and AWKWARD in self.server.came[-2][1]:
            return self.say(
                self.server.after, b'{"id": null, "error": {"code": -32001, "message": "no session"}}'
            )
        try:
            said = answer_to(json.loads(body), self.server.revision)
        except (ValueError, RecursionError, LookupError, TypeError):
            return self.say(400, b"")
        return self.say(202, b"") if said is None else self.say(200, json.dumps(said).encode())

    def say(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """It says nothing."""


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Recording) as found:
        found.daemon_threads, found.came, found.after, found.revision = True, [], None, LEGACY
        found.unanswered = b"\n"
        found.ended = threading.Event()
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.ended.set()
        found.shutdown()


@pytest.fixture
def send(server, tmp_path):
    """Makes one stimulus for the server; gives what came back."""
    limits = Limits(timeout=5.0, start=20.0)
    pool = McpPool(
        Environment(tmp_path, (), canaries=canaries.environment(0), limits=limits, systems=OURS.traits)
    )
    place = f"http://127.0.0.1:{server.server_port}/mcp"

    hosts = {}

    def made(name, timeout=None):
        if server.revision not in hosts:
            settings = ToolSettings(side_effects="none", timeout=timeout)
            hosts[server.revision] = pool.open(Target(f"mcp:{place}", "mcp", place, ""), settings)
        host = hosts[server.revision]
        host.describe()
        server.came.clear()
        change, disturbance = Change(Kind.DISTURBED, number=1), ProtocolStimulus(name)
        return host.execute(Stimulus("server", change, "{}", None, disturbance=disturbance)).result.facts

    yield made
    pool.close()


BODIES = {
    "duplicate-keys": lambda body: AWKWARD in body,
    "lone-surrogate": lambda body: json.loads(body)["params"]["arguments"] == {"a": "\ud800"},
    "long-integer": lambda body: b"7" * 5_000 in body,
    "deep": lambda body: body.count(b"[") >= 1_000,
    "params-array": lambda body: json.loads(body)["params"] == [],
    "one-mebibyte": lambda body: MIB - 2_048 < len(body) <= MIB,
    "eight-mebibytes": lambda body: 8 * MIB - 2_048 < len(body) <= 8 * MIB,
    "sixteen-mebibytes": lambda body: 16 * MIB - 2_048 < len(body) <= 16 * MIB,
    "batch": lambda body: [each["method"] for each in json.loads(body)] == ["tools/list"],
    "bare-text": lambda body: json.loads(body) == "tools/list",
    "bad-utf-8": lambda body: json.loads(body.decode("utf-8", "replace")) and b"\xff" in body,
    "text-id": lambda body: json.loads(body)["id"] == "aptix-1",
    "digits-id": lambda body: json.loads(body)["id"] == "900719",
    "empty-id": lambda body: json.loads(body)["id"] == "",
    "zero-id": lambda body: b'"id": 0,' in body,
    "unknown-cursor": lambda body: json.loads(body)["params"]["cursor"] == "aptix-no-such-cursor",
}


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_stimulus_is_the_body_of_one_post_with_the_headers_of_a_right_one(server, send, revision):
    server.revision, server.awkward = revision, lambda handler: handler.say(400, b"")
    for name, is_meant in BODIES.items():
        send(name)
        (headers, body), *following = server.came
        assert is_meant(body), name
        assert (headers["Content-Type"], headers["MCP-Protocol-Version"]) == ("application/json", revision)
        assert (headers["Mcp-Method"] in {"tools/list", "tools/call"}) is (revision == MODERN)
        assert [json.loads(body)["method"] for _, body in following] == ["tools/list"]


@pytest.mark.parametrize(
    ("name", "revision", "version"),
    [("second-initialize", LEGACY, LEGACY), ("unknown-version-first", LEGACY, None), ("unknown-version", MODERN, "1999-01-01")],
)  # fmt: skip
def test_a_request_on_versions_has_the_headers_that_go_with_it(server, send, name, revision, version):
    server.revision = revision
    send(name)
    headers, body = server.came[0]
    assert headers["MCP-Protocol-Version"] == version
    assert ("1999-01-01" in body.decode()) is name.startswith("unknown-version")


@pytest.mark.parametrize(("revision", "version"), [(BATCHES, None), (LINKS, LINKS)])
def test_the_version_is_in_a_header_from_the_revision_on_that_has_it(server, send, revision, version):
    server.revision = revision
    send("text-id")
    assert [headers["MCP-Protocol-Version"] for headers, _ in server.came] == [version, version]


def test_a_batch_is_one_post_and_its_answers_are_read_from_an_array(server, send):
    server.revision = BATCHES
    found = send("batched-requests")
    assert [each["method"] for each in json.loads(server.came[0][1])] == ["ping", "tools/list"]
    assert [json.loads(text)["id"] for text in found.others] == ["aptix-4", "aptix-5"]
    assert (found.http.status, found.ended) == (200, "")


def test_ids_of_other_kinds_are_sent_one_by_one(server, send):
    send("odd-ids")
    assert [json.loads(body)["id"] for _, body in server.came[:4]] == [None, 1.5, 2**53 + 1, {}]


def test_no_id_is_given_twice_in_a_session(server, send):
    server.awkward = lambda handler: handler.say(400, b"")
    bodies = []
    for name in ("duplicate-keys", "text-id", "batch", "params-array"):
        send(name)
        bodies += [json.loads(body) for _, body in server.came]
    ids = [each[0]["id"] if isinstance(each, list) else each["id"] for each in bodies]
    assert len(ids) == len(set(ids))


def streamed(*messages, ends=True):
    """An answer by a stream of events."""

    def answered(handler):
        number = json.loads(handler.server.came[-1][1])["id"]
        whole = ({**each, "id": number} if "result" in each else each for each in messages)
        events = "".join(f"data: {json.dumps(each)}\n\n" for each in whole)
        handler.say(200, events.encode(), kind="text/event-stream")
        return ends or handler.server.ended.wait()

    return answered


def unending(handler, status):
    handler.say(status, b"{")
    handler.server.ended.wait()


NEWS, RESPONSE = {"method": "notifications/message"}, {"result": {}}
LATE = "it had not answered after 1 s"
CLOSED = "it closed the connection without an answer"
ANSWERS = {
    "a status": (lambda h: h.say(413, b"too large", kind="text/plain"), (413, "is of the type 'text/plain'"), 0),
    "an error": (lambda h: h.say(400, b'{"id": null, "error": {"code": -32700}}'), (400, ""), 1),
    "nothing": (lambda _: None, (0, CLOSED), 0),
    "silence": (lambda h: h.server.ended.wait(), (0, LATE), 0),
    "a success without an end": (lambda h: unending(h, 200), (0, LATE), 0),
    "a refusal without an end": (lambda h: unending(h, 400), (400, "has no end"), 0),
    "a stream": (streamed(NEWS, RESPONSE, NEWS), (200, ""), 1),
    "a stream that goes on": (streamed(NEWS, RESPONSE, ends=False), (200, ""), 1),
    "a stream of nothing": (streamed(NEWS), (200, "has no response"), 0),
    "a stream that waits": (streamed(NEWS, ends=False), (0, LATE), 0),
}  # fmt: skip


@pytest.mark.parametrize(("awkward", "answer", "responses"), ANSWERS.values(), ids=ANSWERS)
def test_what_is_seen_is_the_http_answer_and_the_response_in_it(server, send, awkward, answer, responses):
    server.awkward = awkward
    facts = send("duplicate-keys", timeout=1.0)
    status, fault = answer
    assert (facts.http.status, facts.ended, int(facts.message is not None)) == (status, "", responses)
    assert facts.http.fault.startswith(fault)
    assert bool(facts.http.fault) is bool(fault)


@pytest.mark.parametrize(("after", "ended"), [(404, "status 404"), (500, "status 500"), (503, "")])
def test_a_server_that_answers_the_next_request_no_more_has_ended(server, send, after, ended):
    """A gateway's status is no word on that."""
    server.awkward, server.after = lambda handler: handler.say(400, b""), after
    assert send("duplicate-keys").ended.endswith(ended)
    server.after = None
    assert send("duplicate-keys").ended == ""


@pytest.mark.parametrize("name", ["text-for-arguments", "unknown-method", "unknown-notification"])
def test_a_connection_that_is_closed_without_an_answer_does_not_end_a_server_that_answers_the_next(
    server, send, name
):
    server.unanswered = {
        "text-for-arguments": b'"arguments": "{}"',
        "unknown-method": b"aptix/no-such-method",
        "unknown-notification": b"aptix-no-such-notification",
    }[name]
    seen = send(name)
    assert (seen.ended, seen.message, seen.http.status) == ("", None, 0)
    assert "without an answer" in seen.http.fault
