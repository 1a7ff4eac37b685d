"""Lock files: each package that a server needs, with its version and a hash, and nothing else that an installer obeys."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from packaging.utils import canonicalize_name

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import quoted

LARGEST: Final = 16 << 20
"""Bytes of a lock file, or of what an installer reports."""
_LINE: Final = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[(?P<extras>[a-z0-9,-]+)\])?==(?P<version>[A-Za-z0-9.!+_-]+)"
    r"(?P<hashes>(?: --hash=(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}))+)"
)
_INTEGRITY: Final = re.compile(r"sha(256|384|512)-[A-Za-z0-9+/]+=*( sha(256|384|512)-[A-Za-z0-9+/]+=*)*")
_IN_ROOT: Final = "node_modules/"


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file that was read.

    Attributes:
        text: the text that the installer gets.
        version: the version of the server.
        packages: how many packages it names.
        extras: the extras of the server that it is for.
        versions: the versions of Python packages, by name.
    """

    text: str
    version: str
    packages: int
    extras: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_python_lock(text: str, name: str) -> Lock:
    """The lock of a distribution, in the form of a requirements file.

    Raises:
        TargetError: a line is not `NAME==VERSION --hash=…`, or the server is not there; says which.
    """
    versions: dict[str, str] = {}
    extras: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise TargetError(f"line {number} is not NAME==VERSION --hash=sha256:…: {quoted(line, 80)}")
        if canonicalize_name(match["name"]) in versions:
            raise TargetError(f"line {number} names {match['name']} again")
        versions[canonicalize_name(match["name"])] = match["version"]
        if match["extras"]:
            extras = tuple(match["extras"].split(","))
    if name not in versions:
        raise TargetError(f"{name} is not in it")
    return Lock(text, versions[name], len(versions), extras, versions)


def python_lock_of(compiled: str, name: str, platform: str, extras: tuple[str, ...] = ()) -> Lock:
    """The lock of what `uv pip compile --generate-hashes` chose for a server with extras.

    Raises:
        TargetError: something is not from the index, or has no hash.
    """
    lines = [f"# What {name} needs, for {platform}. Made by `aptix-conformance mcp install`."]
    for line in compiled.replace("\\\n", "").splitlines():
        words = line.split()
        if extras and words and canonicalize_name(words[0].partition("==")[0]) == name:
            words[0] = words[0].replace("==", f"[{','.join(extras)}]==")
        lines.append(" ".join(words))
    return read_python_lock("\n".join([*lines, ""]), name)


def read_npm_lock(text: str, name: str) -> Lock:
    """The lock of a package of npm, a package-lock.json of the server alone.

    Raises:
        TargetError: it is no lock of that, or something in it has no hash or a place of its own; says what.
    """
    packages, version = _entries(text, name), None
    for path, entry in packages.items():
        if path == "":
            continue
        if not isinstance(entry, dict) or not path.startswith(_IN_ROOT) or ".." in path.split("/"):
            raise TargetError(f"{quoted(path, 100)} is not a package in it")
        if entry.get("link") or entry.get("resolved"):
            raise TargetError(f"{quoted(path, 100)} has a place of its own, and not the index's")
        if not entry.get("inBundle") and not _INTEGRITY.fullmatch(str(entry.get("integrity"))):
            raise TargetError(f"{quoted(path, 100)} has no hash in it")
        if path == _IN_ROOT + name:
            version = entry.get("version")
    if not isinstance(version, str) or _of_root(packages).get("dependencies") != {name: version}:
        raise TargetError(f"{name} is not what it is for")
    return Lock(text, version, len(packages) - 1)


def npm_lock_of(text: str, name: str) -> Lock:
    """The lock of what npm resolved: no place is named in it, so that the index of the installation is used.

    Raises:
        TargetError: something is not from the index.
    """
    packages = _entries(text, name)
    for path, entry in packages.items():
        if path and isinstance(entry, dict):
            if entry.get("link") or str(entry.get("resolved", "https:")).partition(":")[0] not in (
                "https",
                "http",
            ):
                raise TargetError(f"{quoted(path, 100)} would not be installed from the index")
            entry.pop("resolved", None)
    own = packages.get(_IN_ROOT + name)
    version = own.get("version") if isinstance(own, dict) else None
    lock = {
        "name": "server",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {**packages, "": {"name": "server", "dependencies": {name: version}}},
    }
    return read_npm_lock(json.dumps(lock, indent=2) + "\n", name)


def npm_project(dependencies: Mapping[str, str]) -> str:
    """The package.json of a project that needs a server and nothing else."""
    return json.dumps({"name": "server", "private": True, "dependencies": dict(dependencies)})


def _entries(text: str, name: str) -> dict[str, Any]:
    try:
        lock: Any = json.loads(text)
    except (ValueError, RecursionError):
        lock = None
    packages = lock.get("packages") if isinstance(lock, dict) else None
    if not isinstance(packages, dict) or not isinstance(lock.get("lockfileVersion"), int):
        raise TargetError(f"it is not a lock file of {name}")
    return packages


def _of_root(packages: Mapping[str, Any]) -> Mapping[str, Any]:
    root = packages.get("")
    return root if isinstance(root, dict) else {}
