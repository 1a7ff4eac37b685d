"""Finds the mount function of the Amplifier module that a target names.

A target names an entry point of the group `amplifier.modules`, a path, or a module; they are tried in this order. A
module may also be named by its id, as Amplifier's loader finds it (`tool-notes` is `amplifier_module_tool_notes`).
"""

import contextlib
import importlib.metadata
import importlib.util
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ..errors import TargetFault
from ..loading import import_by_name

GROUP: Final = "amplifier.modules"
_PREFIX: Final = "amplifier_module_"
_UP: Final = 6  # folders above a module in which its pyproject.toml is looked for


@dataclass(frozen=True)
class ImportedModule:
    """An imported module; `attribute` is the name of its mount function.

    `distribution` is the name of the distribution whose only module this is; empty where there is none.
    """

    module: ModuleType
    attribute: str
    entry_points: tuple[dict[str, str], ...]
    distribution: str = ""

    @property
    def mount(self) -> Any:
        """The mount function; None where there is none."""
        value: Any = self.module
        for part in self.attribute.split("."):
            value = getattr(value, part, None)
        return value


def find_module(where: str, root: str) -> ImportedModule:
    """The module that `where` names; paths start at `root`.

    Raises:
        TargetFault: there is none, or importing it fails.
    """
    for entry in importlib.metadata.entry_points(group=GROUP):
        if entry.name == where:
            return _imported_module(import_by_name(entry.module), entry.attr or "mount")
    path = os.path.join(root, where)
    if os.sep in where or where.endswith(".py") or os.path.isdir(path):
        return _module_at(path, where)
    for name in (where, _PREFIX + where.replace("-", "_")):
        if all(part.isidentifier() for part in name.split(".")) and _exists(name):
            return _imported_module(import_by_name(name), "mount")
    raise TargetFault(f"amplifier:{where}: {_why_not_found(where)}")


def _module_at(path: str, where: str) -> ImportedModule:
    if os.path.isfile(path) and path.endswith(".py"):
        return _module_of_file(path)
    if not os.path.isdir(path):
        raise TargetFault(f"amplifier:{where}: there is no folder and no Python file at this path")
    folders = [path, os.path.join(path, "src")]
    named = {entry["value"].strip() for entry in _declared(path) if entry["group"] == GROUP}
    if len(named) == 1:
        _put_on_path(*folders)
        module, _, attribute = named.pop().partition(":")
        return _imported_module(import_by_name(module.strip()), attribute.strip() or "mount")
    if os.path.isfile(os.path.join(path, "__init__.py")):
        return _module_of_file(os.path.join(path, "__init__.py"))
    packages = [package for folder in folders for package in _packages_in(folder)]
    if len(packages) == 1:
        return _module_of_file(packages[0])
    names = sorted(named) or [os.path.basename(os.path.dirname(package)) for package in packages]
    contents = f"holds several modules: {', '.join(names)}; name one of them" if names else "holds no module"
    looked = f"a {GROUP} entry point in pyproject.toml, an __init__.py or a package {_PREFIX}…"
    raise TargetFault(f"amplifier:{where}: this folder {contents} (looked for {looked})")


def _module_of_file(path: str) -> ImportedModule:
    """The module of a file, by its full name with its packages."""
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    names = [] if name == "__init__.py" else [name.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        names.insert(0, package)
    _put_on_path(folder)
    return _imported_module(import_by_name(".".join(names)), "mount")


def _imported_module(module: ModuleType, attribute: str) -> ImportedModule:
    installed = [
        {"group": entry.group, "name": entry.name, "value": entry.value}
        for entry in _installed()
        if _is_part(entry.module, module.__name__)
    ]
    folder = _project_folder(module)
    entries = _declared(folder) if folder else ()
    declared = [
        entry for entry in entries if entry not in installed and _names(entry["value"], module, folder)
    ]
    distribution = _installed_by(module) or (_project_name(folder) if declared else "")
    return ImportedModule(module, attribute, (*installed, *declared), distribution)


def _installed() -> Iterator[importlib.metadata.EntryPoint]:
    """The entry points of all distributions, of every group."""
    for distribution in importlib.metadata.distributions():
        yield from distribution.entry_points


def _installed_by(module: ModuleType) -> str:
    """The distribution whose only entry point for Amplifier names a module; empty where there is none."""
    for distribution in importlib.metadata.distributions():
        named = [entry for entry in distribution.entry_points if entry.group == GROUP]
        if len(named) == 1 and _is_part(named[0].module, module.__name__):
            return str(distribution.metadata["Name"] or "")
    return ""


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _why_not_found(where: str) -> str:
    elsewhere = [entry for entry in _installed() if entry.name == where]
    if elsewhere:
        groups = ", ".join(sorted({entry.group for entry in elsewhere}))
        return f"there is an entry point of this name in the group {groups}; it has to be in {GROUP}"
    known = sorted({entry.name for entry in importlib.metadata.entry_points(group=GROUP)})
    return (
        f"there is no entry point of this name in the group {GROUP}, no module and no path; "
        f"the entry points installed are {', '.join(known) or 'none'}"
    )


def _put_on_path(*folders: str) -> None:
    for folder in folders:
        if folder not in sys.path and os.path.isdir(folder):
            sys.path.insert(0, folder)


def _packages_in(folder: str) -> list[str]:
    """The `__init__.py` of each package in a folder whose name begins as those of Amplifier's modules do."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    inits = [os.path.join(folder, name, "__init__.py") for name in names if name.startswith(_PREFIX)]
    return [init for init in inits if os.path.isfile(init)]


def _project_folder(module: ModuleType) -> str:
    """The nearest folder above a module whose pyproject.toml has entry points; empty where there is none."""
    file = getattr(module, "__file__", None)
    folder = os.path.dirname(os.path.realpath(file)) if isinstance(file, str) else ""
    for _ in range(_UP if folder else 0):
        if any(True for _ in _declared(folder)):
            return folder
        folder = os.path.dirname(folder)
    return ""


def _project(folder: str) -> dict[str, Any]:
    """The pyproject.toml of a folder; empty where there is none that can be read."""
    with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)
    return {}


def _project_name(folder: str) -> str:
    """The name of the project in a folder that offers one module for Amplifier; empty for one that offers several."""
    if sum(entry["group"] == GROUP for entry in _declared(folder)) > 1:
        return ""
    project = _project(folder)
    return str(
        project.get("project", {}).get("name") or project.get("tool", {}).get("poetry", {}).get("name", "")
    )


def _declared(folder: str) -> Iterator[dict[str, str]]:
    """The entry points in the pyproject.toml of a folder, of every group."""
    document = _project(folder)
    poetry = document.get("tool", {}).get("poetry", {}).get("plugins", {})
    for groups in (document.get("project", {}).get("entry-points", {}), poetry):
        for group, entries in groups.items():
            for name, value in entries.items() if isinstance(entries, dict) else ():
                yield {"group": str(group), "name": str(name), "value": str(value)}


def _names(value: str, module: ModuleType, folder: str) -> bool:
    """Whether an entry point's value names a module, by its name or by its file."""
    name = value.partition(":")[0].strip()
    if _is_part(name, module.__name__):
        return True
    file = os.path.realpath(module.__file__ or "")
    inner = name.replace(".", os.sep)
    places = [os.path.join(folder, *more, inner) for more in ((), ("src",))]
    return any(
        file in (f"{os.path.realpath(p)}.py", os.path.join(os.path.realpath(p), "__init__.py"))
        for p in places
    )


def _is_part(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")
