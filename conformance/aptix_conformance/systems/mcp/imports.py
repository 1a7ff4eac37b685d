"""Whether the program of a server imports an SDK, as far as its source says so.

An SDK that lies beside a server says nothing about the server: many environments have one. Sources are read as text and
never run. They are strangers', so the reading is bounded, and what cannot be followed leaves the answer open.
"""

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.files import read_bounded

_LARGEST: Final = 1 << 20
"""Bytes of a source; a larger one is not read."""
_MOST_FILES: Final = 400
_MOST_ENTRIES: Final = 10_000
"""Files that are looked at in one package."""
_MOST_NAMES: Final = 5_000
"""Names of imports that are followed: each is looked for in several places."""
_LARGEST_BUNDLE: Final = 1 << 23
_MOST_BUNDLES: Final = 40
_MOST_TEXT: Final = 1 << 25
"""Files that are looked at for an SDK that is bundled into one of them, and the characters of all of them."""
_PYTHON: Final = re.compile(r"python(3(\.[0-9]+)?)?")
_IMPORT: Final = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+(\w[\w., \t]*))", re.MULTILINE)
_REQUIRES: Final = re.compile(r"^Requires-Dist:[ \t]*([\w-]+)", re.MULTILINE)
_WITH_VALUE: Final = ("-W", "-X", "--check-hash-based-pycs")
_SPECIFIER: Final = re.compile(r"""\b(?:from|import|require)\s{0,9}\(?\s{0,9}["']([^"'\n]{1,300})["']""")
_SCRIPTS: Final = ("", ".js", ".mjs", ".cjs", ".ts", "/index.js")
_DEPENDENCIES: Final = ("dependencies", "devDependencies", "peerDependencies")

Source = tuple[str, Path]
"""A text and the folder that it lies in."""
Follow = Callable[[str], Sequence[Path] | None]
"""Of a name that a source imports: the files to read for it, none for what is not followed, None for an SDK.

Raises:
    LookupError: it is not known what the name stands for.
"""


def python_imports(command: Sequence[str], folder: Path, sdks: frozenset[str]) -> bool | None:
    """Whether a program in Python imports one of some packages.

    Args:
        command: the interpreter, or a script of an environment, with its arguments.
        folder: where it starts.
        sdks: the packages.

    Returns:
        None where not all of its source can be found.
    """
    program = Path(command[0])
    site = [*program.parent.parent.glob("lib/python*/site-packages")]
    kind, start = _started(command)
    linked = [
        Path(line) for place in site for link in place.glob("*.pth") for line in _text(link).splitlines()
    ]
    script = folder / start
    own = [script.parent if kind == "file" else folder, *(place for place in linked if place.is_absolute())]
    is_installed = kind == "module" or (kind == "file" and script.parent == program.parent)

    def follow(name: str) -> Sequence[Path] | None:
        modules = _modules(own, name)
        if modules or name in sys.stdlib_module_names:
            return modules
        if name in sdks or any(required in sdks for required in _required(site, name)):
            return None
        if not any(any(place.glob(f"{name}{suffix}")) for place in (*site, *own) for suffix in ("", ".*")):
            raise LookupError(name)
        return _modules([*own, *site] if is_installed else own, name, "")

    text = {"code": start, "module": f"import {start}"}.get(kind) or _text(script)
    return _search((text, script.parent), lambda text, _: _python_names(text), follow)


def node_imports(command: Sequence[str], folder: Path, sdks: frozenset[str]) -> bool | None:
    """Whether a program for Node.js imports one of some packages; as `python_imports`."""
    script = _script(command, folder)
    if script is None:
        return None

    def follow(name: str) -> Sequence[Path] | None:
        if name.startswith("#"):
            raise LookupError(name)
        if not name.startswith("/"):
            package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
            places = (parent / "node_modules" / package for parent in script.parents)
            return None if package in sdks or any(sdks & _depended(place) for place in places) else ()
        return _file_of(name)

    if "node_modules" in script.parts and any(sdks & _depended(parent) for parent in script.parents):
        return True
    return _search((_text(script), script.parent), _specifiers, follow)


def node_specifiers(command: Sequence[str], folder: Path) -> frozenset[str]:
    """The specifiers of packages that a program for Node.js imports, in the sources of its own that can be found."""
    script = _script(command, folder)
    specifiers: set[str] = set()

    def follow(name: str) -> Sequence[Path]:
        if name.startswith("/"):
            return _file_of(name)
        specifiers.add(name)
        return ()

    if script is not None:
        _search((_text(script), script.parent), _specifiers, follow)
    return frozenset(specifiers)


def node_sources(command: Sequence[str], folder: Path) -> Iterator[str]:
    """The sources that a program for Node.js loads, those of its packages too, where they are found; not more than some."""
    script = _script(command, folder)
    places = [] if script is None else [script]
    requested: set[tuple[str, Path]] = set()
    length = 0
    for path in places:  # grows
        text = _text(path, _LARGEST_BUNDLE)
        length += len(text)
        if length > _MOST_TEXT:
            return
        yield text
        for name in dict.fromkeys(_specifiers(text, path.parent)):
            if (name, path.parent) in requested or len(requested) >= _MOST_NAMES:
                continue
            requested.add((name, path.parent))
            loaded = _loaded(name, path)
            if loaded is not None and loaded not in places and len(places) < _MOST_BUNDLES:
                places.append(loaded)


def _loaded(name: str, importer: Path) -> Path | None:
    """The file that an import stands for, in the nearest `node_modules` where it is a package's; None where it is not found."""
    names = (
        [name] if name.startswith("/") else [f"{folder}/node_modules/{name}" for folder in importer.parents]
    )
    for each in names:
        with contextlib.suppress(LookupError, OSError, ValueError):
            return _file_of(each)[0].resolve()
    return None


def _script(command: Sequence[str], folder: Path) -> Path | None:
    """The first word of a command that is a file, with links followed."""
    return next((path.resolve() for word in command[1:] if (path := folder / word).is_file()), None)


def _file_of(name: str) -> Sequence[Path]:
    """The file that an import by a path stands for.

    Raises:
        LookupError: there is none.
    """
    files = [path for suffix in _SCRIPTS if (path := Path(f"{name}{suffix}")).is_file()]
    if not files:
        raise LookupError(name)
    return files[:1]


def _search(start: Source, names_in: Callable[[str, Path], Sequence[str]], follow: Follow) -> bool | None:
    """Whether an SDK is reached from a source; None where that stays open."""
    sources, is_open = [start], not start[0]
    read_files: set[Path] = set()
    names: set[str] = set()
    while sources:
        text, folder = sources.pop()
        for name in names_in(text, folder):
            if name in names:
                continue
            names.add(name)
            if len(names) > _MOST_NAMES:
                return None
            try:
                files = follow(name)
            except (LookupError, OSError, ValueError):
                is_open = True
                continue
            if files is None:
                return True
            new = [path for path in files if path not in read_files]
            read_files.update(new)
            if len(read_files) > _MOST_FILES:
                return None
            read = [(_text(path), path.parent) for path in new]
            is_open |= any(
                not text and not _is_empty(path) for (text, _), path in zip(read, new, strict=True)
            )
            sources += read
    return None if is_open else False


def _started(command: Sequence[str]) -> tuple[str, str]:
    """The start of a command in Python: `code` and a text, `module` and its name, or `file` and its path."""
    if not _PYTHON.fullmatch(Path(command[0]).name):
        return "file", command[0]
    words = iter(command[1:])
    for word in words:
        if word in {"-c", "-m"}:
            return {"-c": "code", "-m": "module"}[word], next(words, "")
        if word in _WITH_VALUE:
            next(words, "")
        elif not word.startswith("-"):
            return "file", word
    return "code", ""


def _python_names(text: str) -> list[str]:
    """The packages that a text imports by their own names."""
    names = (one or name for one, several in _IMPORT.findall(text) for name in (several.split(",") or [""]))
    return [top for name in names if (top := re.split(r"[. \t]", name.strip(), maxsplit=1)[0])]


def _specifiers(text: str, folder: Path) -> list[str]:
    """The imports in a text in JavaScript; files by their paths."""
    return [str(folder / name) if name.startswith(".") else name for name in _SPECIFIER.findall(text)]


def _modules(places: Sequence[Path], name: str, mark: str = "__init__.py") -> list[Path]:
    """The sources of a package or a module in the first of some places that has it; a package has the file `mark`."""
    for place in places:
        if (place / f"{name}.py").is_file():
            return [place / f"{name}.py"]
        if (place / name).is_dir() and (place / name / mark).exists():
            return [path for path in _below(place / name) if path.suffix == ".py"]
    return []


def _below(folder: Path) -> Iterator[Path]:
    """The files below a folder.

    Raises:
        LookupError: these are too many.
    """
    paths = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    yield from islice(paths, _MOST_ENTRIES)
    if next(paths, None) is not None:
        raise LookupError(folder)


def _required(site: Sequence[Path], name: str) -> Iterator[str]:
    """The requirements of the distribution of the name, where one is installed."""
    for place in site:
        for record in place.glob(f"{name}-*.dist-info/METADATA"):
            yield from (requirement.lower() for requirement in _REQUIRES.findall(_text(record)))


def _depended(package: Path) -> frozenset[str]:
    """The dependencies of a package of npm; none where no package is in the folder."""
    try:
        manifest: Any = json.loads(_text(package / "package.json"))
        return frozenset(name for key in _DEPENDENCIES for name in manifest.get(key, ()))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return frozenset()


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def _text(path: Path, largest: int = _LARGEST) -> str:
    """The text of a source; empty where it cannot be read."""
    try:
        return read_bounded(path, largest).decode("utf-8", errors="replace")
    except OSError:
        return ""
