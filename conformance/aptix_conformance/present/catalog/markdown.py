"""Pages as GitHub Markdown."""

import re

from aptix_conformance.present.catalog.page import Block, Code, File, Items, Page, Text


def to_markdown(page: Page, fixtures: str) -> str:
    """A page as the text of a Markdown file; `fixtures` is the path from its folder to the fixtures."""
    parts = [f"# {page.title}", *(_block(block, fixtures) for block in page.lead)]
    for section in page.sections:
        parts += [f"## {section.heading}", *(_block(block, fixtures) for block in section.blocks)]
    return "\n\n".join(parts) + "\n"


def prose(text: str) -> str:
    """Text with markup escaped, except for pairs of backticks, which make code."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(piece if index % 2 else _escaped(piece) for index, piece in enumerate(pieces))


def cell(text: str) -> str:
    """Prose for a cell of a table: pipes are escaped too."""
    return re.sub(r"(?<!\\)\|", r"\|", prose(text))


def _escaped(text: str) -> str:
    return re.sub(r"([*|`]|(?<=_)_|_(?=_))", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))


def _block(block: Block, fixtures: str) -> str:
    match block:
        case Text(text):
            return prose(text)
        case Items(items):
            return "\n".join(f"- {prose(item)}" for item in items)
        case File(label, path):
            return f"{label}: [{path}]({fixtures}/{path})"
        case Code(language, text):
            longest = max([2, *(len(run) for run in re.findall(r"`+", text))])
            fence = "`" * (longest + 1)
            return f"{fence}{language}\n{text}\n{fence}"
