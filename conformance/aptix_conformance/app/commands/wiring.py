"""The parser of `aptix-conformance`: its subcommands, which this folder has, and those of systems, which are named for them."""

import argparse
from collections.abc import Collection, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from aptix_conformance import __version__
from aptix_conformance.app.commands.command import Command, Parser
from aptix_conformance.systems.named_commands import SYSTEMS_WITH_COMMANDS

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "check": "examine what is named: a file, a module, a server",
        "init": "set a project up: configuration, CI and locks",
        "replay": "reproduce a report's counterexample",
        "report": "print a report in another format",
        "cache": "examine again what a cache of examinations has",
        "baseline": "keep a file of known findings, which do not fail a run",
        "rules": "list the rules",
        "explain": "show a rule's page: what it demands, why, examples and the fix",
        "clauses": "list the clauses and what proves them",
        "host-check": "examine a host of your own",
        "record": "keep what a tool's services answer, to examine it without a network",
        "certificate": "sign what an examination showed, and verify what others signed",
        "schema": "compare tool schemas, or write them in a provider's form",
        "completion": "print what completes commands and options in your shell",
        **SYSTEMS_WITH_COMMANDS,
    }
)
"""What `--help` says of each, in that order. `host-check` is the module `commands.host_check`."""

_DESCRIPTION: Final = """\
The conformance suite for agent tools. `check` examines tools at once; `init` sets a project up, so that `pytest
--aptix-conformance` examines its tools, with locks, in CI. The other commands are for what comes before and after that:

  aptix-conformance check "python server.py"
  aptix-conformance init
  aptix-conformance explain ARG002
  aptix-conformance replay report.json#agent_weather/ARG002

`aptix-conformance COMMAND --help` has more.
"""


def make_parser(complete: Collection[str] = COMMANDS) -> Parser:
    """The parser, which has all of the named subcommands, and of the others their names only.

    Only the modules of those are imported, so that `--help` answers at once.
    """
    parser = Parser(
        prog="aptix-conformance",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aptix-conformance {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, short in COMMANDS.items():
        if name in complete:
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
