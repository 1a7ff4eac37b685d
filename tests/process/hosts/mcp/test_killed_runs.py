"""What is left of a run that was killed while a server hung: nothing."""

import os
import subprocess
import sys

import psutil
from tests.process.hosts.mcp.servers import COMMAND, SERVER

RUN = """
import sys
sys.path[:] = {path!r}
from pathlib import Path
from aptix_conformance.hosts import Environment
from aptix_conformance.core.model import Change, Kind, Stimulus
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets.settings import Target, ToolSettings

pool = McpPool(Environment(rootdir=Path({place!r}), sys_path=tuple(sys.path), systems=OURS.traits))
host = pool.open(Target("mcp:{command}#echo", "mcp", "{command}", "echo"), ToolSettings())
host.describe()
print("described", flush=True)
host.execute(Stimulus("valid", Change(Kind.MINIMAL), "{{}}", None), 600.0)
"""
HANGS = "def call(_):\n    while True:\n        pass\n"


def test_nothing_outlives_a_killed_run_whose_server_hangs(tmp_path):
    """The host waits for the server, so it does not see that the suite has gone; the launcher does. No folder stays either."""
    (tmp_path / "server.py").write_text(f"{SERVER}\n{HANGS}\nserve()\n")
    script = tmp_path / "run.py"
    script.write_text(
        RUN.format(path=[path for path in sys.path if path], place=str(tmp_path), command=COMMAND)
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=env) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "described\n"
        below = psutil.Process(run.pid).children(recursive=True)
        (server,) = (each for each in below if each.cmdline()[-1:] == [str(tmp_path / "server.py")])
        while server.cpu_times().user < 0.5:  # a server that starts needs less: the call is there
            assert run.poll() is None
        run.kill()
    _, alive = psutil.wait_procs(below, timeout=20)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert list(tmp_path.glob("aptix-*")) == []
