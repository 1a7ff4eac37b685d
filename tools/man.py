"""Print the man page of `aptix-conformance`, which a wheel holds: `python -m tools.man | man -l -`."""

from typing import Final

from argparse_manpage.manpage import Manpage

from aptix_conformance import __version__
from aptix_conformance.app.commands.wiring import make_parser

PATH: Final = "share/man/man1/aptix-conformance.1"
"""Where `man` looks for it, beside the folder of the command."""


def page() -> str:
    """The page, in the language of `man`; it is the same on each day."""
    parser = make_parser()
    parser.man_short_description = "examine the tools of AI agents by their contracts"  # type: ignore[attr-defined]
    made = Manpage(parser, format="single-commands-section")
    made.date, made.source, made.manual = "", f"aptix-conformance {__version__}", "aptix-conformance"
    return str(made)


if __name__ == "__main__":
    print(page(), end="")
