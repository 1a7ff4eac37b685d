"""Stack traces of a program that the call itself sent: to run it is what the tool is for, and its trace is the answer.

A trace belongs to the caller where each of its frames does. One frame of the tool's own code makes the whole trace the tool's.

A frame of Python is the caller's if it quotes lines that the call sent. It is also the caller's if it quotes none, its code is in no file
(`<string>`), and the call sent a program with that line; or if it is of Python's own library, called by a frame of the caller's.

JavaScript quotes one line only. Where the call sent it, the frames are the caller's if all are of one file, or of the runtime.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from aptix_conformance.rules.lib.documents import read_arguments, strings_in, views

_HEAD: Final = "Traceback (most recent call last):\n"
_FRAME: Final = re.compile(
    r'  File "(?P<file>[^"\n]{1,300})", line (?P<line>\d{1,9})(?:, in [^\n]{1,200})?\n(?P<quoted>(?:    [^\n]{0,400}\n)*)'
    r"(?:  \[Previous line repeated \d{1,9} more times?\]\n)?"
)
_TRACE: Final = re.compile(
    rf"^(?:{re.escape(_HEAD)})?(?P<frames>(?:{re.sub(r'[?]P<[a-z]+>', '?:', _FRAME.pattern)})+)(?P<error>[^\n\"]{{0,400}})",
    re.MULTILINE,
)
_JS_TRACE: Final = re.compile(
    r"^(?:(?P<head>[^\n]{1,300}):\d{1,9}\n)?(?P<quoted>[^\n]{1,400})\n[ \t]{0,400}\^+\n(?:[^\n]{0,400}\n){0,9}?"
    r"(?P<frames>(?:[ \t]{1,9}at [^\n\"]{1,400}(?:\n|\Z|(?=\")))+)",
    re.MULTILINE,
)
"""As Node.js and Deno print an exception that nothing catches: the line, a mark below it, the exception and the frames."""
_JS_FRAME: Final = re.compile(
    r"\s*at (?:async )?(?:[^\n]{1,300} \()?(?P<file>[^()\n]{1,300}?)(?::\d+:\d+)?\)?\s*"
)
_JS_RUNTIME: Final = re.compile(
    r"(?:node|ext|internal)[:/].*|<anonymous>|native|index \d+|\[(?:eval|stdin)\]-wrapper"
)
_NULLS: Final = "SyntaxError: source code cannot contain null bytes"
"""Its frame quotes what comes before the first one."""
_UNKNOWN_NAME: Final = re.compile(r"NameError: name '(\w{1,100})' is not defined")
_HOLDS_PROGRAM: Final = re.compile(
    r"(?:.*_)?(?:code|source|program|script|snippet|expression|expr|formula|python|input|command|query)",
    re.IGNORECASE,
)
"""The name of an argument that may hold a program of one word."""
_MARKS: Final = re.compile(r"[\s~^]*")
"""A line that points into the line above it."""
_LIBRARY: Final = re.compile(
    r'[/\\][Ll]ib[/\\](?:python3\.\d{1,2}[/\\])?(?!site-packages|dist-packages)[^"\n]*\.py'
)
_LINE_END: Final = re.compile(r"\r\n|[\r\n]")
_LONGEST: Final = 10_000
"""Characters of a text that is read as a program."""


def without_callers_traces(text: str, arguments: str | None) -> str:
    """A text without the traces of programs that the call sent in its arguments; if they are below its escapes, without these too."""
    for view in views(text) if arguments else ():
        own = _without(view, arguments or "")
        if own != view:
            return own
    return text


def _without(text: str, arguments: str) -> str:
    if '  File "' in text:
        text = _TRACE.sub(lambda trace: "" if _is_callers(trace, arguments) else trace[0], text)
    if "    at " in text:
        text = _JS_TRACE.sub(lambda trace: "" if _is_callers_in_js(trace, arguments) else trace[0], text)
    return text


def _is_callers(trace: re.Match[str], arguments: str) -> bool:
    first, *others = _FRAME.finditer(trace["frames"])
    if trace["error"] == _NULLS:
        return "\0" in "".join(_texts(arguments))
    unknown = _UNKNOWN_NAME.match(trace["error"])
    is_of_word = unknown is not None and unknown[1] in _words_of_programs(arguments)
    lines = max(_lines_of_program(arguments), int(is_of_word))
    return _is_callers_frame(first, arguments, lines) and all(
        _is_callers_frame(frame, arguments, lines) or _LIBRARY.search(frame["file"]) for frame in others
    )


def _is_callers_frame(frame: re.Match[str], arguments: str, lines: int) -> bool:
    quoted = [line.strip() for line in frame["quoted"].split("\n") if not _MARKS.fullmatch(line)]
    if quoted:
        return all(line in _lines_sent(arguments) for line in quoted)
    return frame["file"].startswith("<") and int(frame["line"]) <= lines


def _is_callers_in_js(trace: re.Match[str], arguments: str) -> bool:
    quoted = trace["quoted"].strip()
    if not quoted or quoted not in _lines_sent(arguments):
        return False
    frames = map(_JS_FRAME.fullmatch, trace["frames"].splitlines())
    files = {trace["head"]} - {None}
    for frame in frames:
        if frame is None or not _JS_RUNTIME.fullmatch(frame["file"]):
            files.add(frame and frame["file"])
    return len(files) <= 1 and None not in files


@lru_cache(maxsize=16)
def _lines_sent(arguments: str) -> frozenset[str]:
    return frozenset(line.strip() for text in _texts(arguments) for line in _LINE_END.split(text))


@lru_cache(maxsize=16)
def _lines_of_program(arguments: str) -> int:
    """The lines of the longest program among the texts that a call sent; 0 where it sent none."""
    return max((len(text.splitlines()) for text in _texts(arguments) if _is_program(text)), default=0)


@lru_cache(maxsize=16)
def _words_of_programs(arguments: str) -> frozenset[str]:
    """The texts of one word that are the values of arguments which may hold a program."""
    sent = read_arguments(arguments).value
    named = sent.items() if isinstance(sent, dict) else ()
    return frozenset(
        value.strip() for name, value in named if isinstance(value, str) and _HOLDS_PROGRAM.fullmatch(name)
    )


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
