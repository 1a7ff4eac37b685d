"""The parent's side of a zygote: an interpreter that has imported a package once, and forks one process per tool.

A zygote is for one top-level package, interpreter and environment, and contained or not. The first import that
fails, hangs or ends the process costs the zygote its life, since what such a module leaves behind is not fit to be
inherited; its owner starts another and leaves that module out.
"""

import contextlib
import importlib.util
import itertools
import os
import socket
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aptix_conformance.errors import HostError, TargetError
from aptix_conformance.hosts import coverage_files, processes, protocol, scratch
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.launched import Held, Launch, Launched, held_by
from aptix_conformance.hosts.listing import is_listing
from aptix_conformance.hosts.supervisor import Exchange, Supervised
from aptix_conformance.runners.paths import START


@dataclass(frozen=True, slots=True)
class ZygoteKey:
    """What the tools of one zygote have in common; `package` is empty for one that imports nothing itself."""

    package: str
    python: str
    env: tuple[tuple[str, str], ...]
    contained: bool
    clock: int = 0
    """Seconds by which Python code sees its clock moved."""
    occasion: str = ""
    """Tells zygotes apart that are to be others though they have all else in common."""
    system: str = "aptix"
    """What the tools are of: the host has a file of its own for each system besides Aptix."""


@dataclass(frozen=True, slots=True)
class _Ends:
    """Our ends of the descriptors of a tool's process: its channel, its standard output and its standard error."""

    channel: socket.socket
    out: int
    err: int

    def close(self) -> None:
        """Close all three."""
        self.channel.close()
        os.close(self.out)
        os.close(self.err)


class CannotForkError(HostError):
    """The zygote has threads, so that a process forked from it would be broken."""


class Zygote:
    """One zygote, running from the start.

    Attributes:
        held: what holds it; "none" until that is known.
        imported: what it has imported, by module: the answers of `tools/list`.

    What the zygote says of processes is believed as far as the kernel confirms it.
    """

    def __init__(self, key: ZygoteKey, environment: Environment, place: Path) -> None:
        """Start it; `place` is a new directory, the only one in which it and its tools may write.

        Raises:
            HostError: no process could be started.
        """
        self.key = key
        self.held = Held("none")
        self.imported: dict[str, dict[str, Any]] = {}
        self._environment = environment
        self._room = scratch.Room(place)
        self._numbers = itertools.count(1)
        self._live: dict[int, Callable[[], None]] = {}
        self._coverage = place / "coverage" if self._is_measured else None
        name = f"the Python host ({key.python})"
        limits = environment.limits
        self._launched = launched = Launched(
            Launch(
                name,
                lambda control: (
                    [key.python, str(START), "python.zygote", str(control)],
                    self._variables(),
                ),
                place,
                limits,
                contained=key.contained,
            )
        )
        self._supervised = Supervised(
            name,
            launched.launcher,
            launched.channel,
            launched.streams,
            launched.kill,
            limits,
            lambda: self._strays([launched.pid]),
        )
        self._is_ready = False

    def begin(self) -> None:
        """See to it that it is ready; until then it starts while its owner does something else. Harmless when repeated.

        Raises:
            HostError: it did not start.
        """
        if not self._is_ready:
            self._is_ready = True
            self._initialize()

    @property
    def ended(self) -> bool:
        """Whether it is gone, so that another must be started."""
        return self._supervised.ended or self._launched.ended

    @property
    def is_idle(self) -> bool:
        """Whether no process of a tool is there."""
        return not self._live

    @property
    def _is_measured(self) -> bool:
        return self._environment.coverage is not None and self.key.python == sys.executable

    def list_tools(self, module: str) -> dict[str, Any]:
        """Import a module, unless that is done, and list its tools (`tool_listing.list_tools`).

        Raises:
            TargetError: importing it failed, hung or ended the process; the zygote is gone.
        """
        if module not in self.imported:
            exchange = self._supervised.exchange(
                "tools/list", {"module": module}, self._environment.limits.start
            )
            if exchange.answer is None or exchange.answer.failure is not None:
                self.close()
            if exchange.answer is None:
                raise TargetError(f"importing {module} did not work: {_incident(exchange)}")
            if exchange.answer.failure is not None:
                raise TargetError(exchange.answer.failure.message)
            if not is_listing(exchange.answer.result, module):
                self.close()
                raise TargetError(
                    f"importing {module} did not work: its process gave a list of tools that is none"
                )
            self.imported[module] = exchange.answer.result
        return self.imported[module]

    def spawn(self, name: str, abandon: Callable[[], None]) -> tuple[Supervised, Callable[[], None]]:
        """Fork a process for a tool, with a scratch directory of its own; gives what removes that as well.

        `abandon` is called when the process must go because the zygote goes, which is not the tool's doing.

        Raises:
            CannotForkError: the modules imported have started threads.
            HostError: the zygote is gone.
        """
        scratch_name = f"tool-{next(self._numbers)}"
        ends, exchange = self._fork(self._room.make(scratch_name))
        try:
            inner, pid = self._forked(name, exchange)
        except CannotForkError:
            ends.close()
            self._room.remove(scratch_name)
            raise
        except HostError:
            ends.close()
            self.close()
            raise
        self._live[pid] = abandon
        supervised = Supervised(
            name,
            pid,
            ends.channel,
            (ends.out, ends.err),
            lambda: self._end_tool(pid, inner),
            self._environment.limits,
            lambda: self._strays([pid]),
        )
        return supervised, lambda: self._room.remove(scratch_name)

    def _fork(self, place: Path) -> tuple["_Ends", Exchange]:
        """Have a process forked for a scratch directory; gives our ends of its descriptors, and the answer."""
        ours, theirs = socket.socketpair()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        try:
            fds = (theirs.fileno(), out_end, err_end)
            timeout = self._environment.limits.start
            exchange = self._supervised.exchange("spawn", {"scratch": str(place)}, timeout, fds)
        finally:
            theirs.close()
            os.close(out_end)
            os.close(err_end)
        return _Ends(ours, out, err), exchange

    def _forked(self, name: str, exchange: Exchange) -> tuple[int, int]:
        """The process that was forked: its number in the zygote's PID namespace, and in ours.

        Raises:
            CannotForkError: the modules imported have started threads.
            HostError: the zygote is not fit to go on.
        """
        answer = exchange.answer
        failure = answer.failure if answer is not None else None
        if failure is not None and failure.code == protocol.CANNOT_FORK:
            raise CannotForkError(failure.message)
        if answer is None or failure is not None:
            why = failure.message if failure is not None else _incident(exchange)
            raise HostError(f"{self._supervised.name} could not fork a process for {name}: {why}")
        inner = _number(answer.result, "pid")
        pid = None if inner is None else processes.named(inner, self._launched.pid)
        if inner is None or pid is None or pid in self._live:
            raise HostError(f"{self._supervised.name} named a process for {name} that it has not forked")
        return inner, pid

    def collect_coverage(self) -> None:
        """Hand the data that ended processes have left to the parent's measurement."""
        place = self._room.path("coverage") if self._coverage is not None else None
        if place is not None and self._environment.coverage is not None:
            coverage_files.collect(place, self._environment.coverage.data_file)

    def close(self) -> None:
        """End it and the processes of its tools, and remove its directory. Harmless when repeated."""
        for abandon in list(self._live.values()):
            abandon()
        if self._coverage is not None and not self.ended:
            self._supervised.exchange("shutdown", {}, timeout=5.0)
            self.collect_coverage()
        self._supervised.close()
        self._room.close()

    def _variables(self) -> dict[str, str]:
        """The environment of the tools: nothing of ours but the search path for programs."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "HOME": str(self._room.place),
            "TMPDIR": str(self._room.place),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self._environment.canaries,
            **dict(self.key.env),
        }

    def _initialize(self) -> None:
        exchange = self._supervised.exchange("initialize", self._settings(), self._environment.limits.start)
        if exchange.answer is None or exchange.answer.failure is not None:
            self.close()
            output = " ".join((exchange.stdout.text + exchange.stderr.text).split())[-400:]
            raise HostError(
                f"{self._supervised.name} did not start: {_incident(exchange)}. It said: {output or 'nothing'}. "
                "Check that the interpreter exists and runs."
            )
        launched = exchange.events[0] if exchange.events else None
        if launched is None or launched.method != "launched":
            self.close()
            raise HostError(f"{self._supervised.name} did not say what contains it")
        self.held = held_by(launched.params)
        try:
            self._launched.settle(launched.params)
        except HostError:
            self.close()
            raise
        if launched.params.get("mounts"):
            self._room.enter(self._launched.pid)

    def _settings(self) -> dict[str, Any]:
        """The params of the zygote's `initialize` (`runners/python/zygote.py`)."""
        own = self.key.python == sys.executable
        paths = [str(self._environment.rootdir), *self._environment.sys_path]
        paths = list(dict.fromkeys(os.path.abspath(path) for path in paths))  # noqa: PTH100 - zip files too
        if not own:
            paths = [path for path in paths if not _belongs_to_this_interpreter(path)]
        harness = importlib.util.find_spec("aptix_harness")
        return {
            "protocol": protocol.VERSION,
            "sys_path": paths,
            "replace_path": own,
            "rootdir": str(self._environment.rootdir),
            "harness": str(Path(harness.origin).parent) if harness and harness.origin else "",
            "contained": self.key.contained,
            "shared": [str(self._coverage)] if self._coverage else [],
            "coverage": self._measured(),
            "clock": self.key.clock,
            "disturbances": not self.key.occasion,
            "system": self.key.system,
        }

    def _measured(self) -> dict[str, Any] | None:
        """The arguments of `coverage.Coverage`; None where nothing is measured."""
        if self._coverage is None or self._environment.coverage is None:
            return None
        measured = asdict(self._environment.coverage)
        return measured | {
            "data_file": str(self._coverage / ".coverage"),
            "config_file": measured["config_file"] or False,
        }

    def _strays(self, roots: list[int]) -> list[int]:
        """Some processes and all below them, and all that has no other parent than the zygote any more."""
        strays = [pid for pid in processes.children(self._launched.pid) if pid not in self._live]
        if roots == [self._launched.pid]:
            return [self._launched.pid, *processes.family(strays)]
        return processes.family([*roots, *strays])

    def _end_tool(self, pid: int, inner: int) -> int | None:
        """End the process of a tool and what it started, also what it has left behind."""
        self._live.pop(pid, None)
        if self.ended:
            return None  # the process was killed with the zygote, and the number may be another's by now
        if processes.census(self._strays([pid])).living > self._environment.limits.processes // 2:
            # Perhaps too many to be ended one by one, while they go on: with the zygote they end all at once.
            self._supervised.close()
            return None
        processes.kill_tree(pid)
        for orphan in processes.children(self._launched.pid):
            if orphan not in self._live:
                processes.kill_tree(orphan)
        exchange = self._supervised.exchange("reap", {"pid": inner}, timeout=self._environment.limits.start)
        answer = exchange.answer
        return None if answer is None or answer.failure else _number(answer.result, "status")


def _number(result: Any, name: str) -> int | None:
    found = result.get(name) if isinstance(result, dict) else None
    return found if type(found) is int else None


def _incident(exchange: Exchange) -> str:
    if exchange.ending is not None:
        return exchange.ending.incident
    failure = exchange.answer.failure if exchange.answer else None
    return failure.message if failure else "it gave no reason"


def _belongs_to_this_interpreter(path: str) -> bool:
    """Whether a directory holds the standard library or the installed packages of the running interpreter."""
    places = set(sysconfig.get_paths().values()) | {str(Path(os.__file__).parent)}
    if path.endswith(".zip") and Path(path).stem.startswith("python"):
        return True
    with contextlib.suppress(ValueError):
        return any(os.path.commonpath([path, place]) == place for place in places)
    return False
