"""Ending a process with all that it started."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance.hosts import processes


def test_what_was_stopped_is_killed_though_the_walk_is_interrupted(monkeypatch):
    """Otherwise it would stay stopped for ever: seen 18 minutes after a run that Ctrl-C ended."""

    def interrupted(_):
        raise KeyboardInterrupt

    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        monkeypatch.setattr(processes, "children", interrupted)
        with pytest.raises(KeyboardInterrupt):
            processes.kill_tree(process.pid)
        try:
            assert process.wait(timeout=10) == -signal.SIGKILL
        finally:
            process.kill()


_STARTS = (
    "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); sys.stdin.read()"
)


def test_the_children_of_a_parent_end_with_it_though_they_would_not(monkeypatch):
    monkeypatch.setattr(processes, "_GRACE", 0.1)
    with subprocess.Popen(
        [sys.executable, "-c", _STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        pidfd = processes.open_pidfd(child)
        processes.kill_parent(process.pid)
        assert processes.has_ended(child, pidfd, 10.0)
        assert process.wait(timeout=10) == -signal.SIGKILL


_LEADERLESS = """
import ctypes, threading
def hold():
    held = bytearray(64 * 2**20)
    print("held", flush=True)
    threading.Event().wait()
threading.Thread(target=hold).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_what_a_thread_holds_counts_though_the_first_thread_has_ended():
    with subprocess.Popen([sys.executable, "-c", _LEADERLESS], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            status = Path(f"/proc/{process.pid}/stat")
            while status.read_text().rpartition(")")[2].split()[0] != "Z":
                pass
            usage = processes.census([process.pid])
            assert (usage.living, usage.resident > 64 * 2**20) == (1, True)
            assert processes.held_bytes([process.pid], 0) > 64 * 2**20
        finally:
            process.kill()
