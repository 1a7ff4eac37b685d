"""What a command's module has, and what all commands print and exit with."""

import argparse
import sys
from collections.abc import Callable
from typing import Any, Final, Protocol

OK: Final = 0
"""What was asked for is so."""
NO: Final = 1
"""What was asked for is not so: a rule is still broken, a page is stale."""
BAD_USE: Final = 2
"""It cannot be told: wrong words on the command line, a missing file, a faulty configuration."""


class Command(Protocol):
    """A module of this package."""

    def add(self, subparsers: Any) -> None:
        """Add the command's parser to those that `add_subparsers()` returned; `add_command` helps."""

    def run(self, options: argparse.Namespace) -> int:
        """Do it and return the exit status.

        Raises:
            ConformanceError: it cannot be done; `main` prints the message and exits with `BAD_USE`.
        """


def add_command(
    subparsers: Any, name: str, run: Callable[[argparse.Namespace], int], *, description: str, short: str = ""
) -> argparse.ArgumentParser:
    """A command's parser, to which its arguments are added.

    Args:
        subparsers: what `add_subparsers()` returned.
        name: the word that calls the command.
        run: does it and returns the exit status.
        description: what it does, an example of its use and its exit statuses; kept as it is laid out.
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
    """Print what was asked for."""
    print(text)  # noqa: T201 - this is a command


def complain(text: str) -> None:
    """Print what is wrong, where it cannot be taken for an answer."""
    print(f"aptix-conformance: {text}", file=sys.stderr)  # noqa: T201 - this is a command
