r"""Strings that match a JSON Schema `pattern`.

The pattern is ECMA-262's and unanchored; Python's dialect is near enough once named groups and what `ecma` knows of
are rewritten and `\d` and `\w` are held to ASCII. What Python cannot compile, and what might never end, gives None.
"""

import re
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.stimuli.generate import ecma

MAX_PATTERN: Final = 1000
"""Characters of pattern text beyond which nothing is made."""
MAX_REPEAT: Final = 1000
"""The largest count in braces that is drawn character by character."""

_NAMED_GROUP: Final = re.compile(r"\(\?<(?![=!])")
_ONE_CLASS: Final = re.compile(
    r"\^(?P<unit>\[(?:[^\]\\]|\\.)+\]|\\[dw]|\.)(?P<count>[+*]|\{(?P<low>\d{1,5})(?P<comma>,)?(?P<high>\d{0,5})\})\$"
)
_CATEGORY: Final = re.compile(r"\\[pP]\{")
_REPEAT: Final = re.compile(r"\{(\d+)(?:,(\d*))?\}")


def matching(pattern: str, low: int, high: int) -> SearchStrategy[str] | None:
    """Strings in which the pattern matches, aiming at `low` to `high` characters; None where none can be made."""
    if len(pattern) > MAX_PATTERN or _too_long(pattern):
        return None
    readable = ecma.for_python(_NAMED_GROUP.sub("(?P<", pattern))
    if readable is None:
        return None
    pattern = _sized(readable, low, high)
    compiled = _compiled(pattern)
    if compiled is None:
        return None
    characters = st.characters(exclude_categories=["Cs"])
    # Anchored at both ends, the whole string is the match; Python's `$` would let a line feed follow.
    anchored = pattern.startswith("^") and pattern.endswith("$") and "|" not in pattern
    if anchored and not pattern.endswith("\\$"):
        return st.from_regex(re.compile(pattern[1:-1], re.ASCII), fullmatch=True, alphabet=characters)
    return st.from_regex(compiled, alphabet=characters)


def matches_unreadable(pattern: str, text: str) -> bool:
    """Whether a pattern matches a short text that no validator reads; false where Python's dialect may differ."""
    if len(pattern) > MAX_PATTERN or _too_long(pattern) or _CATEGORY.search(pattern):
        return False
    readable = ecma.for_python(_NAMED_GROUP.sub("(?P<", pattern))
    compiled = None if readable is None else _compiled(readable)
    return compiled is not None and compiled.search(text) is not None


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError):
        return None


def _sized(pattern: str, low: int, high: int) -> str:
    """A repeated class with the length bounds worked into its count, so that few draws are thrown away."""
    found = _ONE_CLASS.fullmatch(pattern)
    if found is None:
        return pattern
    if found["count"] in {"+", "*"}:
        least, most = int(found["count"] == "+"), MAX_REPEAT
    else:
        least = int(found["low"])
        most = int(found["high"]) if found["high"] else (MAX_REPEAT if found["comma"] else least)
    least, most = max(least, low), min(most, high, max(least, low) + 20)
    return f"^{found['unit']}{{{least},{most}}}$" if least <= most else pattern


def _too_long(pattern: str) -> bool:
    counts = [int(count[:9]) for pair in _REPEAT.findall(pattern) for count in pair if count]
    product = 1
    for count in counts:
        product *= max(count, 1)
    return product > MAX_REPEAT * MAX_REPEAT or max(counts, default=0) > MAX_REPEAT
