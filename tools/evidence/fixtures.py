"""The nonconforming tools, read from their files: `nonconforming/<CODE>_<fault>.<language>`.

Those of Aptix are in `fixtures/`, those of another system in `fixtures/<system>/` or a folder below it, beside the conforming tools. The
first line of a file describes the fault. A line `Conforming twin: <file>` names the tool without the fault. Where a tool
is a folder, its first file that names a twin is read.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ContractDataError

_NAME: Final = re.compile(r"(?P<rule>[A-Z]{3}\d{3})_(?P<fault>[a-z0-9_]+)")
_TWIN: Final = re.compile(r"^\W*Conforming twin: (?P<twin>[\w./-]*\w)", re.MULTILINE)
_IMPORTED: Final = re.compile(r"^from (\w+) import", re.MULTILINE)
_COMMENT: Final = " \t\"'#/*"


@dataclass(frozen=True, slots=True)
class Fixture:
    """One nonconforming tool. Paths are relative to the folder of the fixtures."""

    name: str
    """Code and fault, `ARG002_loads_outside_try`; for another system with that in front, `amplifier/AMP003_returns_true`."""
    rule: str
    says: str
    """Its fault, in one sentence."""
    path: str
    """The file that was read: the tool's own, or the first in its folder that names a twin."""
    source: str
    twin: str
    twin_source: str
    twin_bases: tuple[str, ...]
    """The sources of the files that the twin imports from its own folder."""


def read_fixtures(fixtures: Path) -> tuple[Fixture, ...]:
    """Every nonconforming tool below the folder of the fixtures: Aptix's, then each other system's, sorted by name.

    Raises:
        ContractDataError: one is not named for a rule and a fault, or names no twin that is there.
    """
    folders = [
        fixtures / "nonconforming",
        *(folder for depth in (1, 2, 3) for folder in sorted(fixtures.glob("*/" * depth + "nonconforming"))),
    ]
    entries = [entry for folder in folders if folder.is_dir() for entry in sorted(folder.iterdir())]
    text_of = cache(_text)  # many have the same twin
    return tuple(
        _read(entry, fixtures, text_of) for entry in entries if not entry.name.startswith(("_", "."))
    )


def by_rule(fixtures: Iterable[Fixture]) -> dict[str, tuple[Fixture, ...]]:
    """The fixtures by the code of their rule."""
    found: dict[str, list[Fixture]] = {}
    for fixture in fixtures:
        found.setdefault(fixture.rule, []).append(fixture)
    return {rule: tuple(some) for rule, some in found.items()}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _read(entry: Path, fixtures: Path, text_of: Callable[[Path], str]) -> Fixture:
    where = entry.relative_to(fixtures).as_posix()
    named = _NAME.fullmatch(entry.name.partition(".")[0])
    if named is None:
        raise ContractDataError(
            f"fixtures/{where} is not named <CODE>_<fault>, as ARG002_loads_outside_try is"
        )
    for path in _files(entry):
        source = text_of(path)
        twin = _TWIN.search(source)
        if twin is not None:
            break
    else:
        raise ContractDataError(f"fixtures/{where} names no twin: write a line `Conforming twin: <file>`")
    twin_path = _twin_path(entry.parent.with_name("conforming"), twin["twin"])
    if twin_path is None:
        raise ContractDataError(
            f"fixtures/{where}: its twin {twin['twin']} is not in the folder conforming beside it"
        )
    return Fixture(
        name="/".join([*Path(where).parts[:-2], named.group()]),
        rule=named["rule"],
        says=source.lstrip(_COMMENT + "\n").partition("\n")[0].strip(_COMMENT),
        path=path.relative_to(fixtures).as_posix(),
        source=source,
        twin=twin_path.relative_to(fixtures).as_posix(),
        twin_source=text_of(twin_path),
        twin_bases=tuple(_imported_beside(twin_path, text_of)),
    )


def _imported_beside(path: Path, text_of: Callable[[Path], str]) -> Iterator[str]:
    for module in _IMPORTED.findall(text_of(path)):
        beside = path.with_name(f"{module}.py")
        if beside.is_file():
            yield text_of(beside)


def _files(entry: Path) -> list[Path]:
    if entry.is_file():
        return [entry]
    return sorted(
        path
        for path in entry.rglob("*")
        if path.is_file() and path.suffix in {".py", ".mjs", ".js", ".ts", ".cs", ".md"}
    )


def _twin_path(conforming: Path, twin: str) -> Path | None:
    path = conforming / twin
    if path.is_dir():
        return next((found for found in _files(path)), None)
    return path if path.is_file() else None
