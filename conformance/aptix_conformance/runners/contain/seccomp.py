"""Lets a process make the system calls of a list, by a seccomp filter that child processes inherit.

The list has what CPython, Node.js, Mono, .NET, git and the programs of a system use: tools run any program. It is about that
of the default profiles of containers. A call that is known and not on it fails with EPERM: it reaches memory or channels that
nobody counts, changes the machine or another process, or makes a large part of the kernel reachable that no tool needs. A call
that is not known fails with ENOSYS, as on an older kernel, so that C libraries use another one.
"""

import ctypes
import errno
import itertools
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from .kernel import syscall
from .privileges import no_new_privileges
from .system_calls import ALLOWED, NUMBERS

_SET_MODE_FILTER: Final = 1
_SPEC_ALLOW: Final = 4
"""Without this flag, older kernels make all code of the process slower."""
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _MACHINE = 0, 4
_FIRST, _SECOND, _THIRD, _REST_OF_THIRD = 16, 24, 32, 36
"""Offsets in the kernel's `seccomp_data`; of the arguments, the lower half, of the third one also the upper half."""
_X32: Final = 0x40000000
"""Numbers from here on are x32's on x86_64."""
_AUDIT: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The numbers of the machines' audit architectures."""
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
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS, _SCHED_OTHER = 0, 1, 0
_OF_A_PROCESS: Final = ("sched_setaffinity", "sched_setattr", "sched_setparam", "migrate_pages", "move_pages")
"""Names of calls that change the process of their first argument, which is 0 for the caller."""

Step = tuple[int, int, int, int]
"""An instruction: operation, jump if true, jump if false, operand."""


def refuse_system_calls(*, own_network: bool, limits_of_others: bool = False) -> None:
    """Make system calls that are not on the list fail with EPERM or ENOSYS, and sockets of refused families with EACCES.

    With `own_network`, the process has a network namespace, and may make sockets of the families that it separates;
    else only those of AF_UNIX. Priority and scheduling can be changed of the process itself only, and without
    `limits_of_others` limits, too.

    Raises:
        OSError: the kernel refused, or the numbers of this machine are unknown.
    """
    families = _OWN_NETWORK if own_network else _UNIX
    _install(program(_machine(), families, limits_of_others=limits_of_others))


def refuse_limits_of_others() -> None:
    """Let this thread, and what it starts, change the limits of the process itself only.

    Raises:
        OSError: as `refuse_system_calls`.
    """
    name = _machine()
    number = NUMBERS[name]["prlimit64"]
    allow: Step = (_ANSWER, 0, 0, _ALLOW)
    _install([(_LOAD, 0, 0, _NUMBER), *_when(number, _own_limits()), allow])


def _machine() -> str:
    name = os.uname().machine
    if name not in _AUDIT or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"no seccomp filter is known for {name}")
    return name


def _install(steps: list[Step]) -> None:
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    no_new_privileges()
    syscall("seccomp", NUMBERS[_machine()]["seccomp"], _SET_MODE_FILTER, _SPEC_ALLOW, header)


def program(machine: str, families: tuple[int, ...], *, limits_of_others: bool = False) -> list[Step]:
    """The filter for a machine, which allows sockets of some families, and perhaps to change limits of other processes.

    Numbers are compared in their order. The kernel remembers which it allows whatever the arguments are, so these cost nothing.
    """
    numbers = NUMBERS[machine]
    examined = _examined(families)
    if limits_of_others:
        examined["prlimit64"] = [(_ANSWER, 0, 0, _ALLOW)]
    refused = [number for name, number in numbers.items() if name not in ALLOWED and name not in examined]
    return [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_ANSWER, 0, 0, _KILL),  # system calls of another architecture
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _fail(errno.EPERM),
        *(step for name, steps in examined.items() for step in _when(numbers[name], steps)),
        *_answered((numbers[name] for name in ALLOWED if name in numbers), (_ANSWER, 0, 0, _ALLOW)),
        *_answered(refused, _fail(errno.EPERM)),
        _fail(errno.ENOSYS),
    ]


def _examined(families: tuple[int, ...]) -> dict[str, list[Step]]:
    """By name, the steps for the system calls that depend on their arguments."""
    return {
        "clone3": [_fail(errno.ENOSYS)],  # its flags cannot be seen; C libraries then use clone
        "socket": _socket(families),
        "socketpair": _socket(families),
        "clone": _flags(_NEW_NAMESPACES),
        "unshare": _flags(_NEW_NAMESPACES | _TIME_NAMESPACE),
        "ioctl": _ioctl(),
        "prctl": _dumpable(),
        "prlimit64": _own_limits(),
        "setpriority": _if_any({_FIRST: _PRIO_PROCESS, _SECOND: 0}),
        "ioprio_set": _if_any({_FIRST: _IOPRIO_WHO_PROCESS, _SECOND: 0}),
        # The C library sets the policy of a thread by its number; Mono does so for each, to what it is.
        "sched_setscheduler": _if_any({_FIRST: 0}, {_SECOND: _SCHED_OTHER}),
        **{name: _if_any({_FIRST: 0}) for name in _OF_A_PROCESS},
    }


def _own_limits() -> list[Step]:
    """Steps for `prlimit64`, which only reads without a new limit."""
    return _if_any({_FIRST: 0}, {_THIRD: 0, _REST_OF_THIRD: 0})


def _answered(numbers: Iterable[int], answer: Step) -> list[Step]:
    """Steps that give an answer for some numbers."""
    steps: list[Step] = []
    for first, last in _ranges(sorted(numbers)):
        steps += [(_AT_LEAST, 0, 2, first), (_AT_LEAST, 1, 0, last + 1), answer]
    return steps


def _ranges(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each row of numbers without a gap, in ascending order."""
    for _, row in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        members = [number for _, number in row]
        yield members[0], members[-1]


def _when(number: int, steps: list[Step]) -> list[Step]:
    """Steps for one system call, which end with an answer."""
    return [(_EQUAL, 0, len(steps), number), *steps]


def _fail(code: int) -> Step:
    return (_ANSWER, 0, 0, _FAIL | code)


def _socket(families: tuple[int, ...]) -> list[Step]:
    allowed = [step for family in families for step in ((_EQUAL, 0, 1, family), (_ANSWER, 0, 0, _ALLOW))]
    return [(_LOAD, 0, 0, _FIRST), *allowed, _fail(errno.EACCES)]


def _if_any(*conditions: dict[int, int]) -> list[Step]:
    """Steps that allow a call where the arguments at some offsets have some values, as one of the conditions says; else EPERM."""
    steps: list[Step] = []
    for values in conditions:
        for place, (offset, value) in enumerate(values.items()):
            rest = 2 * (len(values) - place) - 1  # what follows of this condition
            steps += [(_LOAD, 0, 0, offset), (_EQUAL, 0, rest, value)]
        steps.append((_ANSWER, 0, 0, _ALLOW))
    return [*steps, _fail(errno.EPERM)]


def _flags(refused: int) -> list[Step]:
    return [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, refused), _fail(errno.EPERM), (_ANSWER, 0, 0, _ALLOW)]


def _ioctl() -> list[Step]:
    single = [step for request in _TERMINAL for step in ((_EQUAL, 0, 1, request), _fail(errno.EPERM))]
    groups = [step for group in _CONSOLE for step in ((_EQUAL, 0, 1, group), _fail(errno.EPERM))]
    masked: Step = (_AND, 0, 0, 0xFFFFFF00)
    return [(_LOAD, 0, 0, _SECOND), *single, masked, *groups, (_ANSWER, 0, 0, _ALLOW)]


def _dumpable() -> list[Step]:
    return [
        (_LOAD, 0, 0, _FIRST),
        (_EQUAL, 0, 3, _SET_DUMPABLE),
        (_LOAD, 0, 0, _SECOND),
        (_EQUAL, 1, 0, 1),
        _fail(errno.EPERM),
        (_ANSWER, 0, 0, _ALLOW),
    ]
