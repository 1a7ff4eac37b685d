"""The faults that a disturbance injects: exceptions by kind, and wrong values that a service returns."""

from collections.abc import Callable, Mapping
from typing import Final

CANARY: Final = "cnry5e1f00d5ba5eba11"
"""`canaries.DEPENDENCY_MARK`, which cannot be imported here."""

AREAS: Final = ("service", "library", "parser")
_ERRNO_EIO: Final = 5


class UnforeseenError(Exception):
    """An exception of a type unknown to every tool."""


class UnprintableError(Exception):
    """An exception whose text cannot be read."""

    def __str__(self) -> str:
        raise RuntimeError(f"{CANARY}: this cannot be shown")


EXCEPTIONS: Final[Mapping[str, Callable[[], Exception]]] = {
    "unknown": lambda: UnforeseenError(f"cannot log in to db-7.internal as admin with {CANARY}"),
    "key_error": lambda: KeyError(CANARY),
    "os_error": lambda: OSError(_ERRNO_EIO, "Input/output error", f"/srv/{CANARY}/data.db"),
    "timeout": lambda: TimeoutError(f"no answer from {CANARY}.internal"),
    "exception_group": lambda: ExceptionGroup(
        f"{CANARY}: 2 of 2 failed", [UnforeseenError(CANARY), OSError(CANARY)]
    ),
    "unprintable": UnprintableError,
}
LIBRARY_TEXT: Final = f"cannot open /srv/{CANARY}/data.db at {CANARY}.internal"
"""The text of a library's own error for I/O that fails."""
LASTING: Final = "lasting-"
"""How a kind begins whose target fails each time until the call ends; `core.model.notation.LASTING`."""
OUTSIDE: Final = "outside_error"
"""What is injected where the outside fails beneath a package (`outside.py`), whatever kind was asked for."""
INSTEAD: Final = ("gives_none", "gives_wrong_type", "never_answers")
"""Wrong values that a service may return."""


class Unexpected:
    """A value of a type that no tool expects."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a value of another type"
