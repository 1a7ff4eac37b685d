"""The environment of an examination: interpreter, platform, and what was installed."""

import json
import os
import platform
import stat
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import aptix_conformance
import aptix_harness
from aptix_conformance.certificates.code import distribution_digest, name_of, normalised, package_digest
from aptix_conformance.certificates.safe_files import LARGEST
from aptix_conformance.certificates.statement import DistributionPart, EnvironmentPart, SuitePart
from aptix_conformance.errors import CertificateError

_READ: Final = ("METADATA", "PKG-INFO", "RECORD", "direct_url.json")
"""The files of a `.dist-info` directory that are read."""
_BUILT: Final = frozenset({"evidence.json"})
"""Files that only a built distribution has."""


def environment(entries: Iterable[str], python: str | None = None) -> EnvironmentPart:
    """An interpreter, and the distributions that are installed in the directories `entries`, the first of a name.

    `python` is the tool's interpreter, in a virtual environment; None is this one.

    Raises:
        CertificateError: `python` is in no virtual environment that says its version.
    """
    found: dict[str, DistributionPart] = {}
    for distribution in metadata.Distribution.discover(path=list(entries)):
        name = name_of(distribution)
        if isinstance(distribution, metadata.PathDistribution) and name:
            part = DistributionPart(normalised(name), distribution.version, _digest_of(distribution))
            found.setdefault(part.name, part)
    return EnvironmentPart(
        _interpreter(python),
        f"{platform.system()} {platform.machine()}",
        tuple(sorted(found.values(), key=lambda part: part.name)),
    )


def suite() -> SuitePart:
    """The suite that runs here: its version, and the digest of its code, rules and contracts."""
    packages = [Path(str(package.__file__)).parent for package in (aptix_conformance, aptix_harness)]
    return SuitePart(aptix_conformance.__version__, package_digest(packages, without=_BUILT))


def installed_distribution(name: str, entries: Iterable[str]) -> metadata.PathDistribution | None:
    """The first distribution of a name in some directories, which may be a stranger's: only regular files are read."""
    for entry in entries:
        for place in sorted(Path(entry).glob("*.dist-info")):
            if all(_is_small_file(place / file) for file in _READ if os.path.lexists(place / file)):
                found = metadata.PathDistribution(place)
                if normalised(name_of(found)) == normalised(name):
                    return found
    return None


def _is_small_file(path: Path) -> bool:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST


def _digest_of(distribution: metadata.PathDistribution) -> str | None:
    try:
        return distribution_digest(distribution)
    except CertificateError:
        return None  # editable, or damaged: the certificate says that it has no digest


def is_editable(distribution: metadata.PathDistribution) -> bool:
    """Whether a distribution's code is elsewhere: `direct_url.json` says so (PEP 660)."""
    text = distribution.read_text("direct_url.json")
    try:
        origin: Any = json.loads(text) if text else {}
        return bool(origin.get("dir_info", {}).get("editable"))
    except (ValueError, AttributeError):
        return False


def _interpreter(python: str | None) -> str:
    """Implementation and version. Another interpreter is not started: its virtual environment says what it is."""
    if python is None:
        return f"{platform.python_implementation()} {platform.python_version()}"
    try:
        lines = (Path(python).parent.parent / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    said = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
    version = said.get("version") or said.get("version_info")
    if not version:
        raise CertificateError(f"the interpreter {python} is in no virtual environment that says its version")
    return f"{said.get('implementation', 'CPython')} {version.removesuffix('.final.0')}"
