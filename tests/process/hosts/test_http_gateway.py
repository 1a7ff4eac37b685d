"""Connections to recorded services: one that stays open ends where a request was not recorded, and none outlives the gateway."""

import contextlib
import datetime as dt
import errno
import http.client
import socket
import threading
import time

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.recording import HttpGateway, Recording, Replay
from aptix_conformance.recording.exchanges import FORM, Exchange, Request, Response

DAY = dt.date(2026, 11, 28)


@pytest.fixture
def port():
    listener = socket.create_server(("127.0.0.1", 0))
    number = listener.getsockname()[1]
    asked = Exchange(Request(f"POST http://localhost:{number}/a", body="abc"), Response(200, {}, "yes"))
    services = Replay(Recording(FORM, "t", DAY, DAY, (asked,)), (), DAY)
    gateway = HttpGateway([(listener, ("localhost", number))], services)
    yield number
    gateway.close()
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", number), timeout=3)


def test_an_open_connection_ends_where_a_request_was_not_recorded(port):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=3)) as line:
        for _ in range(2):
            line.request("POST", "/a", body=iter([b"a", b"bc"]), encode_chunked=True)  # in chunks
            assert line.getresponse().read() == b"yes"
        line.request("GET", "/b")
        with pytest.raises(ConnectionError):
            line.getresponse()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00" * 100_000,
        b"POST /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /a HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
        b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 2,
        b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
        + b"A: b\r\n" * 200
        + b"\r\n",
        b"POST /a HTTP/1.1\r\n\r\n" + b"\x16\x03\x01",
        b"\x16\x03\x01\x00\x05hello",
        b"GET /a HTTP/1.1\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
    ],
)
def test_what_is_no_request_ends_its_connection_and_no_other(port, sent):
    with socket.create_connection(("127.0.0.1", port), timeout=3) as line:
        received = b""
        with contextlib.suppress(OSError):  # it may have ended already
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while more := line.recv(65_536):
                received += more
    assert b"yes" not in received
    test_an_open_connection_ends_where_a_request_was_not_recorded(port)


def test_a_body_has_a_limited_number_of_chunks(port, monkeypatch):
    test_an_open_connection_ends_where_a_request_was_not_recorded(port)
    monkeypatch.setattr("aptix_conformance.recording.connection._MOST_CHUNKS", 2)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=3)
    with contextlib.closing(line):
        with contextlib.suppress(ConnectionError):  # the last chunk may come too late
            line.request("POST", "/a", body=iter([b"a", b"b", b"c"]), encode_chunked=True)
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            line.getresponse()


class Broken:
    """A service that cannot answer."""

    def __init__(self, error):
        self.error = error

    def takes_connection(self):
        raise self.error


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("error", [RecursionError("deep"), ConfigurationError("cryptography is missing")])
def test_an_error_in_a_connection_ends_that_connection_alone(error):
    listener = socket.create_server(("127.0.0.1", 0))
    gateway = HttpGateway([(listener, ("localhost", 80))], Broken(error))
    for _ in range(2):
        with socket.create_connection(listener.getsockname(), timeout=3) as line:
            assert line.recv(1) == b""
    gateway.close()


def test_a_thread_that_cannot_start_ends_its_connection_alone(port, monkeypatch):
    def start(_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        with pytest.raises(ConnectionError), socket.create_connection(("127.0.0.1", port), timeout=3) as line:
            line.recv(1)
    test_an_open_connection_ends_where_a_request_was_not_recorded(port)


class Scarce(socket.socket):
    """A listening socket for whose connections the system has no descriptor at first."""

    tried = 0
    until = 0.0

    def accept(self):
        self.tried += 1
        if time.monotonic() < self.until:
            raise OSError(errno.EMFILE, "too many open files")
        return super().accept()


def test_a_socket_waits_while_the_system_has_no_descriptor():
    listener = Scarce()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    listener.until = time.monotonic() + 0.4
    gateway = HttpGateway([(listener, ("localhost", 80))], Broken(OSError()))
    with socket.create_connection(listener.getsockname(), timeout=3) as line:
        assert line.recv(1) == b""
    gateway.close()
    assert listener.tried < 10
