"""Calls of the kernel that Python does not offer. Standard library only."""

import ctypes
import os
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process. Making this takes as long as hundreds of calls of the kernel."""
    return ctypes.CDLL(None, use_errno=True)


def check(name: str, result: int) -> int:
    """The result of a call of the C library.

    Raises:
        OSError: the call failed; `name` says which.
    """
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def syscall(name: str, number: int, *arguments: object) -> int:
    """Make a system call by its number.

    Raises:
        OSError: the call failed; `name` says which.
    """
    return check(name, libc().syscall(ctypes.c_long(number), *arguments))


def prctl(name: str, number: int, *arguments: object) -> int:
    """Control this process.

    Raises:
        OSError: the kernel refused; `name` says what.
    """
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return check(name, libc().prctl(number, *padded))
