"""The values that prose lists: "Known are: Oslo, Rome.", "must be one of 'a', 'b'", "Units: m, km, mi"."""

import re
from collections.abc import Iterator
from typing import Final

MOST: Final = 12
"""The most values of one text."""
_LONGEST: Final = 10_000
"""Characters of a text that are read."""
_LONGEST_LIST: Final = 300
_LONGEST_VALUE: Final = 60
_MOST_WORDS: Final = 3
"""The most words of a value: what has more is prose."""
_BEFORE: Final = re.compile(
    r"\b(?:"
    r"(?:known|valid|allowed|available|supported|possible|accepted|permitted|existing)(?: \w{1,20}){0,2}?(?: (?:are|is)\b)?\s?:"
    r"|(?:known|valid|allowed|available|supported|possible|accepted|permitted|existing)(?: \w{1,20}){0,2}? (?:are|is)\b"
    r"|(?:one|any|either) of\b\s?:?|(?:choose|select|pick) (?:from|between)\b\s?:?|did you mean\b\s?:?"
    r"|(?:must|should|has to) be\b(?! (?:a|an|the|at|of|in|less|more|no|not|one|any|either)\b)\s?:?"
    r"|expected\b(?= ['\"])|(?:expected|try|options|choices|either)\s?:"
    r"|[A-Za-z]{2,20}s\s?:(?=[^\n,]{1,60},)"
    r")\s{0,3}",
    re.IGNORECASE,
)
"""What stands before a list."""
_END: Final = re.compile(
    r"[.!?;](?=\s|$)|[\n)\]}]|\s[-\u2013\u2014]\s|\s\[|,? (?:received|got|but)\b|\b(?:such as|for example)\b"
)
_PARTS: Final = re.compile(r"\s{0,3}(?:,|\||/(?=\s)|\bor\b|\band\b)\s{0,3}(?:(?:or|and)\b\s{0,3})?")
_AROUND: Final = "\"'`\u201c\u201d\u2018\u2019 .:?=[({<"


def listed_in(text: str) -> Iterator[str]:
    """The values that a text lists, each once, in their order; at most `MOST`."""
    known: set[str] = set()
    for found in _BEFORE.finditer(text[:_LONGEST]):
        rest = text[found.end() : found.end() + _LONGEST_LIST].lstrip("[({")
        end = _END.search(rest)
        for part in _PARTS.split(rest[: end.start()] if end else rest):
            value = part.strip(_AROUND)
            if len(known) == MOST:
                return
            if (
                value
                and len(value) <= _LONGEST_VALUE
                and len(value.split()) <= _MOST_WORDS
                and value not in known
            ):
                known.add(value)
                yield value
