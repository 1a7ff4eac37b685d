"""Restricts a process permanently: a tool under test must not write elsewhere, and must not use the network.

Three mechanisms complement one another. *Landlock* refuses writes outside named directories, TCP, and signals to
processes outside; it needs no privilege, and child processes inherit it. *Namespaces* give the process an unconnected
network and a read-only file system, which also refuses what Landlock ignores (changes of modes, owners and times).
Where namespaces are refused, a *seccomp filter* refuses to create sockets of any family but AF_UNIX.

Namespaces also limit a process: its child processes end with the first of them and see no other processes, its files
are in memory of a given size, and its System V shared memory ends with it.

Runs in the launcher and again in each tool's process, under the tool's interpreter. So it uses only the standard
library and imports nothing from the suite. The numbers are from the headers of the kernel.
"""

import contextlib
import ctypes
import errno
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Final, NoReturn

_LANDLOCK: Final = (444, 445, 446)  # create_ruleset, add_rule, restrict_self; the same on every architecture
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_WRITES: Final = {1: (1, *range(4, 13)), 2: (13,), 3: (14,)}  # access bits by the ABI that added them
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_WRITE_FILE: Final = 1 << 1
_TRUNCATE: Final = 1 << 14
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
_PR_CAPBSET_DROP: Final = 24
_CAPABILITIES: Final = 0x20080522
"""The version of the structures of capset."""
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - the kernel's name for it
_TEMPORARY: Final = ("/tmp", "/var/tmp")  # noqa: S108 - programs write there whatever TMPDIR says
_SMALL: Final = b"size=64m,nr_inodes=16384,mode=1777"
_MOST_BOUND: Final = 1_000
"""Entries of a directory for temporary files beyond which no private one is made: each takes a mount."""
_MOST_FILES: Final = 65_536
"""Limit of files and directories in a scratch directory of limited size: each takes memory in the kernel."""
_SECCOMP: Final = {  # machine: numbers of its audit architecture and of the system calls socket and io_uring_setup
    "x86_64": (0xC000003E, 41, 425),
    "aarch64": (0xC00000B7, 198, 425),
}


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def _syscall(name: str, number: int, *arguments: object) -> int:
    return _call(name, _libc().syscall(ctypes.c_long(number), *arguments))


def no_new_privileges() -> None:
    """Give up privileges by set-user-id programs. The kernel requires this before it restricts a process.

    Raises:
        OSError: the kernel refused.
    """
    _call("PR_SET_NO_NEW_PRIVS", _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def landlock_abi() -> int:
    """The version of Landlock in the kernel; 0 where it has none."""
    try:
        return _syscall("landlock", _LANDLOCK[0], None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


def confine(writable: Iterable[str]) -> None:
    """Allow the calling thread and its children to write only below these directories, and forbid TCP.

    Where the kernel supports it, they also cannot signal a process outside. Further calls can only restrict more.

    Raises:
        OSError: the kernel has no Landlock, or refused.
    """
    abi = landlock_abi()
    if abi < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    writes = sum(1 << bit for since, bits in _WRITES.items() if since <= abi for bit in bits)
    net = 0b11 if abi >= 4 else 0  # noqa: PLR2004 - bind and connect came with ABI 4
    scope = 0b11 if abi >= 6 else 0  # noqa: PLR2004 - abstract sockets and signals came with ABI 6
    attributes = struct.pack("=QQQ", writes, net, scope)[: 8 if abi < 4 else 16 if abi < 6 else 24]  # noqa: PLR2004
    ruleset = _syscall(
        "landlock_create_ruleset", _LANDLOCK[0], attributes, ctypes.c_size_t(len(attributes)), 0
    )
    try:
        for path in writable:
            _allow(ruleset, path, writes)
        for device in _DEVICES:
            if os.path.exists(device):
                _allow(ruleset, device, writes & (_WRITE_FILE | _TRUNCATE))
        no_new_privileges()
        _syscall("landlock_restrict_self", _LANDLOCK[2], ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", access, beneath)
        _syscall("landlock_add_rule", _LANDLOCK[1], ruleset, 1, rule, 0)
    finally:
        os.close(beneath)


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
    _call("unshare", _libc().unshare(namespaces))
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
    `separate` first, and `drop_capabilities` afterwards, since who has them can make mounts writable.

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
        _call(
            f"mount {place}",
            _libc().mount(stage.encode(), place.encode(), None, ctypes.c_ulong(_MS_MOVE), None),
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
        bound = _libc().mount(os.fsencode(old), os.fsencode(new), None, ctypes.c_ulong(_MS_BIND_REC), None)
        _call(f"mount {new}", bound)
    except FileNotFoundError:
        if os.path.lexists(new):
            (os.rmdir if is_directory else os.unlink)(new)


def drop_capabilities() -> None:
    """Give up all capabilities for good, also where the command is run as root.

    Raises:
        OSError: the kernel refused.
    """
    libc = _libc()
    for number in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) < 0:
            break  # the kernel knows no further one
    header = struct.pack("=Ii", _CAPABILITIES, 0)
    _call("capset", libc.capset(header, struct.pack("=6I", *[0] * 6)))


def limit(files: int | None, processes: int | None) -> None:
    """Limit the bytes of one file, and the processes and threads of the user. None leaves a limit unchanged.

    Core dumps are always disabled. The kernel does not count the processes of the real root user.
    """
    bounds = ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, files), (resource.RLIMIT_NPROC, processes))
    for kind, bound in bounds:
        if bound is not None:
            most = resource.getrlimit(kind)[1]
            most = bound if most == resource.RLIM_INFINITY else min(bound, most)
            resource.setrlimit(kind, (most, most))


def _mount(kind: bytes, place: bytes, data: bytes | None, flags: int) -> None:
    real = None if kind == b"none" else kind
    _call(f"mount {os.fsdecode(place)}", _libc().mount(kind, place, real, ctypes.c_ulong(flags), data))


def _set_attributes(place: bytes, flags: int, add: int, remove: int) -> None:
    attributes = struct.pack("=QQQQ", add, remove, 0, 0)
    _syscall(
        "mount_setattr", _MOUNT_SETATTR, _AT_FDCWD, place, flags, attributes, ctypes.c_size_t(len(attributes))
    )


def refuse_sockets() -> None:
    """Make every socket of a family other than AF_UNIX fail with EACCES, by a seccomp filter.

    Raises:
        OSError: the kernel refused, or the numbers of this machine are unknown.
    """
    machine = os.uname().machine
    if machine not in _SECCOMP or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"no seccomp filter is known for {machine}")
    audit, socket, io_uring = _SECCOMP[machine]
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | errno.EACCES, 0x80000000
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    program = [  # (operation, jump if true, jump if false, operand); seccomp_data: 0 number, 4 audit, 16 argument
        (load, 0, 0, 4),
        (equal, 1, 0, audit),
        (answer, 0, 0, kill),  # system calls of another architecture
        (load, 0, 0, 0),
        (at_least, 5, 0, 0x40000000),  # x32's numbers on x86_64
        (equal, 4, 0, io_uring),  # io_uring creates sockets without this system call
        (equal, 0, 2, socket),
        (load, 0, 0, 16),
        (equal, 0, 1, 1),  # AF_UNIX
        (answer, 0, 0, allow),
        (answer, 0, 0, refuse),
    ]
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    no_new_privileges()
    _call("PR_SET_SECCOMP", _libc().prctl(_PR_SET_SECCOMP, 2, header, 0, 0))


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, so that none can escape by daemonising.

    Raises:
        OSError: the kernel refused.
    """
    _call("PR_SET_CHILD_SUBREAPER", _libc().prctl(36, 1, 0, 0, 0))


def die_with_parent() -> None:
    """Make the kernel kill this process when the thread that forked it ends.

    Raises:
        OSError: the kernel refused.
    """
    _call("PR_SET_PDEATHSIG", _libc().prctl(1, 9, 0, 0, 0))
