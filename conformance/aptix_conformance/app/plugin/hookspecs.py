"""The hooks that the plugin calls."""

from collections.abc import Sequence

import pytest


@pytest.hookspec
def pytest_aptix_tools(config: pytest.Config) -> Sequence[str]:  # type: ignore[empty-body]
    """Name targets to examine, as specs; those of every plugin and conftest are added up.

    A conftest may have: `def pytest_aptix_tools(config): return ["my_pkg.tools"]`.
    """
