"""Values that a schema names for an argument without listing them: `examples`, `default`, and those in its description.

Code that a value such as a coupon or a number of a customer leads to runs with no other one, so that each is sent.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

MOST: Final = 5
"""The most values of one argument."""

_LONGEST: Final = 10_000
"""Characters of a description that are read."""
_QUOTED: Final = re.compile(r'"([^"\n]{1,80})"|`([^`\n]{1,80})`|(?<!\w)\'([^\'\n]{1,80})\'(?!\w)')
_AFTER: Final = re.compile(
    r"(?:\bsuch as|\be\.g\.,?|\bfor example,?|\bfor instance,?)\s+([^\s,;()\"'`]{1,80})", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


def named_values(keywords: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[Any]:
    """The values, not yet judged, for a node of a schema that allows texts or numbers; at most `MOST`."""
    known: list[Any] = []
    for value in _all(keywords, kinds):
        if value not in known and len(known) < MOST:
            known.append(value)
            yield value


def _all(keywords: Mapping[str, Any], kinds: Sequence[str]) -> Iterator[Any]:
    examples = keywords.get("examples")
    offered = [*(examples if isinstance(examples, list) else ()), keywords.get("default")]
    yield from (value for value in offered if isinstance(value, (str, int, float)))
    said = keywords.get("description")
    for word in _described(said[:_LONGEST]) if isinstance(said, str) else ():
        if "string" in kinds:
            yield word
        elif _NUMBER.fullmatch(word) and {"integer", "number"} & set(kinds):
            yield float(word) if "." in word else int(word)


def _described(said: str) -> Iterator[str]:
    for found in _QUOTED.finditer(said):
        yield next(filter(None, found.groups()))
    for found in _AFTER.finditer(said):
        if word := found[1].rstrip(".:"):
            yield word
