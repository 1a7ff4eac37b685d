"""Namespaces: the process gets an unconnected network, a file system of its own, and sees no other processes.

They also limit a process: its child processes end with the first of them.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from functools import cache
from typing import Final, NoReturn

from .arguments import hide_arguments
from .kernel import check, libc
from .privileges import adopt_orphans, die_with_parent

_NEW_USER: Final = 0x10000000
_NEW_HOST_NAME: Final = 0x04000000
_NEW_MOUNTS: Final = 0x00020000
_NEW_PIDS: Final = 0x20000000
_NEW_NETWORK_AND_IPC: Final = 0x40000000 | 0x08000000
_MS_PRIVATE_REC: Final = (1 << 18) | 16384
_MS_NOSUID_NODEV: Final = 2 | 4
_MS_NOEXEC: Final = 8
_DESCRIPTORS: Final = 1024
_LOOK: Final = 2_000
"""Milliseconds from one look at whether the suite still runs to the next."""
_SET_FLAGS: Final = 0x8914
"""SIOCSIFFLAGS: the flags of a network interface."""
_UP: Final = 1
_OTHER_HOST: Final = "localhost"
_LOWEST_PID: Final = 300
_PIDS: Final = 20_000
"""The first process of a tool gets one of so many PIDs; the smallest usual limit is 32,768."""


def separate(*, suite: int | None, loopback: bool = False) -> bool:
    """Move the process into new user, network, IPC and mount namespaces, and into a new PID namespace where possible.

    `suite` is the PID of the parent, whose end ends the PID namespace; None where its end changes nothing. With `loopback`, the
    loopback interface of the new network is up; nobody else reaches it.

    Returns whether there is a PID namespace. If so, a grandchild continues, with a PID drawn at random. Process 1
    ends with it, and all others in the namespace with process 1; the caller ends with the same status. A PID namespace
    needs a /proc of its own, so there is none where /proc cannot be mounted.

    Raises:
        OSError: the kernel or its policy does not allow it.
    """
    with_pids = can_have_pids()
    _unshare(_NEW_USER | _NEW_MOUNTS | _NEW_NETWORK_AND_IPC | (_NEW_PIDS if with_pids else 0))
    _mount(b"none", b"/", None, _MS_PRIVATE_REC)
    if loopback:
        _raise_loopback()
    if with_pids:
        _continue_as_grandchild(suite)
        mount_proc()
    return with_pids


def _unshare(namespaces: int) -> None:
    uid, gid = os.getuid(), os.getgid()
    check("unshare", libc().unshare(namespaces))
    for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as stream:
            stream.write(text)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))


def rename_host() -> bool:
    """Give the machine another host name, for this process and its children. Returns whether that is possible.

    The name is one that every machine resolves: a tool may look up its own.
    """
    if socket.gethostname() == _OTHER_HOST:
        return False
    try:
        check("unshare", libc().unshare(_NEW_HOST_NAME))
        socket.sethostname(_OTHER_HOST)
    except OSError:
        return False
    return True


@cache
def can_have_pids() -> bool:
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


def _continue_as_grandchild(suite: int | None) -> None:
    """Fork the first process of the new PID namespace, which only waits, and from it the process that continues.

    The first process cannot continue itself: signals from its own namespace do not end it, which a tool could notice.
    """
    reader, writer = os.pipe()
    end = _end_descriptor(suite)
    first = os.fork()
    if first:
        os.dup2(reader, 0)
        if end is not None:
            os.dup2(end, 1)
        # The reader must see the end of the child, not of this process.
        os.closerange(1 if end is None else 2, _DESCRIPTORS)
        if suite is not None:
            _wait_for_an_end(first, suite, None if end is None else 1)
        code = os.read(0, 16)
        os.waitpid(first, 0)
        _end_as(int(code or -signal.SIGKILL))
    die_with_parent()
    if end is not None:
        os.close(end)
    _draw_next_pid()
    second = os.fork()
    if second == 0:
        os.close(reader)
        os.close(writer)
        return
    os.dup2(writer, 0)
    os.closerange(1, _DESCRIPTORS)
    hide_arguments()
    while True:
        pid, status = os.wait()
        if pid == second:
            os.write(0, str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)


def _draw_next_pid() -> None:
    """Let the next process have another PID in each namespace, as outside of one: a tool may show its PID."""
    drawn = _LOWEST_PID + int.from_bytes(os.urandom(4), "big") % _PIDS
    with contextlib.suppress(OSError), open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as file:
        file.write(str(drawn))


def has_drawn_pid() -> bool:
    """Whether the PID of this process, in a PID namespace of its own, was drawn."""
    return os.getpid() > _LOWEST_PID


def _wait_for_an_end(first: int, suite: int, end: int | None) -> None:
    """Wait until descriptor 0 is written to or closed. Where the suite ends before, end the first process, and with it all others."""
    events = _events_of(0, end)
    while not any(fd == 0 for fd, _ in events.poll(_LOOK)):
        if os.getppid() != suite:
            os.kill(first, signal.SIGKILL)
            return


def continue_as_child(suite: int | None) -> None:
    """Fork the process that continues, where there is no PID namespace. This one waits until it ends, and ends with its status.

    The processes that it started are then ended too, stopped ones as well; so are all where the suite ends, or sends SIGTERM.
    """
    with contextlib.suppress(OSError):
        adopt_orphans()
    waiting, end = os.getpid(), _end_descriptor(suite)
    child = os.fork()
    if child:
        _watch(child, suite, end)
    die_with_parent()
    if os.getppid() != waiting:
        os._exit(1)
    if end is not None:
        os.close(end)


def _watch(child: int, suite: int | None, end: int | None) -> NoReturn:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    hide_arguments()
    open_descriptors = sorted((reader, writer, *([] if end is None else [end])))
    for below, above in zip((-1, *open_descriptors), (*open_descriptors, _DESCRIPTORS), strict=True):
        os.closerange(below + 1, above)
    events = _events_of(reader, end)
    code, signals = _reap(child), b""
    while code is None and signal.SIGTERM not in signals and suite in (None, os.getppid()):
        signals = os.read(reader, 64) if any(fd == reader for fd, _ in events.poll(_LOOK)) else b""
        code = _reap(child)
    while children := _children():
        for pid in children:
            os.kill(pid, signal.SIGKILL)  # it may have ended, but nobody else waits for it
        pid, status = os.wait()
        code = os.waitstatus_to_exitcode(status) if pid == child else code
    _end_as(-signal.SIGKILL if code is None else code)


def _reap(child: int) -> int | None:
    """Wait for processes that have ended, adopted ones too. Returns the exit status of the child, if it is among them."""
    code = None
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            code = os.waitstatus_to_exitcode(ended[1]) if ended[0] == child else code
    except ChildProcessError:  # the last one; a process that ignores how its children end is not told of them
        return -signal.SIGKILL if code is None else code
    return code


def _children() -> list[int]:
    """The children of this process, with those that have ended."""
    pids = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:
            if int(stream.read().rpartition(b")")[2].split()[1]) == os.getpid():
                pids.append(int(name))
    return pids


def _end_descriptor(suite: int | None) -> int | None:
    """A descriptor that becomes readable when the suite ends; None where there is none, and `getppid` alone tells.

    A signal at the parent's end would not do: the kernel sends it at the end of the thread that started this process.
    """
    with contextlib.suppress(OSError, AttributeError):
        return None if suite is None else os.pidfd_open(suite)
    return None


def _events_of(*descriptors: int | None) -> select.poll:
    events = select.poll()
    for descriptor in descriptors:
        if descriptor is not None:
            events.register(descriptor, select.POLLIN)
    return events


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


def _mount(kind: bytes, place: bytes, data: bytes | None, flags: int) -> None:
    real = None if kind == b"none" else kind
    check(f"mount {os.fsdecode(place)}", libc().mount(kind, place, real, ctypes.c_ulong(flags), data))
