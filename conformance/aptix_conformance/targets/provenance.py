"""Where a tool comes from: the file that defines it, the distribution of that file, and the project's revision.

This process reads files and imports nothing. The host names the file and may lie, so only a regular file of bounded size
is read, inside the root directory or a directory of the tools' path.
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from aptix_conformance.core.files import LARGEST_SETTINGS, is_file, open_regular, read_bounded, read_text
from aptix_conformance.core.model.codec import Record
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import DistributionReport, RevisionReport, SourceReport
from aptix_conformance.targets.git import git
from aptix_conformance.targets.spec import SpecTable

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a source file beyond which it is not read."""
LONGEST: Final = 4096
"""The most characters of a file's name."""
_PLACE: Final = re.compile(r"(.+):([0-9]{1,9})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a tool comes from; None for what is not known."""

    source: SourceReport | None = None
    distribution: DistributionReport | None = None


class Origin(Record, frozen=True):
    """What is known of where a tool comes from before it is examined."""

    declared_at: str
    """`file:line` of its class, or its file, as its host says; empty where that is not known."""
    python: str | None = None
    """The tool's interpreter, where that is not ours."""
    containment: Containment | None = None
    """What held its process; None where that is not known."""


def likely_file(spec: str, specs: SpecTable, root: Path, paths: Iterable[str]) -> str:
    """The file that a spec names or whose module it names, for a target that could not be loaded; empty if there is none.

    Nothing is imported: the file is looked for below `root` and `paths`.
    """
    parsed = specs.read(spec)
    if parsed is None:
        return ""
    dotted = parsed.module.replace(".", "/")
    names = (parsed.module, f"{dotted}.py", f"{dotted}/__init__.py")
    for directory in (root, *map(Path, paths)):
        for name in names:
            path = Path(os.path.normpath(directory / name))
            if len(name) <= LONGEST and is_file(path):
                return str(path.relative_to(root) if path.is_relative_to(root) else path)
    return ""


def project_name(spec: str, specs: SpecTable, root: Path) -> str:
    """The name in the pyproject.toml of the folder that a spec names, else that of the folder; the spec if it names none."""
    parsed = specs.read(spec)
    if parsed is None:
        return spec
    folder = Path(os.path.normpath(root / parsed.module))
    try:
        document = tomllib.loads(read_text(folder / "pyproject.toml", LARGEST_SETTINGS))
    except (OSError, ValueError, RecursionError):  # ValueError: a NUL in the path, no UTF-8, no TOML
        document = {}
    tool = document.get("tool")
    tables = (document.get("project"), tool.get("poetry") if isinstance(tool, dict) else None)
    names = (table.get("name") for table in tables if isinstance(table, dict))
    return next((name for name in names if isinstance(name, str) and name.strip()), folder.name)


def provenance(declared_at: str, root: Path, paths: Iterable[str], python: str | None = None) -> Provenance:
    """The provenance of a tool whose host says that it is defined at `declared_at`: `file:line`, or a file.

    `root` is where a relative file is looked for, `paths` are where its module is, and `python` is the tool's interpreter
    where that is not ours.
    """
    file, line = _parts(declared_at)
    if not file or len(file) > LONGEST:
        return Provenance()
    entries = _directories((str(root), *paths, *site_packages(python)))
    path = _inside(root / file, entries)
    digest = _digest(path) if path else None
    owner = _distribution(path, entries) if path else None
    return Provenance(SourceReport(file, line, digest), owner)


def revision_of(root: Path) -> RevisionReport | None:
    """The commit of the git repository that holds `root`; None where there is none, or no git."""
    commit = git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    # A submodule has a configuration of its own, so only its commit is compared.
    changes = git(root, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    prefix = git(root, "rev-parse", "--show-prefix")
    if not commit or changes is None or prefix is None:
        return None
    directory = prefix.decode("utf-8", "replace").removesuffix("\n").removesuffix("/")
    return RevisionReport("git", commit.decode().strip(), modified=bool(changes.strip()), directory=directory)


def configured_at(pyproject: Path, specs: Iterable[str]) -> SourceReport | None:
    """The first line of a project's configuration that has one of some specs in quotes; None where none has."""
    try:
        lines = read_text(pyproject, LARGEST_SETTINGS).splitlines()
    except (OSError, ValueError):
        return None
    named = [mark + spec + mark for spec in specs for mark in "\"'"]
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("#") and any(name in line for name in named):
            return SourceReport(pyproject.name, number)
    return None


def _parts(declared_at: str) -> tuple[str, int | None]:
    match = _PLACE.fullmatch(declared_at)
    return (match[1], int(match[2])) if match else (declared_at, None)


def site_packages(python: str | None) -> list[str]:
    """Where the packages of a virtual environment are."""
    return (
        [str(path) for path in Path(python).parent.parent.glob("lib/python*/site-packages")] if python else []
    )


@lru_cache(maxsize=16)
def _directories(paths: tuple[str, ...]) -> tuple[Path, ...]:
    """The directories among some paths, resolved."""
    return tuple(dict.fromkeys(Path(path).resolve() for path in paths if os.path.isdir(path)))  # noqa: PTH112 - no error


def _inside(path: Path, entries: Iterable[Path]) -> Path | None:
    """The file itself, links followed, where it is below one of the directories."""
    try:
        resolved = path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return resolved if any(resolved.is_relative_to(entry) for entry in entries) else None


def _digest(path: Path) -> str | None:
    try:
        with open_regular(path, follow=False) as stream:
            content = stream.read(LARGEST + 1)
    except OSError:
        return None
    return f"sha256:{hashlib.sha256(content).hexdigest()}" if len(content) <= LARGEST else None


# ---- distributions


@dataclass(frozen=True, slots=True)
class _Installed:
    """A distribution, the top-level names that its record lists, and for an editable one where its code is."""

    name: str
    version: str
    record: Path
    tops: frozenset[str]
    code: tuple[Path, ...]


@lru_cache(maxsize=10_000)
def _distribution(path: Path, entries: tuple[Path, ...]) -> DistributionReport | None:
    """The distribution whose record lists a file, or the editable one whose code it is below."""
    for entry in sorted((entry for entry in entries if path.is_relative_to(entry)), key=_depth, reverse=True):
        listed = path.relative_to(entry).as_posix()
        for known in _installed(entry):
            if listed.partition("/")[0] in known.tops and listed in set(_listed(known.record)):
                return DistributionReport(known.name, known.version)
    owners = [
        (_depth(code), known)
        for entry in entries
        for known in _installed(entry)
        for code in known.code
        if path.is_relative_to(code)
    ]
    nearest = max(owners, key=lambda owner: owner[0], default=None)
    return DistributionReport(nearest[1].name, nearest[1].version) if nearest else None


def _depth(path: Path) -> int:
    return len(path.parts)


@lru_cache(maxsize=64)
def _installed(entry: Path) -> tuple[_Installed, ...]:
    installed = []
    for record in entry.glob("*.dist-info/RECORD"):
        try:
            distribution = metadata.PathDistribution(record.parent)
            name, version = distribution.metadata["Name"], distribution.version
            tops = frozenset(listed.partition("/")[0] for listed in _listed(record))
            code = tuple(_code_of_editable(record, entry))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # a damaged distribution owns no file
        if isinstance(name, str) and isinstance(version, str):
            installed.append(_Installed(name, version, record, tops, code))
    return tuple(installed)


def _listed(record: Path) -> Iterator[str]:
    """The files of a record, as paths from the directory into which it is installed."""
    for line in _lines(record):
        yield line.rsplit(",", 2)[0].strip('"')


def _lines(path: Path) -> list[str]:
    return read_bounded(path, LARGEST).decode("utf-8", "replace").splitlines()


def _code_of_editable(record: Path, entry: Path) -> Iterator[Path]:
    """Where the code of an editable distribution is: what its `.pth` files name, else its whole project."""
    direct = record.with_name("direct_url.json")
    project = editable_project("\n".join(_lines(direct))) if is_file(direct) else None
    if project is None:
        return
    lines = [
        line.strip() for file in _listed(record) if file.endswith(".pth") for line in _lines(entry / file)
    ]
    named = [Path(line).resolve() for line in lines if line.startswith("/")]
    yield from named or [Path(project).resolve()]


def editable_project(direct_url: str | None) -> str | None:
    """The folder of the project whose editable installation a `direct_url.json` is of (PEP 660); None for any other text."""
    try:
        origin: Any = json.loads(direct_url or "{}")
        parts = urlsplit(origin["url"]) if origin.get("dir_info", {}).get("editable") else None
        return unquote(parts.path) if parts and parts.scheme == "file" else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
