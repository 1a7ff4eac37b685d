"""`record` makes the calls of the examples with the hosts open, and writes what these answer."""

import http.server
import json
import threading

import pytest

from aptix_conformance.app.cli import main
from aptix_conformance.recording import read_recording

SERVER = """
import json, sys, urllib.request
TOOL = {"name": "weather", "description": "Weather.", "inputSchema": {"type": "object"}}

def called(arguments):
    with urllib.request.urlopen(f"http://localhost:PORT/{arguments['city']}", timeout=3) as answer:
        return {"content": [{"type": "text", "text": answer.read().decode()}]}

for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        answers = {
            "initialize": lambda: {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                   "serverInfo": {"name": "w", "version": "1"}},
            "tools/list": lambda: {"tools": [TOOL]},
            "tools/call": lambda: called(asked["params"]["arguments"]),
        }
        made = answers.get(asked["method"], dict)()
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": made}), flush=True)
"""
CONFIG = """
[tool.aptix-conformance]
tools = ["mcp:python server.py"]
[tool.aptix-conformance.tool."mcp:python server.py"]
network = ["localhost:PORT"]
EXTRA
examples = [{ city = "Oslo" }]
"""


class Echo(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"at": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Writes the project of a server whose service is there while the test runs."""
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=service.serve_forever)
    thread.start()

    def write(extra='recording = "recordings/weather.yaml"'):
        port = str(service.server_port)
        (tmp_path / "server.py").write_text(SERVER.replace("PORT", port))
        (tmp_path / "pyproject.toml").write_text(CONFIG.replace("PORT", port).replace("EXTRA", extra))
        monkeypatch.chdir(tmp_path)
        return tmp_path

    yield write
    service.shutdown()
    service.server_close()
    thread.join()


def test_the_examples_of_a_server_are_recorded_and_further_calls(project, capsys):
    place = project()
    assert main(["record", "mcp:python server.py", "--call", '{"city": "Rome"}', "--days", "7"]) == 0
    recording = read_recording(place / "recordings/weather.yaml")
    assert [exchange.request.line.rpartition("/")[2] for exchange in recording.exchanges] == ["Oslo", "Rome"]
    assert (recording.expires - recording.recorded).days == 7
    assert "2 exchanges" in capsys.readouterr().out


def test_a_target_without_a_recording_gets_the_lines_to_add(project, capsys):
    project(extra="")
    assert main(["record", "mcp:python server.py"]) == 2
    assert 'recording = "recordings/weather.yaml"' in capsys.readouterr().err


def test_what_is_no_call_is_refused(project, capsys):
    project()
    assert main(["record", "mcp:python server.py", "--call", "[1]"]) == 2
    assert "--call" in capsys.readouterr().err
