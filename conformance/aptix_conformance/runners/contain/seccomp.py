"""Refuses system calls that reach beyond the containment, by a seccomp filter that child processes inherit.

Most calls stay allowed: tools run any program. Refused is what reaches memory or channels that nobody counts, changes
the machine, or makes a large part of the kernel reachable that no tool needs. The numbers are from the headers of the
kernel; those above 424 are the same on every architecture.
"""

import ctypes
import errno
import os
import struct
import sys
from typing import Final, NamedTuple

from .kernel import syscall
from .privileges import no_new_privileges

_SET_MODE_FILTER: Final = 1
_SPEC_ALLOW: Final = 4
"""Without this flag, older kernels make all code of the process slower."""
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _MACHINE = 0, 4
_FIRST, _SECOND = 16, 24
"""Offsets in the kernel's `seccomp_data`; of the arguments, the lower half."""
_X32: Final = 0x40000000
"""Numbers from here on are x32's on x86_64."""

_NAMES: Final = (
    *("socket", "clone", "unshare", "ioctl", "prctl", "seccomp"),
    *("add_key", "request_key", "keyctl"),  # secrets of the user, and a channel between tools
    *("shmget", "shmat", "shmctl"),  # System V: memory that belongs to no process
    *("semget", "semop", "semctl", "semtimedop"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open"),
    *("mount", "umount2", "pivot_root", "setns"),
    *("bpf", "perf_event_open", "userfaultfd", "fanotify_init", "open_by_handle_at"),
    *("syslog", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
)
_EXAMINED: Final = ("socket", "clone", "unshare", "ioctl", "prctl", "seccomp")
"""Names that are refused for some arguments only, or not at all."""
_EVERYWHERE: Final = (
    *(425, 426, 427),  # io_uring makes sockets and files without the system calls that this filter sees
    *(428, 429, 430, 431, 432, 433, 442, 467),  # mounts
    447,  # memfd_secret
)
_CLONE3: Final = 435


class _Machine(NamedTuple):
    """The number of a machine's audit architecture, and the numbers of its system calls in the order of `_NAMES`."""

    audit: int
    numbers: tuple[int, ...]


_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E,
        (
            *(41, 56, 272, 16, 157, 317),
            *(248, 249, 250),
            *(29, 30, 31),
            *(64, 65, 66, 220),
            *(68, 69, 70, 71, 240),
            *(165, 166, 155, 308),
            *(321, 298, 323, 300, 304),
            *(103, 175, 313, 176, 246, 320),
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        (
            *(198, 220, 97, 29, 167, 277),
            *(217, 218, 219),
            *(194, 196, 195),
            *(190, 193, 191, 192),
            *(186, 189, 188, 187, 180),
            *(40, 39, 41, 268),
            *(280, 241, 282, 262, 265),
            *(116, 105, 273, 106, 104, 294),
        ),
    ),
}
_UNIX: Final = (1,)
_OWN_NETWORK: Final = (1, 2, 10, 16)  # UNIX, IPv4, IPv6, netlink: what a network namespace separates
_NEW_NAMESPACES: Final = 0x7E020000
_TIME_NAMESPACE: Final = 0x80
_TERMINAL: Final = (
    *(0x5402, 0x5403, 0x5404, 0x5406, 0x5407, 0x5408),  # TCSETS to TCSETAF: settings
    *(0x402C542B, 0x402C542C, 0x402C542D),  # TCSETS2 to TCSETSF2
    *(0x540A, 0x540B, 0x540C, 0x540E, 0x5410),  # TCXONC, TCFLSH, TIOCEXCL, TIOCSCTTY, TIOCSPGRP
    *(0x5412, 0x5414),  # TIOCSTI, which types; TIOCSWINSZ
    *(0x541C, 0x541D, 0x5423, 0x5437),  # TIOCLINUX, TIOCCONS, TIOCSETD, TIOCVHANGUP
)
_SET_DUMPABLE: Final = 4
"""The request of prctl that can hide a process's descriptors from other processes of its user, and so its memory in files."""
_CONSOLE: Final = (0x4B00, 0x5600)
"""Keyboard and screen of the console: all requests with these upper bytes."""

_Step = tuple[int, int, int, int]
"""An instruction: operation, jump if true, jump if false, operand."""


def refuse_system_calls(*, own_network: bool) -> None:
    """Make system calls that a tool does not need fail with EPERM, and sockets of refused families with EACCES.

    With `own_network`, the process has a network namespace, and may make sockets of the families that it separates;
    else only those of AF_UNIX.

    Raises:
        OSError: the kernel refused, or the numbers of this machine are unknown.
    """
    name = os.uname().machine
    if name not in _MACHINES or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"no seccomp filter is known for {name}")
    machine = _MACHINES[name]
    numbers = dict(zip(_NAMES, machine.numbers, strict=True))
    steps = _program(machine.audit, numbers, _OWN_NETWORK if own_network else _UNIX)
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    no_new_privileges()
    syscall("seccomp", numbers["seccomp"], _SET_MODE_FILTER, _SPEC_ALLOW, header)


def _program(audit: int, numbers: dict[str, int], families: tuple[int, ...]) -> list[_Step]:
    refused = [number for name, number in numbers.items() if name not in _EXAMINED]
    return [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, audit),
        (_ANSWER, 0, 0, _KILL),  # system calls of another architecture
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _fail(errno.EPERM),
        *(step for number in (*refused, *_EVERYWHERE) for step in _when(number, [_fail(errno.EPERM)])),
        *_when(_CLONE3, [_fail(errno.ENOSYS)]),  # its flags cannot be seen; C libraries then use clone
        *_when(numbers["socket"], _socket(families)),
        *_when(numbers["clone"], _flags(_NEW_NAMESPACES)),
        *_when(numbers["unshare"], _flags(_NEW_NAMESPACES | _TIME_NAMESPACE)),
        *_when(numbers["ioctl"], _ioctl()),
        *_when(numbers["prctl"], _dumpable()),
        (_ANSWER, 0, 0, _ALLOW),
    ]


def _when(number: int, steps: list[_Step]) -> list[_Step]:
    """Steps for one system call, which end with an answer."""
    return [(_EQUAL, 0, len(steps), number), *steps]


def _fail(code: int) -> _Step:
    return (_ANSWER, 0, 0, _FAIL | code)


def _socket(families: tuple[int, ...]) -> list[_Step]:
    allowed = [step for family in families for step in ((_EQUAL, 0, 1, family), (_ANSWER, 0, 0, _ALLOW))]
    return [(_LOAD, 0, 0, _FIRST), *allowed, _fail(errno.EACCES)]


def _flags(refused: int) -> list[_Step]:
    return [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, refused), _fail(errno.EPERM), (_ANSWER, 0, 0, _ALLOW)]


def _ioctl() -> list[_Step]:
    single = [step for request in _TERMINAL for step in ((_EQUAL, 0, 1, request), _fail(errno.EPERM))]
    groups = [step for group in _CONSOLE for step in ((_EQUAL, 0, 1, group), _fail(errno.EPERM))]
    masked: _Step = (_AND, 0, 0, 0xFFFFFF00)
    return [(_LOAD, 0, 0, _SECOND), *single, masked, *groups, (_ANSWER, 0, 0, _ALLOW)]


def _dumpable() -> list[_Step]:
    return [
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 0, 3, _SET_DUMPABLE),
        (_LOAD, 0, 0, _SECOND),
        (_EQUAL, 1, 0, 1),
        _fail(errno.EPERM),
        (_ANSWER, 0, 0, _ALLOW),
    ]
