"""A server over HTTP gets more time for a large body, whatever the stimulus is called that has it."""

from types import SimpleNamespace

import pytest

from aptix_conformance.runners.mcp import hostile_http
from aptix_conformance.runners.mcp.http_connection import HttpConnection
from aptix_conformance.runners.mcp.stimuli import Observed

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("size", "seconds"), [(1, 5.0), (MIB, 5.0), (8 * MIB - 2_048, 10.0), (16 * MIB, 10.0)]
)
def test_a_large_body_gets_twice_the_time(monkeypatch, size, seconds):
    allowed = []

    def posted(_connection, _post, timeout):
        allowed.append(timeout)
        return Observed(None, [])

    post = hostile_http._Post({}, b"x" * size)
    monkeypatch.setattr(hostile_http, "_posts", lambda *_: [post])
    monkeypatch.setattr(hostile_http, "_posted", posted)
    monkeypatch.setattr(hostile_http, "_afterwards", lambda _session: "")
    hostile_http.apply("any", SimpleNamespace(connection=HttpConnection.__new__(HttpConnection)), 5.0)
    assert allowed == [seconds]
