"""The files that a run writes: `--aptix-report PATH` for JSON, `--aptix-report FORMAT=PATH` for another format."""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from aptix_conformance.core.errors import ConfigurationError, ReportError
from aptix_conformance.core.files import is_taken
from aptix_conformance.core.model.report import Report
from aptix_conformance.present.reports import JSON, find_renderer, prove_writable, write_report

_OPTION: Final = "--aptix-report"
_FORMAT: Final = re.compile(r"([A-Za-z][\w-]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Output:
    """One file: the format, the path as the command line has it, and the file itself."""

    form: str
    argument: str
    path: Path


def outputs(config: pytest.Config) -> tuple[Output, ...]:
    """The files that are asked for, JSON first: whatever a third party's renderer does then, the report is written.

    Raises:
        ConfigurationError: a path is empty, for example because of an unset shell variable, or has two formats.
    """
    by_path: dict[Path, Output] = {}
    for text in config.getoption(_OPTION):
        output = _output(text, config.invocation_params.dir)
        if by_path.setdefault(output.path, output).form != output.form:
            raise ConfigurationError(f"{_OPTION}: two formats would be written to {output.argument}")
    return tuple(sorted(by_path.values(), key=lambda output: output.form != JSON))


def _output(text: str, directory: Path) -> Output:
    named = _FORMAT.fullmatch(text)
    form, argument = named.groups() if named else (JSON, text)
    if not argument.strip():
        raise ConfigurationError(f"{_OPTION} is empty: give the path of a file, or leave the option out")
    return Output(form, argument, Path(directory, argument))


def json_path(config: pytest.Config) -> Path | None:
    """Where the first JSON report goes; None where none is asked for."""
    return next((output.path for output in outputs(config) if output.form == JSON), None)


def is_writer(config: pytest.Config) -> bool:
    """Whether this process writes files: neither workers of xdist nor runs with `--collect-only` do."""
    return not hasattr(config, "workerinput") and not config.getoption("collectonly")


def prove_outputs(config: pytest.Config) -> None:
    """Check before the examination that each file can be written, in a format that there is.

    Raises:
        ConfigurationError: as `outputs`.
        ReportError: a format is unknown, or a place cannot be written.
        ContractDataError: a third party's renderer cannot be loaded.
    """
    for output in outputs(config) if is_writer(config) else ():
        find_renderer(output.form)
        prove_writable(output.path)


def write_outputs(config: pytest.Config, report: Report) -> dict[str, str]:
    """Write each file; what could not be written, by the path that was given, with the reason."""
    unwritten = {}
    for output in outputs(config):
        try:
            write_report(output.path, report, output.form)
        except ReportError as error:
            unwritten[output.argument] = str(error)
    return unwritten


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
