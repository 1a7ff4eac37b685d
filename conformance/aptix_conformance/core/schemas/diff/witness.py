"""The proof of a breaking change: a call that the old schema allows and the new one refuses.

The caller passes the search for a witness (`generate.witness`). This module judges a witness and shrinks it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Protocol

import jsonschema_rs

from aptix_conformance.core.model.codec import Json
from aptix_conformance.core.schemas.diff.normal_form import Node
from aptix_conformance.core.schemas.nodes import type_of
from aptix_conformance.core.schemas.validity import is_valid

Proves = Callable[[Any], bool]

MAX_TRIES: Final = 2_000
"""Attempts to shrink one witness."""


class Search(Protocol):
    """Looks for a witness."""

    def __call__(
        self, old: Node, new: Node, lost: Mapping[str, Any] | None, proves: Proves, *, thorough: bool
    ) -> Any:
        """A value for which `proves` is true; None where none was found.

        Args:
            old: what the old schema promises, in normal form.
            new: what the new schema promises, in normal form.
            lost: a schema for the difference, where the algebra has one.
            proves: the judge.
            thorough: whether to draw at random when values at the edges are no witness.
        """


class WitnessJudge:
    """Judges calls: the old schema allows them, by its letter and by its promise, and the new promise does not.

    Raises:
        ValueError: one of the three is no schema that the validator takes.
    """

    def __init__(self, old_schema: Json, old: Node, new: Node) -> None:
        self._letter, self._old, self._new = map(_validator, (old_schema, old, new))

    def proves(self, value: Any) -> bool:
        """Whether a call is a witness."""
        return (
            isinstance(value, dict)
            and not is_valid(self._new, value)
            and is_valid(self._old, value)
            and is_valid(self._letter, value)
        )


def _validator(schema: Any) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True, offline=True)


def smallest(value: Any, proves: Proves) -> Any:
    """A witness from which nothing more can be taken away, as far as `MAX_TRIES` go."""
    tries = 0
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for candidate in _smaller(value):
            tries += 1
            if tries > MAX_TRIES:
                return value
            if isinstance(candidate, dict) and proves(candidate):
                value, is_smaller = candidate, True
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:  # noqa: C901 - a branch for each type of JSON
    """Values that are smaller than a value, largest steps first; nested values count as smaller."""
    if isinstance(value, dict):
        yield from value.values()
        for name in value:
            yield {key: inner for key, inner in value.items() if key != name}
        for name, inner in value.items():
            yield from ({**value, name: candidate} for candidate in _smaller(inner))
    elif isinstance(value, list):
        yield from (value[: len(value) - less] for less in _halves(len(value)))
        yield from value
        shrunk = [next(_smaller(inner), inner) for inner in value]
        if shrunk != value:
            yield shrunk
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index, inner in enumerate(value):
            yield from ([*value[:index], candidate, *value[index + 1 :]] for candidate in _smaller(inner))
    elif isinstance(value, str) and value:
        yield from (value[: len(value) - less] for less in _halves(len(value)))
        plain = "a" * len(value)
        if value != plain and not value.isascii():
            yield plain
    elif type_of(value) in ("integer", "number"):
        yield from _nearer_to_zero(value)


def _nearer_to_zero(value: Any) -> Iterator[Any]:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        yield int(value)
    whole = int(value)
    root = math.isqrt(abs(whole))
    sign = 1 if whole > 0 else -1
    candidates: list[float] = [
        0,
        1,
        -1,
        sign * root,
        *(whole - sign * less for less in _halves(abs(whole))),
        whole,
    ]
    if isinstance(value, float):
        candidates.append(0.5)
    yield from (candidate for candidate in candidates if _size(candidate) < _size(value))


def _halves(number: int) -> Iterator[int]:
    """Amounts to subtract from a number: all of it, half, a quarter, and so on down to 1."""
    return (number >> step for step in range(number.bit_length()))


def _size(number: Any) -> tuple[bool, Any, bool]:
    """Whole numbers before others, the smaller before the greater, the positive first."""
    return (type_of(number) == "number", abs(number), number < 0)
