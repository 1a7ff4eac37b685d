"""Strings as people, models and attackers write them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.stimuli.generate import ecma
from aptix_conformance.stimuli.generate.alphabet import ALPHABET
from aptix_conformance.stimuli.generate.formats import SAMPLES, of_format
from aptix_conformance.stimuli.generate.patterns import matching
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError, simplest

PLAIN: Final = (
    "a", "Oslo", "text", "hello world", "Ada Lovelace", "agent_1", "42", "2024-02-29", "A longer sentence, with a comma.",
)  # fmt: skip
"""What a model would send; everything shrinks to the first."""

TRICKY: Final = (
    "", " ", "\t\n", "0", "null", "true", "NaN", "None", "[]", "{}", '{"a": 1}', '"', "'", "\\", "\\n", "%s%n", "{0}",
    "{name}", "${HOME}", "$(id)", "`id`", "; rm -rf /", "| cat", "../../etc/passwd", "C:\\Windows\\win.ini", "/dev/null",
    "'; DROP TABLE users; --", "' OR '1'='1", "<script>alert(1)</script>", "&lt;&amp;", "{{7*7}}", "{% raw %}", "<%= 7 %>",
    "__proto__", "constructor", "__class__", "Traceback (most recent call last)", "\x00", "a\x00b", "\x1b[31mred", "\x7f",
    "\r\nSet-Cookie: a=b", "\ufeff", "\u200b", "\u202eabc", "e\u0301", "\u00e9", "ß", "İ", "ﬃ", "Ωμέγα", "日本語", "مرحبا", "😀",
    "👩‍👩‍👧", "\U0010ffff", "\ufffd", "\u2028", "1e309", "-0", "٣", "\uff19", "x" * 255, "x" * 256, "ab " * 1400, "é" * 4096,
)  # fmt: skip
"""What breaks careless code; never a lone surrogate, which no valid JSON text can carry as UTF-8."""

ASTRAL: Final = ("😀" * 128, "a" + "😀" * 128)
"""Strings of characters with two UTF-16 units each: a cut between units splits a character."""

MAX_LENGTH: Final = 100_000
"""Characters: no longer string is made, whatever a schema asks for."""

_TAIL: Final = 20
"""How much longer than its minimum a drawn string is, at most."""

_ASCII: Final = "".join(
    sorted(map(chr, range(0x80)), key=lambda char: (not char.isalnum(), not char.islower(), char))
)
_SHARE: Final = 0xA0
"""Of 256 characters, how many are ASCII."""

_OF_STRINGS: Final = ("minLength", "maxLength", "pattern", "format")
_MOST_KNOWN: Final = 256
"""Size of the cache of string strategies: many tools need the same ones, and finding the simplest string is slow."""


def strings(keywords: Mapping[str, Any]) -> SearchStrategy[str] | None:
    """Strings that `minLength`, `maxLength`, `pattern` and `format` allow; None where none can be made."""
    return _strings(*(keywords.get(name) for name in _OF_STRINGS))


def simplest_string(keywords: Mapping[str, Any]) -> str:
    """The simplest string that the keywords allow.

    Raises:
        UnconstructibleError: there is none, or none was found.
    """
    return _simplest_string(*(keywords.get(name) for name in _OF_STRINGS))


@lru_cache(maxsize=_MOST_KNOWN)
def _simplest_string(*facets: Any) -> str:
    strategy = _strings(*facets)
    if strategy is None:
        raise UnconstructibleError("no string is within the bounds")
    return str(simplest(strategy))


@lru_cache(maxsize=_MOST_KNOWN)
def _strings(low: Any, high: Any, pattern: Any, named: Any) -> SearchStrategy[str] | None:
    given = zip(_OF_STRINGS, (low, high, pattern, named), strict=True)
    low, high = int(low or 0), int(MAX_LENGTH if high is None else high)
    if low > min(high, MAX_LENGTH):
        return None
    if pattern is None and named is None:
        return _of_length(low, min(high, MAX_LENGTH))
    check = _check({name: value for name, value in given if value is not None})
    if pattern is not None and not any(map(check, SAMPLES.get(named, ()))):
        drawn = matching(pattern, low, high)
        steady = None if drawn is None else _steady(drawn, low, high, check)
        return _known(check) if steady is None else steady
    if named in SAMPLES:  # a pattern beside it mostly says the same, and knows less of what a date is
        return _steady(of_format(named), low, high, check)
    return _of_length(low, min(high, MAX_LENGTH)).filter(check)


def fitting(keywords: Mapping[str, Any], values: Iterable[Any]) -> Iterator[Any]:
    """The values that satisfy the keywords for scalars, except `enum` and `const`."""
    check = _check(keywords)
    return (value for value in values if check(value))


def _check(keywords: Mapping[str, Any]) -> Callable[[Any], bool]:
    facets = {key: value for key, value in keywords.items() if key in _FACETS}
    validator = jsonschema_rs.Draft202012Validator(facets, validate_formats=True, offline=True)
    if not ecma.has_bare_dot(facets.get("pattern", "")):
        return validator.is_valid
    return lambda value: validator.is_valid(value) and not ecma.has_line_end(value)


def _known(check: Callable[[str], bool]) -> SearchStrategy[str] | None:
    """The constant texts of this module that pass a check; None if none does."""
    allowed = list(filter(check, (*PLAIN, *TRICKY, *ASTRAL)))
    return st.sampled_from(allowed) if allowed else None


def _steady(
    drawn: SearchStrategy[str], low: int, high: int, check: Callable[[str], bool]
) -> SearchStrategy[str] | None:
    """The strings of a strategy; a string that fails the check is replaced, since a discarded draw costs as much as a call.

    Its length is corrected first, which most patterns allow. If that fails too, the simplest string replaces it.
    None if there is no such string.
    """

    def with_valid_length(text: str) -> str:
        if check(text) or not text:
            return text
        return (text * (low // len(text) + 1))[: max(low, 1)] if len(text) < low else text[:high]

    try:
        known = simplest(drawn.map(with_valid_length).filter(check))
    except UnconstructibleError:
        return None
    return drawn.map(with_valid_length).map(lambda text: text if check(text) else known)


_FACETS: Final = frozenset(
    {"type", "minLength", "maxLength", "pattern", "format"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)


def _of_length(low: int, high: int) -> SearchStrategy[str]:
    # One list, not one for each kind: the cost of a draw is the number of its choices.
    known = [text for text in (*PLAIN, *TRICKY, *astral(low, high)) if low <= len(text) <= high]
    options = [st.sampled_from(known)] if known else []
    if low > _TAIL:
        # Drawing thousands of characters one by one is slow and shrinks badly: repeat a short text instead.
        unit = drawn_text(1, 5)
        return st.one_of(*options, unit.map(lambda text: (text * (low // len(text) + 1))[:low]))
    return st.one_of(*options, drawn_text(low, min(high, low + _TAIL)))


def astral(low: int, high: int) -> tuple[str, ...]:
    """`ASTRAL`, made as long as the bounds ask for and cut to what they allow."""
    return tuple(dict.fromkeys(text.ljust(low, text[-1])[:high] for text in ASTRAL))


def drawn_text(low: int, high: int) -> SearchStrategy[str]:
    """Texts of `low` to `high` characters of `ALPHABET`, each encoded by two drawn bytes.

    `st.text` reads the tables of all Unicode at its first draw, which takes up to half a second.
    """
    return st.binary(min_size=2 * low, max_size=2 * high).map(_decoded)


def _decoded(code: bytes) -> str:
    pairs = zip(code[::2], code[1::2], strict=False)
    return "".join(
        _ASCII[low % len(_ASCII)] if high < _SHARE else ALPHABET[(high << 8 | low) % len(ALPHABET)]
        for high, low in pairs
    )
