"""What is left of a server when its client is gone is named, and is gone before the next server starts."""

import sys

import pytest
from tests.process.hosts.mcp.servers import COMMAND, SETTINGS, opened, wire

from aptix_conformance.targets import Target

CHILD = "import subprocess\nsubprocess.Popen(['sleep', '600'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)"
RETRIES = """
def serve(lines=sys.stdin):
    for line in sys.stdin:
        message = json.loads(line) if line.endswith(chr(10)) else None
        while message is None:
            pass
        if "id" in message:
            result = answer(message["method"], message.get("params", {}))
            write({"id": message["id"], "result": result or {}})
"""
"""Waits for the rest of a message that is cut off, and tries again at once."""
WRITES_AGAIN = """
once = write
def write(message):
    while True:
        try:
            return once(message)
        except OSError:
            time.sleep(0.2)
"""
STAYS = "import threading\nthreading.Thread(target=time.sleep, args=(600,)).start()"


def server(pool, command=COMMAND):
    return pool.open(Target(f"mcp:{command}", "mcp", command, ""), SETTINGS)


def left(host, name):
    return host.execute(wire(name)).result.facts.left


@pytest.mark.parametrize("name", ["cut-message", "client-gone", "wrapper-killed"])
def test_of_a_server_that_ends_nothing_is_left(bench, name):
    host = server(bench(""))
    found = host.execute(wire(name)).result.facts
    assert found.left == ()
    assert bool(found.ended) is (name != "wrapper-killed")  # it has no wrapper, and nothing is done
    assert host.execute(wire("text-id")).result.facts.message


@pytest.mark.parametrize(
    ("changes", "name", "is_busy"), [(RETRIES, "cut-message", True), (WRITES_AGAIN, "client-gone", False)]
)
def test_a_server_that_waits_for_a_client_that_is_gone_is_left(bench, changes, name, is_busy):
    facts = server(bench(changes)).execute(wire(name)).result.facts
    (program,) = facts.left
    assert program.startswith("python")
    assert (facts.busy > 0.5) is is_busy


def test_a_child_that_is_not_ended_with_the_server_is_left_once(bench):
    host = server(bench(CHILD))
    assert left(host, "client-gone") == ("sleep",)
    assert left(host, "cut-message") == ("sleep",)


def test_a_child_of_a_call_is_left(bench):
    starts = f"def call(_):\n    {'; '.join(CHILD.splitlines())}\n    return {{'content': []}}"
    assert left(opened(bench(starts)), "between-lists") == ("sleep",)
    assert left(opened(bench(CHILD)), "between-lists") == ()  # it is the server's


@pytest.mark.parametrize(("changes", "count"), [("", 0), (STAYS, 1)])
def test_a_server_that_outlives_its_wrapper_is_left(bench, changes, count):
    """A shell that goes on after its command does not become that command."""
    pool = bench(changes)
    (pool.environment.rootdir / "start.sh").write_text(f"{sys.executable} server.py\ntrue\n")
    host = server(pool, "sh start.sh")
    assert len(left(host, "wrapper-killed")) == count
