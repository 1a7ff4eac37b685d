"""Examining for a certificate: the tools of a run, with the digests of their code before and after."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance.certificates.code import distribution_digest, folder_digest, normalised, tracked_files
from aptix_conformance.certificates.environment import environment, installed_distribution, is_editable
from aptix_conformance.certificates.statement import CodePart, EnvironmentPart
from aptix_conformance.errors import CertificateError
from aptix_conformance.examination import ToolUnderTest
from aptix_conformance.model.codec import replace, to_json
from aptix_conformance.model.report import Report, RunReport, ToolReport
from aptix_conformance.reports.baseline import without_baseline
from aptix_conformance.run import Run
from aptix_conformance.targets.provenance import likely_file, provenance, site_packages

_MOST_DIFFERENCES: Final = 20
_UNNAMED: Final = "project"
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Examined:
    """A tool with its report, and the digest of its code, which was the same before and after the examination."""

    tool: ToolUnderTest
    report: ToolReport
    code: CodePart
    digest: str
    environment: EnvironmentPart


def examine_all(run: Run, watch: Callable[[str], None]) -> tuple[Report, list[Examined]]:
    """Examine the tools of a run; `watch` gets a line for each step.

    Returns the report without times and places and the tools, both sorted by name, so that equal examinations have equal
    bytes in whatever order the tools are named.

    Raises:
        CertificateError: a target leads to no tool, a tool's code has no digest, or the code changed meanwhile.
        ConformanceError: as `Run.examine`.
    """
    found = run.list_tools()
    for failure in found.failures:
        raise CertificateError(f"{failure.spec} cannot be examined, so nothing is issued: {failure.message}")
    examined = []
    for number, tool in enumerate(found.tools, start=1):
        watch(f"{number}/{len(found.tools)} {tool.name}: examining")
        before = code_of(run, tool)
        report = timeless(run.reports.tool_report(tool, run.examine(tool)))
        code, digest = code_of(run, tool)
        if (code, digest) != before:
            raise CertificateError(
                f"the code of {tool.name} changed while it was examined: nothing is issued"
            )
        examined.append(
            Examined(tool, report, code, digest, environment(entries_of(run, tool), tool.settings.python))
        )
        watch(f"{number}/{len(found.tools)} {tool.name}: {report.status}")
    examined.sort(key=lambda one: (one.tool.name, one.tool.target.spec))
    reports = [one.report for one in examined]
    whole = run.report(reports, unneeded=run.unneeded_waivers(reports))
    return replace(whole, run=RunReport()), examined


def timeless(report: ToolReport) -> ToolReport:
    """A report without what differs from run to run."""
    return replace(report, seconds=0.0, steps=tuple(replace(step, seconds=0.0) for step in report.steps))


def code_of(run: Run, tool: ToolUnderTest) -> tuple[CodePart, str]:
    """What the tool's own code is, and its digest: its installed distribution, else the project's folder.

    The target spec says where the code is, never the tool: a stranger's tool may claim any file.

    Raises:
        CertificateError: the code is neither in an installed distribution nor in the project, or has no digest.
    """
    spec, root = tool.target.spec, run.root.resolve()
    if tool.settings.command:
        raise CertificateError(f"{tool.name} is started by a command, so which code is its own is not known")
    entries = entries_of(run, tool)
    file = likely_file(spec, run.settings.specs, run.root, entries)
    owner = provenance(file, run.root, entries).distribution if file else None
    installed = installed_distribution(owner.name, entries) if owner else None
    if installed is not None and not is_editable(installed):
        name = f"{normalised(str(installed.metadata['Name']))} {installed.version}"
        return CodePart("distribution", name), distribution_digest(installed)
    place = (root / (file or run.settings.specs.parse(spec).module)).resolve()
    if not place.exists() or not place.is_relative_to(root):
        raise CertificateError(
            f"the code of {tool.name} is neither in an installed distribution nor below {root}: it has no digest"
        )
    tracked = tracked_files(root)
    name = place.relative_to(root).as_posix()
    if tracked is None:
        raise CertificateError(
            f"the code of {tool.name} is in {root}, which is no git work tree, so which files are its own is not known: "
            "run `git init` and `git add`, or install the tool as a wheel"
        )
    if place.is_file() and name not in tracked:
        raise CertificateError(
            f"git does not track {name}: add it, since the digest is that of the tracked files"
        )
    return CodePart("folder", _project_name(root)), folder_digest(root)


def _project_name(root: Path) -> str:
    """What a project calls itself; the name of its folder differs from checkout to checkout."""
    try:
        project: Any = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):
        return _UNNAMED
    name = project.get("name") if isinstance(project, dict) else None
    return name if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME else _UNNAMED


def entries_of(run: Run, tool: ToolUnderTest) -> tuple[str, ...]:
    """The directories of the distributions that the tool can import."""
    python = tool.settings.python
    return tuple(site_packages(python)) if python else run.sys_path


def differences(old: Report, new: Report) -> list[str]:
    """Where two reports differ in anything but times, places and baselines, as JSON paths; at most `_MOST_DIFFERENCES` and a count."""
    found = list(_differing(_bare(old), _bare(new), "$"))
    rest = len(found) - _MOST_DIFFERENCES
    return found[:_MOST_DIFFERENCES] + ([f"and {rest} more"] if rest > 0 else [])


def _bare(report: Report) -> Any:
    tools = tuple(without_baseline(timeless(tool)) for tool in report.tools)
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
