"""Pages as Markdown (GitHub's)."""

import re
from typing import Final

from aptix_conformance.catalog.page import Block, Code, File, Items, Page, Text

FIXTURES: Final = "../../fixtures"
"""Where the fixtures are, seen from the folder of the rule pages."""


def to_markdown(page: Page) -> str:
    """A page as the text of a file."""
    parts = [f"# {page.title}", *(_block(block) for block in page.lead)]
    for section in page.sections:
        parts += [f"## {section.heading}", *(_block(block) for block in section.blocks)]
    return "\n\n".join(parts) + "\n"


def prose(text: str) -> str:
    """Text of which no character is taken for markup but backticks in pairs, which make code."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(piece if index % 2 else _escaped(piece) for index, piece in enumerate(pieces))


def cell(text: str) -> str:
    """Prose in a table."""
    return re.sub(r"(?<!\\)\|", r"\|", prose(text))


def _escaped(text: str) -> str:
    return re.sub(r"([*|`]|(?<=_)_|_(?=_))", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def _block(block: Block) -> str:
    match block:
        case Text(text):
            return prose(text)
        case Items(items):
            return "\n".join(f"- {prose(item)}" for item in items)
        case File(label, path):
            return f"{label}: [{path}]({FIXTURES}/{path})"
        case Code(language, text):
            longest = max([2, *(len(run) for run in re.findall(r"`+", text))])
            fence = "`" * (longest + 1)
            return f"{fence}{language}\n{text}\n{fence}"
