"""Strings as people, models and attackers write them."""

from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.generate.formats import FORMATS
from aptix_conformance.generate.patterns import matching

PLAIN: Final = (
    "a", "Oslo", "text", "hello world", "Ada Lovelace", "agent_1", "42", "2024-02-29", "A longer sentence, with a comma.",
)  # fmt: skip
"""What a model would send; the first is what everything shrinks to."""

TRICKY: Final = (
    "", " ", "\t\n", "0", "null", "true", "NaN", "None", "[]", "{}", '{"a": 1}', '"', "'", "\\", "\\n", "%s%n", "{0}",
    "{name}", "${HOME}", "$(id)", "`id`", "; rm -rf /", "| cat", "../../etc/passwd", "C:\\Windows\\win.ini", "/dev/null",
    "'; DROP TABLE users; --", "' OR '1'='1", "<script>alert(1)</script>", "&lt;&amp;", "{{7*7}}", "{% raw %}", "<%= 7 %>",
    "__proto__", "constructor", "__class__", "Traceback (most recent call last)", "\x00", "a\x00b", "\x1b[31mred", "\x7f",
    "\r\nSet-Cookie: a=b", "\ufeff", "\u200b", "\u202eabc", "e\u0301", "\u00e9", "ß", "İ", "ﬃ", "Ωμέγα", "日本語", "مرحبا", "😀",
    "👩‍👩‍👧", "\U0010ffff", "\ufffd", "\u2028", "1e309", "-0", "٣", "\uff19", "x" * 255, "x" * 256, "ab " * 1400, "é" * 4096,
)  # fmt: skip
"""What breaks careless code; never a lone surrogate, which no valid JSON text can carry as UTF-8."""

MAX_LENGTH: Final = 100_000
"""Characters: no longer string is made, whatever a schema asks for."""

_TAIL: Final = 20
"""How much longer than its minimum a drawn string is, at most."""

_RANGES: Final = (
    (0x00, 0x24F), (0x300, 0x308), (0x370, 0x45F), (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x914), (0xE01, 0xE10),
    (0x2000, 0x206F), (0x20A0, 0x20BF), (0x2200, 0x2210), (0x3041, 0x3060), (0x4E00, 0x4E20), (0xAC00, 0xAC10),
    (0xFE00, 0xFEFF), (0xFF01, 0xFF20), (0xFFF9, 0xFFFF), (0x1F300, 0x1F320), (0x1F468, 0x1F470), (0x10FFFE, 0x10FFFF),
)  # fmt: skip
ALPHABET: Final = "".join(chr(code) for first, last in _RANGES for code in range(first, last + 1))
"""A few characters of every sort. Drawing from all of Unicode costs a second at the first draw, for its tables."""


def strings(keywords: Mapping[str, Any]) -> SearchStrategy[str] | None:
    """Strings that `minLength`, `maxLength`, `pattern` and `format` allow; None where none can be made."""
    low = int(keywords.get("minLength", 0))
    high = int(keywords.get("maxLength", MAX_LENGTH))
    if low > min(high, MAX_LENGTH):
        return None
    if "pattern" not in keywords and "format" not in keywords:
        return _of_length(low, min(high, MAX_LENGTH))
    check = jsonschema_rs.Draft202012Validator(_facets(keywords), validate_formats=True, offline=True)
    if keywords.get("format") in FORMATS and "pattern" not in keywords:
        return FORMATS[str(keywords["format"])]().filter(check.is_valid)
    if "pattern" in keywords:
        drawn = matching(str(keywords["pattern"]), low, high)
        return None if drawn is None else drawn.filter(check.is_valid)
    return _of_length(low, min(high, MAX_LENGTH)).filter(check.is_valid)


def fits(keywords: Mapping[str, Any], value: Any) -> bool:
    """Whether a scalar keeps what its keywords say of it."""
    check = jsonschema_rs.Draft202012Validator(_facets(keywords), validate_formats=True, offline=True)
    try:
        return check.is_valid(value)
    except ValueError:
        return False


_FACETS: Final = frozenset(
    {"type", "enum", "const", "minLength", "maxLength", "pattern", "format"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)


def _facets(keywords: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keywords.items() if key in _FACETS}


def _of_length(low: int, high: int) -> SearchStrategy[str]:
    # One list, not one for each sort: what a draw costs is the number of choices in it.
    known = [text for text in (*PLAIN, *TRICKY) if low <= len(text) <= high]
    options = [st.sampled_from(known)] if known else []
    if low > _TAIL:
        # Drawing thousands of characters one by one is slow and shrinks badly: repeat a short text instead.
        unit = st.text(ALPHABET, min_size=1, max_size=5)
        return st.one_of(*options, unit.map(lambda text: (text * (low // len(text) + 1))[:low]))
    return st.one_of(*options, st.text(ALPHABET, min_size=low, max_size=min(high, low + _TAIL)))
