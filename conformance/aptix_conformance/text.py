"""Hostile text, made fit for a terminal.

Names, messages and payloads come from tools under test. Printed as they are, they could move the cursor, forge
lines of a report, hide themselves with bidirectional marks, or crash the writer (a lone surrogate has no UTF-8).
"""

import difflib
from collections.abc import Iterable


def shown(text: str, limit: int = 120) -> str:
    r"""One printable line of at most `limit` characters of `text`, and how long it is where it was cut.

    Whatever does not print stands as its Python escape (`\n`, `\x1b`, `\ud800`). A backslash stays one, so that
    JSON reads as it was sent: this is for reading, and records keep the exact text.
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
    r"""A character, or its Python escape where a terminal would not print it as one visible mark."""
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def nearest(word: str, known: Iterable[str]) -> str:
    """The question whether a near one was meant, for a word that is none of those known; nothing where none is near."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {found[0]}?)" if found else ""
