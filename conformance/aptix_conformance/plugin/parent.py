"""What this pytest run is to the suite: options read, the report's path, coverage measured."""

from itertools import pairwise
from pathlib import Path

import pytest

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.hosts import CoverageSettings
from aptix_conformance.plugin.sources import named_specs
from aptix_conformance.reports import prove_writable
from aptix_conformance.run import RunOptions


def read_options(config: pytest.Config) -> RunOptions:
    """What the command line and the conftests say about the run.

    Raises:
        ConfigurationError: a number that makes no sense, or the hook gives no list of specs.
    """
    option = config.getoption
    return RunOptions(
        tools=named_specs(config),
        edition=option("--aptix-edition"),
        seed=option("--aptix-seed"),
        examples=option("--aptix-examples"),
        budget=option("--aptix-budget"),
        timeout=option("--aptix-timeout"),
        memory=option("--aptix-memory"),
        inline=option("--aptix-inline"),
        waivers=not option("--aptix-no-waivers"),
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


def _storage(config: pytest.Config) -> Path | None:
    """A folder below pytest's own cache, where there is one."""
    cache = getattr(config, "cache", None)
    return cache.mkdir("aptix-hypothesis") if cache is not None else None


def coverage_settings(config: pytest.Config) -> CoverageSettings | None:
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
