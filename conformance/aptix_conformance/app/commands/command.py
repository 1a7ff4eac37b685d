"""The interface of command modules, exit statuses, and output."""

import argparse
import sys
from collections.abc import Callable
from typing import Any, Final, Protocol

OK: Final = 0
"""The check passed, or the command did what was asked."""
NO: Final = 1
"""The check failed: a rule is still broken, a link is broken."""
BAD_USE: Final = 2
"""There is no answer: a wrong command line, a missing file, a faulty configuration."""


class Command(Protocol):
    """The interface of a command module in this package."""

    def add(self, subparsers: Any) -> None:
        """Add the command's parser to those that `add_subparsers()` returned; `add_command` helps."""

    def run(self, options: argparse.Namespace) -> int:
        """Run the command and return its exit status.

        Raises:
            ConformanceError: the command cannot be completed; `main` prints the message and exits with `BAD_USE`.
        """


def add_command(
    subparsers: Any, name: str, run: Callable[[argparse.Namespace], int], *, description: str, short: str = ""
) -> argparse.ArgumentParser:
    """A command's parser, to which its arguments are added.

    Args:
        subparsers: what `add_subparsers()` returned.
        name: the word that calls the command.
        run: runs the command and returns the exit status.
        description: what it does, an example of its use and its exit statuses; printed with its own line breaks.
        short: one line for the list of a command's own subcommands; those of the program are in `cli.COMMANDS`.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=short or None,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def say(text: str) -> None:
    """Print a line of the command's result to the standard output."""
    print(text)  # noqa: T201 - this is a command


def complain(text: str) -> None:
    """Print a problem to the standard error, so that it is not read as a result.

    A message may quote a stranger's file, so all but line ends is escaped.
    """
    from aptix_conformance.core.text import escaped  # noqa: PLC0415 - `--help` answers without it

    safe = "".join(character if character == "\n" else escaped(character) for character in text)
    print(f"aptix-conformance: {safe}", file=sys.stderr)  # noqa: T201 - this is a command
