"""The privileges of a process: capabilities, keys, limits, and the processes that it ends with."""

import contextlib
import errno
import os
import resource
import struct
from typing import Final

from .kernel import check, libc, prctl, syscall

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_GET_NO_NEW_PRIVS: Final = 39
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_PDEATHSIG: Final = 1
_PR_CAPBSET_DROP: Final = 24
_PR_CAP_AMBIENT: Final = 47
_CLEAR_ALL: Final = 4
_CAPABILITIES: Final = 0x20080522
"""The version of the structures of capset."""
_MOST_CAPABILITIES: Final = 64
_KEYCTL: Final = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING: Final = 1
_MOST_DESCRIPTORS: Final = 4096


def no_new_privileges() -> None:
    """Give up privileges by set-user-id programs. The kernel requires this before it restricts a process.

    Raises:
        OSError: the kernel refused.
    """
    prctl("PR_SET_NO_NEW_PRIVS", _PR_SET_NO_NEW_PRIVS, 1)


def has_no_new_privileges() -> bool:
    """Whether this process has given up privileges by set-user-id programs, as every contained one has."""
    return prctl("PR_GET_NO_NEW_PRIVS", _PR_GET_NO_NEW_PRIVS) == 1


def drop_capabilities() -> None:
    """Give up all capabilities for good, also where the command is run as root.

    The bounding set stays where the process has no capabilities: then `no_new_privileges` keeps it from getting any.

    Raises:
        OSError: the kernel refused.
    """
    no_new_privileges()
    with contextlib.suppress(OSError):  # a kernel without ambient capabilities
        prctl("PR_CAP_AMBIENT", _PR_CAP_AMBIENT, _CLEAR_ALL)
    for number in range(_MOST_CAPABILITIES):
        try:
            prctl("PR_CAPBSET_DROP", _PR_CAPBSET_DROP, number)
        except OSError:
            break  # the kernel knows no further one, or the process has none
    header = struct.pack("=Ii", _CAPABILITIES, 0)
    check("capset", libc().capset(header, struct.pack("=6I", *[0] * 6)))


def leave_session_keyring() -> None:
    """Get an empty session keyring, in place of the user's. Does nothing where the kernel keeps no keys.

    Raises:
        OSError: the kernel refused.
    """
    number = _KEYCTL.get(os.uname().machine)
    if number is None:
        raise OSError(errno.ENOSYS, "the numbers of this machine's system calls are unknown")
    try:
        syscall("keyctl", number, _JOIN_SESSION_KEYRING, None)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise


def limit(files: int | None, processes: int | None) -> None:
    """Limit the bytes of one file, and the processes and threads of the user. None leaves a limit unchanged.

    Core dumps are always disabled, and each process may have 4,096 descriptors at once: each may hold memory that
    belongs to no process. The kernel does not count the processes of the real root user.
    """
    bounds = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _MOST_DESCRIPTORS),
        (resource.RLIMIT_FSIZE, files),
        (resource.RLIMIT_NPROC, processes),
    )
    for kind, bound in bounds:
        if bound is not None:
            soft, hard = (_at_most(bound, was) for was in resource.getrlimit(kind))
            # The soft limit of descriptors stays: some programs close every number below it.
            resource.setrlimit(kind, (soft if kind == resource.RLIMIT_NOFILE else hard, hard))


def _at_most(bound: int, was: int) -> int:
    return bound if was == resource.RLIM_INFINITY else min(bound, was)


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, so that none can escape by daemonising.

    Raises:
        OSError: the kernel refused.
    """
    prctl("PR_SET_CHILD_SUBREAPER", _PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Make the kernel kill this process when the thread that forked it ends.

    Raises:
        OSError: the kernel refused.
    """
    prctl("PR_SET_PDEATHSIG", _PR_SET_PDEATHSIG, 9)
