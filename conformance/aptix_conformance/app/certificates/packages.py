"""Packages with which a tool runs, and the locks that list them: each is recorded by the digest of its files.

A lock has hashes of archives, which an installation does not show. What is in no lock has no owner, and is named.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from aptix_conformance.app.certificates.code import digest_of, folder_files
from aptix_conformance.app.certificates.safe_files import parse_json, read_bytes
from aptix_conformance.app.certificates.statement import DistributionPart, PackagePart
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable

if TYPE_CHECKING:  # what verifies starts faster without it
    from aptix_conformance.systems.profile import Package

NODE_PACKAGES: Final = "node_modules/"
_FOLDER: Final = re.compile(r"(?:.*?/)??(?=node_modules/)")
"""The part of a path before the first package: the folder in which its lock is."""
_PACKAGE: Final = re.compile(r"node_modules/(?!\.bin/|\.package-lock\.json\Z)(?:@[^/]+/)?[^/]+")
_LOCKS: Final = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock")
_PLAIN: Final = re.compile(r"[ -~]{0,1000}")
_LOCKED: Final = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)", re.MULTILINE)


def packages_in(root: Path, names: Iterable[str]) -> Iterator[PackagePart]:
    """The packages of Node.js among some files of a folder, each with the digest of its files but for packages inside of it.

    Raises:
        CertificateError: a lock cannot be read, or a file has no digest.
    """
    files = frozenset(names)
    packages = _packages(sorted(files))
    places = {place for place, _ in packages.values()}
    locks = {place: _listed(root, _lock_of(place, files)) for place in places}
    for package, (place, own) in packages.items():
        entry = _entry(locks[place], package.removeprefix(place))
        yield PackagePart(package, _text(entry, "version"), _text(entry, "integrity"), digest_of(root, own))


def packages_outside(packages: "Iterable[Package]") -> Iterator[PackagePart]:
    """Packages outside of the code, each with the digest of all files in its folder.

    Raises:
        CertificateError: a file has no digest.
    """
    for each in packages:
        digest = digest_of(each.folder, folder_files(each.folder))
        yield PackagePart(each.name, each.version, each.integrity, digest)


def unlocked(root: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Why the packages of Node.js among some files of a folder are no known ones: a lock beside them has to list each.

    Raises:
        CertificateError: a lock cannot be read.
    """
    files = frozenset(names)
    inner: dict[str, dict[str, str]] = {}
    for package, (place, _) in _packages(sorted(files)).items():
        inner.setdefault(place, {})[package] = package.removeprefix(place)
    reasons = []
    for place, packages in sorted(inner.items()):
        lock = _lock_of(place, files)
        if not lock:
            reasons.append(
                f"{place}node_modules has no lock beside it, such as {_LOCKS[0]}: make one by `npm install`, and have git track it"
            )
        elif lock.endswith(".json"):
            listed = _listed(root, lock)
            reasons += [
                f"{printable(package, 200)} is not in {lock}: remove it, or make both by `npm install`"
                for package, name in packages.items()
                if name not in listed
            ]
            reasons += [
                f"{printable(package, 200)} is not the version in {lock}: make both by `npm install`"
                for package, name in packages.items()
                if not _has_version(root / package, _entry(listed, name))
            ]
    return tuple(reasons)


def _packages(files: Iterable[str]) -> dict[str, tuple[str, list[str]]]:
    """The packages of Node.js among some files, also those in others: of each the folder of its lock, and its own files."""
    packages: dict[str, tuple[str, list[str]]] = {}
    for name in files:
        start = _FOLDER.match(name)
        place, package = (start[0] if start else ""), ""
        while inner := _PACKAGE.match(name, len(package) + 1 if package else len(place)):
            package = name[: inner.end()]
            packages.setdefault(package, (place, []))
        if package:
            packages[package][1].append(name)
    return packages


def _lock_of(place: str, files: Collection[str]) -> str:
    """The lock in a folder; empty where there is none."""
    return next((f"{place}{lock}" for lock in _LOCKS if f"{place}{lock}" in files), "")


def _listed(root: Path, lock: str) -> Mapping[str, Any]:
    """The packages of a lock of npm, by their places; none where there is no such lock."""
    if not lock.endswith(".json"):
        return {}
    document = parse_json(read_bytes(root / lock, "lock"), lock)
    packages = document.get("packages") if isinstance(document, dict) else None
    return packages if isinstance(packages, dict) else {}


def _entry(listed: Mapping[str, Any], package: str) -> Mapping[str, Any]:
    entry = listed.get(package)
    return entry if isinstance(entry, dict) else {}


def _text(entry: Mapping[str, Any], key: str) -> str:
    """A text of an entry in a lock; empty where it has none that npm would write."""
    value = entry.get(key)
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else ""


def _has_version(package: Path, entry: Mapping[str, Any]) -> bool:
    """Whether a package has the version of its entry in a lock; a link to a folder of the project has none."""
    if "version" not in entry or entry.get("link"):
        return True
    try:
        manifest = json.loads(read_bytes(package / "package.json", "file"))
    except (CertificateError, ValueError, RecursionError):
        return False
    version = manifest.get("version") if isinstance(manifest, dict) else None
    return isinstance(version, str) and version.strip(" =v") == entry["version"]  # npm writes it so


def differing_from_lock(lock: Path, installed: Iterable[DistributionPart]) -> list[str]:
    """Where the distributions of an environment are not those of the lock from which it was made, a sentence for each.

    Raises:
        CertificateError: the lock cannot be read.
    """
    text = read_bytes(lock, "lock").decode("utf-8", "replace")
    locked: dict[str, str] = {canonicalize_name(name): version for name, version in _LOCKED.findall(text)}
    versions = {part.name: part.version for part in installed}
    return [
        f"{printable(name, 100)} is {versions.get(name, 'not installed')}, and {lock.name} has "
        f"{locked.get(name, 'none')}: install the server again"
        for name in sorted(locked.keys() | versions.keys())
        if not _is_same(locked.get(name, ""), versions.get(name, ""))
    ]


def _is_same(locked: str, version: str) -> bool:
    try:
        return Version(locked) == Version(version)
    except InvalidVersion:
        return False
