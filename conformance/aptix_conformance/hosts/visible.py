"""What a contained tool may read in addition to the programs of every machine: its interpreter, its code, its dependencies.

Nothing here runs code of a tool or of its distribution. Files that name further places (`.pth`, `pyvenv.cfg`,
`direct_url.json`) are only read.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from aptix_conformance.errors import TargetError
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.text import printable

_PREFIXES: Final = ("prefix", "exec_prefix", "base_prefix", "base_exec_prefix")
_ASK: Final = f"import json, sys; print(json.dumps([getattr(sys, name) for name in {_PREFIXES}]))"
_PATIENCE: Final = 30.0
_MOST_LINKS: Final = 40
"""Links that the kernel follows for one path."""
_LARGEST: Final = 1 << 20
"""Bytes of a file that names places; a larger one is not read."""
_SITES: Final = ("site-packages", "dist-packages")
SECRET: Final = frozenset(
    (
        *(".git", ".hg", ".svn", ".env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials"),
        *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config", ".cache"),
    )
)
"""Entries of a project's directory that hold secrets or history, and are no part of its code."""
_INSTALLED: Final = (
    ".asdf",
    ".bun",
    ".cache",
    ".conda",
    ".deno",
    ".dotnet",
    ".fnm",
    ".nvm",
    ".pyenv",
    ".rustup",
    ".rye",
    ".sdkman",
    ".venv",
    ".virtualenvs",
    ".volta",
    ".cargo/bin",
    ".cargo/registry",
    ".npm/_cacache",
    ".npm/_npx",
    ".nuget/packages",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/hatch",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/pypoetry",
    ".local/share/uv",
    ".local/share/virtualenvs",
)
"""Hidden folders of a home that hold installed programs and packages, and no keys."""
_PROJECT: Final = ("pyproject.toml", "setup.py", "setup.cfg", "package.json")
"""Files that say that a directory is a project."""
_PARTS: Final = ("bin", "lib", "lib64", "libexec", "share")
"""What is shown of a prefix that holds a home directory as well, such as `~` itself."""
_STANDARD_LIBRARY: Final = ("lib*/python3*/os.py", "lib*/pypy3*/os.py")
_NODE_FILES: Final = ("package.json", "tsconfig.json", "tsconfig.base.json", "jsconfig.json", "node_modules")


def hidden_in(directory: str, reads: Iterable[str]) -> tuple[str, ...]:
    """The entries of a project's directory that its tools do not see, less those that the configuration names."""
    named = set(reads)
    names = (*sorted(SECRET), *_names(directory, prefix=".env."))
    paths = (os.path.join(os.path.realpath(directory), name) for name in dict.fromkeys(names))  # noqa: PTH118 - texts
    return tuple(path for path in paths if os.path.lexists(path) and path not in named)


def check_shown(paths: Iterable[str], reads: Iterable[str], project: Path) -> None:
    """Check that nothing which an environment or a file names opens the hidden part of a home.

    What lies in the project, in the interpreter of the suite or in `reads` is shown, wherever that is.

    Raises:
        TargetError: one of the paths leads there; names it, and the setting that shows it.
    """
    allowed = [os.path.realpath(path) for path in (str(project), sys.prefix, sys.base_prefix, *reads)]
    for path in paths:
        real = os.path.realpath(path)
        if "/." not in real or any(f"{real}/".startswith(f"{place.rstrip('/')}/") for place in allowed):
            continue
        if _is_private(Path(real)):
            by = "" if real == path else f" (by {printable(path, 300)})"
            raise TargetError(
                f"{printable(real, 300)}{by} lies in a hidden folder of a home, and is not shown to the tool: "
                f"remove what leads there, or allow it with `reads = [...]` in the tool's table"
            )


def _is_private(real: Path) -> bool:
    """Whether a path lies in a hidden entry of a home that holds no installed programs."""
    homes = [Path(os.path.realpath(Path.home())), Path("/root")]
    if real.parts[1:2] == ("home",):
        homes.append(Path(*real.parts[:3]))
    inside = (real.relative_to(home).parts for home in homes if real.is_relative_to(home))
    return any(
        parts
        and parts[0].startswith(".")
        and not any(Path(*parts).is_relative_to(each) for each in _INSTALLED)
        for parts in inside
    )


def directory(path: str) -> list[str]:
    """What is shown of a directory of code: all of it, unless it holds a home directory.

    Of such a directory the modules and packages are shown, and all but hidden entries where it is a project itself:
    nobody wants to show a tool the whole of `~`.
    """
    if not _holds_home(path):
        return [path]
    is_project = any(Path(path, name).is_file() for name in _PROJECT)
    shown = (name for name in _names(path) if not name.startswith("."))
    return [f"{path}/{name}" for name in shown if is_project or _is_importable(Path(path, name))]


def python(interpreter: str, paths: Iterable[str], project: Path | None = None) -> list[str]:
    """What a Python interpreter needs, with the directories and archives `paths` of its `sys.path`.

    That includes what is installed as editable, and where links in the directories of packages lead. `project` is the
    root of the project that may hold the interpreter (`program_outside`).
    """
    prefixes = _prefixes(interpreter, project)
    found = [str(RUNNERS), interpreter, *(place for prefix in prefixes for place in _prefix(prefix))]
    sites = {site for prefix in prefixes for site in _sites_of(prefix)}
    for path in paths:
        if Path(path).name in _SITES:
            sites.add(path)
        found += directory(path) if os.path.isdir(path) else [path]  # noqa: PTH112 - as above
    return [*found, *(place for site in sorted(sites) for place in _beyond(site))]


def program(path: str, project: Path | None = None) -> list[str]:
    """What a program needs that lies outside of /usr: the prefix that it is installed in, and its interpreter.

    `project` is the root of the project that may hold one of these programs (`program_outside`).
    """
    real = os.path.realpath(path)
    found = [path, *_installed_at(path), *_installed_at(real)]
    words = _interpreter_of(real)
    if words:
        by_name = shutil.which(words[1]) if Path(words[0]).name == "env" and len(words) > 1 else None
        found += [words[0], *(program(by_name or words[0], project) if (by_name or words[0]) != real else ())]
    if Path(path).name.startswith("python") and os.access(path, os.X_OK):
        found += python(path, (), project)
    return found


def node(start: str) -> list[str]:
    """What Node.js looks for in the directories above one: packages, and the settings of modules and TypeScript."""
    found = []
    for folder in (Path(start), *Path(start).parents):
        found += [str(folder / name) for name in _NODE_FILES if os.path.lexists(folder / name)]
        found += _links(folder / "node_modules")
        for scope in _names(str(folder / "node_modules"), prefix="@"):
            found += _links(folder / "node_modules" / scope)
    return found


def beyond(site: Path) -> list[str]:
    """The places outside of a directory of packages that it makes importable, as it is now."""
    return list(_named_by(site))


def program_outside(program: str, project: Path | None) -> str:
    """The program as it may be started without containment; empty where it is a part of the project.

    What lies in the project is its author's. Of a link there, as in a virtual environment, the first place outside
    is taken: beside the link, a `pyvenv.cfg` could name a standard library of the author's.
    """
    if project is None:
        return program
    root, path = Path(os.path.realpath(project)), os.path.abspath(program)  # noqa: PTH100 - texts
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(Path(path).parent)
        if not Path(folder).is_relative_to(root):
            return "" if Path(os.path.realpath(path)).is_relative_to(root) else path
        if not os.path.islink(path):  # noqa: PTH114 - texts
            return ""
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))  # noqa: PTH115, PTH118 - texts
    return ""


@cache
def executable_of(interpreter: str, project: Path | None) -> str:
    """The interpreter that a Python command starts, asked of itself; empty where it does not answer or is the project's."""
    asked = program_outside(interpreter, project)
    if not asked:
        return ""
    try:
        return subprocess.run(  # noqa: S603 - an interpreter of the machine
            [asked, "-I", "-S", "-c", "import sys; print(sys.executable)"],
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

    One that is a part of the project is not asked: it is shown what stands around it.
    """
    if interpreter == sys.executable:
        return tuple(dict.fromkeys(getattr(sys, name) for name in _PREFIXES))
    around = Path(interpreter).absolute().parent.parent
    own = (str(around),) if (around / "pyvenv.cfg").is_file() else ()
    asked = program_outside(interpreter, project)
    if not asked:
        return tuple(dict.fromkeys((*own, *_installation(interpreter, project))))
    try:
        said = subprocess.run(  # noqa: S603 - an interpreter of the machine
            [asked, "-I", "-S", "-c", _ASK], capture_output=True, timeout=_PATIENCE, check=True
        ).stdout
        prefixes = [prefix for prefix in json.loads(said) if isinstance(prefix, str)]
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return own
    return tuple(dict.fromkeys((*own, *prefixes)))


def _installation(interpreter: str, project: Path | None) -> Iterator[str]:
    """The installations of Python that an interpreter of the project is a part of, or that its environment names."""
    real = Path(os.path.realpath(interpreter))
    if project and real.is_relative_to(os.path.realpath(project)) and _is_installation(real.parent.parent):
        yield str(real.parent.parent)
    yield from _named_by_environment(Path(interpreter).absolute().parent.parent)


def _named_by_environment(environment: Path) -> Iterator[str]:
    """The installations of Python that the `pyvenv.cfg` of a virtual environment names.

    What else it names is not shown: the author of the project may have written that file.
    """
    for line in _text(environment / "pyvenv.cfg").splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if name in ("home", "executable"):
            program = Path(value, "python3") if name == "home" else Path(value)
            for prefix in (program.parent.parent, Path(os.path.realpath(program)).parent.parent):
                if _is_installation(prefix):
                    yield str(prefix)


def _is_installation(prefix: Path) -> bool:
    """Whether a prefix is one of an installed Python, with its standard library."""
    return any(found for pattern in _STANDARD_LIBRARY for found in prefix.glob(pattern))


def _prefix(path: str) -> list[str]:
    return [f"{path}/{part}" for part in _PARTS] if _holds_home(path) else [path]


@cache
def _sites_of(prefix: str) -> tuple[str, ...]:
    patterns = [f"{folder}/{site}" for folder in ("lib*/python3*", "lib*/pypy3*") for site in _SITES]
    return tuple(str(found) for pattern in patterns for found in Path(prefix).glob(pattern))


@cache
def _beyond(site: str) -> tuple[str, ...]:
    """As `beyond`, read once."""
    return tuple(beyond(Path(site)))


def _named_by(site: Path) -> Iterator[str]:
    yield from _links(site)
    for name in _names(str(site)):
        if name.endswith((".pth", ".egg-link")):
            for line in _text(site / name).splitlines():
                path = site / line.strip()
                if line.strip() and not line.startswith(("import ", "import\t", "#")) and path.is_dir():
                    yield from directory(str(path))
        elif name.endswith(".dist-info"):
            yield from _beyond_distribution(site / name)


def _beyond_distribution(record: Path) -> Iterator[str]:
    """The project of an editable distribution; and where one lies whose files are links, as some installers make them."""
    direct: Any = None
    with contextlib.suppress(ValueError):
        direct = json.loads(_text(record / "direct_url.json") or "null")
    if isinstance(direct, dict) and isinstance(direct.get("url"), str):
        parts = urlsplit(direct["url"])
        if parts.scheme == "file" and (direct.get("dir_info") or {}).get("editable"):
            yield from directory(unquote(parts.path))
    if (record / "METADATA").is_symlink():
        yield from directory(str(Path(os.path.realpath(record / "METADATA")).parent.parent))


def _installed_at(path: str) -> list[str]:
    folder = Path(path).parent
    prefix = folder.parent if folder.name == "bin" else folder
    if _holds_home(str(prefix)):
        return []
    around = [str(prefix)] if prefix.parent != prefix else []
    named = _named_by_environment(prefix) if folder.name == "bin" else ()
    return around + [place for installation in named for place in _prefix(installation)]


def _interpreter_of(path: str) -> list[str]:
    """The words after `#!` at the beginning of a script."""
    with contextlib.suppress(OSError), open(path, "rb") as stream:  # noqa: PTH123 - a text
        line = stream.readline(_LARGEST)
        if line.startswith(b"#!"):
            return os.fsdecode(line[2:]).split()
    return []


def _links(folder: Path) -> list[str]:
    """Where the links in a directory lead."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return [
            place
            for entry in entries
            if entry.is_symlink()
            for place in directory(os.path.realpath(entry.path))
        ]
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
            return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _is_importable(path: Path) -> bool:
    return path.suffix in (".py", ".so", ".zip", ".egg") or (path / "__init__.py").is_file()


def _holds_home(path: str) -> bool:
    real = os.path.realpath(path)
    homes = {os.path.realpath(Path.home()), "/root", "/home"} if real != "/" else {real}
    return any(home == real or home.startswith(f"{real}/") for home in homes)
