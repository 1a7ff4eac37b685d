"""The parent's side of a zygote: an interpreter that imports a package once, and forks one process per tool.

A zygote serves one top-level package, interpreter, environment and kind of containment. When an import fails, hangs
or ends the process, the zygote is closed, because tools must not inherit the state that such a module leaves. The owner
then starts another zygote and leaves that module out.
"""

import os
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from aptix_conformance.core.errors import ConformanceError, HostError, HungImportError, TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import coverage_files, processes, protocol, scratch
from aptix_conformance.hosts.containment_report import connect, with_hosts
from aptix_conformance.hosts.hang_cause import Caller
from aptix_conformance.hosts.host import Environment, Surroundings
from aptix_conformance.hosts.import_paths import harness, import_paths
from aptix_conformance.hosts.launch import Held, Launch, Launched, held_by
from aptix_conformance.hosts.listing import is_listing
from aptix_conformance.hosts.recorded_services import recorded_services
from aptix_conformance.hosts.required_containment import check_containment
from aptix_conformance.hosts.supervisor import Exchange, Supervised
from aptix_conformance.hosts.zygote_key import ZygoteKey
from aptix_conformance.recording import HttpGateway
from aptix_conformance.runners.paths import START


@dataclass(frozen=True, slots=True)
class _Ends:
    """Our ends of the channel, the standard output and the standard error of a tool's process."""

    channel: socket.socket
    out: int
    err: int

    def close(self) -> None:
        """Close all three."""
        self.channel.close()
        os.close(self.out)
        os.close(self.err)


class CannotForkError(HostError):
    """A process forked from the zygote would be broken: its modules have threads or open files."""


class Zygote:
    """One zygote. The constructor starts it.

    Attributes:
        held: its containment; "none" until that is known.
        imported: the answers of `tools/list`, by the name of the imported module.

    Statements of the zygote about processes are checked against the kernel.
    """

    def __init__(
        self, key: ZygoteKey, environment: Environment, place: Path, surroundings: Surroundings
    ) -> None:
        """Start the zygote. `place` is a new directory, the only one in which it and its tools may write.

        Raises:
            HostError: no process could be started.
        """
        self.key = key
        self.held = Held(Containment("none"))
        self.imported: dict[str, dict[str, Any]] = {}
        self._environment = environment
        self._place = place
        self._directories = scratch.ToolDirectories(place)
        self._live: dict[int, Callable[[], None]] = {}
        self._coverage = place / "coverage" if self._is_measured else None
        self._paths = import_paths(environment, key.python)
        self._surroundings = surroundings
        hosts, capture = key.network if key.contained else (), environment.capture
        self.services = recorded_services(hosts, key.recording, dict(key.env), (), capture)
        self._gateway: HttpGateway | None = None
        name = f"the Python host ({key.python})"
        limits = environment.limits
        self._launched = launched = self._launch(name)
        self._report: Mapping[str, Any] | None = None
        if self.services is not None:
            seconds = environment.limits.start
            self._report, self._gateway = connect(
                self.services, launched, name, seconds, self._directories.close
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

    def _launch(self, name: str) -> Launched:
        key, environment, services = self.key, self._environment, self.services
        return Launched(
            Launch(
                name,
                lambda control: (
                    [key.python, str(START), "python.zygote", str(control)],
                    self._variables(),
                ),
                self._place,
                self._directories.home,
                key.files,
                environment.limits,
                contained=key.contained,
                visible=self._surroundings.visible,
                hidden=self._surroundings.hidden,
                least=environment.least_containment,
                renames=key.renames,
                loopback=services is not None,
                network=services.network if services else (),
                answered=services is not None and services.replay is not None,
                texts=services.texts if services else {},
            )
        )

    def begin(self) -> None:
        """Wait until the zygote is ready. Harmless when repeated.

        Raises:
            HostError: the zygote did not start.
        """
        if not self._is_ready:
            self._is_ready = True
            self._initialize()

    @property
    def ended(self) -> bool:
        """Whether the zygote has ended, so that the owner must start another."""
        return self._supervised.ended or self._launched.process.poll() is not None

    @property
    def is_idle(self) -> bool:
        """Whether no tool has a process."""
        return not self._live

    @property
    def _is_measured(self) -> bool:
        return self._environment.coverage is not None and self.key.python == sys.executable

    def list_tools(self, module: str) -> dict[str, Any]:
        """Import a module, if it is not imported yet, and list its tools.

        Returns a `ModuleListing`: `tools`, each with `name`, `bases` (as `module:qualname`) and `named` (whether its own body
        defines TOOL_NAME); `passed_over`, sentences; and `submodules`, names.

        Raises:
            TargetError: the import failed, hung (HungImportError) or ended the process; the zygote is closed.
        """
        if module not in self.imported:
            limit = self._environment.limits.start
            exchange = self._supervised.exchange("tools/list", {"module": module}, limit)
            if exchange.answer is None or exchange.answer.failure is not None:
                self.close()
            if exchange.answer is None:
                has_hung = exchange.ending is not None and exchange.ending.outcome is Outcome.TIMED_OUT
                kind = HungImportError if has_hung else TargetError
                raise kind(f"importing {module} did not work: {_incident(exchange)}")
            if exchange.answer.failure is not None:
                raise TargetError(exchange.answer.failure.message)
            if not is_listing(exchange.answer.result, module):
                self.close()
                raise TargetError(
                    f"importing {module} did not work: the process sent an invalid list of tools"
                )
            self.imported[module] = exchange.answer.result
        return self.imported[module]

    def spawn(self, name: str, abandon: Callable[[], None]) -> tuple[Supervised, scratch.ToolDirectory]:
        """Fork a process for a tool. Also returns its working directory.

        `abandon` is called when the process must end because the zygote ends, which is not the fault of the tool.

        Raises:
            CannotForkError: the imported modules have started threads, or hold files open in the working directory.
            HostError: the zygote has ended.
        """
        if self.key.package and self._directories.has_leftovers:
            raise CannotForkError("the imported modules left files outside of the working directory")
        directory = self._directories.claim()
        ends, exchange = self._fork(directory.place)
        try:
            inner, pid = self._forked_pids(name, exchange)
        except CannotForkError:
            ends.close()
            directory.remove()
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
        supervised.caller = Caller(pid, calls_in_main_thread=True)
        return supervised, directory

    def _fork(self, place: Path) -> tuple["_Ends", Exchange]:
        """Ask for a fork that uses the scratch directory `place`. Returns our ends of its descriptors, and the answer."""
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

    def _forked_pids(self, name: str, exchange: Exchange) -> tuple[int, int]:
        """The PID of the forked process in the zygote's PID namespace, and in ours.

        Raises:
            CannotForkError: the zygote refused to fork.
            HostError: the zygote must not be used any more.
        """
        answer = exchange.answer
        failure = answer.failure if answer is not None else None
        if failure is not None and failure.code == protocol.CANNOT_FORK:
            raise CannotForkError(failure.message)
        if answer is None or failure is not None:
            why = failure.message if failure is not None else _incident(exchange)
            raise HostError(f"{self._supervised.name} could not fork a process for {name}: {why}")
        inner = _number(answer.result, "pid")
        pid = None if inner is None else processes.find_child(inner, self._launched.pid)
        if inner is None or pid is None or pid in self._live:
            raise HostError(f"{self._supervised.name} named a process for {name}, but did not fork it")
        return inner, pid

    def collect_coverage(self) -> None:
        """Move the coverage data of ended processes to the parent's measurement."""
        place = self._directories.path("coverage") if self._coverage is not None else None
        if place is not None and self._environment.coverage is not None:
            coverage_files.collect(place, self._environment.coverage.data_file)

    def close(self) -> None:
        """End the zygote and the processes of its tools, and remove its directory. Harmless when repeated."""
        for abandon in list(self._live.values()):
            abandon()
        if self._coverage is not None and not self.ended:
            self._supervised.exchange("shutdown", {}, timeout=5.0)
            self.collect_coverage()
        self._supervised.close()
        if self._gateway is not None:
            self._gateway.close()
        self._directories.close()

    def _variables(self) -> dict[str, str]:
        """The environment of the tools. Of our own environment it has only PATH."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "HOME": str(self._directories.home),
            "TMPDIR": str(self._directories.home),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            **self._environment.canaries,
            **dict(self.key.env),
            **(self.services.env if self.services else {}),
        }

    def _initialize(self) -> None:
        exchange = self._supervised.exchange("initialize", self._settings(), self._environment.limits.start)
        try:
            self._take_start(exchange)
        except ConformanceError:
            self.close()
            raise

    def _take_start(self, exchange: Exchange) -> None:
        """Read how the zygote started.

        Raises:
            ContainmentError: it is contained less than the run requires.
            HostError: it did not start.
        """
        first = exchange.events[0] if exchange.events else None
        report = first.params if first is not None and first.method == "launched" else self._report
        if report is not None:
            self.held = self._held_by(report)
            least = self._environment.least_containment
            check_containment(self.held.containment, least, self._supervised.name)
        if exchange.answer is None or exchange.answer.failure is not None:
            output = " ".join((exchange.stdout.text + exchange.stderr.text).split())[-400:]
            raise HostError(
                f"{self._supervised.name} did not start: {_incident(exchange)}. It said: {output or 'nothing'}. "
                "Check that the interpreter exists and runs."
            )
        if report is None:
            raise HostError(f"{self._supervised.name} did not report its containment")
        self._launched.settle(report)
        if report.get("mounts"):
            self._directories.enter(self._launched.pid, report.get("private", ()))

    def _held_by(self, report: Mapping[str, Any]) -> Held:
        """The containment that was reported, with the hosts that it does not keep the process from."""
        held, services = held_by(report), self.services
        if services is None or services.replay is not None or self._gateway is None:
            return held
        return replace(held, containment=with_hosts(held.containment, services.network))

    def _settings(self) -> dict[str, Any]:
        """The params of the zygote's `initialize` (`runners/python/zygote.py`)."""
        return {
            "protocol": protocol.VERSION,
            "sys_path": self._paths,
            "replace_path": self.key.python == sys.executable,
            "readable": [*self._surroundings.visible, *(self.services.texts if self.services else ())],
            "loopback": self.services is not None,
            "rootdir": str(self._environment.rootdir),
            "home": str(self._directories.home),
            "harness": harness(),
            "contained": self.key.contained,
            "shared": [str(self._coverage)] if self._coverage else [],
            "coverage": self._coverage_arguments(),
            "patches": dict(self.key.patches),
            "disturbances": not self.key.occasion,
            "system": self.key.system,
        }

    def _coverage_arguments(self) -> dict[str, Any] | None:
        """The arguments of `coverage.Coverage`. None where no coverage is measured."""
        if self._coverage is None or self._environment.coverage is None:
            return None
        measured = asdict(self._environment.coverage)
        return measured | {
            "data_file": str(self._coverage / ".coverage"),
            "config_file": measured["config_file"] or False,
        }

    def _strays(self, roots: list[int]) -> list[int]:
        """Some processes and their descendants, and all orphans, whose parent is now the zygote."""
        strays = [pid for pid in processes.children(self._launched.pid) if pid not in self._live]
        if roots == [self._launched.pid]:
            return [self._launched.pid, *processes.family(strays)]
        return processes.family([*roots, *strays])

    def _end_tool(self, pid: int, inner: int) -> int | None:
        """End the process of a tool and all that it started, with its orphans."""
        self._live.pop(pid, None)
        if self.ended:
            return None  # the process ended with the zygote, and the PID may now belong to another process
        if processes.census(self._strays([pid])).living > self._environment.limits.processes // 2:
            # They may start faster than they can be killed one by one. The end of the zygote ends all at once.
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
    number = result.get(name) if isinstance(result, dict) else None
    return number if type(number) is int else None


def _incident(exchange: Exchange) -> str:
    if exchange.ending is not None:
        return exchange.ending.incident
    failure = exchange.answer.failure if exchange.answer else None
    return failure.message if failure else "it gave no reason"
