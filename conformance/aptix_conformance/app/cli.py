"""The command `aptix-conformance`: it wires its subcommands, which `commands` has, and those of systems, which are named for them.

Only the module of the subcommand that was asked for is imported, so that `--help` answers at once.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Final

from aptix_conformance import __version__
from aptix_conformance.app.commands.command import BAD_USE, Command, complain
from aptix_conformance.core.errors import ConformanceError, HarnessError, own_fault
from aptix_conformance.systems.named_commands import SYSTEMS_WITH_COMMANDS

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "replay": "reproduce a report's counterexample",
        "report": "print a report in another format",
        "baseline": "keep a file of known findings, which do not fail a run",
        "rules": "list the rules",
        "explain": "show a rule's page: what it demands, why, examples and the fix",
        "clauses": "list the clauses and what proves them",
        "host-check": "examine a host of your own",
        "certificate": "sign what an examination showed, and verify what others signed",
        "schema": "compare tool schemas, or write them in a provider's form",
        **SYSTEMS_WITH_COMMANDS,
    }
)
"""What `--help` says of each, in that order. `host-check` is the module `commands.host_check`."""

_CUT_SHORT: Final = 141
"""The exit status of a program whose output is no longer read, as a shell reports it (128 and SIGPIPE)."""

_DESCRIPTION: Final = """\
The conformance suite for agent tools. The examination itself is `pytest --aptix-conformance`; this is for what comes
before and after it:

  aptix-conformance explain ARG002
  aptix-conformance replay report.json#agent_weather/ARG002

`aptix-conformance COMMAND --help` has more.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = _parser(words).parse_args(words)
        status: int = options.run(options)
        sys.stdout.flush()
    except ConformanceError as error:
        complain(error.with_traceback_text if isinstance(error, HarnessError) else str(error))
        return BAD_USE
    except BrokenPipeError:
        # Who reads has read enough, as `head` does. What is still buffered would make Python complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CUT_SHORT
    except Exception as error:  # noqa: BLE001 - Python would exit with 1, which means that a check failed
        complain(own_fault(error, "running the command").with_traceback_text)
        return BAD_USE
    return status


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aptix-conformance",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aptix-conformance {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, short in COMMANDS.items():
        if name in words[:1]:
            _command(name).add(subparsers)
        else:
            subparsers.add_parser(name, help=short)
    return parser


def _command(name: str) -> Command:
    if name in SYSTEMS_WITH_COMMANDS:
        from aptix_conformance.app.commands.of_system import commands_of  # noqa: PLC0415 - it imports all systems

        return commands_of(name)
    module: Command = import_module(f"aptix_conformance.app.commands.{name.replace('-', '_')}")
    return module
