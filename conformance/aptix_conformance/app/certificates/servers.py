"""Servers that were installed into a store: the digest covers the lock and every file of the environment.

    FOLDER/requirements.lock or package-lock.json    what was resolved, with the hashes of what was downloaded
    FOLDER/env-1a2b3c4d/                             the environment; the digest calls it `environment`

Of a virtual environment of Python some files differ from machine to machine, and are checked instead: the links to the
interpreter, `pyvenv.cfg`, and the first line of each program, which names the interpreter. What an installer writes for itself
is left out, as in the digest of a distribution.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.app.certificates.code import (
    INSTALLERS,
    hash_of,
    is_cache,
    is_compiled,
    refuse_compiled,
)
from aptix_conformance.app.certificates.interpreter import LINK, check_home
from aptix_conformance.app.certificates.safe_files import beginning, read_bytes
from aptix_conformance.app.certificates.walk import Walk, copy_files
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable

PYTHON_LOCK: Final = "requirements.lock"
_LOCKS: Final = (PYTHON_LOCK, "package-lock.json")
_ENVIRONMENT: Final = "environment"
_NAME: Final = re.compile(rf"env-[0-9a-f]{{8}}|{_ENVIRONMENT}")
_MADE_ANEW: Final = re.compile(rf"pyvenv\.cfg|bin/{LINK.pattern}")
"""The files that name the interpreter of a virtual environment; they are made for each copy."""
_OF_INSTALLER: Final = re.compile(
    rf"lib/python3\.\d+/site-packages/[^/]+\.dist-info/({'|'.join(map(re.escape, sorted(INSTALLERS)))})"
)
_HEADER: Final = re.compile(
    rb"""#!/bin/sh\n'''exec' '(?P<long>[^\n']*)' "\$0" "\$@"\n' '''\n|#!(?P<short>[^\n]*)\n?"""
)
"""The first lines that name the interpreter of a program; where that has a long path or one with blanks, a shell starts it."""
_LONGEST_HEADER: Final = 4096
_MACHINE: Final = ("/bin/", "/usr/bin/")
_AGAIN: Final = "install the server again"


def environment_of(folder: Path) -> Path:
    """The environment in the folder of a server.

    Raises:
        CertificateError: there is none, or more than one, or no lock beside it.
    """
    try:
        folders = [each for each in folder.iterdir() if _NAME.fullmatch(each.name) and not each.is_symlink()]
    except OSError as error:
        raise CertificateError(f"{printable(str(folder), 300)} cannot be read: {error.strerror}") from None
    if len(folders) != 1 or not _locks(folder):
        raise CertificateError(
            f"{printable(str(folder), 300)} is not the folder of one server in a store, with its lock and its environment: "
            f"name that folder, or {_AGAIN}"
        )
    return folders[0]


def python_of(folder: Path) -> str | None:
    """The interpreter of a server; None where it is not in Python."""
    place = environment_of(folder)
    return str(place / "bin" / "python") if os.path.lexists(place / "pyvenv.cfg") else None


def server_digest(folder: Path, *, caches: bool = False) -> str:
    """The digest of a server; with `caches`, bytecode that Python keeps of a source file does not matter.

    Raises:
        CertificateError: as `environment_of`, or there is bytecode, the interpreter is not one that is installed, a program has
            another interpreter, or a file has no digest.
    """
    place, walk, is_python = environment_of(folder), Walk(), python_of(folder) is not None
    if is_python:
        check_home(place, folder)
    hashes = {name: walk.file_hash(folder, name) for name in _locks(folder)}
    for name in walk.names(place):
        if caches and is_cache(name):
            continue
        if is_compiled(name):
            refuse_compiled(name)
        if is_python and (_MADE_ANEW.fullmatch(name) or _OF_INSTALLER.fullmatch(name)):
            continue
        header = _header(place, name) if is_python else 0
        begins = (header, b"#!python\n" if header else b"")
        hashes[f"{_ENVIRONMENT}/{name}"] = walk.file_hash(place, name, begins=begins)
    return hash_of(hashes)


def copy_server(folder: Path, target: Path, python: str | None = None) -> None:
    """Copy a server to the empty folder `target`; `python` is the interpreter of the copy, else it is that of the original.

    Raises:
        CertificateError: as `server_digest`, or a file cannot be copied.
    """
    place, copy = environment_of(folder), target / _ENVIRONMENT
    copy_files(folder, target, _locks(folder))
    if python_of(folder) is None:
        copy_files(place, copy, Walk().names(place))
        return
    program = os.path.realpath(python or check_home(place, folder))
    own = copy / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.symlink_to(program)
    (copy / "pyvenv.cfg").write_text(f"home = {Path(program).parent}\ninclude-system-site-packages = false\n")
    names = [name for name in Walk().names(place) if not is_cache(name) and not _MADE_ANEW.fullmatch(name)]
    copy_files(place, copy, names)
    for name in names:
        if header := _header(place, name):
            body = read_bytes(copy / name, "program")[header:]
            (copy / name).write_bytes(b"#!%b\n%b" % (os.fsencode(own), body))


def _locks(folder: Path) -> list[str]:
    return [name for name in _LOCKS if os.path.lexists(folder / name)]


def why_unnamed(place: Path, command: Sequence[str]) -> str:
    """Why it is not known what a command runs by a program of an environment of Python; empty where that is known."""
    name = os.path.relpath(command[0], place)
    if LINK.fullmatch(Path(name).name) and list(command[1:2]) != ["-m"]:
        return "its program is the interpreter of its environment, which runs any code: name another one, or `-m MODULE`"
    header = beginning(place / name, "program", _LONGEST_HEADER)
    if not header.startswith(b"#!") or _header(place, name):
        return ""
    return (
        f"its program {printable(name, 200)} is run by {printable(os.fsdecode(header.splitlines()[0][2:]), 200)}, and not by "
        "the interpreter of its environment: name a program that is"
    )


def _header(place: Path, name: str) -> int:
    """The number of bytes at the start of a program that name the environment's interpreter; 0 where none do.

    Raises:
        CertificateError: it has an interpreter that is neither the environment's nor the machine's.
    """
    path = place / name
    if not name.startswith("bin/") or path.is_symlink():
        return 0
    match = _HEADER.match(beginning(path, "program", _LONGEST_HEADER))
    if match is None:
        return 0
    own = Path(os.path.normpath(os.fsdecode(match["long"] or match["short"]).strip()))
    if str(own).startswith(_MACHINE):
        return 0
    if own.parent != Path(os.path.realpath(place), "bin") or not LINK.fullmatch(own.name):
        raise CertificateError(
            f"{printable(str(path), 300)} has another interpreter than its environment: {_AGAIN}"
        )
    return len(match[0])
