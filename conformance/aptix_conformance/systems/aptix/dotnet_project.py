"""What a C# target and its settings name: an assembly, or sources to compile, and what they refer to."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.targets.settings import ToolSettings

_ASSEMBLIES: Final = (".dll", ".exe")
_METADATA: Final = b"BSJB"
"""The mark of the metadata in every file that .NET can load; native libraries have none."""
_LARGEST_PROJECT: Final = 1_000_000
"""Maximum bytes of a project file that is read."""
_LARGEST_ASSEMBLY: Final = 256 * 2**20
"""Maximum bytes of an assembly that is read."""


@dataclass(frozen=True, slots=True)
class Project:
    """The assembly or the sources of a target.

    Attributes:
        path: the path that the target names.
        assembly: the assembly that is there already; None where the tools are compiled from `sources`.
        sources: the files to compile: the tools themselves, or what the settings add to the assembly.
        references: assemblies that the settings name.
        beside: assemblies that lie beside the sources or the assembly.
    """

    path: Path
    assembly: Path | None
    sources: tuple[Path, ...]
    references: tuple[Path, ...]
    beside: tuple[Path, ...]


def read_project(module: str, root: Path, settings: ToolSettings) -> Project:
    """The project of a target; relative paths of the target are from `root`.

    Raises:
        TargetError: something that is named does not exist, or holds nothing; the message says where and what to do.
    """
    path, name = root / module, f"aptix-cs:{module}"
    if not path.exists():
        raise TargetError(f"{name}: there is no {path}: name an assembly, a project file, or C# sources")
    more = tuple(_matching(settings.sources, "sources", name))
    references = tuple(_matching(settings.references, "references", name))
    if path.suffix == ".csproj":
        path = _built(path, name)
    if path.suffix in _ASSEMBLIES:
        beside = tuple(each for each in _assemblies(path.parent) if each != path)
        return Project(path, path, more, references, beside)
    own = _own_sources(path)
    if not own:
        raise TargetError(
            f"{name}: {path} holds no C# source: name a folder with .cs files, a project file (.csproj), "
            "or an assembly (.dll)"
        )
    folder = path if path.is_dir() else path.parent
    return Project(path, None, tuple(dict.fromkeys((*own, *more))), references, tuple(_assemblies(folder)))


def _own_sources(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = sorted(path.rglob("*.cs"))
    return [file for file in files if not {"bin", "obj"} & set(file.relative_to(path).parts)]


def _matching(patterns: Iterable[str], key: str, name: str) -> Iterable[Path]:
    """The files that match patterns, each once; a folder stands for all in it that `key` is about."""
    suffix = ".dll" if key == "references" else ".cs"
    for pattern in patterns:
        glob = Path(pattern, f"*{suffix}") if Path(pattern).is_dir() else Path(pattern)
        files = sorted(Path(glob.anchor).glob(str(glob.relative_to(glob.anchor))))
        if not files:
            raise TargetError(f"{name}: `{key}` names {pattern}, and there is no such file")
        yield from (path for path in files if key != "references" or _is_assembly(path))


def _assemblies(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.dll")) if _is_assembly(path)]


def _is_assembly(path: Path) -> bool:
    try:
        return _METADATA in read_bounded(path, _LARGEST_ASSEMBLY)
    except OSError:
        return False


def _built(project: Path, name: str) -> Path:
    """The newest assembly that a project file has been built into."""
    assembly = f"{_assembly_name(project)}.dll"
    assemblies = [
        path for path in (project.parent / "bin").rglob(assembly) if not {"ref", "refint"} & set(path.parts)
    ]
    if not assemblies:
        raise TargetError(
            f"{name}: no {assembly} lies below {project.parent / 'bin'}: run dotnet build {project} first"
        )
    return max(assemblies, key=lambda path: path.stat().st_mtime_ns)


def _assembly_name(project: Path) -> str:
    """The name of a project's assembly: `AssemblyName`, where it is said plainly, or that of the file."""
    try:
        root = ET.fromstring(read_bounded(project, _LARGEST_PROJECT))  # noqa: S314 - the user's own project file, of limited size
    except (OSError, ValueError, ET.ParseError):
        return project.stem
    named = next((each.text for each in root.iter() if each.tag.rpartition("}")[2] == "AssemblyName"), None)
    return named.strip() if named and "$" not in named else project.stem
