"""How the command of a server is written, and which installed program it starts.

`uvx` and `npx` download what they start. Nothing is downloaded for an examination, so the suite starts what is installed already:
in the store of `aptix-conformance mcp install`, beside its own interpreter, on PATH, or in the project's `node_modules`.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.files import is_file
from aptix_conformance.core.text import unfit_character
from aptix_conformance.systems.mcp.installing.package_request import wanted_by
from aptix_conformance.systems.mcp.installing.store import Store, npm_program
from aptix_conformance.targets.endpoints import fault_of
from aptix_conformance.targets.spec import Written, read_place

_BYTES: Final = re.compile("[\\udc80-\\udcff]")
"""How Python writes the bytes of a command line that are no UTF-8; a program can be given these."""
_NOT_DOWNLOADED: Final = "install it, for example by `aptix-conformance mcp install`, since nothing is downloaded for an examination"


def read_server(locator: str, written: Written) -> tuple[str, str | None]:
    """`COMMAND ARGUMENT …` or a URL, and optionally `#TOOL`."""
    place, tool = read_place(locator, written)
    if is_url(place):
        fault = fault_of(place)
        if fault is None and "?" in place:
            fault = "has a query: write it as the key `url` of a table"
        if fault:
            written.refuse(fault, "mcp:http://127.0.0.1:8000/mcp#my_tool")
    return place, tool


def is_url(place: str) -> bool:
    """Whether a place is a URL and no command."""
    return place.startswith(("http://", "https://"))


def resolve(words: tuple[str, ...], name: str, root: Path, store: Path | None = None) -> tuple[str, ...]:
    """A command with the path of its program; `name` is for messages, `root` the project's directory.

    `store` is where servers were installed, which goes before all other places.

    Raises:
        TargetError: there is no such program, `uvx` or `npx` would have to download it, or the store has another version.
    """
    if not words:
        raise TargetError(f"{name} names no program")
    fault = unfit_character(_BYTES.sub("", " ".join(words)))
    if fault:
        raise TargetError(f"{name} has {fault}, which no program can be given: remove it")
    if store is not None and (in_store := _in_store(words, name, root, Store(store))) is not None:
        return in_store
    if words[0] == "uvx":
        is_from = words[1:2] == ("--from",)
        package_text, rest = _started((words[0], *words[3 if is_from else 1 :]), name, ())
        script = package_text if is_from else re.split(r"[@\[=<>~!]", package_text, maxsplit=1)[0]
        program = _program_path(script, root)
        if program is None:
            raise TargetError(
                f"{name}: {script} is not installed beside the suite or on PATH: {_NOT_DOWNLOADED}"
            )
        return (program, *rest)
    if words[0] == "npx":
        package, rest = _started(words, name, ("-y", "--yes"))
        return (*_installed_by_npm(package, name, root), *rest)
    program = _program_path(words[0], root)
    if program is None:
        raise TargetError(f"{name}: there is no program {words[0]!r}: install it, or write its path")
    return (program, *(str(root / word) if is_file(root / word) else word for word in words[1:]))


def _started(words: tuple[str, ...], name: str, harmless: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The program that `uvx` or `npx` starts, and its arguments."""
    rest = [word for place, word in enumerate(words[1:]) if word not in harmless or place > 0]
    if not rest or rest[0].startswith("-"):
        raise TargetError(f"{name}: write the installed program in place of {words[0]} with options")
    return rest[0], tuple(rest[1:])


def _program_path(program: str, root: Path) -> str | None:
    """A program by its path, else beside the suite's interpreter, else on PATH."""
    if "/" in program:
        return shutil.which(os.path.abspath(root / program))  # noqa: PTH100 - links of environments must stay
    return shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program)


def _in_store(words: tuple[str, ...], name: str, root: Path, store: Store) -> tuple[str, ...] | None:
    """The command of a server in a store; None where it is not there."""
    try:
        request = wanted_by(words)
    except TargetError:
        return None  # what no store has may be installed elsewhere
    if request is None:
        return None
    try:
        command = store.command(request[0], _program_path("node", root))
    except TargetError as error:
        raise TargetError(f"{name}: {error}") from None
    return None if command is None else (*command, *words[request[1] :])


def _installed_by_npm(package: str, name: str, root: Path) -> tuple[str, str]:
    """Node.js and the program of a package that is installed in the project."""
    bare = package[:1] + package[1:].partition("@")[0]
    node = _program_path("node", root)
    if node is None:
        raise TargetError(f"{name}: there is no program 'node' on PATH: install Node.js")
    program = npm_program(root / "node_modules" / bare, bare)
    if program is None:
        raise TargetError(f"{name}: {bare} is not installed in {root / 'node_modules'}: {_NOT_DOWNLOADED}")
    return node, str(program)
