"""What the tests of the plugin share: most inner sessions have canned tools, and run in this process."""

import pytest
from tests.process.plugin.projects import CannedProject
from tests.real_project import examined_once, real_project  # noqa: F401 - fixtures


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with one canned tool, which keeps every rule."""
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return CannedProject(pytester)
