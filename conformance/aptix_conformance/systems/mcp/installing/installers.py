"""How pip and npm are run: what each is given, what it leaves, and what its complaints mean."""

import json
import re
import shutil
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Protocol

from aptix_conformance.errors import TargetError
from aptix_conformance.files import read_bounded
from aptix_conformance.hosts import visible
from aptix_conformance.systems.mcp.installing import locks
from aptix_conformance.systems.mcp.installing.environment_checks import check_links, check_python
from aptix_conformance.systems.mcp.installing.indexes import Host, Source, npm_source, python_source
from aptix_conformance.systems.mcp.installing.locks import Lock
from aptix_conformance.systems.mcp.installing.wanted import Kind, Wanted
from aptix_conformance.text import printable

WORK: Final = ".work"
"""The folder in an environment for what its installer writes besides; it is removed."""
_REPORT: Final = f"{WORK}/report.json"
_LOCKED: Final = f"{WORK}/requirements.txt"
_PACKAGE: Final = "package.json"
_PACKAGE_LOCK: Final = "package-lock.json"
_QUIET: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
Resolved = Callable[[Path], str]


class Installer(Protocol):
    """One of pip and npm, for one server."""

    def source(self) -> Source:
        """What it is given. Raises TargetError."""

    def read_lock(self, text: str) -> Lock:
        """The lock in a text. Raises TargetError."""

    def resolving(self, place: Path, files: Path) -> tuple[str, ...]:
        """The words that resolve what the server needs at `place`; `files` gets what they find there."""

    def resolved(self, place: Path) -> Lock:
        """The lock that they led to. Raises TargetError."""

    def installing(self, place: Path, files: Path, lock: Lock) -> tuple[str, ...]:
        """The words that install a lock at `place`, as above."""

    def check(self, place: Path, files: Path) -> None:
        """Look at what was installed. Raises TargetError."""

    @property
    def visible(self) -> tuple[str, ...]:
        """What the installer itself needs to be seen."""

    def reason(self, output: str) -> str:
        """What its output says of a failure."""


class Pip:
    """pip of the suite's own interpreter, which installs into a virtual environment without pip."""

    def __init__(self, wanted: Wanted, opened: tuple[Host, ...]) -> None:
        self._wanted = wanted
        self._opened = opened
        self._source: Source | None = None

    def source(self) -> Source:
        """See `Installer`."""
        self._source = self._source or python_source(self._wanted.name, self._opened)
        return self._source

    def read_lock(self, text: str) -> Lock:
        """See `Installer`."""
        return locks.read_python_lock(text, self._wanted.name)

    def resolving(self, place: Path, files: Path) -> tuple[str, ...]:  # noqa: ARG002 - an installer's
        """See `Installer`."""
        asked = ("--dry-run", "--ignore-installed", "--quiet", "--report", _REPORT, self._wanted.requirement)
        return (*_PIP, "install", *_WHEELS, *asked)

    def resolved(self, place: Path) -> Lock:
        """See `Installer`."""
        made_for = f"Python {sysconfig.get_python_version()} on {sysconfig.get_platform()}"
        return locks.python_lock_of(
            read_json(place / _REPORT), self._wanted.name, made_for, self._wanted.extras
        )

    def installing(self, place: Path, files: Path, lock: Lock) -> tuple[str, ...]:
        """See `Installer`. The environment is made here, at its place, which its files name, and moved to `files`."""
        venv.EnvBuilder(symlinks=True).create(place)
        for each in list(place.iterdir()):
            shutil.move(each, files / each.name)
        (files / _LOCKED).write_text(lock.text, encoding="utf-8")
        own = (*_PIP, "--python", str(place / "bin" / "python"))
        return (*own, "install", *_WHEELS, "--quiet", "--require-hashes", "-r", _LOCKED)

    def check(self, place: Path, files: Path) -> None:
        """See `Installer`."""
        check_python(place, files)

    @property
    def visible(self) -> tuple[str, ...]:
        """See `Installer`."""
        return tuple(visible.python(sys.executable, ()))

    def reason(self, output: str) -> str:
        """See `Installer`."""
        if "THESE PACKAGES DO NOT MATCH THE HASHES" in output:
            return "a file of the index has another hash than the lock file: it was edited, or the file was replaced"
        missing = re.search(r"No matching distribution found for ([^\s(]+)", output)
        if missing:
            name = printable(missing[1], 80)
            if self._source is not None and self._source.has_wheels is False:
                return f"the index has no wheel of {self._wanted.name}: it would have to be built, which runs its code"
            if "Connection" in output:
                return f"the index cannot be reached for {name}{_connection(output)}"
            return f"there is no wheel of {name} for this Python and machine"
        if "outside the target directory" in output:
            return "a wheel holds a file that lies outside of the environment"
        errors = re.findall(r"^(?:ERROR:|\N{MULTIPLICATION SIGN}) (.+)", output, re.MULTILINE)
        return _space(output) or _unreached(output) or (errors[0] if errors else "")


_PIP: Final = (sys.executable, "-I", "-m", "pip")
_WHEELS: Final = ("--only-binary", ":all:")


class Npm:
    """npm, without scripts of packages."""

    def __init__(self, wanted: Wanted, opened: tuple[Host, ...], root: Path) -> None:
        self._wanted = wanted
        self._opened = opened
        self._root = root

    def source(self) -> Source:
        """See `Installer`."""
        return npm_source(self._root, self._opened)

    def read_lock(self, text: str) -> Lock:
        """See `Installer`."""
        return locks.read_npm_lock(text, self._wanted.name)

    def resolving(self, place: Path, files: Path) -> tuple[str, ...]:  # noqa: ARG002 - an installer's
        """See `Installer`."""
        asked = locks.npm_project({self._wanted.name: self._wanted.asked or "latest"})
        (files / _PACKAGE).write_text(asked, encoding="utf-8")
        return (_npm(), "install", "--package-lock-only", *_QUIET)

    def resolved(self, place: Path) -> Lock:
        """See `Installer`."""
        text = _read(place / _PACKAGE_LOCK).decode("utf-8", "replace")
        return locks.npm_lock_of(text, self._wanted.name)

    def installing(self, place: Path, files: Path, lock: Lock) -> tuple[str, ...]:  # noqa: ARG002 - an installer's
        """See `Installer`."""
        project = locks.npm_project({self._wanted.name: lock.version})
        (files / _PACKAGE).write_text(project, encoding="utf-8")
        (files / _PACKAGE_LOCK).write_text(lock.text, encoding="utf-8")
        return (_npm(), "ci", *_QUIET)

    def check(self, place: Path, files: Path) -> None:  # noqa: ARG002 - an installer's
        """See `Installer`."""
        check_links(place, frozenset())

    @property
    def visible(self) -> tuple[str, ...]:
        """See `Installer`."""
        return tuple(visible.program(_npm()))

    def reason(self, output: str) -> str:
        """See `Installer`."""
        codes = re.findall(r"^npm (?:error|ERR!) code (\w+)", output, re.MULTILINE)
        said = re.findall(r"^npm (?:error|ERR!) (?!code|errno|syscall|network)(.+)", output, re.MULTILINE)
        meanings = {
            "E404": "the index has no such package",
            "ETARGET": f"the index has no version {self._wanted.asked} of {self._wanted.name}",
            "EINTEGRITY": "a file of the index has another hash than the lock file: it was edited, or the file was replaced",
            "EUSAGE": "the lock file does not name all that is needed: it was edited",
        }
        code = codes[0] if codes else ""
        detail = said[0] if said else ""
        if code in _UNREACHED:
            return f"the index cannot be reached ({code})"
        if code == "E404":
            return f"{meanings[code]}: {printable(detail, 120)}"
        return meanings.get(code) or _space(output) or detail or code


_UNREACHED: Final = (
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "EAI_AGAIN",
    "ERR_SOCKET_TIMEOUT",
)


def installer_of(wanted: Wanted, opened: tuple[Host, ...], root: Path) -> Installer:
    """The installer of a server; `opened` are further hosts that it may reach, `root` is the project's directory."""
    made: dict[Kind, Callable[[], Installer]] = {
        "python": lambda: Pip(wanted, opened),
        "npm": lambda: Npm(wanted, opened, root),
    }
    return made[wanted.kind]()


def read_json(path: Path) -> object:
    """What an installer wrote, as JSON. Raises TargetError."""
    try:
        return json.loads(_read(path))
    except (ValueError, RecursionError):
        raise TargetError("its installer wrote a report that cannot be read") from None


def _read(path: Path) -> bytes:
    if path.is_symlink():
        raise TargetError(f"its installer made {path.name} a link")
    try:
        return read_bounded(path, locks.LARGEST)
    except OSError as error:
        raise TargetError(f"its installer wrote no {path.name}: {error.strerror}") from None


def _npm() -> str:
    found = shutil.which("npm")
    if found is None:
        raise TargetError("there is no program 'npm' on PATH: install Node.js with npm")
    return found


def _connection(output: str) -> str:
    hosts = sorted(set(re.findall(r"host='([^']+)'|while fetching https?://([^/\s:]+)", output)))
    names = ", ".join(one or other for one, other in hosts)
    return f" at {printable(names, 150)}" if names else ""


def _unreached(output: str) -> str:
    """What pip says of a host that it does not reach: in the words of its library, newer ones in their own."""
    failed = re.search(r"Max retries exceeded|^error: (?:proxy-)?connection-\w+$", output, re.MULTILINE)
    return f"the index cannot be reached{_connection(output)}" if failed else ""


def _space(output: str) -> str:
    return "it needs more than 1 GiB" if re.search(r"No space left on device|ENOSPC", output) else ""


def redacted(text: str, secrets: Iterable[str]) -> str:
    """A text without some secrets."""
    for secret in secrets:
        text = text.replace(secret, "…")
    return text
