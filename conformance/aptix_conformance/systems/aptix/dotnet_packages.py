"""Packages of NuGet that lie in the user's folder: CoreCLR loads what a tool's `.deps.json` names from there."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.text import printable
from aptix_conformance.systems.aptix.dotnet_runtimes import packages_folder
from aptix_conformance.systems.profile import Package

DEPENDENCIES: Final = ".deps.json"
_LARGEST: Final = 16 << 20
"""Bytes of a `.deps.json`; a larger one is not read."""
_PLAIN: Final = re.compile(r"[ -~]{0,1000}")
_NAME_AND_VERSION: Final = 2
"""The folders from that of all packages to that of one."""
_LEADS_OUT: Final = re.compile(r"[/\\]|(.*[/\\])?\.\.([/\\].*)?\Z", re.DOTALL)


def packages_of(root: Path, names: Iterable[str]) -> list[Package]:
    """The packages that are named by any `.deps.json` among some files below `root` (`systems.profile.Runtime.packages`).

    Raises:
        TargetError: as `packages_named`.
    """
    files = [root / name for name in names if name.endswith(DEPENDENCIES)]
    by_folder = {package.folder: package for file in files for package in packages_named(file)}
    return [by_folder[folder] for folder in sorted(by_folder)]


def packages_named(file: Path) -> Iterator[Package]:
    """The packages in the user's folder that a `.deps.json` names.

    Raises:
        TargetError: it cannot be read, or has a path that leads out of a package.
    """
    folder, (libraries, assets) = packages_folder(), _read(file)
    for path in assets:
        _check(path, file)
    for name, library in libraries.items():
        entry = library if isinstance(library, dict) else {}
        place = PurePosixPath(str(entry.get("path") or name))
        _check(str(place), file)
        if folder is not None and len(place.parts) == _NAME_AND_VERSION and os.path.isdir(folder / place):  # noqa: PTH112 - a text of any length
            integrity = str(entry.get("sha512") or "")
            yield Package(*place.parts, integrity if _PLAIN.fullmatch(integrity) else "", folder / place)


def _read(file: Path) -> tuple[dict[str, Any], list[str]]:
    """The libraries of a `.deps.json`, and the paths of all of their files."""
    try:
        document: Any = json.loads(read_bounded(file, _LARGEST).decode("utf-8-sig"))
        targets = [library for target in document.get("targets", {}).values() for library in target.values()]
        kinds = [files for library in targets for files in library.values() if isinstance(files, dict)]
        return dict(document.get("libraries", {})), [path for files in kinds for path in files]
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise TargetError(
            f"{file} cannot be read: {printable(str(error), 150)}: build its project again"
        ) from None


def _check(path: str, file: Path) -> None:
    if _LEADS_OUT.match(path):
        raise TargetError(
            f"{file} has the path {printable(path, 150)}, which leads out of a package: build its project again"
        )
