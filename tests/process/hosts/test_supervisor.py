"""What the parent learns of a process that is gone when it is asked, or that holds too much when it has answered."""

import itertools
import os
import socket
import subprocess
import sys

from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import own_time, supervisor
from aptix_conformance.hosts.host import MIB, Limits
from aptix_conformance.hosts.own_time import ThreadFigures
from aptix_conformance.hosts.supervisor import Supervised

_SPEAKS_AND_ENDS = """
import os, sys
os.write(int(sys.argv[1]), b'{"jsonrpc": "2.0", "method": "incident", "params": {"words": "late"}}\\n')
os._exit(3)
"""


_SPEAKS_ANSWERS_AND_ENDS = """
import json, os, sys
channel = int(sys.argv[1])
number = json.loads(os.read(channel, 65536))["id"]
for message in ({"method": "incident", "params": {"words": "late"}}, {"id": number, "result": {}}):
    os.write(channel, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
os._exit(3)
"""


def started(program):
    """A process that runs `program` with its end of the channel as the argument, and our end."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program, str(theirs.fileno())],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
        )
    return process, ours


_HOLDS_AND_ANSWERS = """
import json, os, sys
channel = int(sys.argv[1])
number = json.loads(os.read(channel, 65536))["id"]
held = bytearray(64 * 2**20)
os.write(channel, json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode() + b"\\n")
os.read(channel, 1)
"""


def end(process):
    process.kill()
    return process.wait()


def asked(process, channel, *, timeout=5.0, **limits):
    """What a request to a process led to."""
    with process.stdout, process.stderr:
        streams = (os.dup(process.stdout.fileno()), os.dup(process.stderr.fileno()))
    supervised = Supervised("the tool", process.pid, channel, streams, lambda: end(process), Limits(**limits))
    exchange = supervised.exchange("tools/execute", {}, timeout=timeout)
    supervised.close()
    return exchange


def test_a_process_that_said_why_it_ends_has_not_answered():
    """It may get an answer out before it is gone; the next call has nothing to do with that."""
    exchange = asked(*started(_SPEAKS_ANSWERS_AND_ENDS))
    assert exchange.answer is None
    assert (exchange.ending.outcome, exchange.ending.incident) == (Outcome.CRASHED, "exit status 3")
    assert [event.params["words"] for event in exchange.events] == ["late"]


def test_what_a_process_said_before_it_ended_is_heard_though_it_ended_before_it_was_asked():
    """The request cannot be written any more; what lies in the channel can still be read."""
    process, channel = started(_SPEAKS_AND_ENDS)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    exchange = asked(process, channel)
    assert exchange.ending is not None
    assert (exchange.ending.outcome, exchange.ending.incident) == (Outcome.CRASHED, "exit status 3")
    assert [event.params["words"] for event in exchange.events] == ["late"]


def test_memory_that_a_call_takes_right_before_its_answer_is_charged_to_this_call(monkeypatch):
    """On a busy machine, the last look of the wait may be long ago; the next call has nothing to do with that."""
    monkeypatch.setattr(supervisor, "_CHECK_INTERVAL", 600.0)
    monkeypatch.setattr(supervisor, "_LONGEST_UNCHECKED", 600.0)
    monkeypatch.setattr(supervisor, "_BRIEF", 0.0)
    exchange = asked(*started(_HOLDS_AND_ANSWERS), memory=32 * MIB)
    assert exchange.ending is not None
    assert exchange.ending.outcome is Outcome.OVER_MEMORY


_SLEEPS_AND_ANSWERS = """
import json, os, sys, time
channel = int(sys.argv[1])
number = json.loads(os.read(channel, 65536))["id"]
time.sleep(0.1)
os.write(channel, json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode() + b"\\n")
os.read(channel, 1)
"""


def test_a_sleep_beside_waits_for_a_processor_is_shown_between_its_bounds(monkeypatch):
    """The kernel counts waits that are longer than the call: what the call did meanwhile is not known."""
    waits = itertools.count(step=10**12)
    monkeypatch.setattr(ThreadFigures, "read", lambda _: (0, next(waits)))
    for module in (own_time, supervisor):
        monkeypatch.setattr(module, "threads_of", lambda _: ())
    exchange = asked(*started(_SLEEPS_AND_ANSWERS), timeout=0.05)
    assert exchange.answer is not None
    assert exchange.elapsed < 0.1 <= exchange.elapsed + exchange.waited
    assert exchange.overdue


class FloodedSocket(socket.socket):
    """The channel of a process whose children write faster than anybody reads."""

    def recv(self, size, *_):
        return bytes(size)


def test_what_children_write_when_their_process_has_ended_is_read_within_the_limit(monkeypatch):
    monkeypatch.setattr(supervisor.protocol, "LONGEST_LINE", MIB)
    process, channel = started("import os; os._exit(3)")
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    exchange = asked(process, FloodedSocket(fileno=channel.detach()))
    assert exchange.ending is not None
    assert (exchange.ending.outcome, exchange.ending.incident) == (Outcome.CRASHED, "exit status 3")
