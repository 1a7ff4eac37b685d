"""Whose code a tool is: its installed distribution, or the folder of the project.

The target spec says where the code is, never the tool: a stranger's tool may claim any file.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

from aptix_conformance.certificates.code import normalised, tracked_files
from aptix_conformance.certificates.copies import Code
from aptix_conformance.certificates.environment import installed_distribution, is_editable
from aptix_conformance.certificates.statement import CodePart
from aptix_conformance.errors import CertificateError
from aptix_conformance.examination import ToolUnderTest
from aptix_conformance.run import Run
from aptix_conformance.systems.mcp.commands import is_url
from aptix_conformance.targets.provenance import likely_file, provenance, site_packages

_UNNAMED: Final = "project"
_LONGEST_NAME: Final = 200


def code_of(run: Run, tool: ToolUnderTest) -> Code:
    """Where the tool's own code is.

    Raises:
        CertificateError: it is neither in an installed distribution nor among the tracked files of the project.
    """
    spec, root = tool.target.spec, run.root.resolve()
    if tool.target.system == "mcp":
        raise CertificateError(_started_or_remote(tool))
    entries = entries_of(run, tool)
    file = likely_file(spec, run.settings.specs, run.root, entries)
    owner = provenance(file, run.root, entries).distribution if file else None
    installed = installed_distribution(owner.name, entries) if owner else None
    if installed is not None and not is_editable(installed):
        name = f"{normalised(str(installed.metadata['Name']))} {installed.version}"
        return Code(CodePart("distribution", name), Path(str(installed.locate_file(""))))
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
    return Code(CodePart("folder", _project_name(root)), root)


def entries_of(run: Run, tool: ToolUnderTest) -> tuple[str, ...]:
    """The directories of the distributions that the tool can import."""
    python = tool.settings.python
    return tuple(site_packages(python)) if python else run.sys_path


def _started_or_remote(tool: ToolUnderTest) -> str:
    """Why the tool of a server has no digest."""
    if tool.settings.url or is_url(tool.target.module):
        return f"{tool.name} is offered by a server at a URL: what runs there has no digest, so nothing is issued"
    return (
        f"{tool.name} is offered by a server that a command starts: which files it runs is not known, "
        "so it has no digest"
    )


def _project_name(root: Path) -> str:
    """What a project calls itself; the name of its folder differs from checkout to checkout."""
    try:
        project: Any = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):
        return _UNNAMED
    name = project.get("name") if isinstance(project, dict) else None
    return name if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME else _UNNAMED
