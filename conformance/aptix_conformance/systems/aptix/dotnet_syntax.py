"""C# that Mono's compiler does not know, by the line where it stands, for the message of sources that do not compile.

A hint for people after the compiler has refused the sources: it decides nothing, so that words in a text or a comment do no harm.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.core.text import printable

_MOST: Final = 4
"""Pieces of syntax that are named."""
_LARGEST: Final = 1 << 20
_NEWER: Final = tuple(
    (words, version, re.compile(pattern))
    for words, version, pattern in (
        ("using var", 8, r"^\s*(?:await )?using (?!static\b|namespace\b)[\w<>\[\],.?]+ \w+ ="),
        ("default!", 8, r"\b(?:default|null)!"),
        ("#nullable", 8, r"^\s*#nullable\b"),
        ("nullable annotation", 8, r"\b(?:string|object|[A-Z]\w*)\? \w+\s*[;=,){]"),
        ("switch expression", 8, r"\bswitch\s*(?:\{|$)(?<!\))"),
        ("await foreach", 8, r"\bawait foreach\b"),
        ("record", 9, r"^\s*(?:(?:public|internal|private|sealed|abstract) )*record \w"),
        ("is not", 9, r"\bis not \w"),
        ("init", 9, r"\binit;"),
        ("new()", 9, r"= new\("),
        ("file-scoped namespace", 10, r"^\s*namespace [\w.]+;"),
        ("global using", 10, r"^\s*global using\b"),
        ("required", 11, r"^\s*(?:(?:public|internal) )+required \w"),
        ("raw text", 11, r'"""'),
        ("collection expression", 12, r"= \["),
    )
)
"""The words for a piece of syntax, the version of C# that has it first, and how a line holds it."""


def newer_syntax(files: Sequence[Path]) -> str:
    """The newer syntax in some sources, as a phrase with its lines; empty where none is seen."""
    seen: dict[str, str] = {}
    for file in files:
        for words, version, number in _in_file(file):
            seen.setdefault(words, f"`{words}` (C# {version}) at {printable(file.name, 60)}({number})")
    return ", ".join(list(seen.values())[:_MOST])


def _in_file(file: Path) -> Iterator[tuple[str, int, int]]:
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as stream:
            text = stream.read(_LARGEST)
    except OSError:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("//"):
            continue
        for words, version, pattern in _NEWER:
            if pattern.search(line):
                yield words, version, number
