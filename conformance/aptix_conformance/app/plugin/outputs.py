"""The files that a run of pytest writes (`--aptix-report`)."""

from itertools import pairwise
from typing import Final

import pytest

from aptix_conformance.app.run.output_files import Output, prove, read_outputs
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.files import is_taken

_OPTION: Final = "--aptix-report"


def outputs(config: pytest.Config) -> tuple[Output, ...]:
    """The files that are asked for, in the order of `read_outputs`.

    Raises:
        ConfigurationError: as `read_outputs`.
    """
    return read_outputs(config.getoption(_OPTION), config.invocation_params.dir, _OPTION)


def is_writer(config: pytest.Config) -> bool:
    """Whether this process writes files: neither workers of xdist nor runs with `--collect-only` do."""
    return not hasattr(config, "workerinput") and not config.getoption("collectonly")


def prove_outputs(config: pytest.Config) -> None:
    """Check before the examination that each file can be written.

    Raises:
        ConfigurationError: as `outputs`.
        ReportError, ContractDataError: as `output_files.prove`.
    """
    prove(outputs(config) if is_writer(config) else ())


def refuse_mistaken_path(config: pytest.Config) -> None:
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
        if option == _OPTION and is_taken(place) and not place.is_relative_to(here):
            raise ConfigurationError(
                f"pytest takes {path}, which exists, for a path to tests, and looks for pyproject.toml there: "
                f"write {_OPTION}={path}"
            )
