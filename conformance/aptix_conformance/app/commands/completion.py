"""`aptix-conformance completion`: a script for a shell, by which it completes commands, options and values."""

import argparse
from collections.abc import Iterator
from typing import Any, Final

import shtab

from aptix_conformance.app.commands.command import OK, add_command, say
from aptix_conformance.app.commands.wiring import make_parser
from aptix_conformance.systems.rulebook import all_rules

_DESCRIPTION: Final = """\
Print a script by which your shell completes commands, options, files and the codes of rules. It is static: completing
starts no Python.

  aptix-conformance completion bash > ~/.local/share/bash-completion/completions/aptix-conformance
  aptix-conformance completion zsh > ~/.zfunc/_aptix-conformance     with `fpath+=~/.zfunc` before compinit in ~/.zshrc
  aptix-conformance completion fish > ~/.config/fish/completions/aptix-conformance.fish

Exit status: 0.
"""
_SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = frozenset(
    {"FILE", "FILE|DIGEST", "NEW", "OLD", "PATH", "REPORT", "REPORT#TOOL/RULE", "TARGET", "[FORMAT=]PATH"}
)
_FOLDERS: Final = frozenset({"DIR"})


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "completion", run, description=_DESCRIPTION)
    parser.add_argument("shell", choices=_SHELLS)


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    parser = make_parser()
    codes = sorted(rule.code for rule in all_rules())
    for action in _actions(parser):
        if action.metavar == "CODE":
            action.choices = codes
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab reads it
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    say(shtab.complete(parser, options.shell))
    return OK


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Those of a parser and of its subcommands."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for each in action.choices.values():
                yield from _actions(each)
        else:
            yield action
