"""`aptix-conformance check`: examine what is named, without pytest, plugins or a configuration."""

import argparse
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from aptix_conformance.app.commands.check_options import DESCRIPTION, add_arguments, without_plan
from aptix_conformance.app.commands.command import add_command, complain, say
from aptix_conformance.core.errors import ConfigurationError, ConformanceError, HarnessError, own_fault
from aptix_conformance.core.extension import without_plugins
from aptix_conformance.core.text import printable

if TYPE_CHECKING:
    from aptix_conformance.app.commands.check_display import CheckDisplay
    from aptix_conformance.app.commands.check_engine import Engine
    from aptix_conformance.app.run import Run, RunOptions
    from aptix_conformance.app.run.output_files import Output, RunJournal
    from aptix_conformance.core.model.report import Report, ToolReport
    from aptix_conformance.examine import ToolUnderTest
    from aptix_conformance.present.reports import Shell
    from aptix_conformance.systems.recognition import Recognised
    from aptix_conformance.targets import Settings, TargetFailure

_REPEATED = 1.0
"""Seconds in which a second SIGTERM is taken for the first."""
NOTHING_FOUND, FINDINGS, INTERRUPTED, INTERNAL, USAGE, NOTHING_EXAMINED = range(6)
"""The exit statuses, which are those of pytest."""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "check", run, description=DESCRIPTION)
    parser.bad_use = USAGE
    parser.set_defaults(one_in=None)
    add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Examine the targets; every error has the exit status that pytest gives it."""
    try:
        with _terminable(), without_plugins(options.extension):
            return _check(options)
    except KeyboardInterrupt:
        complain("interrupted before anything was examined")
        return INTERRUPTED
    except HarnessError as error:
        complain(error.with_traceback_text)
        return INTERNAL
    except ConformanceError as error:
        complain(str(error))
        return USAGE
    except BrokenPipeError:
        raise  # `main` ends the program as a shell expects it
    except Exception as error:  # noqa: BLE001 - the status 1 would say that a tool is at fault
        complain(own_fault(error, "running the command").with_traceback_text)
        return INTERNAL


def _check(options: argparse.Namespace) -> int:
    # What these import is loaded without plugins, which `without_plugins` sees to.
    from aptix_conformance.app.commands import check_fleet  # noqa: PLC0415
    from aptix_conformance.app.commands.check_display import CheckDisplay  # noqa: PLC0415
    from aptix_conformance.app.commands.check_engine import Engine  # noqa: PLC0415
    from aptix_conformance.app.run import Run  # noqa: PLC0415
    from aptix_conformance.app.run.output_files import RunJournal, prove, read_outputs  # noqa: PLC0415
    from aptix_conformance.app.run.progress import RunProgress  # noqa: PLC0415

    if options.fleet is not None:
        return check_fleet.run(options)
    outputs = read_outputs(options.report, Path.cwd(), "--report")
    prove(outputs)
    engine = Engine.asked(options.engine, options.store, options.cache, [output.path for output in outputs])
    recognised, chosen = _chosen(options, [str(output.path) for output in outputs])
    problems: list[str] = []
    journal = RunJournal(outputs, problems)
    with Run.open(Path.cwd(), chosen) as opened:
        _refuse_nothing(opened, options.targets)
        opened.read_baseline()
        display = CheckDisplay(
            _command(options), _shell(outputs, recognised), RunProgress(lambda: opened.seconds_left)
        )
        for text, each in zip(options.targets, recognised, strict=True):
            display.line("target", f"{text}: {each.system} ({', '.join(each.specs)})")
        if chosen.thoroughness == "quick":
            display.line(
                "plan",
                "quick: a part of the calls, which shows faults but gives no verdict; --standard gives one",
            )
        report, notes = _examined(opened, recognised, options, display, engine, journal)
    unwritten = _written(options, outputs, report)
    if not unwritten:
        journal.end()
    display.show_summary(report, notes, whole=options.advice)
    for problem in (*problems, *unwritten):
        complain(problem)
    return _status(report, has_unwritten=bool(unwritten))


def _refuse_nothing(opened: "Run", targets: Sequence[str]) -> None:
    if not targets and not opened.known_specs:
        raise ConfigurationError(
            f"no target is named, and {opened.pyproject} configures none: name a file, a module or a server, "
            'such as aptix-conformance check my_tools.py or check "python server.py"'
        )


# ---- what is examined


def _chosen(options: argparse.Namespace, written: Sequence[str]) -> "tuple[list[Recognised], RunOptions]":
    """The targets as specs, and the options of the run. `written` are the files that it writes."""
    from aptix_conformance.app.run.shards import Shard  # noqa: PLC0415 - as above
    from aptix_conformance.systems.recognition import Recogniser  # noqa: PLC0415
    from aptix_conformance.systems.registry import installed  # noqa: PLC0415
    from aptix_conformance.targets import is_covered, pytest_paths  # noqa: PLC0415

    root = Path.cwd()
    systems = installed()
    settings = systems.load_settings(root / "pyproject.toml")
    paths = (*sys.path, *pytest_paths(root))
    recogniser = Recogniser(systems, root, paths)
    recognised = _with_servers([recogniser.recognise(text) for text in options.targets], options.server)
    _refuse_claims(recognised, settings)
    specs = [spec for each in recognised for spec in each.specs]
    is_configured = all(is_covered(spec, settings.tools, settings.specs) for spec in specs)
    own_paths = tuple(dict.fromkeys(path for each in recognised for path in each.paths))
    return recognised, replace(
        asked_options(options, is_configured=is_configured),
        shard=Shard.asked(options.shard, options.shard_costs, "--shard"),
        sys_path=(*own_paths, *paths) if own_paths else None,
        hidden=tuple(written) if options.cache else (),
    )


def asked_options(options: argparse.Namespace, *, is_configured: bool = False) -> "RunOptions":
    """The options of a run, whatever it examines; a plan that is not named is the quick one, unless all targets are configured."""
    from aptix_conformance.app.run import RunOptions  # noqa: PLC0415 - as above
    from aptix_conformance.app.run.options import ONE_IN  # noqa: PLC0415

    return RunOptions(
        edition=options.edition,
        seed=options.seed,
        thoroughness=options.plan or ("standard" if is_configured or options.examples else "quick"),
        examples=options.examples,
        budget=options.budget,
        timeout=options.timeout,
        deadline=options.deadline,
        containment=options.containment,
        jobs=options.jobs,
        waivers=not options.no_waivers,
        baseline=options.baseline,
        baselines=not options.no_baseline,
        variables=tuple(options.variable),
        cache=options.cache,
        one_in=options.one_in or ONE_IN,
    )


def _refuse_claims(recognised: "Sequence[Recognised]", settings: "Settings") -> None:
    """Refuse a file outside of the project's paths whose module another file of the command, or a table of the project, is about.

    Raises:
        ConfigurationError: its verdict would stand under another's name, or it would have what the project grants to another.
    """
    folders: dict[str, str] = {}
    for each in recognised:
        for folder, spec in zip(each.paths, each.specs, strict=False):
            prefix, module, *_ = re.split("[:#]", spec)
            if folders.setdefault(module, folder) != folder:
                raise ConfigurationError(
                    f"{printable(module, 100)} is a module in {printable(folders[module], 200)} and in "
                    f"{printable(folder, 200)}: examine them one after the other"
                )
            specs = [*settings.tools, *(key for key in settings.tool if ":" in key or "." in key)]
            packages = {re.split("[:.#]", key.removeprefix(f"{prefix}:"))[0] for key in specs}
            if module.partition(".")[0] in packages:
                raise ConfigurationError(
                    f"pyproject.toml is about a module {printable(module, 100)}, which is not found by its name, and the one in "
                    f"{printable(folder, 200)} is another: run the command there, or add that folder to `pythonpath`"
                )


def _with_servers(recognised: "list[Recognised]", names: Sequence[str]) -> "list[Recognised]":
    """The targets with these servers of clients' files only; without names, with all that no file disables.

    Raises:
        ConfigurationError: no file has a server of one of the names.
    """
    known = [name for each in recognised for name in each.servers]
    for name in names:
        if name not in known:
            listed = ", ".join(printable(server, 60) for server in known) or "none is a client's file"
            raise ConfigurationError(f"no target names a server {printable(name, 60)}; they name: {listed}")
    return [
        replace(
            each,
            specs=tuple(spec for name, spec in each.servers.items() if name in names),
            disabled=frozenset(),
        )
        if names and each.servers
        else each
        for each in recognised
    ]


def _examined(
    opened: "Run",
    recognised: "Sequence[Recognised]",
    options: argparse.Namespace,
    display: "CheckDisplay",
    engine: "Engine | None",
    journal: "RunJournal",
) -> "tuple[Report, Sequence[str]]":
    """The report of what was examined until the end or an interrupt, and the notes of the search for tools."""
    from aptix_conformance.app.engine.workers import ClusterError  # noqa: PLC0415 - as above

    done: list[ToolReport] = []
    notes: Sequence[str] = ()
    is_whole = not options.targets and options.one_in is None
    examined: Iterable[tuple[ToolUnderTest, ToolReport]]
    try:
        found = opened.list_tools() if is_whole else opened.find(*_enabled(recognised))
        found = opened.own_share(replace(found, failures=(*found.failures, *_disabled(recognised))))
        if options.one_in is not None:
            found = opened.sample_cached(found)
        notes = found.notes
        for failed in opened.failed_reports(found):
            display.show_failed(failed)
            done.append(failed)
        journal.begin(lambda: opened.report(done, complete=False, whole=False))
        display.expect(found.tools)
        if engine is None:
            # A tool's fault is its author's. Those of a server are mostly its SDK's.
            found = replace(found, tools=tuple(sorted(found.tools, key=_is_server)))
            examined = zip(found.tools, opened.examine_each(found, display.watching), strict=True)
        else:
            engine.require_paths([path for each in recognised for path in each.paths])
            examined = engine.examine_each(opened, found)
        for tool, report in examined:
            done.append(report)
            journal.add(report)
            display.show_examined(tool, report)
    except (KeyboardInterrupt, ClusterError) as error:
        keys = "ended by SIGTERM" if str(error) == "SIGTERM" else "interrupted from the keyboard"
        why = keys if isinstance(error, KeyboardInterrupt) else str(error)
        return opened.report(done, complete=False, stopped=why, whole=False), notes
    unneeded = opened.unneeded_waivers(done) if is_whole else ()
    notes = (*notes, *opened.cache_problems())
    return opened.report(done, unneeded=unneeded, whole=is_whole), notes


def _is_server(tool: "ToolUnderTest") -> bool:
    return tool.declaration.kind == "server"


def _enabled(recognised: "Sequence[Recognised]") -> list[str]:
    off = {each.servers[name] for each in recognised for name in each.disabled}
    return [spec for each in recognised for spec in each.specs if spec not in off]


def _disabled(recognised: "Sequence[Recognised]") -> "Iterator[TargetFailure]":
    """The servers that a file disables, each as one that is not examined."""
    from aptix_conformance.targets import TargetFailure  # noqa: PLC0415 - as above

    for each in recognised:
        for name in sorted(each.disabled):
            spec = each.servers[name]
            where = printable(each.file, 200)
            shown = printable(name, 60)
            yield TargetFailure(
                spec,
                where,
                f"{shown} is disabled in {where}: not examined; to examine it, add --server {shown}",
            )


# ---- what is shown and written


def _command(options: argparse.Namespace) -> str:
    """The command line, for another plan."""
    from aptix_conformance.app.run.programs import program  # noqa: PLC0415 - as above

    return f"{program('aptix-conformance', Path.cwd())} check {without_plan(options)}".rstrip()


def _shell(outputs: "Sequence[Output]", recognised: "Sequence[Recognised]") -> "Shell":
    """Where findings are reproduced: with a report by `replay`, without one by pytest."""
    from aptix_conformance.app.run.output_files import readable  # noqa: PLC0415 - as above
    from aptix_conformance.app.run.programs import program  # noqa: PLC0415
    from aptix_conformance.present.reports import Shell  # noqa: PLC0415

    here = Path.cwd()
    report = readable(outputs)
    named = [word for each in recognised for spec in each.specs for word in ("--aptix-tools", spec)]
    folders = os.pathsep.join(dict.fromkeys(folder for each in recognised for folder in each.paths))
    found_there = [f"PYTHONPATH={shlex.quote(folders)}"] if folders else []
    words = [*found_there, program("pytest", here), "--aptix-conformance", *map(shlex.quote, named)]
    return Shell(report.argument if report else None, program("aptix-conformance", here), " ".join(words))


def _written(options: argparse.Namespace, outputs: "Sequence[Output]", report: "Report") -> list[str]:
    """Write the files, and what GitHub reads; returns what could not be written."""
    from aptix_conformance.app.run.output_files import is_for_github, write_all, write_job_summary  # noqa: PLC0415 - as above
    from aptix_conformance.present.reports.github import annotations  # noqa: PLC0415

    unwritten = list(write_all(outputs, report).values())
    if is_for_github(options.format):
        for line in annotations(report).splitlines():
            say(line)
        unwritten += write_job_summary(report)
    return unwritten


def _status(report: "Report", *, has_unwritten: bool) -> int:
    from aptix_conformance.present.reports.servers import fails, is_accepted  # noqa: PLC0415 - as above

    if not report.suite.complete:
        return INTERRUPTED if report.suite.stopped.startswith(("interrupted", "ended by")) else FINDINGS
    if all(tool.error for tool in report.tools) and (report.tools or not report.suite.shard):
        return NOTHING_EXAMINED
    failing = [tool for tool in report.tools if not is_accepted(tool)]
    if failing and all(tool.harness_errors for tool in failing):
        return INTERNAL
    return FINDINGS if has_unwritten or fails(report) else NOTHING_FOUND


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM interrupts as Ctrl-C does; one that comes `_REPEATED` seconds later ends the process.

    Before that it may be the same one: `timeout` sends it to the process and to its group.
    """
    first = 0.0

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal first
        if not first:
            first = time.monotonic()
            raise KeyboardInterrupt("SIGTERM")
        if time.monotonic() - first > _REPEATED:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
