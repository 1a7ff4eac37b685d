"""Landlock: refuses a process to write outside of some directories, TCP, and what reaches processes outside.

It needs no privilege, child processes inherit it, and a process can only restrict itself further. The numbers are from
the headers of the kernel.
"""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from typing import Final

from .kernel import syscall
from .privileges import no_new_privileges
from .root import DEVICES

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls; the same on every architecture
_HANDLED: Final = {1: (1, *range(4, 13)), 2: (13,), 3: (14,), 5: (15,)}
"""Access bits that are refused, by the ABI that added them: writes of all kinds, and ioctl on devices."""
_LIST: Final = 1 << 3
_READS: Final = 1 << 0 | 1 << 2 | _LIST
"""To run a file, to read a file, to list a directory."""
_FILES: Final = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
"""Accesses that can be allowed for a file; the rest is for directories."""
_WRITE_FILE: Final = 1 << 1
_TRUNCATE: Final = 1 << 14
_IOCTL_DEVICE: Final = 1 << 15
_MAKE_BLOCK_DEVICE: Final = 1 << 11
_MOVE: Final = 1 << 13
"""To link and rename files between directories: without a rule that allows it, every further restriction refuses it."""


_SINCE: Final = {
    3: "to truncate files",
    5: "to control devices",
    6: "signals to other processes of the user",
}
"""Accesses that a namespace or an empty root refuses as well, by the ABI that added them."""


def abi_version() -> int:
    """The version of Landlock in the kernel; 0 where it has none."""
    try:
        return syscall("landlock", _CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


def lacks() -> str:
    """The accesses that a newer Landlock refuses and this kernel's does not; empty where it is new enough."""
    abi = abi_version()
    missing = [words for since, words in _SINCE.items() if abi < since]
    return f"Landlock's version is {abi}, so it does not refuse {', '.join(missing)}" if missing else ""


def confine(
    writable: Iterable[str], readable: Iterable[str], listed: Iterable[str] = (), *, tcp: bool = False
) -> None:
    """Allow the calling thread and its children to write only below some directories, to read only there and below others.

    Below `listed` they can also list directories, without reading a file: Python lists a directory to find a module in it.
    TCP is forbidden, without `tcp`. Where the kernel supports it, they also cannot signal a process outside, and cannot control a device with ioctl, such
    as a terminal that is open for reading only. Further calls can only restrict more.

    Raises:
        OSError: the kernel has no Landlock, or refused.
    """
    abi = abi_version()
    if abi < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    writes = sum(1 << bit for since, bits in _HANDLED.items() if since <= abi for bit in bits)
    net = 0b11 if abi >= 4 and not tcp else 0  # noqa: PLR2004 - bind and connect came with ABI 4
    scope = 0b11 if abi >= 6 else 0  # noqa: PLR2004 - abstract sockets and signals came with ABI 6
    attributes = struct.pack("=QQQ", writes | _READS, net, scope)[: 8 if abi < 4 else 16 if abi < 6 else 24]  # noqa: PLR2004
    ruleset = syscall("landlock_create_ruleset", _CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for path in writable:
            _allow(ruleset, path, writes | _READS)
        for path in readable:
            _allow(ruleset, path, _READS)
        for path in listed:
            _allow(ruleset, path, _LIST)
        for device in DEVICES:
            if os.path.exists(device):
                _allow(ruleset, device, writes & (_WRITE_FILE | _TRUNCATE | _IOCTL_DEVICE) | _READS)
        no_new_privileges()
        syscall("landlock_restrict_self", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def nest() -> None:
    """Keep the calling thread and its children from tracing processes outside, and refuse nothing else.

    That includes to read their memory, to take or open their descriptors. Signals stay allowed: a program may ask with
    one whether its parent is still there. Processes outside can trace those inside as before.

    Raises:
        OSError: the kernel has no Landlock, or refused.
    """
    allowed = _MAKE_BLOCK_DEVICE | (_MOVE if abi_version() >= 2 else 0)  # noqa: PLR2004 - moving came with ABI 2
    attributes = struct.pack("=Q", allowed)
    ruleset = syscall("landlock_create_ruleset", _CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        _allow(ruleset, "/", allowed)
        no_new_privileges()
        syscall("landlock_restrict_self", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            access &= _FILES
        rule = struct.pack("=Qi", access, beneath)
        syscall("landlock_add_rule", _ADD, ruleset, 1, rule, 0)
    finally:
        os.close(beneath)
