"""Finds changes that a tool has made to its modes."""

import copy
from collections.abc import Sequence
from typing import Any

from .modes import fields_of, value_of


def snapshot(modes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The fields of each mode, with copies of lists."""
    fields = fields_of(modes[0]) if modes else []
    return [tuple(_copied(value_of(mode, field)) for field in fields) for mode in modes]


def _copied(value: Any) -> Any:
    return (
        tuple(value)
        if isinstance(value, (list, tuple))
        else copy.copy(value)
        if isinstance(value, (dict, set))
        else value
    )


def differences(before: list[tuple[Any, ...]], after: list[tuple[Any, ...]]) -> list[str]:
    """Descriptions of the differences between two snapshots."""
    if len(before) != len(after):
        return [f"{len(before)} modes became {len(after)}"]
    if before != after and sorted(map(repr, before)) == sorted(map(repr, after)):
        return ["the modes stand in another order"]
    pairs = enumerate(zip(before, after, strict=True))
    return [
        f"modes[{place}] was {was!r:.150} and is {now!r:.150}" for place, (was, now) in pairs if was != now
    ]
