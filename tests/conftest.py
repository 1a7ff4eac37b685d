"""What the project's own tests share."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TOOL_SOURCES = Path(__file__).parent / "tools"


@pytest.fixture
def tool_source():
    """The source text of a tool from tests/tools, to be written into a scratch project."""
    return lambda name: (TOOL_SOURCES / f"{name}.py").read_text(encoding="utf-8")
