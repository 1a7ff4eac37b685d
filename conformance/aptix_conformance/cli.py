"""The command `aptix-conformance`: it wires its subcommands, which `commands` has."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from aptix_conformance import __version__
from aptix_conformance.commands import clauses, docs, explain, host_check, replay, rules, schema
from aptix_conformance.commands.command import BAD_USE, Command, complain
from aptix_conformance.errors import ConformanceError

COMMANDS: Final[tuple[Command, ...]] = (replay, rules, explain, clauses, docs, host_check, schema)
"""In the order in which `--help` lists them."""

_CUT_SHORT: Final = 141
"""What a shell says of a program whose output nobody takes any more (128 and SIGPIPE)."""

_DESCRIPTION: Final = """\
The conformance suite for agent tools. The examination itself is `pytest --aptix-conformance`; this is for what comes
before and after it:

  aptix-conformance explain ARG002
  aptix-conformance replay report.json#agent_weather/ARG002

`aptix-conformance COMMAND --help` has more.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except ConformanceError as error:
        complain(str(error))
        return BAD_USE
    except BrokenPipeError:
        # Who reads has read enough, as `head` does. What is still buffered would make Python complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CUT_SHORT
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aptix-conformance",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aptix-conformance {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(subparsers)
    return parser
