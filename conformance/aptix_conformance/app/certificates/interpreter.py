"""The interpreter of a tool, asked itself: the program to which it leads, without anything of its environment."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.certificates.code import library_digest
from aptix_conformance.app.certificates.safe_files import read_bytes
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable
from aptix_conformance.hosts.places import is_machines

_PATIENCE: Final = 60.0
_NUMBERS: Final = re.compile(r"\d+(\.\d+){0,2}")
_PROGRAMS: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How programs begin: on Linux, and on macOS for one and for several processors."""
_LONGEST: Final = 4096
"""Characters of a path, as Linux has it."""
LINK: Final = re.compile(r"python(3(\.\d+)?)?")
"""The names under which a virtual environment has its interpreter."""
_QUESTION: Final = """\
import json, os, platform, site, sys
try:
    maps = open("/proc/self/maps").read().splitlines()
except OSError:
    maps = []
loaded = [line.partition("/")[2] for line in maps if "/libpython" in line]
print(json.dumps([f"{platform.python_implementation()} {platform.python_version()}", os.path.dirname(os.__file__),
    sorted({f"/{path}" for path in loaded}), site.getsitepackages()]))
"""


@dataclass(frozen=True, slots=True)
class InterpreterFacts:
    """The facts that identify an interpreter."""

    interpreter: str
    """Implementation and version, as it says itself."""
    binary: str
    """The digest of its program and of the library of Python that this loads."""
    library: str
    """The digest of its standard library."""
    folder: str
    """Where its standard library is."""
    sites: tuple[str, ...]
    """The directories of distributions that a virtual environment takes from its installation."""
    unnamed: tuple[str, ...]
    """Why no certificate can be about it, a sentence for each reason."""


def ask(python: str | None, root: Path | None = None) -> InterpreterFacts:
    """The facts of an interpreter; None is this one. `root` is the folder of the project.

    Only the program of the installation is started, and none of the environment's code.

    Raises:
        CertificateError: it is in no virtual environment, or is no program that is installed on this machine.
    """
    named = Path(python or sys.executable)
    venv = Path(os.path.abspath(named)).parent.parent  # noqa: PTH100 - its links say which environment it is
    config = _configuration(venv / "pyvenv.cfg")
    if python is not None and not config:
        raise CertificateError(
            f"the interpreter {python} is in no virtual environment: name that of one by `python`"
        )
    program = os.path.realpath(named)
    inside = [
        place
        for place in (venv, root)
        if config and place and Path(program).is_relative_to(os.path.realpath(place))
    ]
    if inside or not _is_program(program):
        raise CertificateError(
            f"the interpreter {printable(str(named), 300)} is a script, or a file of the project: make its environment by "
            "`python -m venv`, with a link to a Python that is installed"
        )
    if not is_machines(os.path.dirname(program)):  # noqa: PTH120 - a text
        raise CertificateError(
            f"the interpreter {printable(program, 300)} is in no folder of the system or of PATH, so it may be a stranger's and is "
            "not started to ask what it is: put its folder on PATH if you trust it"
        )
    interpreter, binary, library, folder, sites = _answer(program)
    unnamed = []
    home = config.get("home", "")
    if config and not _is_home_of(home, program):
        unnamed.append(
            f"pyvenv.cfg names another installation ({printable(home, 200)}) than its interpreter is of"
        )
    version = config.get("version") or config.get("version_info") or ""
    numbers = _NUMBERS.match(version)
    if numbers and not re.search(rf" {re.escape(numbers[0])}(?!\d)", interpreter):
        unnamed.append(
            f"pyvenv.cfg says version {printable(version, 40)}, and the interpreter is {interpreter}"
        )
    shared = config.get("include-system-site-packages", "").lower() == "true"
    unnamed = [f"{reason}: make the environment again" for reason in unnamed]
    return InterpreterFacts(interpreter, binary, library, folder, sites if shared else (), tuple(unnamed))


def check_home(place: Path, folder: Path) -> str:
    """The program of an interpreter that is installed, to which a virtual environment in a folder leads and which is its home.

    Nothing is started.

    Raises:
        CertificateError: the environment leads elsewhere, or has packages of an installation.
    """
    config = _configuration(place / "pyvenv.cfg")
    shared = config.get("include-system-site-packages", "").lower() == "true"
    links = sorted((place / "bin").glob("python*"))
    programs = {os.path.realpath(link) for link in links if LINK.fullmatch(link.name)}
    program = programs.pop() if len(programs) == 1 else ""
    inside = Path(program).is_relative_to(os.path.realpath(folder))
    if shared or inside or not _is_program(program) or not _is_home_of(config.get("home", ""), program):
        raise CertificateError(
            f"the interpreter of {printable(str(place), 300)} is not a link to an installed one, or pyvenv.cfg names another "
            "one: make the environment again"
        )
    return program


def _configuration(path: Path) -> Mapping[str, str]:
    """The settings in a `pyvenv.cfg`; of several homes, all: Python takes the first one, and its module `site` the last.

    With other control characters than line feeds its home is not known, since Python strips them from names.
    """
    try:
        lines = read_bytes(path, "file").decode("utf-8", "replace").split("\n")
    except CertificateError:
        return {}
    if not all(map(str.isprintable, lines)):
        return {"home": "not known"}
    pairs = [
        (name.strip().lower(), value.strip()) for name, _, value in (line.partition("=") for line in lines)
    ]
    homes = dict.fromkeys(value for name, value in pairs if name == "home")
    return {**dict(pairs), **({"home": " and ".join(homes)} if homes else {})}


def _is_program(path: str) -> bool:
    try:
        if not Path(path).is_file():
            return False  # opening a pipe would wait
        with Path(path).open("rb") as stream:
            return stream.read(4) in _PROGRAMS
    except OSError:
        return False


@cache
def _answer(program: str) -> tuple[str, str, str, str, tuple[str, ...]]:
    """The facts that a program prints of itself, and its digests."""
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter of this machine
            [program, "-I", "-S", "-c", _QUESTION],
            cwd="/",
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
        answer: Any = json.loads(done.stdout)
        interpreter, folder, loaded, sites = answer
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        raise CertificateError(f"the interpreter {printable(program, 300)} does not say what it is") from None
    programs = {"python": Path(program), **{Path(path).name: Path(path) for path in loaded}}
    binary = library_digest({}, programs)
    sites = tuple(site for site in sites if Path(site).is_dir())
    return interpreter, binary, library_digest({"lib": Path(folder)}, {}), folder, sites


def _is_home_of(home: str, program: str) -> bool:
    """Whether the folder that `pyvenv.cfg` names is that of the program, or has a link to it and leads to no other library.

    Python looks for its library beside that folder and in those above it, by these files. What is in the root of the file system
    is the machine's own.
    """
    if not home.startswith("/") or len(home) > _LONGEST:
        return False
    if os.path.realpath(home) == os.path.dirname(program):  # noqa: PTH120 - a text, as the other
        return True
    names = ("python", "python3", Path(program).name)
    folders = [Path(home), *Path(home).absolute().parents][:-1]
    landmarks = ("lib*/python3*/os.py*", "lib*/python3*/lib-dynload", "lib*/python3*.zip")
    return any(os.path.realpath(f"{home}/{name}") == program for name in names) and not any(
        path for folder in folders for landmark in landmarks for path in folder.glob(landmark)
    )
