"""Which of the places that a host finds its tools are shown: one decision, for every host and for `mcp install`.

The project, the interpreter and what the user names are shown. A file, a link or a word that may be a stranger's opens nothing
besides: where it leads elsewhere, the tool is not started.
"""

import itertools
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import printable
from aptix_conformance.runners.contain.root import SYSTEM
from aptix_conformance.runners.paths import RUNNERS

SECRET: Final = frozenset(
    (
        *(".git", ".hg", ".svn", ".env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials"),
        *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config", ".cache"),
    )
)
"""Entries of a directory that hold secrets or history, and are no part of its code."""
_PRIVATE: Final = ("/", "/dev", "/dev/shm", "/proc", "/tmp", "/var/tmp")  # noqa: S108 - not written to
"""Directories of which every tool has one of its own."""
_INSTALLED: Final = (
    *(".asdf", ".fnm", ".linuxbrew", ".nodenv", ".nvm", ".pixi", ".pyenv", ".rustup", ".sdkman"),
    *(".venv", ".virtualenvs", ".volta"),
    *(f"{name}/extensions" for name in (".cursor", ".cursor-server", ".vscode", ".vscode-server")),
    *(
        ".bun/bin",
        ".bun/install",
        ".cache/pypoetry/virtualenvs",
        ".cache/uv",
        ".cargo/bin",
        ".cargo/registry",
    ),
    *(".conda/envs", ".conda/pkgs", ".config/nvm", ".deno/bin"),
    *(".dotnet/host", ".dotnet/packs", ".dotnet/sdk", ".dotnet/shared", ".dotnet/tools"),
    *(".local/bin", ".local/lib", ".local/pipx", ".npm/_cacache", ".npm/_npx", ".nuget/packages"),
    *(".rye/py", ".rye/self", ".rye/tools"),
    *(
        ".local/share/" + name
        for name in (
            "JetBrains/Toolbox/apps",
            "fnm",
            "hatch",
            "mise",
            "pipx",
            "pnpm",
            "pypoetry",
            "virtualenvs",
        )
    ),
    *(".local/share/uv/python", ".local/share/uv/tools"),
)
"""Hidden folders of a home that hold installed programs and packages, and no keys."""
_MOST_NAMED: Final = 10


class Place(NamedTuple):
    """A file or directory that a tool is to be shown."""

    path: str
    by: str = ""
    """What leads there, for messages, where that may be a stranger's. Empty where the user or the machine says so."""


def named(path: str, project: Path | None) -> Place:
    """A place that the user names: where a link of the project or a hidden folder of a home is on the way, it is looked at."""
    return Place(path, path if is_of(project, path) or _is_private(os.path.realpath(path)) else "")


def is_of(project: Path | None, path: str) -> bool:
    """Whether a path is one below the project's root, wherever its links lead. A root that holds homes of users has nothing of its own."""
    root = os.path.realpath(project) if project else "/"
    if holds_home(root) and not _is_home(root):
        return False
    return any(os.path.realpath(parent) == root for parent in Path(os.path.abspath(path)).parents)  # noqa: PTH100 - texts


def shown(
    places: Iterable[Place],
    reads: Iterable[str] = (),
    *,
    project: Path | None = None,
    trusted: Iterable[str] = (),
) -> tuple[str, ...]:
    """The paths to show for some places and for the setting `reads`, each once.

    A place that may be a stranger's leads only to places that are shown anyway, into the project, to installed programs and
    packages, and to `trusted`.

    Raises:
        TargetError: something leads elsewhere; names what and where to, with the setting that shows it.
    """
    distinct = dict.fromkeys(places)
    own = [place.path for place in distinct if not place.by]
    allowed = {
        os.path.realpath(path)
        for path in (*own, *reads, *trusted, *_suite(), *SYSTEM, *_on_path(), *_open(project))
    }
    paths, refused = dict.fromkeys(own), dict[str, str]()
    for path, by in distinct:
        real = os.path.realpath(path) if by else path
        if not by or real in _PRIVATE:
            continue
        paths[path] = None
        is_allowed = not allowed.isdisjoint((real, *map(str, Path(real).parents))) or _is_installed(real)
        if not is_allowed and os.path.exists(real):  # noqa: PTH110 - a text
            refused.setdefault(real, by)
    if refused:
        raise TargetError(_refusal(refused))
    return tuple(dict.fromkeys([*paths, *reads]))


def installed_below(path: str) -> list[str] | None:
    """The paths shown of a directory in a hidden folder of a home: programs and packages. None where it is shown whole.

    A directory is shown whole where it holds installed programs, or a single one in a hidden folder, such as `~/.proto/tools/node/20`.
    """
    if not _is_private(real := os.path.realpath(path)):
        return None
    below = [str(home / name) for home in _homes(real) for name in _INSTALLED]
    below = [place for place in below if place.startswith(f"{real}/")]
    is_hidden = any(len(inside.parts) == 1 for inside in _in_home(real))
    return [place for place in below if Path(place).exists()] if below or is_hidden else None


def holds_home(path: str) -> bool:
    """Whether a directory is, or holds, a home directory."""
    real = os.path.realpath(path)
    homes = {_home(), "/root", "/home"} if real != "/" else {real}
    return any(home == real or home.startswith(f"{real}/") for home in homes)


def is_machines(folder: str) -> bool:
    """Whether a folder of programs, a path without links, is the machine's or the user's, and not a stranger's.

    Those are the folders of the system, of `PATH` and of the suite's own interpreter, and the installed programs in a home.
    """
    named = {os.path.realpath(path) for path in (*_on_path(), *map(os.path.dirname, _interpreters()))}
    systems = {os.path.realpath(path) for path in (*SYSTEM, "/opt")}
    return (
        folder in named
        or not systems.isdisjoint((folder, *map(str, Path(folder).parents)))
        or _is_installed(folder)
    )


def _interpreters() -> tuple[str, str]:
    """The suite's interpreter, and the one that its environment leads to."""
    return sys.executable, os.path.realpath(sys.executable)


def _refusal(refused: Mapping[str, str]) -> str:
    """The sentence about places and what leads there. It advises no place that mostly holds secrets, or lies in another one."""
    outer = [path for path in refused if refused.keys().isdisjoint(map(str, Path(path).parents))]
    advised = [path for path in outer if SECRET.isdisjoint(path.split("/"))][:_MOST_NAMED]
    line = printable(json.dumps(advised, ensure_ascii=False), 2000) if advised else "[...]"
    ways = [
        printable(real, 300) if by == real else f"{printable(by, 300)} leads to {printable(real, 300)}"
        for real, by in itertools.islice(refused.items(), _MOST_NAMED)
    ]
    more = len(refused) - len(ways)
    ways += [f"and {more} more"] if more else []
    return (
        f"it would see what lies outside of the project and its interpreter: allow that with `reads = {line}` in its table, or "
        f"remove what leads there: {', '.join(ways)}"
    )


def is_open(real: str, project: Path) -> bool:
    """Whether a path without links is one of the project, and not of the hidden part of a home that is the project."""
    return is_of(project, real) and not (holds_home(str(project)) and _is_private(real))


@cache
def _suite() -> tuple[str, ...]:
    """Where the suite itself is installed, or its checkout; and the checkouts that its own distributions name."""
    folder = RUNNERS.parent.parent
    has_checkout = (folder.parent / "pyproject.toml").is_file()
    records = (each.read_text("direct_url.json") for each in distributions(name="aptix-conformance"))
    urls = (urlsplit(json.loads(record)["url"]) for record in records if record)
    named = (unquote(url.path) for url in urls if url.scheme == "file")
    return (str(folder.parent if has_checkout else folder), *named)


def _on_path() -> list[str]:
    """The folders of programs that the user names."""
    return [path for path in os.get_exec_path() if path.startswith("/") and not holds_home(path)]


def _open(project: Path | None) -> Iterator[str]:
    """The trusted parts of the project: all of it; of one that is a home itself, the entries that are not hidden."""
    if project is None:
        return
    if not holds_home(str(project)):
        yield str(project)
    elif _is_home(os.path.realpath(project)):
        with os.scandir(project) as entries:
            yield from (
                entry.path for entry in entries if not entry.name.startswith(".") and not entry.is_symlink()
            )


def _home() -> str:
    return os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111 - a text


def _is_home(real: str) -> bool:
    return real == _home() != "/"


def _homes(real: str) -> list[Path]:
    parts = Path(real).parts
    other = [Path(*parts[:3])] if parts[1:2] == ("home",) and len(parts) > 2 else []  # noqa: PLR2004
    return [Path(_home()), Path("/root"), *other]


def _in_home(real: str) -> Iterator[Path]:
    """The path from the homes in which it lies in a hidden entry."""
    if "/." in real:
        for home in _homes(real):
            if real.startswith(f"{str(home).rstrip('/')}/."):
                yield Path(real).relative_to(home)


def _is_installed(real: str) -> bool:
    return any(inside.is_relative_to(each) for inside in _in_home(real) for each in _INSTALLED)


def _is_private(real: str) -> bool:
    """Whether a path lies in a hidden entry of a home that holds no installed programs."""
    return any(True for _ in _in_home(real)) and not _is_installed(real)
