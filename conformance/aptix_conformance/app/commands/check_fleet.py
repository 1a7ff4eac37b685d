"""`aptix-conformance check --fleet`: each server of a list is installed, examined and summarised, one after the other.

The store has a folder for each server, with the lock file of its installation and its report. A server with a report of the
same options is not examined again, so the same command goes on where another one ended. Several commands, on this machine or
others, may share a store: a server is locked while it is examined.
"""

import argparse
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance import __version__
from aptix_conformance.app.commands.check import (
    FINDINGS,
    INTERRUPTED,
    NOTHING_EXAMINED,
    NOTHING_FOUND,
    asked_options,
)
from aptix_conformance.app.commands.check_display import note
from aptix_conformance.app.commands.command import complain, say
from aptix_conformance.app.run import FoundTools, Run, RunOptions
from aptix_conformance.core.errors import (
    ConfigurationError,
    ConformanceError,
    ContainmentError,
    HostError,
    ReportError,
    TargetError,
    own_fault,
)
from aptix_conformance.core.extension import named_extensions
from aptix_conformance.core.files import read_bounded, write_atomically
from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports import read_report, write_report
from aptix_conformance.present.reports.fleet import NOT_INSTALLED, FleetRow, fleet_lines
from aptix_conformance.present.reports.servers import fails
from aptix_conformance.systems.fleet import FleetServer, installed, read_fleet
from aptix_conformance.systems.registry import installed as installed_systems
from aptix_conformance.targets import TargetFailure

STORE: Final = ".aptix-fleet"
"""The store, where `--store` names none."""
_OTHERS: Final = (
    "targets", "server", "variable", "report", "format", "advice", "baseline", "no_baseline", "no_waivers", "shard", "shard_costs",
    "engine", "cache", "one_in",
)  # fmt: skip
"""The arguments of `check` that a fleet has no use for."""
_CONDITIONS: Final = "fleet.json"
_REPORT: Final = "report.json"
_ROOT: Final = "project"
_FILES: Final = "files"
_FREE_OPTIONS: Final = ("jobs", "deadline")
"""Options that do not change the report of a server that was examined to the end."""
_LARGEST: Final = 1 << 20
_FREE: Final = 2 << 30
"""Bytes that must be free for an installation, which needs up to 1 GiB while it is resolved and again for the result."""


class _BusyError(Exception):
    """Another command examines the server now."""


def run(options: argparse.Namespace) -> int:
    """Examine the servers of a list, and print the summary; the exit status is that of `check`.

    Raises:
        ConfigurationError: the list or an option is wrong, or the store has results of other options.
    """
    for name in _OTHERS:
        if getattr(options, name):
            shown = f"--{name.replace('_', '-')}" if name != "targets" else printable(options.targets[0], 80)
            raise ConfigurationError(f"--fleet examines the servers of its list alone: leave out {shown}")
    if "://" in (options.store or ""):
        raise ConfigurationError("the store of a fleet is a folder: name one by --store")
    servers = read_fleet(Path(options.fleet), installed_systems().specs)
    fleet = Fleet.open(Path(options.store or STORE), asked_options(options))
    rows: list[FleetRow] = []
    status = NOTHING_FOUND
    is_passed = True
    try:
        for row, is_accepted in fleet.examine_each(servers):
            rows.append(row)
            is_passed = is_passed and is_accepted
    except KeyboardInterrupt:
        complain("interrupted: the same command goes on with the next server")
        status = INTERRUPTED
    except ReportError as error:
        complain(f"{error}; the same command goes on from there")
        status = FINDINGS
    for line in fleet_lines(rows):
        say(line)
    if fleet.busy:
        complain(f"{fleet.busy} of {len(servers)} servers are being examined by another command")
    if status == NOTHING_FOUND and not any(row.is_examined for row in rows):
        return NOTHING_EXAMINED
    return status if status or (is_passed and not fleet.busy) else FINDINGS


@dataclass(slots=True)
class Fleet:
    """The examination of a fleet; make one with `open`. `busy` counts the servers that another command examines."""

    store: Path
    options: RunOptions
    busy: int = 0

    @classmethod
    def open(cls, store: Path, options: RunOptions) -> "Fleet":
        """A fleet with a store, which is made if it does not exist.

        Raises:
            ConfigurationError: the store cannot be written, or has results of other options or another version.
        """
        wanted = {
            name: value for name, value in asdict(options).items() if name not in _FREE_OPTIONS and value
        }
        if extensions := named_extensions():
            wanted["extensions"] = extensions
        conditions = json.loads(json.dumps({"version": __version__, **wanted}))
        path = store / _CONDITIONS
        try:
            store.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                write_atomically(path, json.dumps(conditions, indent=2) + "\n")
            known: Any = json.loads(read_bounded(path, _LARGEST))
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"the store {store} cannot be used: {printable(str(error), 200)}"
            ) from None
        if known != conditions:
            raise ConfigurationError(
                f"the store {store} has results of other options or of another version ({path} has them): name another one by --store"
            )
        return cls(store, options)

    def examine_each(self, servers: list[FleetServer]) -> Iterator[tuple[FleetRow, bool]]:
        """Examine servers; gives the row of each, and whether its report fails no run.

        Raises:
            ReportError: the store cannot be written, or its disk is almost full.
        """
        for number, server in enumerate(servers, 1):
            try:
                with self._alone(server) as place:
                    report = self._earlier(server, place)
                    is_new = report is None
                    if report is None:
                        self._require_space()
                        report = self._examined(server, place)
            except _BusyError:
                self.busy += 1
                continue
            row = FleetRow.of(server.command, report)
            note(f"[{number}/{len(servers)}] {row.line}{'' if is_new else ' (from the store)'}")
            yield row, row.is_examined and not fails(report)

    @contextmanager
    def _alone(self, server: FleetServer) -> Iterator[Path]:
        """The folder of a server, which no other command uses meanwhile."""
        place = self.store / server.folder
        try:
            (place / _ROOT).mkdir(parents=True, exist_ok=True)
            lock = os.open(place / ".busy", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            self._lock(lock)
            yield place
        finally:
            os.close(lock)

    def _lock(self, descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _BusyError from None
        except OSError as error:  # as on a shared disk without locks
            raise self._unwritable(error) from error

    @staticmethod
    def _earlier(server: FleetServer, place: Path) -> Report | None:
        """The report of a server that was examined to the end before; None where there is none."""
        path = place / _REPORT
        if not path.exists():
            return None
        try:
            report = read_report(path)
        except ReportError as error:
            note(f"{printable(str(error), 300)}: the server is examined again")
            return None
        is_of_it = all(tool.target.startswith(server.spec) for tool in report.tools)
        is_whole = report.suite.complete and FleetRow.of("", report).is_examined
        return report if is_of_it and is_whole else None

    def _write_project(self, root: Path, spec: str) -> None:
        """Write a project that names a server, which starts in an empty folder of its own. A JSON string is a TOML one."""
        target = json.dumps(spec, ensure_ascii=False).replace("\x7f", "\\u007f")  # which TOML refuses
        text = f'[tool.aptix-conformance]\ntools = [{target}]\n\n[tool.aptix-conformance.tool.{target}]\nfiles = "{_FILES}"\n'
        try:
            (root / _FILES).mkdir(exist_ok=True)
            write_atomically(root / "pyproject.toml", text)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> ReportError:
        return ReportError(f"the store {self.store} cannot be written: {error.strerror}")

    def _require_space(self) -> None:
        if shutil.disk_usage(self.store).free < _FREE:
            raise ReportError(f"less than {_FREE >> 30} GiB are free in {self.store}: free some space")

    def _examined(self, server: FleetServer, place: Path) -> Report:
        root = (place / _ROOT).absolute()
        self._write_project(root, server.spec)
        with ExitStack() as stack:
            failures: tuple[TargetFailure, ...] = ()
            try:
                stack.enter_context(installed(server, root, contained=self.options.containment != "none"))
            except (TargetError, ContainmentError, HostError) as error:
                failures = (TargetFailure(server.spec, "", f"{NOT_INSTALLED}{error}"),)
            opened = stack.enter_context(Run.open(root, self.options))  # its deadline begins here
            found = FoundTools((), failures) if failures else _found(opened, server)
            report = opened.report([*opened.failed_reports(found), *opened.examine_each(found)])
        write_report(place / _REPORT, report)
        return report


def _found(opened: Run, server: FleetServer) -> FoundTools:
    """The tools of a server, or why there are none.

    Raises:
        ConfigurationError: as `Run.list_tools`.
    """
    try:
        return opened.list_tools()
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of the suite with one server must not end the fleet
        known = error if isinstance(error, ConformanceError) else own_fault(error, "finding the tools")
        return FoundTools((), (TargetFailure.of(server.spec, "", known),))
