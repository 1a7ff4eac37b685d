"""In which system call the main thread of a process sleeps, as `/proc/PID/syscall` has it. A process is never stopped for it."""

import contextlib
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_NAMES: Final[Mapping[str, Mapping[int, str]]] = {
    "x86_64": {0: "read", 1: "write", 7: "poll", 61: "wait4", 72: "fcntl", 73: "flock", 202: "futex"}
    | {247: "waitid", 271: "poll"},
    "aarch64": {25: "fcntl", 32: "flock", 63: "read", 64: "write", 73: "poll", 95: "waitid", 98: "futex"}
    | {260: "wait4"},
}
"""The names of system calls, by machine and number. `ppoll` counts as `poll`."""
_ELF_64: Final = b"\x7fELF\x02"
"""How a program begins whose system calls have these numbers."""
_ASLEEP: Final = ("S", "D")
_POLLED: Final = struct.Struct("ihh")
_MOST_POLLED: Final = 8
_POLLIN: Final = 0x001


@dataclass(frozen=True, slots=True)
class Listed:
    """A process that has not ended, as `/proc/PID/stat` has it; `started` in the kernel's ticks since the boot.

    It is the same process in whatever state it is.
    """

    pid: int
    name: str
    started: int
    state: str = field(compare=False)
    threads: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class Sleeping:
    """A process whose main thread sleeps in a system call.

    `switches` counts how often this thread has stopped running: where it is the same, the thread has not run in between.
    """

    process: Listed
    call: str
    arguments: tuple[int, ...]
    switches: tuple[str, ...]


def listed(pid: int) -> Listed | None:
    """A process; None where it has ended."""
    try:
        before, _, after = _read(pid, "stat").rpartition(")")
        fields = after.split()
        process = Listed(pid, before.partition("(")[2], int(fields[19]), fields[0], int(fields[17]))
    except (OSError, ValueError, IndexError):
        return None
    return None if process.state in "ZX" else process


def sleeping(pid: int) -> Sleeping | None:
    """A process that sleeps in a call of the table; None where it does not, or where the kernel does not show it."""
    process = listed(pid)
    if process is None or process.state not in _ASLEEP:
        return None
    try:
        switches = tuple(line for line in _read(pid, "status").splitlines() if "ctxt_switches:" in line)
        number, *arguments = _read(pid, "syscall").split()[:-2]
        with open(f"/proc/{pid}/exe", "rb") as program:  # noqa: PTH123 - a path of the kernel
            is_64 = program.read(len(_ELF_64)) == _ELF_64
        name = _NAMES.get(os.uname().machine, {}).get(int(number), "")
        sleep = Sleeping(process, name, tuple(int(each, 16) for each in arguments), switches)
    except (OSError, ValueError):
        return None
    return sleep if name and is_64 and switches else None


def link(pid: int, descriptor: int) -> str:
    """The pipe or socket behind a descriptor, such as `pipe:[7]`; empty where it is something else."""
    with contextlib.suppress(OSError):
        target = str(Path(f"/proc/{pid}/fd/{descriptor}").readlink())
        return target if target.startswith(("pipe:[", "socket:[")) else ""
    return ""


def read_from(sleep: Sleeping) -> tuple[int, ...]:
    """The descriptors from which a process waits to read, and nothing else; none where it waits for other things too."""
    if sleep.call == "read":
        return (sleep.arguments[0],)
    if sleep.call != "poll" or not 0 < sleep.arguments[1] <= _MOST_POLLED:
        return ()
    size = _POLLED.size * sleep.arguments[1]
    try:
        with open(f"/proc/{sleep.process.pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123 - a path of the kernel
            entries = [*_POLLED.iter_unpack(os.pread(memory.fileno(), size, sleep.arguments[0]))]
    except (OSError, OverflowError, struct.error):
        return ()
    return tuple(fd for fd, events, _ in entries) if all(events & _POLLIN for _, events, _ in entries) else ()


def _read(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8", errors="backslashreplace")
