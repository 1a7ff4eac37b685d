"""How uv and npm are run: what each is given, what it leaves, and what its complaints mean."""

import re
import shutil
import sys
import sysconfig
import venv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.places import Place
from aptix_conformance.systems.mcp.installing import locks
from aptix_conformance.systems.mcp.installing.environment_checks import check_links, check_python
from aptix_conformance.systems.mcp.installing.indexes import Host, Source, npm_source, python_source
from aptix_conformance.systems.mcp.installing.locks import Lock
from aptix_conformance.systems.mcp.installing.package_request import Wanted

WORK: Final = ".work"
"""The folder in an environment for what its installer writes besides; it is removed."""
_REQUIREMENTS: Final = f"{WORK}/requirements.in"
_LOCKED: Final = f"{WORK}/requirements.txt"
_PACKAGE: Final = "package.json"
_PACKAGE_LOCK: Final = "package-lock.json"
_OTHER_HASH: Final = (
    "a file of the index has another hash than the lock file: it was edited, or the file was replaced"
)
_QUIET: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


class _Environment(venv.EnvBuilder):
    """Without programs that a shell would run, which have the place of the environment in them."""

    def setup_scripts(self, context: Any) -> None:
        """Make none."""


class Uv:
    """uv, which installs into a virtual environment of the suite's own Python; it builds nothing and reads no settings."""

    def __init__(self, package: Wanted, opened: tuple[Host, ...]) -> None:
        self._package = package
        self._opened = opened
        self._program = _uv()
        self._source: Source | None = None

    def source(self) -> Source:
        """The input of the installer. Raises TargetError."""
        self._source = self._source or python_source(self._opened)
        return self._source

    def read_lock(self, text: str) -> Lock:
        """The lock in a text. Raises TargetError."""
        return locks.read_python_lock(text, self._package.name)

    def resolving(self, place: Path, files: Path) -> tuple[str, ...]:  # noqa: ARG002 - as npm's
        """The words that resolve what the server needs at `place`; `files` gets what they find there."""
        requirements = "\n".join([self._package.requirement, *self._package.needs])
        (files / _REQUIREMENTS).write_text(requirements, encoding="utf-8")
        options = ("--generate-hashes", "--no-annotate", "--no-header", "--output-file", _LOCKED)
        return (*self._words("compile", sys.executable), *options, *self.source().limits, _REQUIREMENTS)

    def resolved(self, place: Path) -> Lock:
        """The lock that they led to. Raises TargetError."""
        platform = f"Python {sysconfig.get_python_version()} on {sysconfig.get_platform()}"
        text = _read(place / _LOCKED).decode("utf-8", "replace")
        return locks.python_lock_of(text, self._package.name, platform, self._package.extras)

    def installing(self, place: Path, files: Path, lock: Lock) -> tuple[str, ...]:
        """The words that install a lock at `place`; the environment is made there, which its files name, and moved to `files`."""
        _Environment(symlinks=True).create(place)
        for each in list(place.iterdir()):
            shutil.move(each, files / each.name)
        (files / _LOCKED).write_text(lock.text, encoding="utf-8")
        own = self._words("install", str(place / "bin" / "python"))
        return (*own, "--require-hashes", "--requirements", _LOCKED)

    def _words(self, command: str, python: str) -> tuple[str, ...]:
        options = ("--no-config", "--only-binary", ":all:", "--quiet", "--cache-dir", f"{WORK}/cache")
        return (self._program, "pip", command, *options, "--python", python, *self.source().options)

    def check(self, place: Path, files: Path) -> None:
        """Look at what was installed, without uv's lock on it. Raises TargetError."""
        (place / ".lock").unlink(missing_ok=True)
        check_python(place, files)

    @property
    def needed(self) -> list[Place]:
        """The places that the installer itself reads. It imports nothing of the suite's environment."""
        return [*readable_paths.interpreter(sys.executable), *readable_paths.program(self._program)]

    def reason(self, output: str) -> str:
        """The cause of a failure in its output: uv puts it behind signs, in lines of the terminal's width."""
        text = re.sub(r"^(?:error:|\W)+", "", " ".join(re.sub(r"[\u2500-\u257f\u25b6]", "", output).split()))
        if "Hash mismatch" in text:
            return _OTHER_HASH
        return _space(output) or text

    def unreached(self, output: str) -> list[str]:
        """The URLs, from its index, that a failure is about: uv takes none from what a package says that it needs."""
        return re.findall(r"Failed to fetch: `?(https?://[^`\s]+)", output)


class Npm:
    """npm, without scripts of packages."""

    def __init__(self, package: Wanted, opened: tuple[Host, ...]) -> None:
        self._package = package
        self._opened = opened

    def source(self) -> Source:
        """See `Uv`."""
        return npm_source(self._opened)

    def read_lock(self, text: str) -> Lock:
        """See `Uv`."""
        return locks.read_npm_lock(text, self._package.name)

    def resolving(self, place: Path, files: Path) -> tuple[str, ...]:  # noqa: ARG002 - as uv's
        """See `Uv`."""
        project = locks.npm_project({self._package.name: self._package.spec or "latest"})
        (files / _PACKAGE).write_text(project, encoding="utf-8")
        return (_npm(), "install", "--package-lock-only", *_QUIET)

    def resolved(self, place: Path) -> Lock:
        """See `Uv`."""
        text = _read(place / _PACKAGE_LOCK).decode("utf-8", "replace")
        return locks.npm_lock_of(text, self._package.name)

    def installing(self, place: Path, files: Path, lock: Lock) -> tuple[str, ...]:  # noqa: ARG002 - as uv's
        """See `Uv`."""
        project = locks.npm_project({self._package.name: lock.version})
        (files / _PACKAGE).write_text(project, encoding="utf-8")
        (files / _PACKAGE_LOCK).write_text(lock.text, encoding="utf-8")
        return (_npm(), "ci", *_QUIET)

    def check(self, place: Path, files: Path) -> None:  # noqa: ARG002 - as uv's
        """See `Uv`."""
        check_links(place, frozenset())

    @property
    def needed(self) -> list[Place]:
        """See `Uv`."""
        return readable_paths.program(_npm())

    def reason(self, output: str) -> str:
        """See `Uv`."""
        code, *lines = re.findall(
            r"^npm (?:error|ERR!) (?:code )?(?!errno|syscall|network)(.+)", output, re.MULTILINE
        ) or [""]
        if code == "EINTEGRITY":
            return _OTHER_HASH
        if missing := re.findall(r"Missing: (\S+?)@\S* from lock file", output):
            # An optional package that npm cannot find is left out of the lock without a word, and then asked for.
            return f"the index has no {', '.join(missing[:_MOST_MISSING])}, which the package names"
        return _space(output) or (f"{_MEANINGS.get(code, code)}: {lines[0]}" if lines else code)

    def unreached(self, output: str) -> list[str]:  # noqa: ARG002 - as uv's
        """See `Uv`. npm takes all files from its registry."""
        return []


_MOST_MISSING: Final = 3
"""The most packages that a reason names."""
_MEANINGS: Final = {"E404": "the index has no such package", "ETARGET": "the index has no such version"}


Installer = Uv | Npm


def installer_of(package: Wanted, opened: tuple[Host, ...]) -> Installer:
    """The installer of a server; `opened` are further hosts that it may reach."""
    return Npm(package, opened) if package.kind == "npm" else Uv(package, opened)


def _read(path: Path) -> bytes:
    if path.is_symlink():
        raise TargetError(f"its installer made {path.name} a link")
    try:
        return read_bounded(path, locks.LARGEST)
    except OSError as error:
        raise TargetError(f"its installer wrote no {path.name}: {error.strerror}") from None


def _uv() -> str:
    beside = shutil.which("uv", path=str(Path(sys.executable).parent))
    program = beside or shutil.which("uv")
    if program is None:
        raise TargetError(
            "uv is not installed, which installs Python packages: pip install 'aptix-conformance[install]'"
        )
    return program


def _npm() -> str:
    program = shutil.which("npm")
    if program is None:
        raise TargetError("there is no program 'npm' on PATH: install Node.js with npm")
    return program


def _space(output: str) -> str:
    return "it needs more than 1 GiB" if re.search(r"No space left on device|ENOSPC", output) else ""


def redacted(text: str, secrets: Iterable[str]) -> str:
    """A text without some secrets."""
    for secret in secrets:
        text = text.replace(secret, "…")
    return text
