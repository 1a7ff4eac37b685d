"""The environment of an examination: interpreter, platform, and what was installed.

Whatever a tool can import is in the record by its digest, or is named as a reason against a certificate.
"""

import os
import platform
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Final

from packaging.utils import canonicalize_name

import aptix_conformance
import aptix_harness
from aptix_conformance.app.certificates.code import (
    INSTALLERS,
    SITES,
    distribution_digest,
    is_cache,
    is_code,
    is_own,
    name_of,
    package_digest,
    record_of,
)
from aptix_conformance.app.certificates.interpreter import ask
from aptix_conformance.app.certificates.safe_files import LARGEST, read_bytes
from aptix_conformance.app.certificates.statement import DistributionPart, EnvironmentPart, SuitePart
from aptix_conformance.app.certificates.walk import Walk
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.provenance import editable_project

SUITE: Final = "aptix-conformance"
"""The distribution of the suite itself: it examines, and is compared by its digest, but it is not installed again."""
_MOST_REASONS: Final = 10
_MOST_HIDDEN: Final = 500_000
"""Characters of the paths that are hidden: they are arguments of a program, which Linux limits to some 2 MiB in all."""
_VIRTUALENV: Final = frozenset(
    {
        "69ac3d8f27e679c81b94ab30b3b56e9cd138219b1ba94a1fa3606d5a76a1433d",  # the .pth of every version
        "0f20351ea7e90039c46d3fabdef991f28b1e3ff33eb13ee6f0d5cd21ea0e8b14",  # 20.26
        "c9199315871b11b12df226f890a38e66e63191e1adbfb11a66e6861151b33fca",  # 20.21
        "cfe56cafbd68fd31a0e87100f111d7d2f6b7157241096500013c07e88d80a22f",  # 21
    }
)
"""SHA-256 of the files that virtualenv itself puts into an environment, which no record lists."""
_READ: Final = ("METADATA", "PKG-INFO", "RECORD", "direct_url.json")
"""The files of a `.dist-info` directory that are read."""
_BUILT: Final = frozenset({"evidence.json"})
"""Files that only a built distribution has."""


@dataclass(frozen=True, slots=True)
class Surveyed:
    """An environment, with what its record does not cover."""

    part: EnvironmentPart
    unnamed: tuple[str, ...]
    """Why no certificate can be about it, a sentence for each reason."""
    hidden: tuple[str, ...] = field(compare=False)
    """The paths that a tool must not see: bytecode, which no digest covers, and what leads to the original of an editable project."""
    sites: tuple[str, ...]
    """The directories of its distributions."""


def environment(entries: Iterable[str], python: str | None = None, root: Path | None = None) -> Surveyed:
    """An interpreter, and the distributions that are installed in the directories `entries`, the first of a name.

    `python` is the tool's interpreter, in a virtual environment; None is this one. `root` is the project's folder.

    Raises:
        CertificateError: `python` is in no virtual environment, or is no program that is installed on this machine.
    """
    reply = ask(python, root)
    sites = tuple(dict.fromkeys([*(entry for entry in entries if Path(entry).name in SITES), *reply.sites]))
    parts: dict[str, DistributionPart] = {}
    unnamed, hidden, walk = list(reply.unnamed), [], _walk()
    for distribution in (each for site in sites for each in distributions(site)):
        name, digest = name_of(distribution), None
        if not name:
            continue  # its files have no owner
        try:
            if not is_editable(distribution):
                digest = distribution_digest(distribution, walk)
            elif canonicalize_name(name) == SUITE or _is_of(distribution, root):
                hidden += _starters(distribution)
            else:
                unnamed.append(
                    f"{printable(name, 100)} is editable, so its code has no digest: install it as a wheel"
                )
        except CertificateError as error:
            unnamed.append(str(error))
        one = DistributionPart(canonicalize_name(name), distribution.version, digest)
        if parts.setdefault(one.name, one) != one:
            unnamed.append(f"{printable(name, 100)} is installed more than once: uninstall the others")
    for site in map(Path, sites):
        unnamed += unowned(site)
    caches = [cache for folder in (*sites, reply.folder) for cache in _caches(Path(folder))]
    if sum(map(len, caches)) > _MOST_HIDDEN:
        unnamed.append(
            f"its environment has bytecode in {len(caches)} folders, which may be of other source: delete it by "
            "`find ENVIRONMENT -name '*.pyc' -delete`"
        )
    else:
        hidden += caches
    part = EnvironmentPart(
        reply.interpreter,
        f"{platform.system()} {platform.machine()}",
        tuple(sorted(parts.values(), key=lambda part: part.name)),
        binary=reply.binary,
        library=reply.library,
    )
    return Surveyed(part, tuple(unnamed), tuple(hidden), sites)


def unowned(site: Path, *, caches: bool = False) -> list[str]:
    """The files in a directory of distributions that no record lists, a sentence for each; with `caches`, bytecode too.

    Also the lines of `.pth` files that lead elsewhere, except for those of the suite's own and of editable projects.
    """
    owned, editable = _owned(site)
    reasons = []
    try:
        for name in sorted(_walk().names(site)):
            if is_cache(name):
                reasons += [
                    f"{name} is a compiled file, which Python runs in place of its source: delete it"
                ] * caches
            elif name not in owned and not _is_known(site, name):
                reasons.append(
                    f"{printable(name, 200)} in {site.name} belongs to no installed distribution: remove it, or make the "
                    "environment again"
                )
            elif name.endswith(".pth") and "/" not in name and name not in editable:
                reasons += _leads_elsewhere(site, name)
    except CertificateError as error:
        return [str(error)]
    rest = len(reasons) - _MOST_REASONS
    return reasons[:_MOST_REASONS] + ([f"{rest} more files in {site.name} have no owner"] if rest > 0 else [])


def _owned(site: Path) -> tuple[set[str], set[str]]:
    """The files that the digests of a directory's distributions cover, and those of editable distributions among them."""
    owned: set[str] = set()
    editable: set[str] = set()
    for distribution in distributions(site):
        try:
            record = record_of(distribution) if name_of(distribution) else {}
        except CertificateError:
            continue
        names = {name for name in record if is_own(PurePosixPath(name))}
        places = {name.partition("/")[0] for name in record if name.endswith(".dist-info/RECORD")}
        owned |= names | {f"{place}/{name}" for place in places for name in INSTALLERS}
        if is_editable(distribution):
            editable |= names
    return owned, editable


def _is_known(site: Path, name: str) -> bool:
    """Whether a file is one of the two that virtualenv itself puts into an environment."""
    if name not in {"_virtualenv.py", "_virtualenv.pth"}:
        return False
    return all(_walk().file_hash(site, each) in _VIRTUALENV for each in ("_virtualenv.py", "_virtualenv.pth"))


def _leads_elsewhere(site: Path, name: str) -> list[str]:
    """The directories outside of a site that a `.pth` file adds to the path."""
    try:
        lines = read_bytes(site / name, "file").decode("utf-8", "replace").splitlines()
    except CertificateError as error:
        return [str(error)]
    return [
        f"{name} in {site.name} has modules imported from {printable(line, 200)}, which no digest covers: remove it"
        for line in map(str.strip, lines)
        if line and not line.startswith(("#", "import ", "import\t"))
        if not Path(os.path.realpath(site / line)).is_relative_to(os.path.realpath(site))
    ]


def _is_of(distribution: metadata.PathDistribution, root: Path | None) -> bool:
    """Whether a distribution is the editable installation of the project whose copy is examined."""
    project = editable_project(distribution.read_text("direct_url.json"))
    return root is not None and project is not None and os.path.realpath(project) == os.path.realpath(root)


def _starters(distribution: metadata.PathDistribution) -> list[str]:
    """The files that an editable installation puts beside its metadata, to have its project found."""
    return [str(distribution.locate_file(name)) for name in record_of(distribution) if is_code(name)]


def _caches(site: Path) -> list[str]:
    try:
        names = [name for name in _walk().names(site, without=SITES) if is_cache(name)]
    except CertificateError:
        return []  # a reason against a certificate already
    return sorted({str((site / name).parent) for name in names})


def _walk() -> Walk:
    return Walk(size=64 << 30, seconds=300.0)  # of an environment with large libraries


def suite() -> SuitePart:
    """The suite that runs here: its version, and the digest of its code, rules and contracts."""
    packages = [Path(str(package.__file__)).parent for package in (aptix_conformance, aptix_harness)]
    return SuitePart(aptix_conformance.__version__, package_digest(packages, without=_BUILT))


def installed_distribution(name: str, entries: Iterable[str]) -> metadata.PathDistribution | None:
    """The first distribution of a name in some directories, which may be a stranger's: only regular files are read."""
    known = (each for entry in entries for each in distributions(entry))
    return next((each for each in known if canonicalize_name(name_of(each)) == canonicalize_name(name)), None)


def distributions(site: str | Path) -> Iterator[metadata.PathDistribution]:
    """The distributions in a directory, as far as what is read of them are small regular files."""
    for place in sorted(Path(site).glob("*.dist-info")):
        if all(_is_small_file(place / file) for file in _READ if os.path.lexists(place / file)):
            yield metadata.PathDistribution(place)


def _is_small_file(path: Path) -> bool:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST


def is_editable(distribution: metadata.PathDistribution) -> bool:
    """Whether a distribution's code is elsewhere: `direct_url.json` says so (PEP 660)."""
    try:
        return editable_project(distribution.read_text("direct_url.json")) is not None
    except (OSError, ValueError):
        return False
