"""Hostile text in Markdown, in viewers that read some of it, and in GitHub's workflow commands: nothing of it acts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.text import printable

LONGEST_SPAN: Final = 400
"""Characters of a text that a code span or a cell shows."""
LONGEST_ERROR: Final = 1_500
"""Characters of why a tool was not examined: the last line of a program that does not start is whole in them."""
_KEPT_FREE: Final = 200
"""Bytes for the line that says what was left out of a table."""
_PLACEHOLDER: Final = re.compile(r"\{([0-9]+)\}")
_MARKUP: Final = re.compile(r"[*_~<>|@#&!$\[\]\\]|://|www\.")


def code_span(text: str, limit: int = LONGEST_SPAN) -> str:
    """A Markdown code span that no character of the text can close."""
    # A pipe after a backslash would end the cell of the table, even when it is escaped.
    clean = printable(text, limit).replace("\\|", "\\x7c").replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", clean)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean or ' '}{pad}{fence}"


def cell(text: str, limit: int = LONGEST_SPAN) -> str:
    """A sentence for a cell; possible markup, links and mentions outside of code spans become code spans too."""
    result = ""
    for index, piece in enumerate(printable(text, limit).split("`")):
        if (index % 2 and piece) or _MARKUP.search(piece):
            result += f" {code_span(piece, limit)}" if result.endswith("`") else code_span(piece, limit)
        else:
            result += piece
    return result


def plain(text: str) -> str:
    """A text in which a viewer sees neither a link, `[x](y)`, nor a placeholder, `{0}`."""
    # A blank undoes a link in every viewer; not every viewer reads the escapes that the standard has for brackets.
    return _PLACEHOLDER.sub(r"{{\1}}", text.replace("](", "] ("))


def command_data(text: str) -> str:
    """The message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """The value of a workflow command's property, such as `title`."""
    return command_data(printable(text, 300)).replace(":", "%3A").replace(",", "%2C")


@dataclass(frozen=True, slots=True)
class Table:
    """A table under a heading; `columns` is its first row, and the rows are escaped already."""

    heading: str
    columns: str
    rows: Sequence[str]

    def within(self, size: int) -> str:
        """The table in at most `size` bytes, with how many rows were left out; empty where it has no row."""
        if not self.rows:
            return ""
        bars = "|---" * self.columns.count("|", 1) + "|"
        lines = ["", f"### {self.heading}", "", self.columns, bars]
        used = sum(len(line) + 1 for line in lines) + _KEPT_FREE
        for number, row in enumerate(self.rows):
            used += len(row.encode()) + 1
            if used > size:
                lines += [
                    "",
                    f"{len(self.rows) - number:,} more rows are left out here; the report has them all.",
                ]
                break
            lines.append(row)
        return "".join(f"{line}\n" for line in lines) if size > _KEPT_FREE * 2 else ""
