"""What this pytest run is to its hosts: options read, paths seen, coverage measured."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from aptix_conformance.canaries import environment as canaries
from aptix_conformance.errors import ConfigurationError
from aptix_conformance.examination import Options
from aptix_conformance.hosts import MIB, CoverageSettings, Environment, Limits
from aptix_conformance.reports import prove_writable
from aptix_conformance.systems.pools import Systems


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
        if option == "--aptix-report" and _exists(place) and not place.is_relative_to(here):
            raise ConfigurationError(
                f"pytest takes {path}, which exists, for a path to tests, and looks for pyproject.toml there: "
                f"write --aptix-report={path}"
            )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, among others
        return False


def report_path(config: pytest.Config) -> Path | None:
    """Where the report goes; None where none is wanted.

    Raises:
        ConfigurationError: the option is there and empty, as it is from a variable that is not set.
    """
    path = config.getoption("--aptix-report")
    if path is None:
        return None
    if not path.strip():
        raise ConfigurationError("--aptix-report is empty: give the path of a file, or leave the option out")
    return Path(config.invocation_params.dir, path)


def prove_report_path(config: pytest.Config) -> None:
    """See that the report can be written, while there is still nothing to lose.

    A worker of xdist writes none, nor does a run that only collects.

    Raises:
        ConfigurationError: the option is empty.
        ReportError: the place cannot be written.
    """
    path = report_path(config)
    if path is not None and not hasattr(config, "workerinput") and not config.getoption("collectonly"):
        prove_writable(path)


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
