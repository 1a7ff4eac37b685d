"""The code of others that pytest has loaded into the suite's process: plugins of distributions, modules and conftests."""

from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from aptix_conformance.core.model.report import LoadedReport

_OURS: Final = ("_pytest", "pytest", "aptix_conformance")
"""The packages whose modules are pytest's and the suite's own plugins."""
_DISTRIBUTION: Final = "aptix-conformance"


def loaded_plugins(config: pytest.Config) -> tuple[LoadedReport, ...]:
    """Each plugin that is neither pytest's nor the suite's, sorted."""
    manager = config.pluginmanager
    from_distributions = {
        id(plugin): LoadedReport(
            "pytest11", manager.get_canonical_name(plugin), f"{dist.project_name} {dist.version}"
        )
        for plugin, dist in manager.list_plugin_distinfo()
        if dist.project_name != _DISTRIBUTION
    }
    others = [
        _of_module(plugin, config.rootpath)
        for plugin in manager.get_plugins()
        if isinstance(plugin, ModuleType) and id(plugin) not in from_distributions
    ]
    found = {*from_distributions.values(), *(each for each in others if each is not None)}
    return tuple(sorted(found, key=lambda each: (each.kind, each.name, each.distribution)))


def _of_module(module: ModuleType, root: Path) -> LoadedReport | None:
    """A module that `-p`, `pytest_plugins` or a folder names; None for one of pytest's or the suite's."""
    file = Path(getattr(module, "__file__", None) or "")
    if file.name == "conftest.py":
        return LoadedReport("conftest", str(file.relative_to(root) if file.is_relative_to(root) else file))
    if module.__name__.partition(".")[0] in _OURS:
        return None
    return LoadedReport("plugin", module.__name__)
