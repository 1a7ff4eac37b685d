"""Examining for a certificate: the tools that are named, each from a copy of the files that its digest covers."""

import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.certificates.code_owner import code_of, interpreter_of, with_packages, with_runtime
from aptix_conformance.app.certificates.copies import (
    Code,
    copy_code,
    digests,
    files_of,
    import_paths,
    originals,
)
from aptix_conformance.app.certificates.environment import Surveyed, environment
from aptix_conformance.app.certificates.loaders import configured_code, redirected
from aptix_conformance.app.certificates.packages import differing_from_lock, unlocked
from aptix_conformance.app.certificates.servers import PYTHON_LOCK, environment_of, python_of, why_unnamed
from aptix_conformance.app.certificates.siblings import UnexaminedTool, unexamined
from aptix_conformance.app.certificates.statement import CodePart, EnvironmentPart
from aptix_conformance.app.certificates.walk import Walk
from aptix_conformance.app.run import Run
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import from_json, replace, to_json
from aptix_conformance.core.model.report import Report, RunReport, ToolReport
from aptix_conformance.examine import ToolUnderTest
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.scratch import temporary_folder
from aptix_conformance.present.reports.baseline import without_baseline
from aptix_conformance.targets import ToolSettings
from aptix_conformance.targets.provenance import site_packages

PATHS: Final = ("files", "reads", "directory", "references", "sources", "recording")
"""The settings of a tool that are paths in its project."""
_MOST_DIFFERENCES: Final = 20
_STDLIB: Final = sysconfig.get_path("stdlib")
_LIBRARY: Final = (_STDLIB, f"{_STDLIB}/lib-dynload")
"""The directories of the standard library of this interpreter."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A tool with its report, and the digest of the code from which it was examined."""

    tool: ToolUnderTest
    report: ToolReport
    code: CodePart
    digest: str
    environment: EnvironmentPart
    unnamed: tuple[str, ...] = ()
    """Code that could run with the tool and is in no digest, a sentence for each: the tool gets no certificate."""
    unexamined: tuple[UnexaminedTool, ...] = ()
    """The tools of the same code that were not examined."""


def examine_all(
    run: Run, watch: Callable[[str], None], named: Sequence[str] = ()
) -> tuple[Report, list[Examined]]:
    """Examine the tools to which the specs `named` lead, or all tools of the run; `watch` gets a line for each step.

    Returns the report without times and places and the tools, both sorted by name, so that equal examinations have equal
    bytes in whatever order the tools are named.

    Raises:
        CertificateError: a target leads to no tool, a tool's code has no digest, or the code or the environment changed
            meanwhile.
        ConformanceError: as `Run.examine`.
    """
    selection = run.find(*named) if named else run.list_tools()
    for failure in selection.failures:
        raise CertificateError(f"{failure.spec} cannot be examined, so nothing is issued: {failure.message}")
    groups: dict[tuple[Code, str | None], list[ToolUnderTest]] = {}
    for tool in selection.tools:
        code = code_of(run, tool)
        own = None if code.part.kind == "server" else interpreter_of(run, tool)
        groups.setdefault((code, own), []).append(tool)
    examined: list[Examined] = []
    others = unexamined(run, groups)
    for (code, own), tools in groups.items():
        with temporary_folder("aptix-certificate-") as folder:
            copy = _Copy.of(code, folder, own)
            one_code = _examine(run, copy, tools, watch)
            examined += [replace(one, unexamined=others.get(code, ())) for one in one_code]
    examined.sort(key=lambda one: (one.tool.name, one.tool.target.spec))
    reports = [one.report for one in examined]
    whole = run.report(reports, unneeded=() if named else run.unneeded_waivers(reports))
    return replace(whole, run=RunReport()), examined


@dataclass(frozen=True, slots=True)
class _Copy:
    """The copy of some code: `root` stands for the project's folder, `site` for that of a distribution or a server."""

    code: Code
    digest: str
    root: Path
    site: Path
    python: str | None
    """The interpreter of its tools, where that is not this one."""

    @classmethod
    def of(cls, code: Code, place: Path, python: str | None) -> "_Copy":
        root, site = place / "project", place / "site"
        root.mkdir()
        site.mkdir()
        digest = copy_code(code, root, site)
        return cls(code, digest, root, site, python_of(site) if code.part.kind == "server" else python)

    @property
    def files(self) -> tuple[Path, list[str]]:
        """Where packages and settings of Node.js and .NET are looked for, and the files there."""
        if self.code.part.kind == "server":
            place = environment_of(self.site)
            return place, list(Walk().names(place))
        return self.root, files_of(self.code) if self.code.part.kind == "folder" else []

    def unnamed(self, installed: EnvironmentPart) -> Iterator[str]:
        """Why it is not known what its packages are, or from where its settings have code loaded."""
        root, names = self.files
        if self.code.part.kind == "server" and self.python is not None:
            yield from differing_from_lock(self.site / PYTHON_LOCK, installed.distributions)
            return
        yield from unlocked(root, names)
        yield from redirected(root, names)

    def check(self) -> None:
        """Refuse where the copy or its original is another than when it was made.

        Raises:
            CertificateError: it is.
        """
        if digests(self.code, self.root, self.site) != {self.digest}:
            raise CertificateError(
                f"the code of {self.code.part.name} changed while it was examined: nothing is issued"
            )


def _examine(
    run: Run, copy: _Copy, tools: Sequence[ToolUnderTest], watch: Callable[[str], None]
) -> Iterator[Examined]:
    """Examine tools that have their code and their interpreter in common, from its copy."""
    python, root = copy.python, run.root.resolve()
    entries = tuple(site_packages(python)) if python else run.sys_path
    before = environment(entries, python, root)
    kinds = {_kind(tool): tool for tool in tools}
    installed = {kind: with_packages(before.part, run, tool, *copy.files) for kind, tool in kinds.items()}
    settings = {tool.target.spec: _moved(run, tool, copy) for tool in tools}
    reports = {}
    needed = [*entries, *([python] if python else []), tempfile.gettempdir()]
    with _opened(run, copy, settings, needed, before) as inner:
        copied = inner.find(*settings)
        for failure in copied.failures:
            raise CertificateError(
                f"{failure.spec} cannot be examined from a copy of the files that its digest covers, so nothing is "
                f"issued: {failure.message}"
            )
        by_spec = {tool.target.spec: tool for tool in copied.tools}
        for tool in tools:
            one = by_spec.get(tool.target.spec)
            if one is None or tool.name not in (one.name, f"{one.name}@{tool.name.rpartition('@')[2]}"):
                raise CertificateError(
                    f"the code of {tool.name} changed while it was copied: nothing is issued"
                )
            watch(f"{tool.name}: examining")
            one = replace(one, name=tool.name, settings=settings[tool.target.spec])
            report = timeless(inner.reports.tool_report(one, inner.examine(one)))
            reports[tool.target.spec] = placeless(report, copy.root, copy.site, root)
            watch(f"{tool.name}: {report.status}")
    copy.check()
    after = environment(entries, python, root)
    again = {kind: with_packages(after.part, run, tool, *copy.files) for kind, tool in kinds.items()}
    if (after, again) != (before, installed):
        raise CertificateError("what is installed changed while the tools were examined: nothing is issued")
    whole = {kind: with_runtime(installed[kind], run, tool, python) for kind, tool in kinds.items()}
    of_all = (*before.unnamed, *copy.unnamed(before.part))
    for tool in tools:
        spec = tool.target.spec
        reasons = (*of_all, *_unnamed(tool, copy, root, settings[spec]))
        yield Examined(tool, reports[spec], copy.code.part, copy.digest, whole[_kind(tool)], reasons)


def _kind(tool: ToolUnderTest) -> tuple[str, str | None]:
    """The key of tools that run in one environment: the spelling and the runtime."""
    return tool.target.spelling, tool.settings.runtime


def _unnamed(tool: ToolUnderTest, copy: _Copy, root: Path, moved: ToolSettings) -> Iterator[str]:
    """Why a tool's settings can have code run that no digest covers, a sentence for each reason."""
    yield from configured_code(tool.settings, root)
    if copy.code.part.kind == "server":
        if tool.settings.directory:
            yield "its directory is not a part of the installed server: remove `directory`"
        if copy.python is not None and (reason := why_unnamed(environment_of(copy.site), moved.command)):
            yield reason


def _opened(
    run: Run,
    copy: _Copy,
    settings: Mapping[str, ToolSettings],
    needed: Sequence[str],
    surveyed: Surveyed,
) -> Run:
    """A run like another one for the tools of a copy; what is copied is hidden, except for the paths `needed`.

    Modules come from the copy and from what was surveyed, and from nowhere else: also not from above the copy, where Node.js
    looks for packages.
    """
    options = replace(
        run.options,
        root=copy.root,
        sys_path=(
            str(copy.site),
            *import_paths(run.sys_path, run.root.resolve(), copy.root, (*surveyed.sites, *_LIBRARY)),
        ),
        hidden=(*originals(copy.code, needed), *surveyed.hidden, *above(copy.root)),
    )
    inner = Run.open(run.directory, options)
    inner.settings = replace(inner.settings, tool=dict(settings))
    return inner


def above(root: Path) -> tuple[str, ...]:
    """The paths above a folder in which Node.js looks for packages; anybody may have put files there."""
    return tuple(str(folder / name) for folder in root.parents for name in readable_paths.NODE_FILES)


def _moved(run: Run, tool: ToolUnderTest, copy: _Copy) -> ToolSettings:
    """The settings of a tool with the paths below the project's folder below its copy; they hold for it by its spec.

    Of a server that is installed, what it is given of the project is no code, and stays where it is.
    """
    settings, root = tool.settings, run.root.resolve()
    started, changed = run.systems.runtime(tool.target.spelling).started, dict[str, Any]()
    if copy.code.part.kind != "server":
        changed = {name: _path_moved(getattr(settings, name), root, copy.root) for name in PATHS}
    if started is not None:
        changed["command"] = (
            started.command_in(environment_of(copy.site), tool.target.module, settings)
            if copy.code.part.kind == "server"
            else started.command_of(tool.target, settings, root)
        )
    moved = replace(settings, **changed)
    return replace(
        moved, given=moved.given | {name for name in ("python", "command") if getattr(moved, name)}
    )


def _path_moved(value: Any, root: Path, copy: Path) -> Any:
    if isinstance(value, tuple):
        return tuple(_path_moved(one, root, copy) for one in value)
    if not value or not Path(value).is_relative_to(root):
        return value
    return str(copy / Path(value).relative_to(root))


def timeless(report: ToolReport) -> ToolReport:
    """A report without what differs from run to run."""
    return replace(report, seconds=0.0, steps=tuple(replace(step, seconds=0.0) for step in report.steps))


def placeless(report: ToolReport, *folders: Path) -> ToolReport:
    """A report in which every path below one of some folders is relative to it."""
    prefixes = [f"{folder}/" for folder in map(str, folders) if folder != "/"]

    def relative(text: str) -> str:
        for prefix in prefixes:
            text = text.replace(prefix, "")
        return text

    return from_json(ToolReport, with_texts(to_json(report), relative))


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with each of its texts changed; names of members stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: with_texts(one, change) for key, one in value.items()}
    return [with_texts(one, change) for one in value] if isinstance(value, list | tuple) else value


def differences(old: Report, new: Report, root: Path) -> list[str]:
    """Where two reports differ in anything but times, places and baselines, as JSON paths; at most `_MOST_DIFFERENCES` and a count.

    `root` is the folder of the project in which they were made.
    """
    lines = list(_differing(_bare(old, root), _bare(new, root), "$"))
    rest = len(lines) - _MOST_DIFFERENCES
    return lines[:_MOST_DIFFERENCES] + ([f"and {rest} more"] if rest > 0 else [])


def _bare(report: Report, root: Path) -> Any:
    tools = tuple(placeless(without_baseline(timeless(tool)), root) for tool in report.tools)
    return to_json(replace(report, run=RunReport(), baseline=None, tools=tools))


def _differing(old: Any, new: Any, place: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differing(old.get(key), new.get(key), f"{place}.{key}")
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differing(one, other, f"{place}[{number}]")
    elif old != new:
        yield place
