"""The interface of command modules, exit statuses, and output."""

import argparse
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn, Protocol

OK: Final = 0
"""The check passed, or the command did what was asked."""
NO: Final = 1
"""The check failed: a rule is still broken, a link is broken."""
BAD_USE: Final = 2
"""There is no answer: a wrong command line, a missing file, a faulty configuration."""


class Parser(argparse.ArgumentParser):
    """A parser, also of a subcommand; a wrong command line ends the program with the status `bad_use`."""

    bad_use = BAD_USE

    def error(self, message: str) -> NoReturn:
        """Print the usage and what is wrong, and exit."""
        self.print_usage(sys.stderr)
        self.exit(self.bad_use, f"{self.prog}: error: {message}\n")


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
) -> Parser:
    """A command's parser, to which its arguments are added.

    Args:
        subparsers: what `add_subparsers()` returned.
        name: the word that calls the command.
        run: runs the command and returns the exit status.
        description: what it does, an example of its use and its exit statuses; printed with its own line breaks.
        short: one line for the list of a command's own subcommands; those of the program are in `cli.COMMANDS`.
    """
    parser: Parser = subparsers.add_parser(
        name,
        help=short or None,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_group(subparsers: Any, name: str, description: str) -> Any:
    """What the subcommands of a command are added to, as `add_subparsers()` returns it."""
    parser = subparsers.add_parser(
        name,
        help=description.partition("\n")[0],
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser.add_subparsers(required=True, metavar="COMMAND")


def add_extension(parser: argparse.ArgumentParser) -> None:
    """Declare the option that names what may extend the suite."""
    parser.add_argument(
        "--extension",
        metavar="DISTRIBUTION",
        action="append",
        default=[],
        help="load the systems, rules, probes and renderers of an installed distribution (repeatable)",
    )


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
