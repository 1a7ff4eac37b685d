"""Whose code a tool is: its installed distribution, or the folder of the project.

The target spec says where the code is, never the tool: a stranger's tool may claim any file.
"""

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from packaging.utils import canonicalize_name

from aptix_conformance.app.certificates.code import library_digest, tracked_files
from aptix_conformance.app.certificates.copies import Code
from aptix_conformance.app.certificates.environment import installed_distribution, is_editable
from aptix_conformance.app.certificates.packages import packages_in, packages_outside
from aptix_conformance.app.certificates.statement import CodePart, EnvironmentPart
from aptix_conformance.app.run import Run
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.files import LARGEST_SETTINGS, read_text
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine import ToolUnderTest
from aptix_conformance.targets.provenance import likely_file, provenance, site_packages

_UNNAMED: Final = "project"
_LONGEST_NAME: Final = 200


def code_of(run: Run, tool: ToolUnderTest) -> Code:
    """Where the tool's own code is.

    Raises:
        CertificateError: it is neither in an installed distribution or server nor among the tracked files of the project.
        TargetError: as `Started.stored`.
    """
    root = run.root.resolve()
    started = run.systems.runtime(tool.target.spelling).started
    if started is not None:
        stored = started.stored(tool.target, tool.settings, root, run.settings.server_store)
        if stored is not None:
            return Code(CodePart("server", stored.name), stored.folder.resolve())
        place = started.file_of(tool.target, tool.settings, root)
    else:
        entries = entries_of(run, tool)
        file = likely_file(tool.target.spec, run.settings.specs, run.root, entries)
        owner = provenance(file, run.root, entries).distribution if file else None
        installed = installed_distribution(owner.name, entries) if owner else None
        if installed is not None and not is_editable(installed):
            name = f"{canonicalize_name(str(installed.metadata['Name']))} {installed.version}"
            return Code(CodePart("distribution", name), Path(str(installed.locate_file(""))))
        place = (root / (file or run.settings.specs.parse(tool.target.spec).module)).resolve()
    return _in_project(tool.name, place, root)


def _in_project(name: str, place: Path, root: Path) -> Code:
    """The code of the project in `root`, of which `place` is a file or folder, for the tool `name`."""
    if not place.exists() or not place.is_relative_to(root):
        raise CertificateError(
            f"the code of {name} is neither in an installed distribution nor below {root}: it has no digest"
        )
    tracked = tracked_files(root)
    file = place.relative_to(root).as_posix()
    if tracked is None:
        raise CertificateError(
            f"the code of {name} is in {root}, which is not a git work tree, so the suite does not know its files: "
            "run `git init` and `git add`, or install the tool as a wheel"
        )
    if place.is_file() and file not in tracked:
        raise CertificateError(
            f"git does not track {file}: add it, since the digest is that of the tracked files"
        )
    return Code(CodePart("folder", _project_name(root)), root, tracked=True)


def entries_of(run: Run, tool: ToolUnderTest) -> tuple[str, ...]:
    """The directories of the distributions that the tool can import."""
    python = interpreter_of(run, tool)
    return tuple(site_packages(python)) if python else run.sys_path


def interpreter_of(run: Run, tool: ToolUnderTest) -> str | None:
    """The tool's own interpreter, or that of the command which starts its server; None where it is the suite's.

    Raises:
        CertificateError, TargetError: as `Started.command_of`.
    """
    started = run.systems.runtime(tool.target.spelling).started
    if started is not None:
        return started.command_of(tool.target, tool.settings, run.root.resolve())[0]
    return tool.settings.python


def with_runtime(
    installed: EnvironmentPart, run: Run, tool: ToolUnderTest, python: str | None
) -> EnvironmentPart:
    """An environment, with what runs the tool where that is not the interpreter: its version and the digest of its program.

    `python` is the tool's interpreter, where it has its own.

    Raises:
        TargetError: it is not installed any more.
        CertificateError: its program has no digest.
    """
    runtime = run.systems.runtime(tool.target.spelling)
    version = runtime.version
    if version is None or (runtime.started is not None and python is not None):
        return installed
    label, code = version(tool.settings.runtime)
    places = [Path(os.path.realpath(path)) for path in code]
    digest = library_digest(
        {f"{place.parent.name}/{place.name}": place for place in places if place.is_dir()},
        {place.name: place for place in places if not place.is_dir()},
    )
    return replace(installed, runtime=label, runtime_binary=digest)


def with_packages(
    installed: EnvironmentPart, run: Run, tool: ToolUnderTest, root: Path, names: Sequence[str]
) -> EnvironmentPart:
    """An environment, with the packages of Node.js and .NET of a tool whose code are some files of the folder `root`.

    Raises:
        TargetError: as `Runtime.packages`.
        CertificateError: as `packages_in` and `packages_outside`.
    """
    outside = run.systems.runtime(tool.target.spelling).packages
    packages = [*packages_in(root, names), *packages_outside(outside(root, names) if outside else ())]
    return replace(installed, packages=tuple(sorted(packages, key=lambda part: part.place)))


def _project_name(root: Path) -> str:
    """The name that a project gives itself; the name of its folder differs from checkout to checkout."""
    try:
        project: Any = tomllib.loads(read_text(root / "pyproject.toml", LARGEST_SETTINGS)).get("project")
    except (OSError, ValueError, RecursionError):
        return _UNNAMED
    name = project.get("name") if isinstance(project, dict) else None
    return name if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME else _UNNAMED
