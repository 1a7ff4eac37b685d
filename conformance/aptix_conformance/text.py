"""Escapes hostile text for a terminal.

Names, messages and payloads come from tools under test. Printed unchanged, they could move the cursor, forge
lines of a report, hide text with bidirectional marks, or crash the writer (a lone surrogate has no UTF-8 form).
"""

import difflib
from collections.abc import Iterable


def printable(text: str, limit: int = 120) -> str:
    r"""One printable line with at most `limit` characters of `text`; a text that was cut ends with its full length.

    Unprintable characters become Python escapes (`\n`, `\x1b`, `\ud800`). A backslash is not escaped, so that JSON
    reads as it was sent. The result is for reading only; records keep the exact text.
    """
    pieces: list[str] = []
    length = 0
    for character in text:
        piece = escaped(character)
        length += len(piece)
        if length > limit:
            break
        pieces.append(piece)
    else:
        return "".join(pieces)
    return f"{''.join(pieces)}… ({len(text):,} characters)"


def escaped(character: str) -> str:
    r"""The character if it is printable, else its Python escape."""
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def nearest(word: str, known: Iterable[str]) -> str:
    """A question that suggests the known word closest to an unknown `word`; empty if no known word is close."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {found[0]}?)" if found else ""
