"""The command `aptix-conformance`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from aptix_conformance import __version__
from aptix_conformance.errors import ConformanceError
from aptix_conformance.replay import Replay, replay

STILL_FAILS = 1
BAD_INPUT = 2

_REPLAY = """\
Run a counterexample of a report again, in a fresh process, and say whether the rule is still broken.

  aptix-conformance replay report.json#agent_weather/ARG002

Run it where the tests were run: services, env and interpreter come from pyproject.toml there.
Exit status: 0 when the rule is kept now, 1 when it is still broken, 2 when it cannot be told.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        result = replay(options.reference, Path.cwd())
    except ConformanceError as error:
        print(f"aptix-conformance: {error}", file=sys.stderr)  # noqa: T201 - this is a command
        return BAD_INPUT
    print(result.text)  # noqa: T201 - this is a command
    return {Replay.KEPT: 0, Replay.BROKEN: STILL_FAILS, Replay.UNCLEAR: BAD_INPUT}[result.outcome]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aptix-conformance",
        description="The conformance suite for agent tools. The examination itself is `pytest --aptix-conformance`.",
    )
    parser.add_argument("--version", action="version", version=f"aptix-conformance {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser(
        "replay",
        help="run a report's counterexample again",
        description=_REPLAY,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("reference", metavar="REPORT#TOOL/RULE", help="as the failure text prints it")
    return parser
