"""The places that a contained tool may read beside the programs of every machine: its interpreter, code and dependencies.

Nothing here runs code of a tool or of its distribution. Files that name further places (`.pth`, `pyvenv.cfg`,
`direct_url.json`) are only read.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from aptix_conformance.hosts.places import (
    SECRET,
    Place,
    holds_home,
    installed_below,
    is_machines,
    is_of,
    named,
)
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.targets.provenance import editable_project

_PREFIXES: Final = ("prefix", "exec_prefix", "base_prefix", "base_exec_prefix")
_ASK: Final = f"import json, sys; print(json.dumps([getattr(sys, name) for name in {_PREFIXES}]))"
_PATIENCE: Final = 30.0
_MOST_LINKS: Final = 40
"""Links that the kernel follows for one path."""
_LARGEST: Final = 1 << 20
"""Bytes of a file that names places; a larger one is not read."""
_SITES: Final = ("site-packages", "dist-packages")
_MOST_SCRIPTS: Final = 4
"""Interpreters that the kernel follows from one script to the next."""
_PROJECT: Final = ("pyproject.toml", "setup.py", "setup.cfg", "package.json")
"""Files that say that a directory is a project."""
_PARTS: Final = ("bin", "lib", "lib64", "libexec", "share")
"""The folders shown of a prefix that holds a home directory as well, such as `~` itself."""
_STANDARD_LIBRARY: Final = ("lib*/python3*/os.py", "lib*/pypy3*/os.py")
NODE_FILES: Final = ("package.json", "tsconfig.json", "tsconfig.base.json", "jsconfig.json", "node_modules")
"""The names for which Node.js and its loaders of TypeScript look in each folder above a file."""


def hidden_in(directory: str, reads: Iterable[str]) -> tuple[str, ...]:
    """The entries of a project's directory that its tools do not see, less those that the configuration names."""
    named = set(reads)
    names = (*sorted(SECRET), *_names(directory, prefix=".env."))
    paths = (os.path.join(os.path.realpath(directory), name) for name in dict.fromkeys(names))  # noqa: PTH118 - texts
    return tuple(path for path in paths if os.path.lexists(path) and path not in named)


def directory(path: str, by: str = "") -> list[Place]:
    """The places shown of a directory of code: all of it, unless it holds a home directory. `by` is that of its places.

    Of such a directory the modules and packages are shown, and all but hidden entries where it is a project itself:
    nobody wants to show a tool the whole of `~`.
    """
    if not holds_home(path):
        return [Place(path, by)]
    is_project = any(Path(path, name).is_file() for name in _PROJECT)
    names = [name for name in _names(path) if not name.startswith(".")]
    return [_entry(path, name, by) for name in names if is_project or _is_importable(Path(path, name))]


def interpreter(program: str, project: Path | None = None, by: str = "") -> list[Place]:
    """The places that a Python interpreter needs without any package; the parameters are those of `program`."""
    prefixes = [Place(place) for prefix in _prefixes(program, project) for place in _prefix(prefix)]
    return [Place(str(RUNNERS)), Place(program, by or named(program, project).by), *prefixes]


def python(program: str, paths: Iterable[str], project: Path | None = None, by: str = "") -> list[Place]:
    """The places that a Python interpreter needs, with the directories and archives `paths` of its `sys.path`.

    They include the editable installations, and the targets of links in the directories of packages. The other parameters are
    those of `program`.
    """
    paths = list(paths)
    sites = {path for path in paths if Path(path).name in _SITES}
    sites.update(site for prefix in _importing(program, project) for site in _sites_of(prefix))
    places = [place for site in sorted(sites) for place in _beyond(site)]
    by_target = {os.path.realpath(place.path): place for place in places}
    places += [by_target.get(os.path.realpath(path)) or named(path, project) for path in paths]
    return [*interpreter(program, project, by), *(each for place in places for each in directory(*place))]


def program(
    path: str, project: Path | None = None, by: str = "", *, scripts: int = _MOST_SCRIPTS
) -> list[Place]:
    """The places outside of /usr that a program needs: the prefix that it is installed in, and its interpreter.

    `project` is the root of the project that may hold one of these programs (`program_outside`); `by` is what names the program,
    where that may be a stranger's. A program on PATH or beside the suite is the user's. Of a script, `scripts` interpreters are
    followed.
    """
    real = os.path.realpath(path)
    is_on_path = str(Path(path).parent) in (*os.get_exec_path(), str(Path(sys.executable).parent))
    by = "" if is_on_path and not is_of(project, path) else by or named(path, project).by
    places = [Place(path, by)]
    for each in (path, real):
        places += _installed_at(each, by, is_trusted=not by or is_of(project, each))
    words = _interpreter_of(real) if scripts else []
    if words:
        by_name = shutil.which(words[1]) if Path(words[0]).name == "env" and len(words) > 1 else None
        places += [Place(words[0], by), *program(by_name or words[0], project, by, scripts=scripts - 1)]
    if Path(path).name.startswith("python") and os.access(path, os.X_OK):
        places += python(path, (), project, by)
    return places


def node(start: str, by: str = "") -> list[Place]:
    """The files for which Node.js looks in the directories above one: packages, and settings of modules and TypeScript.

    `by` is what names the directory, where that may be a stranger's.
    """
    places = []
    for folder in (Path(start), *Path(start).parents):
        places += [_entry(str(folder), name, by) for name in NODE_FILES if os.path.lexists(folder / name)]
        packages = folder / "node_modules"
        linked = [
            *_links(packages),
            *(each for scope in _names(str(packages), prefix="@") for each in _links(packages / scope)),
        ]
        places += [each for place in linked for each in directory(*place)]
    return places


def beyond(site: Path) -> list[Place]:
    """The places outside of a directory of packages that it makes importable, as it is now."""
    return list(_named_by(site))


def program_outside(program: str, project: Path | None) -> str:
    """The program as it may be started without containment; empty where none of its links is the machine's (`is_machines`).

    A program in the project is its author's, and so may be what its links or settings lead to. Of links, as in a virtual
    environment, the first one that is the machine's is taken: beside another one, a `pyvenv.cfg` could name a standard library of
    the author's.
    """
    if project is None:
        return program
    root, path = Path(os.path.realpath(project)), os.path.abspath(program)  # noqa: PTH100 - texts
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(Path(path).parent)
        if not Path(folder).is_relative_to(root) and is_machines(folder):
            return "" if Path(os.path.realpath(path)).is_relative_to(root) else path
        if not os.path.islink(path):  # noqa: PTH114 - texts
            return ""
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))  # noqa: PTH115, PTH118 - texts
    return ""


@cache
def executable_of(interpreter: str, project: Path | None) -> str:
    """The interpreter that a Python command starts, asked of itself; empty where it does not answer or is not the machine's."""
    startable = program_outside(interpreter, project)
    if not startable:
        return ""
    try:
        return subprocess.run(  # noqa: S603 - an interpreter of the machine
            [startable, "-I", "-S", "-c", "import sys; print(sys.executable)"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


@cache
def _prefixes(interpreter: str, project: Path | None) -> tuple[str, ...]:
    """The prefixes of a Python interpreter, asked of itself without the packages that are installed there.

    An interpreter that is not the machine's is not started: its prefixes come from the files around it.
    """
    if interpreter == sys.executable:
        return tuple(dict.fromkeys(getattr(sys, name) for name in _PREFIXES))
    environment = Path(interpreter).absolute().parent.parent
    own = (str(environment),) if (environment / "pyvenv.cfg").is_file() else ()
    startable = program_outside(interpreter, project)
    if not startable:
        return tuple(dict.fromkeys((*own, *_installation(interpreter))))
    try:
        output = subprocess.run(  # noqa: S603 - an interpreter of the machine
            [startable, "-I", "-S", "-c", _ASK], capture_output=True, timeout=_PATIENCE, check=True
        ).stdout
        prefixes = [prefix for prefix in json.loads(output) if isinstance(prefix, str)]
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return own
    return tuple(dict.fromkeys((*own, *prefixes)))


def _installation(interpreter: str) -> Iterator[str]:
    """The installations of Python that an interpreter is a part of, or that its environment names."""
    prefix = Path(os.path.realpath(interpreter)).parent.parent
    if _is_installation(prefix):
        yield str(prefix)
    yield from _named_by_environment(Path(interpreter).absolute().parent.parent)


def _named_by_environment(environment: Path) -> Iterator[str]:
    """The installations of Python that the `pyvenv.cfg` of a virtual environment names.

    Nothing else that it names is shown: the author of the project may have written that file.
    """
    for line in _text(environment / "pyvenv.cfg").splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if name in ("home", "executable"):
            program = Path(value, "python3") if name == "home" else Path(value)
            for prefix in (program.parent.parent, Path(os.path.realpath(program)).parent.parent):
                if _is_installation(prefix):
                    yield str(prefix)


def _is_installation(prefix: Path) -> bool:
    """Whether a prefix holds the standard library of an installed Python."""
    return any(library for pattern in _STANDARD_LIBRARY for library in prefix.glob(pattern))


def _importing(program: str, project: Path | None) -> tuple[str, ...]:
    """The prefixes from which a Python interpreter imports packages: of a virtual environment mostly itself alone."""
    environment = Path(program).absolute().parent.parent
    settings = _text(environment / "pyvenv.cfg")
    is_alone = settings and not re.search(r"(?im)^include-system-site-packages\s*=\s*true", settings)
    return (str(environment),) if is_alone else _prefixes(program, project)


def _prefix(path: str) -> list[str]:
    if holds_home(path):
        return [f"{path}/{part}" for part in _PARTS]
    return installed_below(path) or [path]


@cache
def _sites_of(prefix: str) -> tuple[str, ...]:
    patterns = [f"{folder}/{site}" for folder in ("lib*/python3*", "lib*/pypy3*") for site in _SITES]
    return tuple(str(path) for pattern in patterns for path in Path(prefix).glob(pattern))


@cache
def _beyond(site: str) -> tuple[Place, ...]:
    """As `beyond`, read once."""
    return tuple(beyond(Path(site)))


def _named_by(site: Path) -> Iterator[Place]:
    yield from _links(site)
    for name in _names(str(site)):
        if name.endswith((".pth", ".egg-link")):
            for line in _text(site / name).splitlines():
                path = str(site / line.strip())
                is_path = line.strip() and not line.startswith(("import ", "import\t", "#"))
                if is_path and os.path.exists(path):  # noqa: PTH110 - a line may be too long for a path
                    yield Place(path, str(site / name))
        elif name.endswith(".dist-info"):
            yield from _beyond_distribution(site / name)


def _beyond_distribution(record: Path) -> Iterator[Place]:
    """The project of an editable distribution; and where one lies whose files are links, as some installers make them."""
    direct, metadata = record / "direct_url.json", record / "METADATA"
    project = editable_project(_text(direct))
    if project and os.path.isdir(project):  # noqa: PTH112 - a text
        yield Place(project, str(direct))
    if metadata.is_symlink():
        yield Place(str(Path(os.path.realpath(metadata)).parent.parent), str(metadata))


def _installed_at(path: str, by: str, *, is_trusted: bool) -> list[Place]:
    """The prefix of a program. That of Python is always shown as an interpreter's; that of another one only if it `is_trusted`."""
    folder = Path(path).parent
    prefix = folder.parent if folder.name == "bin" else folder
    if holds_home(str(prefix)):
        return []
    places = []
    if (prefix / "pyvenv.cfg").is_file() or _is_installation(prefix):
        places += [Place(place) for place in _prefix(str(prefix))]
    elif is_trusted and prefix.parent != prefix:
        below = installed_below(str(prefix))
        places += [Place(place, by) for place in ([str(prefix)] if below is None else below)]
    others = _named_by_environment(prefix) if folder.name == "bin" else ()
    return places + [Place(place) for installation in others for place in _prefix(installation)]


def _interpreter_of(path: str) -> list[str]:
    """The words after `#!` at the beginning of a script."""
    if not os.path.isfile(path):  # noqa: PTH113 - a text
        return []
    with contextlib.suppress(OSError), open(path, "rb") as stream:  # noqa: PTH123 - as above
        line = stream.readline(_LARGEST)
        if line.startswith(b"#!"):
            return os.fsdecode(line[2:]).split()
    return []


def _entry(folder: str, name: str, by: str = "") -> Place:
    """An entry of a directory; where it is a link, that is what leads on."""
    path = f"{folder.rstrip('/')}/{name}"
    return Place(path, by or (path if os.path.islink(path) else ""))  # noqa: PTH114 - a text


def _links(folder: Path) -> list[Place]:
    """Where the links in a directory lead."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return [Place(os.path.realpath(entry.path), entry.path) for entry in entries if entry.is_symlink()]
    return []


def _names(folder: str, prefix: str = "") -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.startswith(prefix))  # noqa: PTH208 - texts
    except OSError:
        return []


def _text(path: Path) -> str:
    """The text of a file of moderate size; empty where there is none."""
    with contextlib.suppress(OSError):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_text(encoding="utf-8-sig", errors="replace")
    return ""


def _is_importable(path: Path) -> bool:
    return path.suffix in (".py", ".so", ".zip", ".egg") or (path / "__init__.py").is_file()
