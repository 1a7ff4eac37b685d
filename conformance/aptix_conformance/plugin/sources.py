"""Where a run's target specs come from, added up: the command line, pyproject.toml, entry points, conftests."""

from collections.abc import Sequence

import pytest

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.targets import Settings, SourcedSpec, entry_point_specs, nothing_found


def gather_sources(config: pytest.Config, settings: Settings) -> list[SourcedSpec]:
    """Every spec with the source that named it.

    Raises:
        ConfigurationError: no source names any.
    """
    sources = [SourcedSpec(spec, "--aptix-tools") for spec in config.getoption("--aptix-tools")]
    sources += [SourcedSpec(spec, "[tool.aptix-conformance] tools") for spec in settings.tools]
    sources += entry_point_specs()
    for named in config.hook.pytest_aptix_tools(config=config):
        sources += [SourcedSpec(spec, "the hook pytest_aptix_tools") for spec in _specs(named)]
    if not sources:
        raise ConfigurationError(nothing_found(config.rootpath / "pyproject.toml"))
    return sources


def _specs(named: object) -> Sequence[str]:
    if isinstance(named, str) or not isinstance(named, Sequence):
        raise ConfigurationError(
            "the hook pytest_aptix_tools gives a list of specs, such as ['my_pkg.tools']"
        )
    for spec in named:
        if not isinstance(spec, str):
            raise ConfigurationError(f"the hook pytest_aptix_tools gave {spec!r}; a spec is a string")
    return named
