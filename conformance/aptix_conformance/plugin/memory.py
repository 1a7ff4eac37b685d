"""Memory that one tool's exploration took, given back before the next: megabytes each, and there may be a thousand."""

import ctypes
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Have the C library return what is free, where it can: by itself it keeps what lies between the things in use."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim  # glibc's
    except (OSError, AttributeError, TypeError):
        return lambda _: None
    return found
