"""What this pytest run is to its hosts: options read, paths seen, coverage measured."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from aptix_conformance.canaries import environment as canaries
from aptix_conformance.errors import ConfigurationError
from aptix_conformance.examination import Options
from aptix_conformance.hosts import (
    MIB,
    CoverageSettings,
    Environment,
    Limits,
    Systems,
)


def read_options(config: pytest.Config) -> Options:
    """How thorough the run is.

    Raises:
        ConfigurationError: a number that makes no sense.
    """
    for name in ("--aptix-examples", "--aptix-budget", "--aptix-timeout", "--aptix-memory"):
        if config.getoption(name) <= 0:
            raise ConfigurationError(f"{name} must be greater than 0, not {config.getoption(name)}")
    return Options(
        examples=config.getoption("--aptix-examples"),
        budget=config.getoption("--aptix-budget"),
        seed=config.getoption("--aptix-seed"),
        storage=_storage(config),
    )


def refuse_mistaken_report_path(config: pytest.Config) -> None:
    """See that pytest did not take the report's path for a path to tests.

    pytest looks for its root directory before it knows the options of plugins: `--aptix-report PATH` with a space
    then looks like a test path wherever PATH exists, and the root directory is sought from there too.

    Raises:
        ConfigurationError: it did.
    """
    arguments = [str(argument) for argument in config.invocation_params.args]
    here = config.invocation_params.dir
    for option, path in pairwise(arguments):
        place = here / path
        if option == "--aptix-report" and place.exists() and not place.is_relative_to(here):
            raise ConfigurationError(
                f"pytest takes {path}, which exists, for a path to tests, and looks for pyproject.toml there: "
                f"write --aptix-report={path}"
            )


def open_hosts(config: pytest.Config, seed: int) -> Systems:
    """The hosts of this run."""
    environment = Environment(
        rootdir=config.rootpath,
        sys_path=sys_path(config),
        canaries=canaries(seed),
        limits=Limits(
            timeout=config.getoption("--aptix-timeout"),
            memory=config.getoption("--aptix-memory") * MIB,
        ),
        coverage=_coverage(config),
    )
    return Systems(environment, inline=config.getoption("--aptix-inline"))


def _storage(config: pytest.Config) -> Path | None:
    """A folder below pytest's own cache, where there is one."""
    cache = getattr(config, "cache", None)
    return cache.mkdir("aptix-hypothesis") if cache is not None else None


def sys_path(config: pytest.Config) -> tuple[str, ...]:
    """Where the tools' modules are looked for: this process's path, pytest's `pythonpath` in it, and the rootdir."""
    entries = [str(Path(entry).absolute()) for entry in sys.path if entry]
    return tuple(dict.fromkeys([*entries, str(config.rootpath)]))


def _coverage(config: pytest.Config) -> CoverageSettings | None:
    """How pytest-cov measures in this process, where it does."""
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
