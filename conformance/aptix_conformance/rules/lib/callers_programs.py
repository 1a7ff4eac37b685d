"""Stack traces of a program that the call itself sent: to run it is what the tool is for, and its trace is the answer.

A trace belongs to the caller where each of its frames does. A frame is the caller's if it quotes lines that the call sent. It is also the
caller's if it quotes none, its code is in no file (`<string>`), and the call sent a program with that line; or if it is of Python's own
library, called by a frame of the caller's. One frame of the tool's own code makes the whole trace the tool's.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from aptix_conformance.rules.lib.documents import read_arguments, strings_in

_HEAD: Final = "Traceback (most recent call last):\n"
_FRAME: Final = re.compile(
    r'  File "(?P<file>[^"\n]{1,300})", line (?P<line>\d{1,9})(?:, in [^\n]{1,200})?\n(?P<quoted>(?:    [^\n]{0,400}\n)*)'
)
_TRACE: Final = re.compile(
    rf"^(?:{re.escape(_HEAD)})?((?:{re.sub(r'[?]P<[a-z]+>', '?:', _FRAME.pattern)})+)[^\n]{{0,400}}",
    re.MULTILINE,
)
_MARKS: Final = re.compile(r"[\s~^]*")
"""A line that points into the line above it."""
_LIBRARY: Final = re.compile(
    r'[/\\][Ll]ib[/\\](?:python3\.\d{1,2}[/\\])?(?!site-packages|dist-packages)[^"\n]*\.py'
)
_LONGEST: Final = 10_000
"""Characters of a text that is read as a program."""


def without_callers_traces(text: str, arguments: str | None) -> str:
    """A text without the Python traces of programs that the call sent in its arguments."""
    if not arguments or '  File "' not in text:
        return text
    return _TRACE.sub(lambda match: "" if _is_callers(match[1], arguments) else match[0], text)


def _is_callers(frames: str, arguments: str) -> bool:
    first, *others = _FRAME.finditer(frames)
    return _is_callers_frame(first, arguments) and all(
        _is_callers_frame(frame, arguments) or _LIBRARY.search(frame["file"]) for frame in others
    )


def _is_callers_frame(frame: re.Match[str], arguments: str) -> bool:
    quoted = [line.strip() for line in frame["quoted"].splitlines() if not _MARKS.fullmatch(line)]
    if quoted:
        return all(line in _lines_sent(arguments) for line in quoted)
    return frame["file"].startswith("<") and int(frame["line"]) <= _lines_of_program(arguments)


@lru_cache(maxsize=16)
def _lines_sent(arguments: str) -> frozenset[str]:
    return frozenset(line.strip() for text in _texts(arguments) for line in text.splitlines())


@lru_cache(maxsize=16)
def _lines_of_program(arguments: str) -> int:
    """The lines of the longest program among the texts that a call sent; 0 where it sent none."""
    return max((len(text.splitlines()) for text in _texts(arguments) if _is_program(text)), default=0)


def _is_program(text: str) -> bool:
    """Whether a text is Python, and more than a word or a number, which many other texts are too."""
    try:
        statements = ast.parse(text[:_LONGEST]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    only = statements[0] if len(statements) == 1 else None
    return bool(statements) and not (
        isinstance(only, ast.Expr)
        and isinstance(only.value, ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp)
    )


def _texts(arguments: str) -> Iterator[str]:
    return iter(strings_in(read_arguments(arguments).value))
