"""An almost empty root: a process sees the programs of the machine, what its caller names, and nothing else.

It is put together in memory from mounts of the old one, read-only, before the process changes to it for good. The
directories of users, the keys and the sockets of the old root are not there.
"""

import contextlib
import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from .kernel import check, libc, syscall

SYSTEM: Final = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
    *("/sys/devices/system", "/sys/fs/cgroup"),  # numbers of processors, limits of memory
    *(f"/etc/{name}" for name in ("passwd", "group", "nsswitch.conf", "localtime", "timezone", "os-release")),
    *(f"/etc/{name}" for name in ("hosts", "host.conf", "resolv.conf", "gai.conf", "networks", "hostname")),
    *(
        f"/etc/{name}"
        for name in ("protocols", "services", "rpc", "shells", "mime.types", "magic", "locale.alias")
    ),
    *(
        f"/etc/{name}"
        for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "default/locale")
    ),
    *(
        f"/etc/{name}"
        for name in ("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "pki/tls/certs", "pki/tls/cert.pem")
    ),
    *(
        f"/etc/{name}"
        for name in ("pki/ca-trust/extracted", "ca-certificates", "crypto-policies", "debian_version")
    ),
    *(f"/etc/{name}" for name in ("fonts", "terminfo", "inputrc", "papersize", "mono", "dotnet", "python3")),
    *("/var/cache/fontconfig", "/usr/share/zoneinfo"),
)
"""Paths that every tool sees: programs, libraries, and the settings that the C library and common libraries read."""
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - the kernel's name for it
TEMPORARY: Final = ("/tmp", "/var/tmp")  # noqa: S108 - programs write there whatever TMPDIR says
_EMPTY: Final = ("/run", "/home", "/dev", "/proc", "/etc", "/var")
_MASKED: Final = tuple(f"/proc/{name}" for name in ("keys", "key-users", "kcore", "timer_list", "kallsyms"))
_DEVICE_LINKS: Final = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_MS_NOSUID_NODEV: Final = 2 | 4
_MS_BIND_REC: Final = 4096 | 16384
_DETACH: Final = 2
_MOUNT_SETATTR: Final = 442
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}
_AT_FDCWD: Final = -100
_AT_RECURSIVE: Final = 0x8000
_READ_ONLY: Final = 1
_SKELETON: Final = b"size=16m,nr_inodes=65536,mode=755"
_SMALL: Final = b"size=64m,nr_inodes=16384,mode=1777"
_MOST_FILES: Final = 65_536
"""Limit of files and directories in a scratch directory of limited size: each takes memory in the kernel."""
_MOST_LINKS: Final = 40
"""Links that a path may lead through, as for the kernel."""


def change_root(
    scratch: str, size: int, visible: Sequence[str], hidden: Sequence[str], texts: Mapping[str, str]
) -> list[str]:
    """Change to a root with `SYSTEM`, the paths `visible`, and nothing at the paths `hidden`; all of it is read-only.

    `texts` are files that are there with another text, by their paths.

    `scratch` becomes an empty file system of `size` bytes in memory, and the working directory. /dev/shm, /tmp and
    /var/tmp become file systems of 64 MiB each, so that multiprocessing and programs with fixed paths work; not the one
    that holds `scratch`, since Landlock would allow all of it, other tools' directories too. Returns those of the three
    that can be written to. Needs a mount namespace and capabilities in it.

    Raises:
        OSError: the kernel or its policy does not allow it. The process has its old root then.
    """
    place = os.path.realpath(scratch)
    pivot = _PIVOT_ROOT.get(os.uname().machine)
    if pivot is None:
        raise OSError(f"the numbers of the system calls of {os.uname().machine} are unknown")
    mount("tmpfs", place, _SKELETON, _MS_NOSUID_NODEV)
    try:
        root = _Root(place)
        private = root.make_temporary(place)
        for path, text in texts.items():
            root.write(path, text)
        for path in SYSTEM:
            root.show(path)
        root.has_own_locks = True
        for path in visible:
            root.show(path)
        root.make_devices()
        root.hide(hidden)
        root.finish(place, size)
        syscall("pivot_root", pivot, os.fsencode(place), os.fsencode(place))
    except OSError:
        check("umount", libc().umount2(os.fsencode(place), _DETACH))
        raise
    check("umount", libc().umount2(b"/", _DETACH))  # the old root covers the new one
    os.chdir(scratch)
    return private


def readable(visible: Iterable[str]) -> list[str]:
    """The paths that a process may read where it keeps the old root: those of a new root, /proc and the devices."""
    return [path for path in (*SYSTEM, *visible, "/proc", *DEVICES) if os.path.exists(path)]


def directories_of_files(visible: Iterable[str]) -> list[str]:
    """The directories of the files among some paths: where single modules are shown, as of a home directory."""
    return sorted({os.path.dirname(path) for path in visible if os.path.isfile(path)} - {"/"})


def mount(kind: str, place: str, data: bytes | None, flags: int) -> None:
    """Mount a file system of a kind.

    Raises:
        OSError: the kernel refused.
    """
    words = (kind.encode(), os.fsencode(place), kind.encode(), ctypes.c_ulong(flags), data)
    check(f"mount {place}", libc().mount(*words))


class _Root:
    """A root that is being put together at `place`."""

    def __init__(self, place: str) -> None:
        self._place = place
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            self._mounts = [line.split()[4] for line in file]
        """Where something is mounted in the old root, and at `place`."""
        self._shown: set[str] = set()
        self.has_own_locks = False
        """Whether a lock on a file of a directory that is shown from now on should bind nobody outside."""
        for name in _EMPTY:
            os.mkdir(place + name)

    def make_temporary(self, scratch: str) -> list[str]:
        private = []
        for path in (SHARED_MEMORY, *TEMPORARY):
            os.makedirs(self._place + path, mode=0o755, exist_ok=True)
            if not scratch.startswith(f"{path}/"):
                mount("tmpfs", self._place + path, _SMALL, _MS_NOSUID_NODEV)
                private.append(path)
        return private

    def show(self, path: str) -> None:
        """Make a file or directory of the old root appear, with the links on the way. A missing one is left out."""
        waiting = path.split("/")[::-1]
        resolved = ""
        links = 0
        while waiting:
            part = waiting.pop()
            if part in ("", "."):
                continue
            step = os.path.dirname(resolved) if part == ".." else f"{resolved}/{part}"
            if part == ".." or not os.path.islink(step):
                resolved = step.rstrip("/")
                continue
            links += 1
            if links > _MOST_LINKS:
                return
            target = self._show_link(step)
            resolved = "" if target.startswith("/") else resolved
            waiting += target.split("/")[::-1]
        self._bind(resolved)

    def _show_link(self, path: str) -> str:
        target = os.readlink(path)
        if not self._is_shown(path) and not os.path.lexists(self._place + path):
            os.makedirs(os.path.dirname(self._place + path), exist_ok=True)
            os.symlink(target, self._place + path)
        return target

    def _is_shown(self, path: str) -> bool:
        """Whether a path or a directory above it is shown."""
        while path and path not in self._shown:
            path = path.rpartition("/")[0]
        return bool(path)

    def _bind(self, path: str) -> None:
        if not path or self._is_shown(path):
            return
        try:
            mode = os.stat(path).st_mode
        except OSError:
            return
        new = self._place + path
        if stat.S_ISDIR(mode):
            os.makedirs(new, exist_ok=True)
        elif stat.S_ISREG(mode):
            self._make_file(new)
        else:
            return
        if not (self.has_own_locks and stat.S_ISDIR(mode) and self._lay_over(path, new)):
            self._bind_to(path, new)
        self._shown.add(path)

    def _lay_over(self, path: str, new: str) -> bool:
        """Show a directory as the layer of a file system of its own, in which locks bind nobody outside; whether that worked.

        It has no mounts below it in the new root, so a directory with such mounts is not shown in this way.
        """
        below = path.rstrip("/") + "/"
        if any(character in path for character in ":,\\") or any(
            place.startswith(below) for place in self._mounts
        ):
            return False
        empty = f"{self._place}/home/.empty"  # a layer alone would need one that can be written to
        os.makedirs(empty, exist_ok=True)
        try:
            mount(
                "overlay",
                new,
                b"userxattr,lowerdir=%b:%b" % (os.fsencode(path), os.fsencode(empty)),
                _MS_NOSUID_NODEV,
            )
        except OSError:
            return False
        make_read_only(new, 0)
        return True

    def write(self, path: str, text: str) -> None:
        """Make a file with a text of its own; that of the old root is not shown."""
        self._make_file(self._place + path)
        with open(self._place + path, "w", encoding="utf-8") as file:
            file.write(text)
        self._shown.add(path)

    def _make_file(self, new: str) -> None:
        os.makedirs(os.path.dirname(new), exist_ok=True)
        os.close(os.open(new, os.O_CREAT | os.O_WRONLY, 0o644))

    def _bind_to(self, path: str, new: str, *, writable: bool = False) -> None:
        words = (os.fsencode(path), os.fsencode(new), None, ctypes.c_ulong(_MS_BIND_REC), None)
        check(f"mount {path}", libc().mount(*words))
        if not writable:
            make_read_only(new, _AT_RECURSIVE)

    def make_devices(self) -> None:
        """A /dev with what programs need, and no terminal; a /proc without what belongs to the whole machine."""
        for device in DEVICES:
            if os.path.exists(device):
                self._make_file(self._place + device)
                self._bind_to(device, self._place + device, writable=True)
        for name, end in _DEVICE_LINKS.items():
            os.symlink(f"/proc/self/fd{end}", f"{self._place}/dev/{name}")
        self._bind_to("/proc", f"{self._place}/proc")
        self.hide(_MASKED)

    def hide(self, paths: Iterable[str]) -> None:
        """Put something empty over files and directories that are shown."""
        for path in paths:
            new = self._place + path
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                if stat.S_ISDIR(os.lstat(new).st_mode):
                    mount("tmpfs", new, b"size=4k,nr_inodes=2,mode=555", _MS_NOSUID_NODEV)
                    make_read_only(new, 0)
                elif stat.S_ISREG(os.lstat(new).st_mode):
                    self._bind_to("/dev/null", new)

    def finish(self, scratch: str, size: int) -> None:
        new = self._place + scratch
        os.makedirs(new, exist_ok=True)
        make_read_only(self._place, 0)
        mount("tmpfs", new, f"size={size},nr_inodes={_MOST_FILES},mode=700".encode(), _MS_NOSUID_NODEV)


def make_read_only(place: str, flags: int) -> None:
    """Make a mount read-only; with `AT_RECURSIVE`, those below it too.

    Raises:
        OSError: the kernel refused.
    """
    attributes = struct.pack("=QQQQ", _READ_ONLY, 0, 0, 0)
    words = (os.fsencode(place), flags, attributes, ctypes.c_size_t(len(attributes)))
    syscall("mount_setattr", _MOUNT_SETATTR, _AT_FDCWD, *words)
