"""Pages as text for a terminal."""

import textwrap
from typing import Final

from aptix_conformance.present.catalog.page import Block, Code, File, Items, Page, Text

_WIDTH: Final = 100


def to_terminal(page: Page) -> str:
    """A page as plain text of 100 columns, without colours or control sequences."""
    parts = [f"{page.title}\n{'=' * len(page.title)}", *(_block(block) for block in page.lead)]
    for section in page.sections:
        blocks = [_block(block) for block in section.blocks]
        parts += [f"{section.heading}\n{'-' * len(section.heading)}", *blocks]
    return "\n\n".join(parts)


def _block(block: Block) -> str:
    match block:
        case Text(text):
            return _wrapped(text)
        case Items(items):
            return "\n".join(_wrapped(item, "- ", "  ") for item in items)
        case File(label, path):
            return f"{label}: fixtures/{path}"
        case Code(_, text):
            return textwrap.indent(text, "    ")


def _wrapped(text: str, first: str = "", others: str = "") -> str:
    return textwrap.fill(
        text,
        width=_WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
