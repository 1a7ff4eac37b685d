"""Of a server that does not answer, the cause is looked for in its own process, and in no other."""

import sys
from pathlib import Path

import pytest
from tests.process.hosts.mcp.servers import note

from aptix_conformance.core.model import Outcome
from aptix_conformance.targets import Target, ToolSettings

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/syscall").exists(), reason="the kernel does not show system calls"
)

OLD = """
import fcntl, queue, subprocess, tempfile, threading
held = tempfile.NamedTemporaryFile()
fcntl.flock(held, fcntl.LOCK_EX)
OLD = subprocess.Popen(["flock", held.name, "sleep", "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
"""
"""What the server does before it serves."""
OF_CHILD = "it waits for the process `{}` that it started"

SERVER_CAUSES = {
    "a child that reads its standard input": (
        "subprocess.run(['cat'])",
        OF_CHILD.format("cat") + ", which reads the tool's standard input",
    ),
    "a grandchild that reads it": (
        "subprocess.run(['sh', '-c', 'cat; true'], capture_output=True)",
        OF_CHILD.format("cat") + ", which reads the tool's standard input",
    ),
    "a child that has it and does not read it": ("subprocess.run(['sleep', '60'])", OF_CHILD.format("sleep")),
    "a child with an input of its own": (
        "subprocess.Popen(['cat'], stdin=subprocess.PIPE).wait()",
        OF_CHILD.format("cat"),
    ),
    "a lock": (
        "lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()",
        "it waits for a lock or another thread",
    ),
    "a lock of one of several threads": (
        "threading.Thread(target=time.sleep, args=(60,)).start()\n    threading.Lock().acquire()\n    queue.Queue().get()",
        "",
    ),
    "an earlier child": ("OLD.wait()", ""),
    "the output of an earlier child": ("OLD.stdout.read()", ""),
    "a sleep": ("time.sleep(60)", ""),
    "its own standard input": ("os.read(0, 1)", ""),
}
"""What a server does in a call that hangs, and what is named."""


@pytest.mark.parametrize("name", SERVER_CAUSES)
def test_of_a_server_the_process_that_serves_is_looked_at(name, bench):
    """The suite's client, which is its parent, is not taken for the tool."""
    body, cause = SERVER_CAUSES[name]
    assert incident_of(bench, "python server.py", body) == "; ".join(
        filter(None, ("no answer within 0.5 s", cause))
    )


@pytest.mark.parametrize("name", ["a child that reads its standard input", "an earlier child", "a sleep"])
def test_a_shell_around_a_server_is_not_taken_for_the_tool(name, bench):
    """It waits for the server for as long as the server runs, and both have the same standard input."""
    body, cause = SERVER_CAUSES[name]
    incident = incident_of(bench, f"sh -c '{sys.executable} server.py; true'", body)
    assert incident == "; ".join(filter(None, ("no answer within 0.5 s", cause)))


def incident_of(bench, command, body):
    """What becomes of a call of a server with this command."""
    pool = bench(f"{OLD}\ndef call(arguments):\n    {body}\n")
    target = Target(f"mcp:{command}#echo", "mcp", command, "echo")
    made = pool.open(target, ToolSettings(timeout=0.5)).execute(note("x"))
    assert made.outcome is Outcome.TIMED_OUT
    return made.incident
