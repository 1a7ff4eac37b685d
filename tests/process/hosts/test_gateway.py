"""A gateway that is closed ends what it has taken up, at whatever moment that is, and says nothing."""

import gc
import socket
import warnings
from contextlib import ExitStack

from aptix_conformance.hosts.gateway import Gateway

TIMES, AT_ONCE = 40, 6
"""So often is one closed while it takes up connections; the moment differs from time to time."""


def close_while_connections_come():
    with ExitStack() as lines:
        listener, far = (lines.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2))
        gateway = Gateway([(listener, far.getsockname())])
        for _ in range(AT_ONCE):
            lines.enter_context(socket.create_connection(listener.getsockname()))
        gateway.close()


def test_connections_that_have_just_come_are_ended_without_a_word(capfd):
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always", ResourceWarning)
        for _ in range(TIMES):
            close_while_connections_come()
        gc.collect()
    assert list(map(str, left_open)) == []
    assert capfd.readouterr().err == ""
