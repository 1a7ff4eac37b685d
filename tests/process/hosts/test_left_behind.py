"""Nothing of a tool stays where the suite itself is killed, also what it had stopped in order to kill it."""

import contextlib
import os
import select
import signal

import pytest
from tests.bench import HEADER, Bench

from .elsewhere import CHECKOUT, CONDITIONS, NAMES, run_python

SOURCE = HEADER + Bench.tool(
    "Starts",
    """
        import subprocess
        KEPT.append(subprocess.Popen(["sleep", "600"], start_new_session=True))
        return InvokeResult.create("started")
    """,
)
SUITE = """
import os, signal, sys
from pathlib import Path
from tests.stimuli import stimulus
from aptix_conformance.hosts import Environment, PythonHostPool, processes
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets.settings import Target, ToolSettings

folder, side_effects = sys.argv[1:]
pool = PythonHostPool(Environment(Path(folder), (folder, *sys.path), systems=OURS.traits))
host = pool.open(Target("tools:Starts", "aptix", "tools", "Starts"), ToolSettings(side_effects=side_effects))
assert host.execute(stimulus("test", "generated", "{}", None)).succeeded
launchers = processes.children(os.getpid())
below = [pid for pid in processes.family(launchers) if pid not in launchers]
for pid in below:
    os.kill(pid, signal.SIGSTOP)
print(*launchers, *below, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("condition", "side_effects"),
    [*((each, "contained") for each in CONDITIONS[:2]), (CONDITIONS[1], "none")],
    ids=[*NAMES[:2], "uncontained"],
)
def test_what_a_killed_suite_had_stopped_is_ended(tmp_path, condition, side_effects):
    (tmp_path / "tools.py").write_text(f"KEPT = []\n{SOURCE}", encoding="utf-8")
    done = run_python(condition, ["-c", SUITE, str(tmp_path), side_effects], CHECKOUT)
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) >= 4
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            end = os.pidfd_open(pid)
            poll = select.poll()
            poll.register(end, select.POLLIN)
            assert poll.poll(30_000), f"process {pid} of {pids} is there"
            os.close(end)
