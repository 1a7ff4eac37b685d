"""The example calls in a usage text: JSON objects, as `- {"city": "Oslo"}` under "Good usage" or within a sentence.

An author who configures no example has often written one there, and where a schema says little it may be the only known
call that works.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

MOST: Final = 3
"""The most examples of one text."""
_MOST_TEXT: Final = 20_000
"""The characters that are read of a text."""
_MOST_TRIED: Final = 100
"""The most places at which an object is looked for."""
_BAD: Final = re.compile(
    r"^[^\w\n]{0,20}(?:bad|wrong|incorrect|invalid)\b.*?(?=^[^\w\n]{0,20}(?:good|correct|valid)\b|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_GOOD: Final = re.compile(
    r"^[^\w\n]{0,20}(?:good|correct|valid)\b(.*?)(?=\b(?:bad|wrong|incorrect|invalid|not|never|fails?)\b|^\s*?$|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_LEFT_OPEN: Final = re.compile(r"\.\.\.|…|<[^>]*>")
"""Text in place of a value."""


def good_examples(text: str) -> tuple[dict[str, Any], ...]:
    """The objects that a text calls good, up to the next blank line; none that leaves a value open."""
    parts = (match[1] for match in _GOOD.finditer(text[:_MOST_TEXT]))
    calls = (call for part in parts for call in _objects(part))
    return tuple(call for call in calls if not _LEFT_OPEN.search(json.dumps(call, ensure_ascii=False)))


def usage_examples(text: str) -> tuple[dict[str, Any], ...]:
    """The first `MOST` different objects with members in a text, without those that it calls bad."""
    examples: dict[str, dict[str, Any]] = {}
    for example in _objects(_BAD.sub("", text[:_MOST_TEXT])):
        examples.setdefault(json.dumps(example, sort_keys=True), example)
    return tuple(examples.values())[:MOST]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    place = text.find("{")
    for _ in range(_MOST_TRIED):
        if place < 0:
            return
        end = place + 1
        try:
            value, end = decoder.raw_decode(text, place)
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            value = None  # no JSON, or with half of a character
        if isinstance(value, dict) and value:
            yield value
        place = text.find("{", end)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
