"""Which specs cover a target, and where the project's pytest settings look for modules."""

import configparser
import contextlib
import shlex
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.files import LARGEST_SETTINGS, read_text
from aptix_conformance.targets.spec import Spec, SpecTable

_INI_FILES: Final = (("pytest.ini", "pytest"), (".pytest.ini", "pytest"))
_LATER_INI_FILES: Final = (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


def is_covered(target: str, specs: Iterable[str], table: SpecTable) -> bool:
    """Whether one of some specs names a target: the tool itself, its module, or a package around it.

    Nothing is imported or listed. A target that is no spec is covered by none.
    """
    parsed = table.read(target)
    covering = filter(None, map(table.read, specs))
    return parsed is not None and any(_covers(spec, parsed) for spec in covering)


def pytest_paths(directory: Path) -> tuple[str, ...]:
    """The entries of pytest's setting `pythonpath` in a project, as absolute paths; empty where there is none.

    A file that cannot be read counts as none: pytest itself reports it.
    """
    for read in (_from_ini(_INI_FILES), _from_pyproject, _from_ini(_LATER_INI_FILES)):
        entries = read(directory)
        if entries is not None:
            return tuple(str((directory / entry).absolute()) for entry in entries)
    return ()


def _covers(spec: Spec, target: Spec) -> bool:
    if spec.spelling is not target.spelling:
        return False
    if spec.qualname is not None:
        return spec == target
    inside = spec.spelling.lists_places and target.module.startswith(f"{spec.module}.")
    return inside or spec.module == target.module


def _from_ini(files: Iterable[tuple[str, str]]) -> Any:
    def read(directory: Path) -> list[str] | None:
        for name, section in files:
            parser = configparser.ConfigParser(interpolation=None)
            try:
                parser.read_string(read_text(directory / name, LARGEST_SETTINGS))
                value = parser.get(section, "pythonpath", fallback=None)
                if value is not None:
                    return shlex.split(value)
            except (configparser.Error, OSError, ValueError):  # ValueError: no UTF-8, or an open quote
                continue
        return None

    return read


def _from_pyproject(directory: Path) -> list[str] | None:
    try:
        document = tomllib.loads(read_text(directory / "pyproject.toml", LARGEST_SETTINGS))
    except (OSError, ValueError, RecursionError):
        return None
    value: Any = document
    for key in ("tool", "pytest", "ini_options", "pythonpath"):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, str):
        with contextlib.suppress(ValueError):  # an open quote
            return shlex.split(value)
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else None
