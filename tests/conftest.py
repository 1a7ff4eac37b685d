"""What the project's own tests share."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TOOL_SOURCES = Path(__file__).parent / "tools"


def pytest_configure(config):
    """Run `async def` tests as they are.

    Not in pyproject.toml: who only examines the reference tools has no pytest-asyncio, and pytest would refuse
    a setting that no plugin knows.
    """
    config.option.asyncio_mode = "auto"


@pytest.fixture(autouse=True)
def _apart_from_the_outer_run(monkeypatch):
    """A run of pytest inside a test is no worker of the run that it is tested by."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


@pytest.fixture
def tool_source():
    """The source text of a tool from tests/tools, to be written into a scratch project."""
    return lambda name: (TOOL_SOURCES / f"{name}.py").read_text(encoding="utf-8")
