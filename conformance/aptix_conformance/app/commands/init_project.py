"""What `aptix-conformance init` does, step by step; each step keeps what is there."""

import datetime
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from aptix_conformance.app.commands.check_display import ADVICE, CheckDisplay
from aptix_conformance.app.commands.command import say
from aptix_conformance.app.commands.init_configuration import ToolLines, fits_toml, with_tools
from aptix_conformance.app.commands.init_targets import NewTargets, new_targets
from aptix_conformance.app.commands.init_workflow import PLACE, workflow_for
from aptix_conformance.app.run import Run, RunOptions
from aptix_conformance.app.run.programs import program
from aptix_conformance.app.run.progress import RunProgress
from aptix_conformance.app.run.requests import ToolExamined
from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.files import is_taken, link_out_of, write_atomically
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.core.schemas import lock_text
from aptix_conformance.core.text import printable
from aptix_conformance.examine import FoundTools, ToolUnderTest
from aptix_conformance.present.reports import Shell
from aptix_conformance.present.reports.baseline import EMPTY, read_baseline, with_findings, write_baseline
from aptix_conformance.present.reports.servers import is_accepted
from aptix_conformance.systems.registry import installed
from aptix_conformance.targets import TargetFailure, file_stem, is_covered

_BASELINE: Final = "aptix-baseline.json"


@dataclass(slots=True)
class ProjectSetup:
    """The set-up of one project; `left` are sentences on what is left to a person."""

    root: Path
    new: NewTargets
    is_asking: bool
    refused: Mapping[str, str] = field(default_factory=dict)
    """As `NewTargets.uncontained`: those that nobody agreed to, which are listed contained and not called."""
    left: list[str] = field(default_factory=list)
    has_findings: bool = False

    @classmethod
    def open(cls, root: Path, targets: Sequence[str], *, is_asking: bool, is_agreed: bool) -> Self:
        """The set-up of the project in a folder, for some targets; `is_agreed` says that tools may be called uncontained.

        Raises:
            ConfigurationError: the configuration is wrong, or no tool was found.
            TargetError, SpecError: nothing has the name of a target, or it is written wrongly.
        """
        new = new_targets(root, targets, installed())
        return cls(root, new, is_asking, {} if is_asking or is_agreed else new.uncontained)

    def carry_out(self, *, baseline: bool) -> bool:
        """Do all steps. Whether nothing is left to do.

        Raises:
            ConfigurationError: a file cannot be changed or written, or nothing that was found is a tool.
        """
        for text, spec in self.new.found:
            _show("found", f"{text}: {spec}")
        self.left += self.new.notes
        if self.refused:
            self.left.append(
                f'{_listed(self.refused)}: not called, because side_effects = "none" is uncontained: add --yes'
            )
        if not self._agrees(self._question()):
            _show("nothing", "was written")
            return False
        has_changed = self._configure()
        with self._open() as opened:
            has_changed |= self._write_workflow(opened.settings.tools)
            found = self._without_refused(opened.list_tools())
            locks = [tool for tool in found.tools if self._lacks_lock(opened, tool)]
            wants_baseline = baseline and opened.settings.baseline is None
            if baseline and not wants_baseline:
                _show("kept", "the baseline; `aptix-conformance baseline write` adds to it")
            if not locks and not wants_baseline and not has_changed:
                _show("nothing", "had to be changed")
                self.left += [
                    f"{printable(tool.name, 60)} has no example: complete its table in pyproject.toml"
                    for tool in _without_example(found)
                ]
            else:
                self._examine(opened, found, wants_baseline=wants_baseline)
        for text in self.left:
            _show("left", text)
        _show("next", self._next())
        return not self.left

    def _question(self) -> str:
        keys = _listed(self.new.uncontained)
        but = f' except {keys} (side_effects = "none")' if keys else ""
        return f"Call these tools, contained{but}, and set the project up?"

    def _agrees(self, question: str) -> bool:
        try:
            return not self.is_asking or input(f"{question} [Y/n] ").strip().lower() in {"", "y", "yes"}
        except EOFError:
            return False

    def _next(self) -> str:
        pytest = f"{program('pytest', self.root)} --aptix-conformance"
        if self.has_findings:
            accept = f"{program('aptix-conformance', self.root)} init --baseline"
            return f"fix what is broken, or accept it as known ({accept}); then {pytest}"
        return f"do what is left; then {pytest}" if self.left else f"commit what is new; then {pytest}"

    def _open(self, options: RunOptions | None = None) -> Run:
        """A run in which what is refused is contained."""
        opened = Run.open(self.root, options or RunOptions())
        tables = {
            key: replace(table, side_effects="contained") if key in self.refused else table
            for key, table in opened.settings.tool.items()
        }
        opened.settings = replace(opened.settings, tool=tables)
        return opened

    def _without_refused(self, found: FoundTools) -> FoundTools:
        places = self.refused.values()
        tools = [tool for tool in found.tools if tool.settings.places.get("side_effects") not in places]
        return replace(found, tools=tuple(tools))

    # ---- the configuration

    def _configure(self) -> bool:
        """Write the targets, and what their tools need. Whether anything was written."""
        with self._open(RunOptions(tools=self.new.specs, thoroughness="quick")) as opened:
            found = opened.list_tools()
            specs = [spec for spec in self.new.specs if self._leads_to_tools(opened, spec, found)]
            lines = list(self._tool_lines(opened, found))
        if not found.tools:
            raise ConfigurationError(
                "\n  ".join(["no tool can be examined, so nothing was written", *self.left])
            )
        return self._write_configuration(specs, lines)

    def _leads_to_tools(self, opened: Run, spec: str, found: FoundTools) -> bool:
        table = opened.settings.specs
        if any(is_covered(tool.target.spec, [spec], table) for tool in found.tools):
            return True
        failed = [
            each for each in found.failures if is_covered(each.spec, [spec], table) or each.spec == spec
        ]
        self.left += [_failure_text(each) for each in failed]
        return False

    def _tool_lines(self, opened: Run, found: FoundTools) -> Iterator[ToolLines]:
        """What each tool needs that has no example and no table of its own, seen by calls that its schema allows."""
        lacking = [
            each
            for each in _without_example(self._without_refused(found))
            if each.target.spec not in opened.settings.tool
        ]
        display = self._display(opened, lacking)
        display.has_finding = True  # what is broken is shown by the examination
        for tool, result in zip(
            lacking, opened.results_of_each(lacking, display.watching, rules=()), strict=True
        ):
            display.progress.finish(tool.name)
            example = _example(result)
            _show("example", f"{tool.name}: {'no call worked' if example is None else json.dumps(example)}")
            unreached = result.report.unreached
            to_complete = unreached.settings.splitlines()[1:] if unreached else ()
            yield ToolLines(tool.target.spec, example, tuple(printable(line, 1000) for line in to_complete))

    def _write_configuration(self, specs: Sequence[str], lines: Sequence[ToolLines], **keys: str) -> bool:
        path = Path(os.path.realpath(self.root / "pyproject.toml"))
        before = path.read_bytes().decode("utf-8") if path.exists() else ""
        after = with_tools(before, specs, lines, **keys)
        if after == before:
            return False
        if not path.is_relative_to(os.path.realpath(self.root)):
            raise ConfigurationError(
                f"pyproject.toml is not written, because it is a link to {path}, outside of the project: put a file of its own there"
            )
        return self._write(path, after)

    def _write_workflow(self, specs: Sequence[str]) -> bool:
        workflow = workflow_for(self.root, {spec.partition(":")[0] for spec in specs})
        self.left += workflow.left
        return bool(workflow.text) and self._write(self.root / PLACE, workflow.text)

    def _write(self, path: Path, text: str) -> bool:
        shown = (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()
        if link := link_out_of(path.parent, self.root):
            raise ConfigurationError(
                f"{shown} is not written, because it would lie outside of the project: {link} is a symbolic link; "
                "put a folder of its own there"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text, mode=stat.S_IMODE(path.stat().st_mode) if path.exists() else None)
        except OSError as error:
            raise ConfigurationError(f"{shown} cannot be written ({error.strerror})") from None
        _show("wrote", shown)
        return True

    # ---- the examination

    def _examine(self, opened: Run, found: FoundTools, *, wants_baseline: bool) -> None:
        """Examine all tools, write what is to be locked, and show what is broken."""
        opened.read_baseline()
        display = self._display(opened, found.tools)
        reports = opened.reports.failed_reports(found)
        for tool, result in zip(
            found.tools, opened.results_of_each(found.tools, display.watching), strict=True
        ):
            reports.append(result.report)
            display.show_examined(tool, result.report)
            if self._lacks_lock(opened, tool):
                self._write_lock(opened, tool, result)
        report = opened.report(reports)
        if wants_baseline:
            report = self._accept(report)
        advice = f"{program('aptix-conformance', self.root)} check {ADVICE}"
        display.show_tables(report, found.notes, whole=False, option=advice)
        self._note_what_is_left(report)

    def _display(self, opened: Run, tools: Sequence[ToolUnderTest]) -> CheckDisplay:
        command = program("aptix-conformance", self.root)
        shell = Shell(None, command, f"{program('pytest', self.root)} --aptix-conformance")
        display = CheckDisplay(command, shell, RunProgress(lambda: opened.seconds_left))
        display.expect(tools)
        return display

    def _lock_of(self, opened: Run, tool: ToolUnderTest) -> Path:
        return self.root / opened.settings.snapshots / f"{file_stem(tool.name)}.json"

    def _lacks_lock(self, opened: Run, tool: ToolUnderTest) -> bool:
        return tool.declaration.kind == "tool" and not is_taken(self._lock_of(opened, tool))

    def _write_lock(self, opened: Run, tool: ToolUnderTest, result: ToolExamined) -> None:
        if result.report.error or result.report.harness_errors:
            return
        try:
            text = lock_text(tool.name, tool.declaration, result.result_shape)
        except RecordError as error:
            self.left.append(str(error))
            return
        self._write(self._lock_of(opened, tool), text)

    def _accept(self, report: Report) -> Report:
        """Accept the findings of a report in a baseline; returns the report with it."""
        today = datetime.date.today()  # noqa: DTZ011 - a day of the calendar that its reader has
        reason = f"known since {today.isoformat()}"
        place = self.root / _BASELINE
        before = read_baseline(place) if is_taken(place) else EMPTY
        known = with_findings(before, report, reason=reason, expires=None, today=today)
        tools = len({entry.target for entry in known.entries})
        _show("baseline", f"{len(known.entries):,} findings, advice included, in {tools:,} tools and servers")
        if not known.entries or not self._agrees(f"Accept them in {_BASELINE}?"):
            return report
        write_baseline(place, known)
        _show("wrote", _BASELINE)
        self._write_configuration((), (), baseline=_BASELINE)
        with Run.open(self.root) as opened:
            findings = opened.read_baseline()
            tools_now = [findings.applied(tool) if findings else tool for tool in report.tools]
            return replace(opened.report(tools_now), suite=report.suite)

    def _note_what_is_left(self, report: Report) -> None:
        open_tools = [tool for tool in report.tools if not is_accepted(tool)]
        self.left += [_left_of(tool) for tool in open_tools]
        self.has_findings = any(map(_broken, open_tools))


def _listed(keys: Iterable[str]) -> str:
    return ", ".join(printable(key, 100) for key in keys)


def _without_example(found: FoundTools) -> list[ToolUnderTest]:
    return [tool for tool in found.tools if tool.declaration.kind == "tool" and not tool.settings.examples]


def _failure_text(failure: TargetFailure) -> str:
    begins = failure.message.startswith(failure.spec)
    return printable(failure.message if begins else f"{failure.spec}: {failure.message}", 1000)


def _left_of(tool: ToolReport) -> str:
    name = printable(tool.tool, 60)
    if tool.error or tool.harness_errors:
        why = tool.error or tool.harness_errors[0].said
        return f"{name} was not examined: {printable(why, 300)}"
    if tool.unreached:
        return f"{name} was never seen to work: complete its table in pyproject.toml. {tool.unreached.reason}"
    if broken := _broken(tool):
        return f"{name} breaks {', '.join(broken)}: aptix-conformance explain {broken[0]}"
    missing = [verdict for verdict in tool.verdicts if verdict.is_open]
    if not missing:
        return f"{name} is {tool.status}"
    more = f" and {len(missing) - 1} more MUST rules were" if len(missing) > 1 else " was"
    return (
        f"{name} is {tool.status}: {missing[0].rule}{more} not examined: {printable(missing[0].reason, 300)}"
    )


def _broken(tool: ToolReport) -> list[str]:
    return [verdict.rule for verdict in tool.verdicts if verdict.blocks and not verdict.is_known]


def _example(result: ToolExamined) -> dict[str, Any] | None:
    """The arguments of the call that worked, where a pyproject.toml can hold them."""
    value = json.loads(result.worked) if result.worked else None
    return value if isinstance(value, dict) and fits_toml(value) else None


def _show(label: str, text: str) -> None:
    say(f"{label:<13} {printable(text, 3000)}")
