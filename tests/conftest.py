"""What the project's own tests share."""

import fcntl
import gc
import os
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# Packages of the checkout that are not installed. The checkout does not stay on the path: hosts would show it to tools.
sys.path.append(str(Path(__file__).parents[1]))
for package in ("corpus", "tools"):
    import_module(package)
del sys.path[-1]

# The tests start hundreds of Pythons. Without caches, each of them would compile pytest and Hypothesis.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How long an example takes says how busy the machine is. Hypothesis thinks so only where it sees that it runs in CI.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

TOOL_SOURCES = Path(__file__).parent / "tools"


def pytest_configure(config):
    """Run `async def` tests as they are.

    Not in pyproject.toml: who only examines the reference tools has no pytest-asyncio, and pytest would refuse
    a setting that no plugin knows.
    """
    config.option.asyncio_mode = "auto"


def pytest_collection_finish():
    """Leave what was collected to no further garbage collection: each would walk 15,000 tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Two workers a processor for `-n auto`: the process tier waits half of its time."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * len(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def _apart_from_the_outer_run(monkeypatch):
    """A run of pytest inside a test is no worker of the run that it is tested by."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


@pytest.fixture(scope="session")
def once(request, tmp_path_factory):
    """Makes a folder once for all workers of a run: the others wait for the first, and find what it made."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if hasattr(request.config, "workerinput") else own

    def make(name, fill):
        place = shared / name
        with (shared / f"{name}.lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.exists():
                place.mkdir()
                fill(place)
        return place

    return make


@pytest.fixture
def tool_source():
    """The source text of a tool from tests/tools, to be written into a scratch project."""
    return lambda name: (TOOL_SOURCES / f"{name}.py").read_text(encoding="utf-8")
