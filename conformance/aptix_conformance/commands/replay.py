"""`aptix-conformance replay`: a report's counterexample again."""

import argparse
from pathlib import Path
from typing import Any

from aptix_conformance.commands.command import BAD_USE, NO, OK, add_command, say
from aptix_conformance.replay import Replay, replay

_DESCRIPTION = """\
Run a counterexample of a report again, in a fresh process, and say whether the rule is still broken.

  aptix-conformance replay report.json#agent_weather/ARG002

Run it where the tests were run: services, env and interpreter come from pyproject.toml there.
Exit status: 0 when the rule is kept now, 1 when it is still broken, 2 when it cannot be told.
"""


def add(subparsers: Any) -> None:
    """How it is called."""
    parser = add_command(subparsers, "replay", run, description=_DESCRIPTION)
    parser.add_argument("reference", metavar="REPORT#TOOL/RULE", help="as the failure text prints it")


def run(options: argparse.Namespace) -> int:
    """Replay it, and say how that went."""
    result = replay(options.reference, Path.cwd())
    say(result.text)
    return {Replay.KEPT: OK, Replay.BROKEN: NO, Replay.UNCLEAR: BAD_USE}[result.outcome]
