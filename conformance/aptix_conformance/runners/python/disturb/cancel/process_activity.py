"""The threads, child processes and sockets of a process, which a call may leave running."""

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any, Final

_enumerate: Final = threading.enumerate
_get_ident: Final = threading.get_ident


class Surroundings:
    """A snapshot of the threads, child processes and sockets. An idle thread of a pool is in none: it may work for a later call."""

    def __init__(self) -> None:
        stacks = _stacks()
        self.threads = {
            thread.ident: thread
            for thread in _enumerate()
            if not _waits(thread, stacks.get(thread.ident or 0))
        }
        self.processes = set(_children())
        self.sockets = dict(_sockets())

    def beyond(self, before: "Surroundings") -> Iterator[str]:
        """Descriptions of what is new since `before`, without idle pool threads and zombies."""
        stacks = _stacks()
        for ident, thread in self.threads.items():
            frame = stacks.get(ident or 0)
            if ident in before.threads or not thread.is_alive() or frame is None or _waits(thread, frame):
                continue
            where = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
            yield f"the thread {thread.name} at {where}"
        for pid in sorted(self.processes - before.processes):
            command = _command(pid)
            if command:
                yield f"the process {command}"
        for name, fd in self.sockets.items():
            if name not in before.sockets:
                yield _describe_socket(fd)


class ChildrenOfThread:
    """The child processes of the current thread, read often: through a descriptor that stays open."""

    def __init__(self) -> None:
        self._fd = -1
        with contextlib.suppress(OSError):
            self._fd = os.open("/proc/thread-self/children", os.O_RDONLY | os.O_CLOEXEC)
        self._before = self._read()

    def has_new(self) -> bool:
        """Whether there is a child that was not there at first."""
        return bool(self._read() - self._before)

    def close(self) -> None:
        """Close the descriptor. Harmless when repeated."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _read(self) -> set[bytes]:
        try:
            return set(os.pread(self._fd, 4096, 0).split())
        except OSError:
            return set()


def _stacks() -> dict[int, Any]:
    """The frames of the other threads, by their idents."""
    stacks = sys._current_frames()  # noqa: SLF001 - the only way to read other threads' stacks
    # This call's own frame would refer to itself. The garbage collector would find all frames, and what their variables
    # hold, in that cycle; Python 3.12.1 crashes if there is a buffer of a BytesIO, as in a pool of processes.
    stacks.pop(_get_ident(), None)
    return stacks


def _waits(thread: threading.Thread, frame: Any) -> bool:
    """Whether a thread of a pool waits for work, or a thread of asyncio for a child process."""
    if frame is None:
        return False
    code = frame.f_code
    file: str = code.co_filename
    is_idle = code.co_name == "_worker" and file.endswith(f"futures{os.sep}thread.py")
    return is_idle or thread.name.startswith(("asyncio-waitpid-", "waitpid-"))  # the latter in 3.11.2


def _children() -> Iterator[int]:
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            path = f"/proc/self/task/{thread}/children"
            with contextlib.suppress(OSError), open(path, encoding="ascii") as stream:
                yield from map(int, stream.read().split())


def _command(pid: int) -> str:
    """The command of a child process; empty where it has ended, or where it is a helper of `multiprocessing`."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            words = stream.read(2_000).replace(b"\0", b" ").decode("utf-8", "backslashreplace").strip()
    except OSError:
        return ""
    return "" if "from multiprocessing." in words else words[:80]


def _sockets() -> Iterator[tuple[str, int]]:
    with contextlib.suppress(OSError):
        for fd in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                name = os.readlink(f"/proc/self/fd/{fd}")
                if name.startswith("socket:"):
                    yield name, int(fd)


def _describe_socket(fd: int) -> str:
    try:
        with socket.socket(fileno=os.dup(fd)) as copy:
            if copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                return f"a socket that listens on {copy.getsockname()}"
            return f"a socket to {copy.getpeername() or 'another of this process'}"
    except OSError:
        return "a socket"
