"""What the parent learns of a process that is gone when it is asked."""

import os
import socket
import subprocess
import sys

from aptix_conformance.hosts.host import Limits
from aptix_conformance.hosts.supervisor import Supervised
from aptix_conformance.model import Outcome

_SPEAKS_AND_ENDS = """
import os, sys
os.write(int(sys.argv[1]), b'{"jsonrpc": "2.0", "method": "incident", "params": {"words": "late"}}\\n')
os._exit(3)
"""


def test_what_a_process_said_before_it_ended_is_heard_though_it_ended_before_it_was_asked():
    """The request cannot be written any more; what lies in the channel can still be read."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SPEAKS_AND_ENDS, str(theirs.fileno())],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
        )
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with process.stdout, process.stderr:
        streams = (os.dup(process.stdout.fileno()), os.dup(process.stderr.fileno()))
    supervised = Supervised("the tool", process.pid, ours, streams, process.wait, Limits())
    exchange = supervised.exchange("tools/execute", {}, timeout=5.0)
    assert exchange.ending is not None
    assert (exchange.ending.outcome, exchange.ending.incident) == (Outcome.CRASHED, "exit status 3")
    assert [event.params["words"] for event in exchange.events] == ["late"]
