"""Labelled items of a text for a terminal, and the arguments of a call as people read them."""

import textwrap
from typing import Final

from aptix_conformance.core.text import printable, readable

WIDTH: Final = 100
"""Columns of a failure where the terminal's are not known, as in a log file."""
NARROWEST: Final = 60
"""Columns below which nothing is wrapped."""
LABEL: Final = 14
"""Columns of a label."""


def item(label: str, text: str, width: int) -> list[str]:
    """The lines of one item: its label, and its text wrapped beside it."""
    return textwrap.wrap(
        printable(text, 3000),
        width=max(width, NARROWEST),
        initial_indent=f"  {label:<{LABEL}}",
        subsequent_indent=" " * (LABEL + 2),
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    ) or [f"  {label}"]


def wrapped(line: str, width: int | None) -> str:
    """A line of the summary, wrapped below its text; as it is where no width is given, so that a log can be searched."""
    if width is None or len(line) <= width:
        return line
    indent = " " * LABEL
    lines = textwrap.wrap(line, max(width, NARROWEST), subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(lines)


def arguments_shown(arguments: str | None, limit: int) -> str:
    """The arguments as they were sent, at most `limit` characters; a text that would not show is quoted."""
    if arguments is None:
        return "null (no arguments at all)"
    shown = readable(arguments, limit)
    return shown if shown.strip() == shown and shown else f'"{shown}"'
