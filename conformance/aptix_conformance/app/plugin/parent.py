"""Read the suite's inputs from the pytest run: options, coverage settings, and the target specs that only pytest knows."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from aptix_conformance.app.plugin.outputs import outputs
from aptix_conformance.app.run import RunOptions
from aptix_conformance.app.run.shards import Shard
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import printable, seconds_of
from aptix_conformance.hosts import CoverageSettings
from aptix_conformance.targets import SourcedSpec
from aptix_conformance.targets.sources import HOOK_ORIGIN, OPTION


def read_options(config: pytest.Config) -> RunOptions:
    """The options of the run from the command line and the conftests.

    Raises:
        ConfigurationError: a number is out of range, there is no such shard, the hook does not return a list of specs, or a path
            is empty.
    """
    option = config.getoption
    return RunOptions(
        tools=named_specs(config),
        edition=option("--aptix-edition"),
        seed=option("--aptix-seed"),
        thoroughness=option("--aptix-thoroughness"),
        examples=option("--aptix-examples"),
        budget=option("--aptix-budget"),
        timeout=option("--aptix-timeout"),
        deadline=_deadline(option("--aptix-deadline")),
        containment=option("--aptix-containment"),
        memory=option("--aptix-memory"),
        jobs=1 if hasattr(config, "workerinput") else option("--aptix-jobs"),
        inline=option("--aptix-inline"),
        waivers=not option("--aptix-no-waivers"),
        baseline=_path_of(config, "--aptix-baseline"),
        baselines=not option("--aptix-no-baseline"),
        shard=_shard(config),
        storage=_storage(config),
        cache=_path_of(config, "--aptix-cache"),
        one_in=option("--aptix-recheck"),
        hidden=_written(config),
    )


def _shard(config: pytest.Config) -> Shard | None:
    costs = config.getoption("--aptix-shard-costs")
    path = None if costs is None else Path(config.invocation_params.dir, costs)
    return Shard.asked(config.getoption("--aptix-shard"), path, "--aptix-shard")


def _path_of(config: pytest.Config, option: str) -> Path | None:
    """The path that an option gives; None where it is not given.

    Raises:
        ConfigurationError: it is empty.
    """
    path = config.getoption(option)
    if path is None:
        return None
    if not path.strip():
        raise ConfigurationError(f"{option} is empty: give the path, or leave the option out")
    return Path(config.invocation_params.dir, path)


def _written(config: pytest.Config) -> tuple[str, ...]:
    """The reports that the run writes, which tools do not see where it has a cache: they would differ each time."""
    if config.getoption("--aptix-cache") is None:
        return ()
    junit = config.getoption("xmlpath", None)
    paths = [output.path for output in outputs(config)] + ([Path(junit)] if junit else [])
    return tuple(str(path.absolute()) for path in paths)


def _deadline(text: str | None) -> float | None:
    """The seconds of the option; None where it is not given.

    Raises:
        ConfigurationError: it is no duration.
    """
    seconds = None if text is None else seconds_of(text)
    if text is not None and seconds is None:
        raise ConfigurationError(
            f"--aptix-deadline: {printable(text, 60)!r} is not a duration: write 90s, 10m or 1h30m"
        )
    return seconds


def _storage(config: pytest.Config) -> Path | None:
    """A folder in pytest's cache; None where the cache is off."""
    cache = getattr(config, "cache", None)
    return cache.mkdir("aptix-hypothesis") if cache is not None else None


def coverage_settings(config: pytest.Config) -> CoverageSettings | None:
    """The settings of pytest-cov in this process; None where it does not measure."""
    controller = getattr(config.pluginmanager.getplugin("_cov"), "cov_controller", None)
    measuring = getattr(controller, "cov", None)
    if measuring is None:
        return None

    def names(option: str) -> tuple[str, ...] | None:
        value = measuring.get_option(option)
        return tuple(value) if value else None

    return CoverageSettings(
        data_file=str(Path(measuring.get_option("run:data_file")).absolute()),
        source=names("run:source"),
        include=names("run:include"),
        omit=names("run:omit"),
        branch=bool(measuring.get_option("run:branch")),
    )


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
