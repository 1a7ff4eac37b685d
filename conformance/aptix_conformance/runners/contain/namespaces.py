"""Namespaces: the process gets an unconnected network, a file system of its own, and sees no other processes.

They also limit a process: its child processes end with the first of them, and its files are in memory of a given size.
"""

import contextlib
import ctypes
import errno
import os
import signal
import struct
from collections.abc import Callable
from typing import Final, NoReturn

from .kernel import check, libc, syscall
from .privileges import die_with_parent

_NEW_USER: Final = 0x10000000
_NEW_MOUNTS: Final = 0x00020000
_NEW_PIDS: Final = 0x20000000
_NEW_NETWORK_AND_IPC: Final = 0x40000000 | 0x08000000
_MS_PRIVATE_REC: Final = (1 << 18) | 16384
_MS_NOSUID_NODEV: Final = 2 | 4
_MS_NOEXEC: Final = 8
_MS_BIND_REC: Final = 4096 | 16384
_MS_MOVE: Final = 8192
_MOUNT_SETATTR: Final = 442
_AT_FDCWD: Final = -100
_AT_RECURSIVE: Final = 0x8000
_MOUNT_ATTR_RDONLY: Final = 1
_DESCRIPTORS: Final = 1024
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - the kernel's name for it
_TEMPORARY: Final = ("/tmp", "/var/tmp")  # noqa: S108 - programs write there whatever TMPDIR says
_SMALL: Final = b"size=64m,nr_inodes=16384,mode=1777"
_MOST_BOUND: Final = 1_000
"""Entries of a directory for temporary files beyond which no private one is made: each takes a mount."""
_MOST_FILES: Final = 65_536
"""Limit of files and directories in a scratch directory of limited size: each takes memory in the kernel."""


def separate() -> bool:
    """Move the process into new user, network, IPC and mount namespaces, and into a new PID namespace where possible.

    Returns whether there is a PID namespace. If so, a grandchild continues, as process 2 of the namespace. Process 1
    ends with it, and all others in the namespace with process 1; the caller ends with the same status. A PID namespace
    needs a /proc of its own, so there is none where /proc cannot be mounted.

    Raises:
        OSError: the kernel or its policy does not allow it.
    """
    with_pids = _can_have_pids()
    _unshare(_NEW_USER | _NEW_MOUNTS | _NEW_NETWORK_AND_IPC | (_NEW_PIDS if with_pids else 0))
    _mount(b"none", b"/", None, _MS_PRIVATE_REC)
    if with_pids:
        _continue_as_grandchild()
        mount_proc()
    return with_pids


def _unshare(namespaces: int) -> None:
    uid, gid = os.getuid(), os.getgid()
    check("unshare", libc().unshare(namespaces))
    for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as stream:
            stream.write(text)


def _can_have_pids() -> bool:
    """Whether a PID namespace and its /proc are possible. A child tries, because it cannot be undone."""

    def attempt() -> None:
        _unshare(_NEW_USER | _NEW_MOUNTS | _NEW_PIDS)
        _mount(b"none", b"/", None, _MS_PRIVATE_REC)
        if not _succeeds(mount_proc):
            raise OSError(errno.EPERM, "no /proc")

    return _succeeds(attempt)


def _succeeds(action: Callable[[], None]) -> bool:
    """Whether `action` works in a child process."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _continue_as_grandchild() -> None:
    """Fork the first process of the new PID namespace, which only waits, and from it the process that continues.

    The first process cannot continue itself: signals from its own namespace do not end it, which a tool could notice.
    """
    reader, writer = os.pipe()
    first = os.fork()
    if first:
        os.dup2(reader, 0)
        os.closerange(1, _DESCRIPTORS)  # the reader must see the end of the child, not of this process
        code = os.read(0, 16)
        os.waitpid(first, 0)
        _end_as(int(code or -signal.SIGKILL))
    die_with_parent()
    second = os.fork()
    if second == 0:
        os.close(reader)
        os.close(writer)
        return
    os.dup2(writer, 0)
    os.closerange(1, _DESCRIPTORS)
    while True:
        pid, status = os.wait()
        if pid == second:
            os.write(0, str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)


def _end_as(code: int) -> NoReturn:
    if code < 0:
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler to reset
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def mount_proc() -> None:
    """Mount a /proc that shows the processes of this PID namespace only.

    Raises:
        OSError: the kernel refused.
    """
    _mount(b"proc", b"/proc", None, _MS_NOSUID_NODEV | _MS_NOEXEC)


def isolate(scratch: str, size: int) -> list[str]:
    """Make the file system read-only, except `scratch`, which becomes an empty file system of `size` bytes in memory.

    /dev/shm, /tmp and /var/tmp become private file systems of 64 MiB each, so that multiprocessing and programs with fixed
    paths work. What was in /tmp and /var/tmp is still there, and read-only. The one that `scratch` is below stays as it
    is: Landlock would allow all of it, other tools' directories too. Returns those of the three that are private. Call
    `separate` first, and `privileges.drop_capabilities` afterwards, since who has them can make mounts writable.

    Raises:
        OSError: the kernel or its policy does not allow it; some of the steps may be done.
    """
    _set_attributes(b"/", _AT_RECURSIVE, _MOUNT_ATTR_RDONLY, 0)
    private = []
    where = os.path.realpath(scratch)
    if os.path.isdir(_SHARED_MEMORY) and not where.startswith(f"{_SHARED_MEMORY}/"):
        others = (place for place in _TEMPORARY if not where.startswith(f"{place}/"))
        private = [place for place in others if _is_made_private(place)]
        _mount(b"tmpfs", _SHARED_MEMORY.encode(), _SMALL, _MS_NOSUID_NODEV)
        private.append(_SHARED_MEMORY)
    options = f"size={size},nr_inodes={_MOST_FILES},mode=700".encode()
    _mount(b"tmpfs", os.fsencode(scratch), options, _MS_NOSUID_NODEV)
    # The working directory still refers to the old scratch directory, which is no longer writable.
    os.chdir(scratch)
    return private


def _is_made_private(place: str) -> bool:
    """Put a file system over a directory for temporary files, with the old entries in it. Returns whether that worked.

    It is put together at /dev/shm and moved, since a mount hides what it lies on.
    """
    stage = _SHARED_MEMORY
    try:
        names = [] if os.path.islink(place) else os.listdir(place)
        if os.path.islink(place) or len(names) > _MOST_BOUND:
            return False
        _mount(b"tmpfs", stage.encode(), _SMALL, _MS_NOSUID_NODEV)
        for name in names:
            _show(os.path.join(place, name), os.path.join(stage, name))
        check(
            f"mount {place}",
            libc().mount(stage.encode(), place.encode(), None, ctypes.c_ulong(_MS_MOVE), None),
        )
    except OSError:
        return False
    return True


def _show(old: str, new: str) -> None:
    """Make an entry of the file system appear at another path. One that is gone by now is left out."""
    try:
        if os.path.islink(old):
            os.symlink(os.readlink(old), new)
            return
        is_directory = os.path.isdir(old)
        if is_directory:
            os.mkdir(new)
        else:
            os.close(os.open(new, os.O_CREAT | os.O_EXCL))
        bound = libc().mount(os.fsencode(old), os.fsencode(new), None, ctypes.c_ulong(_MS_BIND_REC), None)
        check(f"mount {new}", bound)
    except FileNotFoundError:
        if os.path.lexists(new):
            (os.rmdir if is_directory else os.unlink)(new)


def _mount(kind: bytes, place: bytes, data: bytes | None, flags: int) -> None:
    real = None if kind == b"none" else kind
    check(f"mount {os.fsdecode(place)}", libc().mount(kind, place, real, ctypes.c_ulong(flags), data))


def _set_attributes(place: bytes, flags: int, add: int, remove: int) -> None:
    attributes = struct.pack("=QQQQ", add, remove, 0, 0)
    syscall(
        "mount_setattr", _MOUNT_SETATTR, _AT_FDCWD, place, flags, attributes, ctypes.c_size_t(len(attributes))
    )
