"""`aptix-conformance SYSTEM`: the commands of a system, and `scan` where clients have files that name its servers."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import NO, OK, add_command, say
from aptix_conformance.app.run import Run, RunOptions
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports import finding_lines, prove_writable, summary_lines
from aptix_conformance.present.reports.servers import is_inherited_alone, status_phrase
from aptix_conformance.systems.named_commands import SYSTEMS_WITH_COMMANDS
from aptix_conformance.systems.profile import ClientFiles, SystemCommand, SystemProfile, add_variable
from aptix_conformance.systems.registry import installed
from aptix_conformance.targets import TargetFailure

_CONFORMING: Final = ("conforming", "conforming-with-waivers")


@dataclass(frozen=True, slots=True)
class SystemCommands:
    """The commands of one system (`command.Command`)."""

    profile: SystemProfile

    def add(self, subparsers: Any) -> None:
        """Declare the command and its subcommands."""
        name = self.profile.name
        short = SYSTEMS_WITH_COMMANDS[name]
        parser = subparsers.add_parser(name, description=f"{short[0].upper()}{short[1:]}.")
        own = parser.add_subparsers(required=True, metavar="COMMAND")
        if self.profile.client_files:
            _add_scan(own, self.profile.client_files)
        for command in self.profile.commands:
            added = add_command(
                own,
                command.name,
                partial(_run_own, command),
                description=command.description,
                short=command.short,
            )
            command.add_arguments(added)

    def run(self, options: argparse.Namespace) -> int:
        """Run the subcommand, which the parser has chosen."""
        status: int = options.run(options)
        return status


def commands_of(name: str) -> SystemCommands:
    """The commands of the system of that name."""
    (profile,) = (profile for profile in installed().profiles if profile.name == name)
    return SystemCommands(profile)


def _add_scan(subparsers: Any, files: ClientFiles) -> None:
    scan = add_command(
        subparsers,
        "scan",
        partial(run_scan, files),
        description=files.description,
        short="examine all servers of a file",
    )
    scan.add_argument("file", metavar="FILE", help=f"the client's file, such as {files.example}")
    scan.add_argument(
        "--server", metavar="NAME", action="append", default=[], help="only this server (repeatable)"
    )
    add_variable(scan)
    scan.add_argument(
        "--advice", action="store_true", help="show every broken rule, and each piece of advice with its call"
    )
    scan.add_argument("--report", metavar="PATH", help="write the report to PATH, as JSON")
    plan = scan.add_mutually_exclusive_group()
    plan.add_argument(
        "--quick",
        action="store_true",
        help="make a part of the calls: this shows most faults in little time, and is no verdict",
    )
    plan.add_argument(
        "--examples", metavar="N", type=int, help="drawn calls per generating probe (default 100)"
    )
    scan.add_argument(
        "--seed", metavar="N", type=int, default=0, help="the seed of all drawn calls (default 0)"
    )


def run_scan(files: ClientFiles, options: argparse.Namespace) -> int:
    """Examine the servers of a file."""
    if options.report:
        prove_writable(Path(options.report))
    specs = _specs(files, options.file, options.server)
    disabled = [] if options.server else _disabled(files, options.file, specs)
    chosen = RunOptions(
        thoroughness="quick" if options.quick else "standard",
        examples=options.examples,
        seed=options.seed,
        variables=tuple(options.variable),
    )
    with Run.open(".", chosen) as run:
        report = _scan(run, specs, disabled)
    if options.report:
        run.write_report(options.report, report)
    lines = summary_lines(report.tools, whole=options.advice, option="--advice")
    for line in (*finding_lines(report.tools, "--advice", whole=options.advice), *lines):
        say(line)
    if not report.suite.complete:
        say("The scan was ended early: what is not listed was not examined.")
    return OK if report.suite.complete and all(map(_passes, report.tools)) else NO


def _passes(entry: ToolReport) -> bool:
    """Whether a tool or a server conforms, apart from rules that its SDK breaks for every server or a quick plan leaves open."""
    is_left_open = entry.quick and entry.status == "incomplete" and not entry.harness_errors
    return entry.status in _CONFORMING or is_inherited_alone(entry) or is_left_open


def _run_own(command: SystemCommand, options: argparse.Namespace) -> int:
    settings = installed().load_settings(Path.cwd() / "pyproject.toml")
    return OK if command.run(options, settings, say) else NO


def _specs(files: ClientFiles, path: str, servers: Sequence[str]) -> dict[str, str]:
    """The target specs of a file's servers, by their names.

    Raises:
        TargetError: the file is wrong.
        ConfigurationError: it has no server of one of the names `servers`.
    """
    known = files.specs(path, Path.cwd())
    for name in servers:
        if name not in known:
            names = ", ".join(printable(server, 60) for server in known)
            raise ConfigurationError(
                f"{printable(path, 200)} names no server {printable(name, 60)}; it has {names}"
            )
    return {name: spec for name, spec in known.items() if not servers or name in servers}


def _disabled(files: ClientFiles, path: str, specs: Mapping[str, str]) -> list[TargetFailure]:
    """The servers that a file disables, each as one that is not examined."""
    where = printable(path, 200)
    return [
        TargetFailure(
            specs[name],
            where,
            f"{printable(name, 60)} is disabled in {where}: not examined; to examine it, add --server {printable(name, 60)}",
        )
        for name in files.disabled(path, Path.cwd())
    ]


def _scan(run: Run, specs: Mapping[str, str], disabled: Sequence[TargetFailure]) -> Report:
    """Examine the servers, and return the report of what was examined until the end or an interrupt."""
    done: list[ToolReport] = []
    left_out = {failure.spec for failure in disabled}
    chosen = [spec for spec in specs.values() if spec not in left_out]
    try:
        if chosen:
            _show(
                f"reading what {len(chosen)} {'server declares' if len(chosen) == 1 else 'servers declare'}"
            )
        found_tools = run.find(*chosen)
        found_tools = replace(found_tools, failures=(*found_tools.failures, *disabled))
        for report in run.reports.failed_reports(found_tools):
            _show(_line(report))
            done.append(report)
        for number, report in enumerate(run.examine_each(found_tools), start=1):
            _show(f"[{number}/{len(found_tools.tools)}] {report.seconds:>4.0f} s  {_line(report)}")
            done.append(report)
    except KeyboardInterrupt:
        return run.report(done, complete=False)
    return run.report(done)


def _line(report: ToolReport) -> str:
    """The status of a server or a tool, and what it broke or why it was not examined."""
    broken = [verdict.rule for verdict in report.verdicts if verdict.blocks]
    failed = report.error or next((error.said for error in report.harness_errors), "")
    why = printable(failed, 300) if failed else " ".join(broken)
    return f"{status_phrase(report):<13} {printable(report.tool, 60)}{f': {why}' if why else ''}"


def _show(line: str) -> None:
    """Show a line of progress, on the standard error: the result is on the standard output."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is a command
