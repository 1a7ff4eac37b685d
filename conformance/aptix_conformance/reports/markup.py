"""Hostile text in Markdown and in GitHub's workflow commands: nothing of it is markup, and nothing is a command."""

import re
from typing import Final

from aptix_conformance.text import printable

LONGEST_SPAN: Final = 400
"""Characters of a text that a code span or a cell shows."""
_MARKUP: Final = re.compile(r"[*_~<>|@#&!$\[\]\\]|://|www\.")


def code_span(text: str) -> str:
    """A Markdown code span that no character of the text can close."""
    # A pipe after a backslash would end the cell of the table, even when it is escaped.
    clean = printable(text, LONGEST_SPAN).replace("\\|", "\\x7c").replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", clean)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean or ' '}{pad}{fence}"


def cell(text: str) -> str:
    """A sentence for a cell; possible markup, links and mentions outside of code spans become code spans too."""
    found = ""
    for index, piece in enumerate(printable(text, LONGEST_SPAN).split("`")):
        if (index % 2 and piece) or _MARKUP.search(piece):
            found += f" {code_span(piece)}" if found.endswith("`") else code_span(piece)
        else:
            found += piece
    return found


def command_data(text: str) -> str:
    """The message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """The value of a workflow command's property, such as `title`."""
    return command_data(printable(text, 300)).replace(":", "%3A").replace(",", "%2C")
