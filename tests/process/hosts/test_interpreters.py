"""A tool may have an interpreter of its own, of another version, without the harness installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance.model import Outcome


def other_interpreters():
    """Interpreters of other versions, where pyenv has put them."""
    home = Path(sys.base_prefix).parent
    own = f"{sys.version_info.major}.{sys.version_info.minor}."
    found = sorted(
        path for path in home.glob("3.*/bin/python") if not path.parent.parent.name.startswith(own)
    )
    return [str(path) for path in found if path.parent.parent.name.split(".")[1] in ("11", "12", "13")]


@pytest.mark.parametrize("python", other_interpreters() or [None])
def test_a_tool_runs_under_its_own_interpreter(bench, python):
    if python is None:
        pytest.skip("no other interpreter of a supported version is installed beside this one")
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    body = """
        import aptix_harness, importlib.util
        found = importlib.util.find_spec("aptix_conformance"), importlib.util.find_spec("pytest")
        return InvokeResult.create(json.dumps([sys.version.split()[0], aptix_harness.__file__, found == (None, None)]))
    """
    bench.write("tools", bench.tool("Tool", body) + bench.tool("Ends", "os._exit(3)"))
    made = bench.call("tools:Tool", python=python)
    assert made.outcome is Outcome.RETURNED, made
    assert json.loads(made.result.payload)[0] == version
    assert bench.call("tools:Ends", python=python).incident == "exit status 3"
    assert bench.open("tools:Tool", python=python).describe().execute.is_async
