"""Read what the suite needs from the pytest run: options, the report's path, coverage settings."""

from itertools import pairwise
from pathlib import Path

import pytest

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.hosts import CoverageSettings
from aptix_conformance.plugin.sources import named_specs
from aptix_conformance.reports import prove_writable
from aptix_conformance.run import RunOptions


def read_options(config: pytest.Config) -> RunOptions:
    """The options of the run from the command line and the conftests.

    Raises:
        ConfigurationError: a number is out of range, or the hook does not return a list of specs.
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
    """Check that pytest did not read the report's path as a path to tests.

    pytest looks for its root directory before it knows the options of plugins: `--aptix-report PATH` with a space
    then looks like a test path wherever PATH exists, and pytest searches the root directory from there.

    Raises:
        ConfigurationError: pytest did.
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
        ConfigurationError: the option is empty, for example because of an unset shell variable.
    """
    path = config.getoption("--aptix-report")
    if path is None:
        return None
    if not path.strip():
        raise ConfigurationError("--aptix-report is empty: give the path of a file, or leave the option out")
    return Path(config.invocation_params.dir, path)


def prove_report_path(config: pytest.Config) -> None:
    """Check before the examination that the report can be written.

    Workers of xdist and runs with `--collect-only` write none.

    Raises:
        ConfigurationError: the option is empty.
        ReportError: the place cannot be written.
    """
    path = report_path(config)
    if path is not None and not hasattr(config, "workerinput") and not config.getoption("collectonly"):
        prove_writable(path)


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
