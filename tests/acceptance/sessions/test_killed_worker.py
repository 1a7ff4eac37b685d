"""A worker of pytest-xdist that is killed: the run says so, and nothing of the worker stays."""

import tempfile

import pytest

DIES = """
import os
import signal
import pytest
from aptix_conformance.hosts.scratch import ScratchPlace

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        kept.append(ScratchPlace())
        os.kill(os.getpid(), signal.SIGKILL)

kept = []
"""


@pytest.mark.parametrize("restart", [0, 1])
def test_a_killed_worker_is_named_and_leaves_nothing(project, monkeypatch, tmp_path, restart):
    """Another worker may take its place: then its tools are examined all the same."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    project.conftest(DIES)
    result = project.run("-n", "1", f"--max-worker-restart={restart}", "--aptix-report=report.json")
    assert result.ret != pytest.ExitCode.OK
    suite, cause = project.report()["suite"], "worker gw0 of pytest-xdist crashed or was killed"
    assert (suite["complete"], suite["stopped"]) == (bool(restart), cause)
    assert f"({cause})." in " ".join(result.stdout.str().split())
    assert list(temporary.glob("aptix-scratch-*")) == []
