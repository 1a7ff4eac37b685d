"""The environment that a certificate records, set up again: an interpreter of this machine, and wheels of the configured index.

Only wheels are installed, so that nothing of a distribution runs before a tool imports it. A certificate has digests of
installed files, not of wheels. So the files are measured once they are installed, and a distribution whose digest is
another is not installed in the end.
"""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

from aptix_conformance.app.certificates.code import distribution_digest
from aptix_conformance.app.certificates.environment import SUITE, installed_distribution
from aptix_conformance.app.certificates.statement import DistributionPart, EnvironmentPart
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.provenance import site_packages

Execute = Callable[[Sequence[str], Path], str | None]
"""Run a program in a folder: its output, or None where it failed."""

_PATIENCE: Final = 600.0
_ASK: Final = "import platform; print(platform.python_implementation(), platform.python_version())"
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*")


@dataclass(frozen=True, slots=True)
class RebuiltEnvironment:
    """An environment that was set up."""

    python: str
    """The interpreter, in a virtual environment of its own."""
    site: Path
    """Where its distributions are."""
    missing: tuple[str, ...] = ()
    """A line for each recorded distribution that it does not have, with the reason."""


def execute(command: Sequence[str], folder: Path) -> str | None:
    """Run a program, with the environment of this process, which names the index."""
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter of this machine, with arguments of ours
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def interpreter_here() -> str:
    """The interpreter of this process, as certificates name it."""
    return f"{platform.python_implementation()} {platform.python_version()}"


def find_interpreter(recorded: str, run: Execute = execute) -> str:
    """The recorded interpreter, if this machine has it; else that of this process."""
    numbers = re.fullmatch(r"(\w+) ((\d+)\.\d+)\S*", recorded)
    if recorded == interpreter_here() or not numbers:
        return sys.executable
    stem = "pypy" if numbers[1] == "PyPy" else "python"
    names = (f"{stem}{numbers[2]}", f"{stem}{numbers[3]}")
    for program in filter(None, map(shutil.which, names)):
        output = run([program, "-I", "-S", "-c", _ASK], Path("/"))
        if output is not None and output.strip() == recorded:
            return program
    return sys.executable


def set_up(
    place: Path, recorded: EnvironmentPart, *, excluded: Iterable[str], run: Execute = execute
) -> RebuiltEnvironment:
    """Make a virtual environment below `place` with the recorded distributions, as far as they are available.

    `excluded` are the names of distributions that are left out: the tool's own comes from elsewhere.

    Raises:
        CertificateError: no environment can be made.
    """
    interpreter = find_interpreter(recorded.interpreter, run)
    home = place / "environment"
    if run([interpreter, "-I", "-m", "venv", "--without-pip", str(home)], place) is None:
        raise CertificateError(f"{interpreter} makes no virtual environment: install its module venv")
    python = str(home / "bin" / "python")
    site = next(map(Path, site_packages(python)), None)
    if site is None:
        raise CertificateError(f"{interpreter} makes virtual environments of a kind that is not known here")
    skipped = {SUITE, *excluded}
    parts = [part for part in recorded.distributions if part.name not in skipped]
    installable = [part for part in parts if part.digest is not None and _can_be_named(part)]
    missing = [
        f"{_title(part)} has no digest in the certificate, as it was editable or damaged: it is not installed"
        for part in parts
        if part not in installable
    ]
    if installable:
        missing += _Wheels(place, interpreter, site, run).install(installable)
    return RebuiltEnvironment(python, site, tuple(missing))


def _can_be_named(part: DistributionPart) -> bool:
    """Whether name and version are such that an installer reads nothing else into them."""
    return bool(_NAME.fullmatch(part.name) and _VERSION.fullmatch(part.version))


def _title(part: DistributionPart) -> str:
    return printable(f"{part.name} {part.version}")


class _Wheels:
    """Wheels of the configured index, installed by a pip that is not in the environment which it fills."""

    def __init__(self, place: Path, interpreter: str, site: Path, run: Execute) -> None:
        self._place, self._interpreter, self._site, self._run = place, interpreter, site, run
        self._folder = place / "wheels"

    def install(self, parts: Sequence[DistributionPart]) -> list[str]:
        """Install the distributions that are available with the recorded digest; returns a line for each of the others.

        Raises:
            CertificateError: there is no pip.
        """
        if (
            self._run([self._interpreter, "-I", "-m", "venv", str(self._place / "installer")], self._place)
            is None
        ):
            raise CertificateError(f"{self._interpreter} brings no pip: install its module ensurepip")
        absent = self._download(parts)
        parts = [part for part in parts if part not in absent]
        missing = [
            f"{_title(part)} has no wheel in the configured index: it is not installed" for part in absent
        ]
        while parts:
            self._fill(parts)
            others = [part for part in parts if not self._is_recorded(part)]
            if not others:
                break
            missing += [
                f"{_title(part)} has another digest in the configured index: it is not installed"
                for part in others
            ]
            parts = [part for part in parts if part not in others]
            shutil.rmtree(self._site)
            self._site.mkdir()
        return missing

    def _pip(self, *arguments: str) -> bool:
        pip = [str(self._place / "installer" / "bin" / "python"), "-I", "-m", "pip", "--quiet", "--no-input"]
        return self._run([*pip, *arguments], self._place) is not None

    def _download(self, parts: Sequence[DistributionPart]) -> list[DistributionPart]:
        """Fetch the wheels, each into a folder of its own; returns the distributions without one."""
        together = self._fetch(parts)
        return [] if together else [part for part in parts if not self._fetch([part])]

    def _fetch(self, parts: Sequence[DistributionPart]) -> bool:
        named = [f"{part.name}=={part.version}" for part in parts]
        return self._pip(
            "download", "--no-deps", "--only-binary", ":all:", "--dest", str(self._folder), *named
        )

    def _fill(self, parts: Sequence[DistributionPart]) -> None:
        named = [f"{part.name}=={part.version}" for part in parts]
        self._pip(
            *(
                "install",
                "--no-deps",
                "--no-index",
                "--find-links",
                str(self._folder),
                "--only-binary",
                ":all:",
            ),
            *("--no-compile", "--ignore-installed", "--target", str(self._site), *named),
        )

    def _is_recorded(self, part: DistributionPart) -> bool:
        distribution = installed_distribution(part.name, [str(self._site)])
        if distribution is None or canonicalize_name(str(distribution.metadata["Name"])) != part.name:
            return False
        try:
            return distribution.version == part.version and distribution_digest(distribution) == part.digest
        except CertificateError:
            return False
