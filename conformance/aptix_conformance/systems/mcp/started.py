"""Servers that a command starts: which file of the project their interpreter runs (`systems.profile.Started`).

Only `python SCRIPT.py …` and `python -m MODULE …` say that: another program may run anything.
"""

import re
import shlex
from pathlib import Path
from typing import Final

from aptix_conformance.errors import CertificateError
from aptix_conformance.systems.mcp.commands import is_url, resolve
from aptix_conformance.targets import Target, ToolSettings
from aptix_conformance.text import printable

_PYTHON: Final = re.compile(r"python(3(\.[0-9]+)?)?")
_MODULE: Final = re.compile(r"\w+(\.\w+)*")
_MODULE_WORDS: Final = 3


def command_of(target: Target, settings: ToolSettings, root: Path) -> tuple[str, ...]:
    """The command that starts the server of a tool, with the path of its interpreter.

    Raises:
        CertificateError: as `words_of`.
        TargetError: its program cannot be found.
    """
    words = words_of(target.module, settings)
    return (resolve(words[:1], target.spec, root)[0], *words[1:])


def words_of(module: str, settings: ToolSettings) -> tuple[str, ...]:
    """The command that starts a server, by the place in its target spec.

    Raises:
        CertificateError: the server is at a URL, or the command is none of those whose code is known.
    """
    if settings.url or is_url(module):
        raise CertificateError(
            f"mcp:{printable(module, 200)} is offered by a server at a URL: what runs there has no digest, "
            "so nothing is issued"
        )
    try:
        words = settings.command or tuple(shlex.split(module))
    except ValueError:
        words = ()
    if not words or not _PYTHON.fullmatch(Path(words[0]).name) or not _names_file(words):
        raise CertificateError(
            f"mcp:{printable(module, 200)} is offered by a server that a command starts which is neither `python FILE` "
            "nor `python -m MODULE`: which files it runs is not known, so it has no digest. For a package that `npx` or "
            "`uvx` fetches, have git track its code and a lock, and start it by its file"
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


def _names_file(words: tuple[str, ...]) -> bool:
    if words[1:2] == ("-m",):
        return len(words) >= _MODULE_WORDS and _MODULE.fullmatch(words[2]) is not None
    return len(words) > 1 and not words[1].startswith(("-", "/"))
