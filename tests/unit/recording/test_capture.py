"""What cannot be kept of an exchange is left out with a line, and the others are kept."""

import datetime as dt

import pytest

from aptix_conformance.recording import capture as module
from aptix_conformance.recording import read_recording, write_recording
from aptix_conformance.recording.capture import Capture
from aptix_conformance.recording.exchanges import Request
from aptix_conformance.recording.service import Asked, Reply

DAY = dt.date(2026, 11, 28)


@pytest.fixture
def ask(monkeypatch):
    """Asks a service, whose answer is given, for a recording that is being made."""

    def asked(capture, reply, line="GET http://a.example/x", **body):
        monkeypatch.setattr(module, "_forwarded", lambda _: reply)
        return capture.answer(Asked(Request(line, **body), "a.example", 80, is_tls=False, headers={}))

    return asked


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (Reply(103), "GET http://a.example/x"),
        (Reply(999), "GET http://a.example/x"),
        (Reply(200), "get http://a.example/x"),
        (Reply(200, {"A B": "c"}), "GET http://a.example/x"),
        (Reply(200, {}, b"\xffs3cret-4711-value"), "GET http://a.example/x"),
    ],
)
def test_what_cannot_be_kept_is_left_out_with_a_line(ask, tmp_path, reply, line):
    capture = Capture()
    capture.learn(["s3cret-4711-value"])
    assert ask(capture, reply, line) == reply
    ask(capture, Reply(200, {}, b'{"password": "a", "b": "\\ud800"}'), "GET http://a.example/y")
    write_recording(tmp_path / "r.yaml", capture.recording("t", DAY, 1))
    (kept,) = read_recording(tmp_path / "r.yaml").exchanges
    assert kept.request.line == "GET http://a.example/y"
    (failure,) = capture.failures
    assert failure.startswith(f"{line} is left out: ")


def test_a_recording_holds_no_more_than_a_file(ask, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "LARGEST_FILE", 10_000)
    capture = Capture()
    for number in range(20):
        ask(capture, Reply(200, {}, b"x" * 1_000), f"GET http://a.example/{number}")
    recording = capture.recording("t", DAY, 1)
    assert len(recording.exchanges) == 8
    assert len(capture.failures) == 12
    write_recording(tmp_path / "r.yaml", recording)
