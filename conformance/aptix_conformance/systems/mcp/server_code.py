"""Servers that a command starts: whose code they are (`systems.profile.Started`).

`python SCRIPT.py …` and `python -m MODULE …` run a file of the project, `uvx` and `npx` a server of the store. Another program
may run anything.
"""

import hashlib
import re
import shlex
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import CertificateError, TargetError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.text import printable
from aptix_conformance.systems.mcp.commands import is_url, resolve
from aptix_conformance.systems.mcp.installing.locks import LARGEST
from aptix_conformance.systems.mcp.installing.package_request import Wanted, wanted_by
from aptix_conformance.systems.mcp.installing.store import FOLDER, Store, program_in
from aptix_conformance.systems.node import find_node
from aptix_conformance.systems.profile import Stored
from aptix_conformance.targets import Target, ToolSettings

_PYTHON: Final = re.compile(r"python(3(\.[0-9]+)?)?")
_MODULE: Final = re.compile(r"\w+(\.\w+)*")
_MODULE_WORDS: Final = 3
_AGAIN: Final = "install it again by `aptix-conformance mcp install`"


def stored(target: Target, settings: ToolSettings, root: Path, store: str | None) -> Stored | None:
    """The server of the store that the command starts; None where it starts none of there.

    Raises:
        CertificateError: it was not installed from the lock file that is there.
        TargetError: another version is installed, or what is installed is damaged.
    """
    request = _requested(target.module, settings)
    place = Store(Path(store) if store else root / FOLDER)
    if request is None or place.command(request[0], "node") is None:
        return None
    record, lock = place.find(request[0]), place.lock_of(request[0])
    try:
        text = read_bounded(lock, LARGEST)
    except OSError as error:
        raise CertificateError(f"{lock} cannot be read ({error.strerror}): {_AGAIN}") from None
    if record is None or hashlib.sha256(text).hexdigest() != record.lock:
        raise CertificateError(f"{request[0].name} was not installed from {lock} as it is now: {_AGAIN}")
    return Stored(f"{record.name} {record.version}", lock.parent)


def command_in(place: Path, module: str, settings: ToolSettings) -> tuple[str, ...]:
    """The command that starts a server of the store from a copy of its environment.

    Raises:
        TargetError: it has no such program there, or there is no Node.js.
    """
    request = _requested(module, settings)
    if request is None:
        raise TargetError(f"mcp:{printable(module, 200)} names no server of a store")
    package, count = request
    program = str(program_in(place, package))
    rest = _words(module, settings)[count:]
    return (program, *rest) if package.kind == "python" else (find_node(package.name).program, program, *rest)


def command_of(target: Target, settings: ToolSettings, root: Path) -> tuple[str, ...]:
    """The command that starts the server of a tool, with the path of its interpreter.

    Raises:
        CertificateError: as `words_of`.
        TargetError: its program cannot be found.
    """
    words = words_of(target.module, settings)
    return (resolve(words[:1], target.spec, root)[0], *words[1:])


def words_of(module: str, settings: ToolSettings) -> tuple[str, ...]:
    """The command that starts a server with a file, by the place in its target spec.

    Raises:
        CertificateError: the server is at a URL, or the command is none of those whose code is known.
    """
    if settings.url or is_url(module):
        raise CertificateError(
            f"mcp:{printable(module, 200)} is offered by a server at a URL: what runs there has no digest, "
            "so nothing is issued"
        )
    words = _words(module, settings)
    if not words or not _PYTHON.fullmatch(Path(words[0]).name) or not _names_file(words):
        raise CertificateError(
            f"mcp:{printable(module, 200)} is offered by a server that a command starts which is neither `python FILE` "
            "nor `python -m MODULE` nor that of an installed server: which files it runs is not known, so it has no digest. "
            "Install a package that `uvx` or `npx` starts by `aptix-conformance mcp install`, and name it by that command"
        )
    return words


def file_of(target: Target, settings: ToolSettings, root: Path) -> Path:
    """The file that the server of a tool starts with, below the project's folder.

    Raises:
        CertificateError, TargetError: as `command_of`, or the file is not there.
    """
    words = command_of(target, settings, root)
    base = root / settings.directory
    if words[1] == "-m":
        path = words[2].replace(".", "/")
        names = [] if settings.files and not settings.directory else [f"{path}.py", f"{path}/__main__.py"]
        places = [base / name for name in names]
    else:
        places = [root / words[1], base / words[1]]
    for place in places:
        if place.is_file() and place.resolve().is_relative_to(root):
            return place.resolve()
    raise CertificateError(
        f"what starts the server of {printable(target.spec, 200)} is no file below {root}: it has no digest"
    )


def _words(module: str, settings: ToolSettings) -> tuple[str, ...]:
    """The command as it is written; empty where that is none."""
    try:
        return settings.command or tuple(shlex.split(module))
    except ValueError:
        return ()


def _requested(module: str, settings: ToolSettings) -> tuple[Wanted, int] | None:
    """The package that `uvx` or `npx` is asked for, and the number of words that name it; None for another command."""
    try:
        return None if settings.url or is_url(module) else wanted_by(_words(module, settings))
    except TargetError:
        return None  # what no store has


def _names_file(words: tuple[str, ...]) -> bool:
    if words[1:2] == ("-m",):
        return len(words) >= _MODULE_WORDS and _MODULE.fullmatch(words[2]) is not None
    return len(words) > 1 and not words[1].startswith(("-", "/"))
