"""Which hash seed makes Python order small sets of texts differently from the order that a schema shows.

A set of two names has the same order under every second seed, so a list that a schema makes from a set may look the same in
several processes. CPython places a text in a set by its hash, which is SipHash-1-3 with a key that PYTHONHASHSEED gives.
A set of up to four texts has eight places. Where the hashes of two texts fall into different places, their order is known
without a process. Neighbours in a list that comes from a set, in whole or in part, are in the set, so each pair of neighbours
must change its order. A set of more texts has so many orders that no two seeds give the same one.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

USUAL: Final = ("20251", "4294967295")
"""The seeds that are taken where they serve: the tools of one package share an interpreter for each."""
CANDIDATES: Final = tuple(map(str, range(2, 18)))
"""Further seeds, tried in this order."""

_MOST_TEXTS: Final = 6
_PLACES: Final = 8
_MOST_PAIRS: Final = 300
_ENUMERATION: Final = re.compile(r"(?<![\w-])[\w-]++(?:, [\w-]++)++")
"""Words as ", ".join(…) writes them; looked for from the beginning of a word only, or a long word takes the square of its length."""
_KEY: Final = 16
"""Bytes of the key of SipHash."""
Pair = tuple[str, str]
_WORD: Final = 0xFFFFFFFFFFFFFFFF


def small_sets(schema: str | None) -> list[Pair]:
    """The pairs of neighbours that a small set may have ordered in a schema: in arrays, names of properties and descriptions."""
    try:
        lists = list(_lists(json.loads(schema or "null")))
    except (ValueError, RecursionError):
        return []
    small = (row for row in lists if len(row) <= _MOST_TEXTS and len(set(row)) == len(row))
    return list(dict.fromkeys(pair for row in small for pair in pairwise(row)))[:_MOST_PAIRS]


def seeds_for(pairs: Sequence[Pair], used: str) -> tuple[str, ...]:
    """Two seeds or more such that each pair has another order under one of them, or under `used`.

    A pair that no candidate reorders is left out.
    """
    open_ = _unchanged(pairs, (used,))
    first, second = USUAL
    for two in (USUAL, *((first, other) for other in CANDIDATES)):
        if not _unchanged(open_, two):
            return two
    chosen: list[str] = []
    while open_ := _unchanged(open_, chosen[-1:]):
        best = min((*USUAL, *CANDIDATES), key=lambda seed: len(_unchanged(open_, (seed,))))
        if len(_unchanged(open_, (best,))) == len(open_):
            break
        chosen.append(best)
    return (*chosen, first, second)[: max(len(chosen), 2)]


def seed_for(payload: str, used: str) -> str | None:
    """A seed that changes the order of texts in a payload, if sets have ordered them; None if none stand in a row.

    Where no single seed changes the order of all small sets, the one that changes most.
    """
    if not shows_rows(payload):
        return None
    open_ = _unchanged(small_sets(payload), (used,))
    return min((*USUAL, *CANDIDATES), key=lambda seed: len(_unchanged(open_, (seed,))))


def shows_rows(payload: str) -> bool:
    """Whether different texts stand in a row in a payload."""
    try:
        return any(len(set(row)) > 1 for row in _lists(json.loads(payload)))
    except (ValueError, RecursionError):
        return False


def _unchanged(pairs: Sequence[Pair], seeds: Sequence[str]) -> list[Pair]:
    """The pairs that keep their order, as far as is known, under each of some seeds."""
    return [pair for pair in pairs if not any(order_under(pair, seed) not in (None, pair) for seed in seeds)]


def order_under(pair: Pair, seed: str) -> Pair | None:
    """How a small set orders two texts under a seed; None where that depends on how it was filled."""
    one, other = pair
    places = hash_of(one, seed) % _PLACES, hash_of(other, seed) % _PLACES
    if places[0] == places[1]:
        return None
    return pair if places[0] < places[1] else (other, one)


@lru_cache(maxsize=4096)
def hash_of(text: str, seed: str) -> int:
    """The hash of a text, without a sign, in CPython 3.11 or later with PYTHONHASHSEED=seed."""
    if not text:
        return 0
    widest = max(map(ord, text))
    width, bits = (1, 8) if widest < 1 << 8 else (2, 16) if widest < 1 << 16 else (4, 32)
    encoded = b"".join((ord(character) & ((1 << bits) - 1)).to_bytes(width, "little") for character in text)
    digest = _siphash13(_key(int(seed)), encoded)
    return digest if digest != _WORD else digest - 1


def _lists(value: Any) -> Iterator[tuple[str, ...]]:
    if isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield tuple(value)
        for item in value:
            yield from _lists(item)
    elif isinstance(value, Mapping):
        if isinstance(value.get("properties"), Mapping):
            yield tuple(value["properties"])
        for item in value.values():
            yield from _lists(item)
    elif isinstance(value, str):
        for enumeration in _ENUMERATION.findall(value[:10_000]):
            yield tuple(enumeration.split(", "))


def _key(seed: int) -> tuple[int, int]:
    """The two halves of the key: CPython draws it with a linear congruential generator, and takes zeros for 0."""
    key = bytearray()
    state = seed
    for _ in range(_KEY):
        state = (state * 214013 + 2531011) & 0xFFFFFFFF
        key.append((state >> 16) & 0xFF if seed else 0)
    return int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")


def _siphash13(key: tuple[int, int], text: bytes) -> int:
    state = [
        key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D, key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573,
    ]  # fmt: skip
    whole = len(text) - len(text) % 8
    words = [int.from_bytes(text[place : place + 8], "little") for place in range(0, whole, 8)]
    words.append(int.from_bytes(text[whole:], "little") | (len(text) & 0xFF) << 56)
    for word in words:
        state[3] ^= word
        _round(state)
        state[0] ^= word
    state[2] ^= 0xFF
    for _ in range(3):
        _round(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _round(state: list[int]) -> None:
    a, b, c, d = state
    a = (a + b) & _WORD
    c = (c + d) & _WORD
    b = _rotated(b, 13) ^ a
    d = _rotated(d, 16) ^ c
    a = _rotated(a, 32)
    c = (c + b) & _WORD
    a = (a + d) & _WORD
    b = _rotated(b, 17) ^ c
    d = _rotated(d, 21) ^ a
    state[:] = a, b, _rotated(c, 32), d


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 64 - bits) & _WORD
