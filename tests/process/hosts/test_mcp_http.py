"""The host of MCP servers over HTTP: servers that the suite starts, servers that are there, and hostile ones."""

import contextlib
import json
import signal
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import ContainmentError, HostError, SlowTargetError, TargetError
from aptix_conformance.core.model import Change, Kind, ProtocolStimulus, Stimulus, canaries
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

FIXTURES = Path(__file__).parents[3] / "fixtures"
TOKEN = "tok3n-of-the-user-0815"
TOOL = {"name": "echo", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}}
KNOWN = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "s", "version": "1"},
    },
    "tools/list": {"tools": [TOOL]},
}


class Answering(BaseHTTPRequestHandler):
    """Answers by `server.hostile` where that is set, else as a server should."""

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.hostile:
            return self.server.hostile(self)
        if "id" not in message:
            return self.say(202, b"")
        result = KNOWN.get(message["method"])
        if message["method"] == "initialize":
            result = {**result, "serverInfo": {"name": "s", "version": self.server.version}}
        if message["method"] == "tools/call":
            result = {"content": [{"type": "text", "text": self.headers["Authorization"]}]}
        said = {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
        return self.say(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}).encode())

    def say(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content_Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """It says nothing."""


@pytest.fixture
def server():
    """A server in this process, which the suite does not start."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as found:
        found.daemon_threads, found.hostile, found.version = True, None, "1"
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


@pytest.fixture
def pools(tmp_path):
    opened = []

    def make(root=tmp_path, start=20.0, **more):
        limits = Limits(timeout=5.0, start=start)
        found = Environment(
            root, (), canaries=canaries.environment(0), limits=limits, systems=OURS.traits, **more
        )
        opened.append(McpPool(found))
        return opened[-1]

    yield make
    for pool in opened:
        pool.close()


RESTARTED = ProtocolStimulus("restarted-call")


def place_of(server):
    return f"http://127.0.0.1:{server.server_port}/mcp"


def target(place, tool="echo"):
    return Target(f"mcp:{place}#{tool}", "mcp", place, tool)


def flood(handler, start=b"", more=b"x", **headers):
    """An answer that is longer than what is read of one."""
    handler.say(200, start, **headers)
    pour(handler, more)


def pour(handler, more):
    """40 MiB of the same."""
    with contextlib.suppress(OSError):
        for _ in range(40):
            handler.wfile.write(more * ((1 << 20) // len(more)))


HOSTILE = {
    "HTML": (lambda h: h.say(200, b"<html>hello</html>", Content_Type="text/html"), "is of the type 'text/html', a page: does the URL have the path of the MCP endpoint.*<html>hello"),
    "a redirect": (lambda h: h.say(307, b"", Location="https://example.com/mcp"), "redirects to https://example.com/mcp"),
    "compressed": (lambda h: h.say(200, b"\x1f\x8b", Content_Encoding="gzip"), r"is compressed \(gzip\)"),
    "credentials": (lambda h: h.say(401, b""), "status 401, is empty: it wants credentials"),
    "a page that wants them": (lambda h: h.say(401, b"<html>", Content_Type="text/html"), "is of the type 'text/html': it wants credentials"),
    "no POST": (lambda h: h.say(405, b""), "status 405, is empty, and GET opens no stream there: does the URL have the path"),
    "a body without end": (flood, "has more than 32 MiB"),
    "an event without end": (lambda h: flood(h, b"data:", Content_Type="text/event-stream"), "an event of more than 32 MiB"),
    "trailers without end": (lambda h: flood(h, b"0\r\n", b"x: y\r\n", Transfer_Encoding="chunked"), "ends too early: .*more than 1 MiB"),
    "events that are no message": (lambda h: flood(h, more=b"data: x\n\n", Content_Type="text/event-stream"), "more than 1,000 events that are no message"),
    "headers without end": (lambda h: pour(h, b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000), "did not answer: .*got more than 100 headers"),
    "interim answers without end": (lambda h: pour(h, b"HTTP/1.1 100 Continue\r\n\r\n"), "did not answer: .*more than 1 MiB"),
    "no HTTP": (lambda h: h.wfile.write(b"SSH-2.0-server\r\n"), "did not answer: BadStatusLine"),
    "nothing": (lambda h: None, "closed the connection without an answer"),
}  # fmt: skip


@pytest.mark.parametrize(("hostile", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_is_one_line_that_says_what_came(server, pools, hostile, said):
    server.hostile = hostile
    with pytest.raises(TargetError, match=rf"^mcp:{place_of(server)}: .*{said}"):
        pools().list_tools(place_of(server), ToolSettings())


def test_a_server_that_does_not_answer_has_advice_about_its_url(server, pools):
    never = threading.Event()
    server.hostile = lambda _handler: never.wait()
    try:
        with pytest.raises(
            SlowTargetError, match=r"within 3 s.*send the URL an `initialize` request by POST"
        ):
            pools(start=3.0).list_tools(place_of(server), ToolSettings())
    finally:
        never.set()


def test_a_server_whose_certificate_nobody_vouches_for_is_sent_nothing(server, pools, tmp_path):
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 -keyout key.pem -out own.pem"
    subprocess.run(
        [*words.split(), "-addext", "subjectAltName=IP:127.0.0.1"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "own.pem", tmp_path / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.hostile = lambda _: pytest.fail("a request was sent")
    place = f"https://127.0.0.1:{server.server_port}/mcp"
    settings = ToolSettings(headers={"Authorization": f"Bearer {TOKEN}"})
    with pytest.raises(TargetError, match="certificate is not valid: self-signed certificate") as refused:
        pools().list_tools(place, settings)
    assert TOKEN not in str(refused.value)


def test_a_server_that_is_not_started_here_is_read_and_not_called(server, pools):
    host = pools().open(target(place_of(server)), ToolSettings())
    assert host.describe().tool_name.value == "echo"
    spec = f"mcp:{place_of(server)}#echo"
    assert host.read_only == (
        "the suite does not start its server, so nothing shows what its calls change there. If its calls are harmless, set this in "
        f'pyproject.toml for {spec}: side_effects = "none" under [tool.aptix-conformance.tool."{spec}"]'
    )
    assert str(host.containment).startswith("none")
    with pytest.raises(HostError, match="must not be called"):
        host.execute(stimulus("valid", "minimal", "{}", None))
    with pytest.raises(HostError, match="is not started under other conditions"):
        host.describe_again({"timezone": "UTC"})


def test_a_run_that_requires_containment_reads_no_such_server(server, pools):
    with pytest.raises(ContainmentError, match="let the suite start it"):
        pools(least_containment="full").open(target(place_of(server)), ToolSettings())


def test_what_destroys_is_called_where_its_own_table_allows_it(server, pools):
    place = place_of(server)
    pool = pools()
    for key, may_be_called in ((f"mcp:{place}", False), (f"mcp:{place}#echo", True)):
        said = {"side_effects": f"tool.aptix-conformance.tool.{key!r}.side_effects"}
        settings = ToolSettings(side_effects="none", places=said)
        read_only = pool.open(target(place), settings).read_only
        assert (read_only is None) is may_be_called
        assert may_be_called or "a table of its own has to say" in read_only


def test_a_secret_of_a_header_is_sent_and_never_shown(server, pools, monkeypatch):
    monkeypatch.setenv("ECHO_TOKEN", TOKEN)
    settings = ToolSettings(side_effects="none", headers={"Authorization": "Bearer ${ECHO_TOKEN}"})
    host = pools().open(target(place_of(server)), settings)
    found = host.execute(stimulus("valid", "minimal", "{}", None))
    assert found.result.payload == f"Bearer {canaries.standing_for('ECHO_TOKEN')}"
    server.hostile = lambda h: h.say(200, h.headers["Authorization"].encode(), Content_Type="text/plain")
    with pytest.raises(TargetError) as caught:
        pools().list_tools(place_of(server), settings)
    assert TOKEN not in str(caught.value)


def test_a_secret_that_a_server_repeats_is_not_shown_with_the_server_either(server, pools, monkeypatch):
    monkeypatch.setenv("ECHO_TOKEN", TOKEN)
    server.version = f"1 for {TOKEN}"
    settings = ToolSettings(headers={"Authorization": "Bearer ${ECHO_TOKEN}"})
    found = pools().open(target(place_of(server), ""), settings).describe()
    assert TOKEN not in found.facts.opening
    assert canaries.standing_for("ECHO_TOKEN") in found.facts.opening


def test_a_header_whose_variable_is_not_set_is_an_error(server, pools):
    settings = ToolSettings(headers={"Authorization": "Bearer ${NOT_SET_AT_ALL}"})
    with pytest.raises(TargetError, match="Authorization needs the environment variable NOT_SET_AT_ALL"):
        pools().list_tools(place_of(server), settings)


def of_tasks(arguments):
    disturbance = ProtocolStimulus("task")
    return Stimulus("wire", Change(Kind.DISTURBED, number=1), arguments, None, disturbance=disturbance)


def started(name, **more):
    command = ("python", f"./mcp/http/conforming/{name}.py")
    return ToolSettings(command=command, url="http://127.0.0.1:8000/mcp", **more)


@pytest.mark.parametrize(
    ("name", "revision"), [("lengths_http", "2025-11-25"), ("lengths_http_both", "2026-07-28")]
)
def test_a_server_that_is_started_here_has_a_network_of_its_own(pools, name, revision):
    """Two at once have the same port, and both are called."""
    pool = pools(FIXTURES)
    hosts = [pool.open(target("lengths", "convert_length"), started(name)) for _ in range(2)]
    for host in hosts:
        assert host.describe().facts.revision == revision
        assert host.containment.level != "none"
        plans = [stimulus("repeat", f"together:2:a-{n}", '{"value": 1, "unit": "km"}', None) for n in (1, 2)]
        assert [json.loads(each.result.payload)["value"] for each in host.execute_together(plans)] == [
            1000,
            1000,
        ]
        assert host.check_sentinels(last=True) is None


KEEPING = """
import atexit, signal, sys, tempfile
from pathlib import Path
sys.path += ["mcp", "mcp/http"]
from serving import MODERN, Tool, structured
from serving_http import OverHttp
FILE = Path(tempfile.gettempdir()) / "notes.txt"
kept = FILE.read_text().split() if FILE.exists() else []

def save(*_):
    FILE.write_text(" ".join(kept))

def saved(*_):
    save()
    raise SystemExit

%s

def keep(note):
    kept.append(note)
    return structured(kept)

class Keeping(OverHttp):
    revisions = (MODERN,)
    tools = (Tool({"name": "keep", "inputSchema": {"type": "object", "properties": {}}}, keep),)

Keeping().serve()
"""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ("", [["tea"], ["tea", "tea"]]),
        ("atexit.register(save)", [["milk", "tea"], ["milk", "tea", "tea"]]),
        ("signal.signal(signal.SIGTERM, saved)", [["milk", "tea"], ["milk", "tea", "tea"]]),
        ("signal.signal(signal.SIGTERM, save)", []),
    ],
    ids=["in memory", "saved at the end", "saved at a signal", "without an end"],
)
@pytest.mark.parametrize(
    "run", [signal.default_int_handler, signal.SIG_IGN], ids=["run", "run in the background"]
)
def test_a_call_after_a_restart_finds_what_was_saved_and_no_memory(pools, changes, said, run, request):
    """A run in the background of a shell ignores Ctrl-C, as the suite's worker does; the server does not."""
    before = signal.signal(signal.SIGINT, run)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    command = ("python", "-c", KEEPING % changes)
    settings = ToolSettings(command=command, url="http://127.0.0.1:8000/mcp")
    host = pools(FIXTURES).open(target("notes", "keep"), settings)
    host.execute(stimulus("valid", "minimal", '{"note": "milk"}', None))
    plan = replace(stimulus("wire", "minimal", '{"note": "tea"}', None), disturbance=RESTARTED)
    facts = host.execute(plan).result.facts
    found = [*facts.others, facts.message] if facts.message else []
    assert [json.loads(each)["result"]["structuredContent"] for each in found] == said
    assert host.execute(stimulus("valid", "full", '{"note": "rice"}', None)).succeeded


def test_a_server_that_gets_headers_is_not_compared_with_a_new_one(pools):
    """They may be credentials, and say whose state is meant."""
    settings = ToolSettings(
        command=("python", "-c", KEEPING % ""),
        url="http://127.0.0.1:8000/mcp",
        headers={"Authorization": "Bearer a"},
    )
    host = pools(FIXTURES).open(target("notes", "keep"), settings)
    host.execute(stimulus("valid", "minimal", '{"note": "milk"}', None))
    plan = replace(stimulus("wire", "minimal", '{"note": "tea"}', None), disturbance=RESTARTED)
    assert host.execute(plan).result.facts.message is None


def test_a_task_is_followed_over_http(pools):
    host = pools(FIXTURES).open(target("lengths", "convert_length"), started("lengths_http_tasks"))
    steps = host.execute(of_tasks('{"value": 1, "unit": "km"}')).result.facts.steps
    assert [step.asked for step in steps if step.task == 2] == ["create", "result", "get"]
    assert [step.asked for step in steps if step.task == 3] == ["create", "cancel", "get", "get"]
    assert all(json.loads(step.message) for step in steps)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (ToolSettings(command=("python", "-c", "raise SystemExit(4)"), url="http://127.0.0.1:8000/"), "exit status 4"),
        (started("lengths_http", side_effects="none"), "in the containment only"),
        (ToolSettings(url="http://example.com/", headers={"A": "b"}), "by https alone"),
        (ToolSettings(command=("python",), url="https://example.com/"), "a server that the suite starts answers at"),
        (ToolSettings(url="http://no-such-host.invalid/"), "did not answer: gaierror.*; correct the URL, or this machine's name service"),
        (ToolSettings(url="http://127.0.0.1:9/"), "did not answer: ConnectionRefused.*; start it, or correct the URL"),
    ],
    ids=["ends", "not contained", "secrets in the clear", "elsewhere", "no such host", "nobody there"],
)  # fmt: skip
def test_a_server_that_cannot_be_started_or_reached_is_one_line(pools, settings, said):
    with pytest.raises(TargetError, match=rf"^mcp:lengths: .*{said}"):
        pools(FIXTURES).list_tools("lengths", settings)
