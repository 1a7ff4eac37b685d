"""`aptix-conformance replay`: reproduce a report's counterexample."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import BAD_USE, NO, OK, add_command, complain, say
from aptix_conformance.app.commands.kept_tests import author_test
from aptix_conformance.app.run import RunOptions
from aptix_conformance.app.run.options import ALLOW_SIDE_EFFECTS
from aptix_conformance.app.run.replay import Replay, ReplayResult, parse_reference, replay
from aptix_conformance.app.run.worker import alone
from aptix_conformance.core.errors import ConfigurationError, ReportError
from aptix_conformance.core.files import require_file_path, write_atomically
from aptix_conformance.present.reports import NOT_ENDED, journal_of
from aptix_conformance.systems.command_options import add_repeatable

SECONDS: Final = 900.0
"""Seconds that a replay may take."""

_DESCRIPTION = """\
Reproduce a report's counterexample in a fresh process, and say whether the rule is still broken.

  aptix-conformance replay report.json#agent_weather/ARG002
  aptix-conformance replay report.json#agent_weather/ARG002 --as-test -o tests/test_malformed_json.py

With --as-test nothing is run: the command writes a test that fails until the breach is fixed.

Run it in the project's directory. Limits, seed and thoroughness come from the report, within bounds. Code, interpreters,
services and paths come from pyproject.toml and from this command line, never from the report. Calls are contained, since
the report chose their arguments. A server at a URL cannot be contained: its report needs --allow-side-effects.
Exit status: 0 when the rule is kept now, 1 when it is still broken, 2 when the replay gives no answer.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "replay", run, description=_DESCRIPTION)
    parser.add_argument("reference", metavar="REPORT#TOOL/RULE", help="as the failure text prints it")
    add_repeatable(parser, "--aptix-tools", "SPEC", "a target that pyproject.toml does not list")
    parser.add_argument(
        ALLOW_SIDE_EFFECTS,
        action="store_true",
        help='the report is your own: make its calls uncontained where pyproject.toml says side_effects = "none"',
    )
    parser.add_argument(
        "--as-test",
        action="store_true",
        help="write a test that shows the finding, and do not replay it",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where the test is written (default: standard output)"
    )


def run(options: argparse.Namespace) -> int:
    """Replay the counterexample, and print the outcome."""
    path, _, _, _ = parse_reference(options.reference)
    if journal_of(Path(path)) is not None:
        complain(f"note: {NOT_ENDED}")
    chosen = RunOptions(tools=tuple(options.aptix_tools))
    if options.as_test:
        return _write_test(options.reference, chosen, options.output)
    if options.output is not None:
        raise ConfigurationError("-o is for the test that --as-test writes")
    allowed = options.allow_side_effects
    result: ReplayResult = alone(
        lambda: replay(options.reference, Path.cwd(), chosen, allow_side_effects=allowed), SECONDS
    )
    say(result.text)
    return {Replay.KEPT: OK, Replay.BROKEN: NO, Replay.UNCLEAR: BAD_USE}[result.outcome]


def _write_test(reference: str, chosen: RunOptions, output: str | None) -> int:
    place = None if output is None else Path(output)
    if place is not None:
        _write(place, require_file_path)
    text: str = alone(lambda: author_test(reference, Path.cwd(), chosen, place), SECONDS)
    if place is None:
        say(text.removesuffix("\n"))
        return OK
    _write(place, lambda path: write_atomically(path, text))
    say(f"{output} fails until the rule is kept")
    return OK


def _write(place: Path, step: Callable[[Path], None]) -> None:
    """Take a step of writing a file.

    Raises:
        ReportError: it cannot be taken; names the file and the reason.
    """
    try:
        step(place)
    except OSError as error:
        raise ReportError(f"{place} cannot be written: {error.strerror}") from error
