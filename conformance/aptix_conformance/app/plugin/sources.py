"""The target specs that only pytest knows: those of the command line and of conftests."""

from collections.abc import Sequence

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.targets import SourcedSpec
from aptix_conformance.targets.sources import HOOK_ORIGIN, OPTION


def named_specs(config: pytest.Config) -> tuple[SourcedSpec, ...]:
    """Every spec of the command line and of the hook, with the source that named it.

    Raises:
        ConfigurationError: the hook does not return a list of specs.
    """
    specs = [SourcedSpec(spec, OPTION) for spec in config.getoption("--aptix-tools")]
    for named in config.hook.pytest_aptix_tools(config=config):
        specs += [SourcedSpec(spec, HOOK_ORIGIN) for spec in _specs(named)]
    return tuple(specs)


def _specs(named: object) -> Sequence[str]:
    if isinstance(named, str) or not isinstance(named, Sequence):
        raise ConfigurationError(
            "the hook pytest_aptix_tools must return a list of specs, such as ['my_pkg.tools']"
        )
    for spec in named:
        if not isinstance(spec, str):
            raise ConfigurationError(f"the hook pytest_aptix_tools returned {spec!r}; a spec is a string")
    return named
