"""A tool's services are asked once, and then a recording answers for them, contained, and makes them fail."""

import datetime as dt
import http.server
import json
import threading
from contextlib import contextmanager

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outage
from aptix_conformance.core.model.codec import replace
from aptix_conformance.recording import Capture, write_recording
from aptix_conformance.recording.certificates import authority

TODAY = dt.datetime.now(dt.UTC).date()
KEY = "s3cret-4711-value"
BODY = """
import os, urllib.request
city = json.loads(arguments_json)["city"]
try:
    with urllib.request.urlopen(f"URL/weather?city={city}&q={os.environ['WEATHER_KEY']}", timeout=3) as answer:
        return InvokeResult.create(answer.read().decode())
except Exception as error:
    return InvokeResult.from_error(f"{type(error).__name__}: {error}")
"""
OSLO, ROME = '{"city": "Oslo"}', '{"city": "Rome"}'


class Weather(http.server.BaseHTTPRequestHandler):
    """The service that the tool calls."""

    def do_GET(self):
        body = json.dumps({"path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def service(scheme):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Weather)
    if scheme == "https":
        server.socket = authority().context("localhost").wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(params=["http", "https"])
def scheme(request, tmp_path, monkeypatch):
    """HTTP, or HTTPS with a certificate that this process trusts as it does others."""
    trusted = tmp_path / "trusted.pem"
    trusted.write_text(authority().pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    return request.param


@pytest.fixture
def recorded(scheme, make_bench, tmp_path):
    """The tool with the recording of one call, whose service is gone, and the text of the file."""
    capture, path = Capture(), tmp_path / "weather.yaml"
    with service(scheme) as port:
        given = {"network": (("localhost", port),), "env": {"WEATHER_KEY": KEY}}
        source = BODY.replace("URL", f"{scheme}://localhost:{port}")
        bench = make_bench(capture=capture)
        bench.write("weather", bench.tool("Weather", source))
        call = bench.call("weather:Weather", OSLO, **given)
        assert call.succeeded, call
    assert capture.failures == []
    write_recording(path, capture.recording("weather", TODAY, 30))
    again = make_bench()
    again.write("weather", again.tool("Weather", source))
    host = again.open("weather:Weather", recording=str(path), **given)
    return host, again, path.read_text()


def test_a_recording_answers_contained_and_without_secrets(recorded):
    host, bench, text = recorded
    assert KEY not in text
    assert host.containment.level == "full"
    call = host.execute(bench.plan(OSLO))
    assert json.loads(call.result.payload) == {"path": "/weather?city=Oslo&q=REDACTED"}
    assert len(call.asked) == 1
    assert (call.unrecorded, call.network) == ((), ())
    call = host.execute(bench.plan(ROME))
    assert call.refused
    assert "city=Rome&q=REDACTED" in call.unrecorded[0]
    assert call.network == ()


def test_each_service_fails_for_one_call(recorded, scheme):
    host, bench, _ = recorded
    assert "outage" in host.disturbances
    words = {"500": "HTTP Error 500", "429": "HTTP Error 429", "refused": "", "cut": "IncompleteRead"}
    words |= {"encoding": "UnicodeDecodeError"} | (
        {"certificate": "CERTIFICATE"} if scheme == "https" else {}
    )
    for name, word in words.items():
        call = host.execute(replace(bench.plan(OSLO), disturbance=Outage(name)))
        assert (call.refused, call.disturbed.reached, call.plan.disturbance) == (True, True, Outage(name)), (
            call
        )
        assert word in call.result.error_message
    page = host.execute(replace(bench.plan(OSLO), disturbance=Outage("not-json")))
    assert "<html>" in page.result.payload
    assert host.execute(bench.plan(OSLO)).succeeded


def test_what_is_asked_at_the_same_time_counts_for_each(recorded):
    host, bench, _ = recorded
    for call in host.execute_together([bench.plan(OSLO), bench.plan(ROME)]):
        assert len(call.unrecorded) == 1


def test_a_recording_that_is_not_there_says_how_to_make_it(make_bench):
    bench = make_bench()
    bench.write("weather", bench.tool("Weather", "return InvokeResult.create('1')"))
    with pytest.raises(TargetError, match="aptix-conformance record"):
        bench.open("weather:Weather", network=(("a.example", 80),), recording="/no/such.yaml")
