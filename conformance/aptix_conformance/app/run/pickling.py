"""Messages between a run and its workers, as bytes: pickled, because both sides are the suite's own code.

The traits of a system are written by their name.
"""

import contextlib
import io
import pickle
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import SystemTraits

_DEEPEST: Final = 20_000
"""Calls inside of each other that pickle may make."""


def dump(message: Any) -> memoryview:
    """The bytes of a message."""
    buffer = io.BytesIO()
    with _deep_recursion():
        _Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(message)
    return buffer.getbuffer()


def load(data: bytes, traits: Mapping[str, SystemTraits]) -> Any:
    """The message of some bytes; `traits` are those of each system, by its name."""
    return _Unpickler(io.BytesIO(data), traits).load()


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let pickle follow a schema as deep as `json` can read one, which takes several calls a level."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> str | None:
        return value.name if isinstance(value, SystemTraits) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, traits: Mapping[str, SystemTraits]) -> None:
        super().__init__(stream)
        self._traits = traits

    def persistent_load(self, name: str) -> SystemTraits:
        return self._traits[name]
