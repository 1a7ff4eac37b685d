"""The store: a folder for each server, with its lock file, its environment, and a record that is written last.

    STORE/python/NAME/requirements.lock    STORE/npm/NAME/package-lock.json    @scope/name is the folder @scope+name
    STORE/python/NAME/installed.json       which environment counts, with its version and the digest of the lock file
    STORE/python/NAME/env-…/               an environment; a new installation makes a new one

Without a record nothing is installed, whatever else is there. The record is replaced in one step.
"""

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from aptix_conformance.core.errors import RecordError, TargetError
from aptix_conformance.core.files import read_bounded, write_atomically
from aptix_conformance.core.model.codec import Record, from_json, to_text
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import scratch
from aptix_conformance.systems.mcp.installing.package_request import Kind, Wanted

FOLDER: Final = ".aptix-servers"
"""The store of a project, below its root directory."""
LOCKS: Final[dict[Kind, str]] = {"python": "requirements.lock", "npm": "package-lock.json"}
_RECORD: Final = "installed.json"
_BUSY: Final = ".busy"
_ENVIRONMENT: Final = re.compile(r"env-[0-9a-f]{8}")
_IGNORED: Final = f"env-*/\n{_RECORD}\n{_BUSY}\n"
"""The parts of the store that do not belong into a repository: all but the lock files."""
_LARGEST: Final = 1 << 20
"""Bytes of a record or a package.json; a larger one is not read."""


class Installed(Record, frozen=True):
    """The record of a server that is installed."""

    name: str
    version: str
    asked: str
    """The version that was asked for."""
    place: str
    """The absolute path of its environment, which its programs name."""
    lock: str
    """SHA-256 of the lock file's text."""
    packages: int
    """How many packages were installed."""
    containment: Containment
    """What its installer was contained by."""
    extras: tuple[str, ...] = ()
    """The extras that it was installed with."""
    versions: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The versions of the Python packages, by name."""


class Store:
    """The servers that are installed below a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place_of(self, package: Wanted) -> Path:
        """The folder of a server."""
        return self.folder / package.kind / package.name.replace("/", "+")

    def lock_of(self, package: Wanted) -> Path:
        """Its lock file."""
        return self.place_of(package) / LOCKS[package.kind]

    def find(self, package: Wanted) -> Installed | None:
        """The record of a server, of any version; None where it is not installed.

        Raises:
            TargetError: there is a record that is none, or its environment is not where it was.
        """
        path = self.place_of(package) / _RECORD
        try:
            record = from_json(Installed, json.loads(read_bounded(path, _LARGEST)), path.name)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError, RecordError) as error:
            raise TargetError(
                f"{path} cannot be read ({printable(str(error), 150)}): install it again"
            ) from None
        place = Path(record.place)
        if place.parent != path.parent.resolve() or not _ENVIRONMENT.fullmatch(place.name):
            raise TargetError(
                f"{path.parent} was moved here from {printable(record.place, 200)}: install it again"
            )
        return record

    def command(self, package: Wanted, node: str | None) -> tuple[str, ...] | None:
        """The words that start a server; None where it is not installed. `node` is the path of Node.js.

        Raises:
            TargetError: another version is installed, or it has no such program, or as `find`.
        """
        record = self.find(package)
        if record is None:
            return None
        if not package.allows(record.version, record.asked) or not set(package.extras) <= set(record.extras):
            raise TargetError(
                f"{self.folder} has {package.name} {record.version}, not {package.requirement}: install that, or ask for what is "
                "there"
            )
        if not package.has_needs(record.versions):
            raise TargetError(
                f"{self.folder} has {package.name} without {', '.join(package.needs)}: install it again, or remove `--with`"
            )
        program = str(program_in(Path(record.place), package))
        if package.kind == "python":
            return (program,)
        if node is None:
            raise TargetError("there is no program 'node' on PATH: install Node.js")
        return node, program

    @contextmanager
    def alone(self, package: Wanted) -> Iterator[Path]:
        """The folder of a server, which is made if needed; nobody else writes to the store meanwhile.

        Raises:
            TargetError: another process writes to the store.
            OSError: it cannot be written.
        """
        place = self.place_of(package)
        place.mkdir(parents=True, exist_ok=True)
        ignored = self.folder / ".gitignore"
        if not ignored.exists():
            write_atomically(ignored, _IGNORED)
        busy = os.open(self.folder / _BUSY, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(busy, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield place.resolve()
        except BlockingIOError:
            raise TargetError(f"another process installs into {self.folder}: wait for its end") from None
        finally:
            with contextlib.suppress(OSError):
                place.rmdir()  # where nothing was installed
            os.close(busy)

    def keep(self, package: Wanted, record: Installed, lock: str) -> None:
        """Make an environment the one that counts, with its lock file, and remove all others.

        Raises:
            OSError: the files cannot be written.
        """
        write_atomically(self.lock_of(package), lock)
        write_atomically(self.place_of(package) / _RECORD, to_text(record, indent=2) + "\n")
        self.sweep(package)

    def sweep(self, package: Wanted) -> None:
        """Remove the environments of a server that do not count: of earlier versions, and of what was ended halfway."""
        try:
            record = self.find(package)
        except TargetError:
            record = None
        for each in self.place_of(package).iterdir():
            if _ENVIRONMENT.fullmatch(each.name) and (record is None or each.name != Path(record.place).name):
                scratch.remove(each)


def program_in(place: Path, package: Wanted) -> Path:
    """The program of a server that was installed into the environment at `place`.

    Raises:
        TargetError: it has no such program, or its interpreter is gone.
    """
    if package.kind == "npm":
        script = npm_program(place / "node_modules" / package.name, package.name)
        if script is None:
            raise TargetError(f"{package.name} has no program of its own in {place}")
        return script
    program = place / "bin" / package.program
    if not (place / "bin" / "python").exists():
        raise TargetError(f"the interpreter of {place} is gone: install {package.name} again")
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise TargetError(
            f"{package.name} has no program {printable(package.program, 60)}: name the one that it has, as "
            f"in `uvx --from {package.name} PROGRAM`"
        )
    return program


def npm_program(folder: Path, package: str) -> Path | None:
    """The program of a package of npm in its folder; None where it has none, or one that is not in the folder."""
    try:
        manifest: Any = json.loads(read_bounded(folder / "package.json", _LARGEST))
        programs = manifest.get("bin")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    if isinstance(programs, dict):
        programs = programs.get(package.rpartition("/")[2]) or next(iter(programs.values()), None)
    if not isinstance(programs, str):
        return None
    try:
        path = folder / programs
        is_inside = path.resolve().is_relative_to(folder.resolve())
        return path if is_inside and path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None
