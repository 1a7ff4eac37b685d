"""Escapes and shortens hostile text for a terminal.

Names, messages and payloads come from tools under test. Printed unchanged, they could move the cursor, forge
lines of a report, hide text with bidirectional marks, or crash the writer (a lone surrogate has no UTF-8 form).
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_LONG: Final = 80
"""Characters. No run in a text of at most this length is shortened."""
_KEPT: Final = 16
"""Characters that stay of a shortened run."""

_RUNS: Final = (
    # One character many times over, the picture of a data URI, any other base64 of some length.
    (re.compile(r"(.)\1{39,}", re.DOTALL), "times"),
    (re.compile(r"(?<=;base64,)[A-Za-z0-9+/_-]{64,}={0,2}"), "characters of base64"),
    (re.compile(r"[A-Za-z0-9+/]{200,}={0,2}"), "characters"),
)
_COMMANDS: Final = re.compile(r"##(?=[A-Za-z]*\[)|(?<!\S)::(?=[A-Za-z])")
"""The marks of commands that CI runners obey in a log.

Azure's (`##vso[`, `##[`) and TeamCity's (`##teamcity[`) count anywhere in a line, GitHub's at the start of one.
"""
_JOINERS: Final = "\u200d\ufe0e\ufe0f"
"""Zero width joiner and variation selectors: they join the parts of an emoji."""
_MOST_EMOJIS: Final = 4
_UNCUT: Final = 10
"""Characters of the longest escape of one character, such as `\\U0001f600`."""
_SPACE_IN_PYTHON: Final = "\x1c\x1d\x1e\x1f\x85"


_DURATION: Final = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6}(?:\.\d{1,6})?)s?)?", re.ASCII)


def seconds_of(duration: str) -> float | None:
    """The seconds of a duration such as `90s`, `10m` or `1h30m`; a bare number is seconds. None for any other text."""
    match = _DURATION.fullmatch(duration.strip())
    hours, minutes, seconds = (float(part or 0) for part in match.groups()) if match else (0.0, 0.0, 0.0)
    return hours * 3600 + minutes * 60 + seconds or None


def printable(text: str, limit: int = 120) -> str:
    r"""One printable line with at most `limit` characters of `text`; a text that was cut ends with its full length.

    Unprintable characters become Python escapes (`\n`, `\x1b`, `\ud800`), and so does the mark of a command to a CI runner
    (`##vso[`, `##teamcity[`, `::error`). A backslash is not escaped, so that JSON
    reads as it was sent. The result is for reading only; records keep the exact text.
    """
    return _line(text, limit, len(text))


def printable_line(text: str) -> str:
    """One line, as `printable` has it, and uncut. What is escaped already stays as it is."""
    return printable(text, _UNCUT * max(len(text), 1))


def printable_lines(text: str) -> str:
    """A text of several lines, each as `printable_line` has it."""
    return "\n".join(map(printable_line, text.split("\n")))


def readable(text: str, limit: int = 120) -> str:
    """`printable` for what a tool was sent or returned: pictures, repeated characters and rows of emojis are shortened."""
    return _line(shortened(text), limit, len(text))


def _line(text: str, limit: int, total: int) -> str:
    return _COMMANDS.sub(_disarmed, _cut_line(text, limit, total))


def _disarmed(match: re.Match[str]) -> str:
    r"""The mark of a command with its first character as an escape: `\x23#vso[`, `\x3a:error`."""
    mark = match.group()
    return f"\\x{ord(mark[0]):02x}{mark[1:]}"


def _cut_line(text: str, limit: int, total: int) -> str:
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
    return f"{''.join(pieces)}… ({total:,} characters)"


def quoted(text: str, limit: int = 120) -> str:
    """`printable` in single quotes, so that blanks show and no escape is doubled."""
    return f"'{printable(text, limit)}'"


def shortened(text: str) -> str:
    """The text with each long run of no meaning to a reader cut to its beginning and its length."""
    if len(text) > _LONG:
        for pattern, unit in _RUNS:
            text = pattern.sub(lambda match, unit=unit: _cut(match.group(), unit), text)  # type: ignore[misc]
    return text if text.isascii() else _without_emoji_rows(text)


def _cut(run: str, unit: str) -> str:
    start = run[: 4 if unit == "times" else _KEPT]
    return f"{start}…({len(run):,} {unit})"


def _without_emoji_rows(text: str) -> str:
    pieces: list[str] = []
    row: list[str] = []
    for character in text:
        if _is_emoji(character) or (row and character in _JOINERS):
            row.append(character)
            continue
        pieces += _row(row)
        row = []
        pieces.append(character)
    return "".join([*pieces, *_row(row)])


def _row(row: list[str]) -> list[str]:
    """A row of emojis, at most the first of them without joiners where there are many."""
    emojis = [character for character in row if character not in _JOINERS]
    if len(emojis) <= _MOST_EMOJIS:
        return row
    return [*emojis[:_MOST_EMOJIS], f"…({len(emojis):,} emojis)"]


def _is_emoji(character: str) -> bool:
    return character > "\u2000" and unicodedata.category(character) in ("So", "Sk")


def is_blank(text: str) -> bool:
    """Whether a text is blank in every runtime that a tool may have.

    To .NET and JavaScript U+001C to U+001F are no white space, and to JavaScript U+0085 is none.
    """
    return all(character.isspace() and character not in _SPACE_IN_PYTHON for character in text)


def has_surrogate(text: str) -> bool:
    """Whether a text has half of a character (a lone surrogate), so that UTF-8 has no form of it."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def unfit_character(text: str) -> str | None:
    """The reason why a text cannot be an argument, a path or a variable of a program; None where it can."""
    if "\0" in text:
        return "a NUL"
    return "half of a character (a lone surrogate)" if has_surrogate(text) else None


def escaped(character: str) -> str:
    r"""The character if it is printable, else its Python escape."""
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def nearest(word: str, known: Iterable[str]) -> str:
    """A question that suggests the known word closest to an unknown `word`; empty if no known word is close."""
    matches = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {matches[0]}?)" if matches else ""
