"""Recognises the grammar of a text argument: code, a path, a date (`grammars.py`)."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from aptix_conformance.stimuli.generate.extremes import texts_for
from aptix_conformance.stimuli.generate.grammars import GRAMMARS, Grammar
from aptix_conformance.stimuli.generate.named import named_values
from aptix_conformance.stimuli.generate.reader import Alternative

MOST: Final = 2
"""The most grammars of one argument."""
_LONGEST: Final = 2_000
"""Characters of a name and of a description that are read."""
_LONGEST_VALUE: Final = 400
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")


def grammars_of(
    name: str,
    shapes: Iterable[Alternative],
    *,
    tool: str = "",
    shown: Iterable[Any] = (),
    by_description: bool = True,
) -> tuple[Grammar, ...]:
    """The grammars of an argument that takes any text; empty where nothing says that it has one.

    Args:
        name: the argument's name.
        shapes: what the schema allows there.
        tool: the tool's name.
        shown: values of the argument in the author's examples.
        by_description: whether it is enough that the description says it.
    """
    taken = [shape for shape in shapes if texts_for(shape)]
    if not taken:
        return ()
    named = (value for shape in taken for value in named_values(shape.keywords, shape.types))
    values = [value[:_LONGEST_VALUE] for value in (*shown, *named) if isinstance(value, str)]
    said = "\n".join(_texts(taken))
    formats = {str(shape.keywords.get("format")) for shape in taken}
    snake = snake_case(name)
    in_tool = f"{snake_case(tool)}/{snake}"
    found = (
        grammar
        for grammar in GRAMMARS
        if _matches(grammar.names, snake)
        or _matches(grammar.in_tools, in_tool)
        or formats & grammar.formats
        or (by_description and re.search(grammar.described, said, re.IGNORECASE | re.MULTILINE))
        or any(_matches(grammar.value, value) for value in values)
    )
    return tuple(found)[:MOST]


def _texts(shapes: Iterable[Alternative]) -> Iterator[str]:
    for shape in shapes:
        for key in ("description", "contentMediaType"):
            text = shape.keywords.get(key)
            if isinstance(text, str):
                yield text[:_LONGEST]


def snake_case(name: str) -> str:
    """The words of a name in lower case, joined by underscores."""
    return _WORDS.sub("_", name[:_LONGEST]).lower().strip("_")


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None
