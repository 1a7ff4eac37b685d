"""Digests of code: in-toto's `dirHash` over the files that are a tool's own.

The same code has the same digest wherever it is installed and by whom. What an installer writes for itself
is left out: `RECORD`, `INSTALLER`, `REQUESTED`, `direct_url.json`, uv's two, compiled files, and scripts, which name an
interpreter.
"""

import csv
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Final

from aptix_conformance.errors import CertificateError
from aptix_conformance.targets.git import git
from aptix_conformance.text import printable

_INSTALLERS: Final = frozenset(
    {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"}
)
_LEFT_OUT: Final = frozenset({"__pycache__", ".git"})
_CHUNK: Final = 1 << 20
_LARGEST: Final = 1 << 32
"""Bytes of one file beyond which code has no digest."""


def normalised(name: str) -> str:
    """A distribution's name as it is compared (PyPA's specification of names)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def distribution_digest(distribution: metadata.PathDistribution) -> str:
    """The digest of what the record of an installed distribution lists.

    Raises:
        CertificateError: as `distribution_files`, or a listed file is missing or no regular file.
    """
    return digest_of(Path(str(distribution.locate_file(""))), distribution_files(distribution))


def distribution_files(distribution: metadata.PathDistribution) -> list[str]:
    """The files that the digest of an installed distribution covers, as paths from the folder of its installation.

    Raises:
        CertificateError: there is no record, it lists no file, or a compiled one that is no cache.
    """
    try:
        record = distribution.read_text("RECORD")
        names = [row[0] for row in csv.reader((record or "").splitlines()) if row]
    except (OSError, ValueError, csv.Error) as error:
        raise CertificateError(
            f"the RECORD of {_name(distribution)} cannot be read: {printable(str(error), 200)}"
        ) from None
    if record is None:
        raise CertificateError(f"{_name(distribution)} has no RECORD: install it as a wheel")
    files = [name for name in names if _is_own(PurePosixPath(name))]
    if not any(not _is_metadata(name) for name in files):
        raise CertificateError(f"{_name(distribution)} lists no code: an editable one has no digest")
    _refuse_compiled(names)
    return files


def folder_digest(folder: Path) -> str:
    """The digest of the files of a folder.

    The content of a symbolic link is its text, as git has it.

    Raises:
        CertificateError: as `folder_files`, or a file cannot be read.
    """
    return digest_of(folder, folder_files(folder))


def folder_files(folder: Path) -> list[str]:
    """The files that the digest of a folder covers: those that git tracks, or all where it is no part of a work tree.

    Raises:
        CertificateError: there is no such folder, it holds nothing, or git tracks a compiled file.
    """
    if not folder.is_dir():
        raise CertificateError(f"{folder} is not a folder")
    tracked = tracked_files(folder)
    names = list(_all_files(folder)) if tracked is None else tracked
    _refuse_compiled(tracked or (), cached=True)
    if not names:
        raise CertificateError(
            f"{folder} holds no file" + (" that git tracks" if tracked is not None else "")
        )
    return names


def tracked_files(folder: Path) -> list[str] | None:
    """What git tracks below a folder, as paths from there; None where the folder is no part of a work tree.

    Raises:
        CertificateError: it is one, and git gives no answer.
    """
    if not any((parent / ".git").exists() for parent in (folder.resolve(), *folder.resolve().parents)):
        return None
    listed = git(folder, "ls-files", "-z", "--", ".", trust_owner=True)
    if listed is None:
        raise CertificateError(f"git does not say what it tracks in {folder}")
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def package_digest(packages: Iterable[Path], *, without: frozenset[str] = frozenset()) -> str:
    """The digest of the files of some packages, each below its own name; `without` are names of files to leave out."""
    files = [
        (f"{package.name}/{name}", package / name)
        for package in packages
        for name in _all_files(package)
        if PurePosixPath(name).name not in without
    ]
    return _hash_of(files)


def _refuse_compiled(names: Iterable[str], *, cached: bool = False) -> None:
    """Refuse code that is there in compiled form: no digest covers it, and Python runs it.

    With `cached`, also what Python keeps of source files.
    """
    for name in names:
        if name.endswith(".pyc") and (cached or "__pycache__" not in PurePosixPath(name).parts):
            raise CertificateError(
                f"{printable(name, 300)} is a compiled file: code has a digest as source alone"
            )


def _is_own(name: PurePosixPath) -> bool:
    inside = not name.is_absolute() and ".." not in name.parts
    installers = name.name in _INSTALLERS and _is_metadata(str(name))
    return inside and not installers and name.suffix != ".pyc" and not _LEFT_OUT & set(name.parts)


def _is_metadata(name: str) -> bool:
    return name.partition("/")[0].endswith(".dist-info")


def _all_files(folder: Path) -> Iterator[str]:
    for directory, inner, names in os.walk(folder, onerror=_refuse_unreadable):
        links = [name for name in inner if os.path.islink(os.path.join(directory, name))]  # noqa: PTH114, PTH118
        inner[:] = [name for name in inner if name not in _LEFT_OUT and name not in links]
        for name in (*names, *links):
            if not name.endswith(".pyc"):
                yield Path(directory, name).relative_to(folder).as_posix()


def _refuse_unreadable(error: OSError) -> None:
    raise CertificateError(
        f"{printable(str(error.filename), 300)} cannot be read: {error.strerror}"
    ) from None


def digest_of(base: Path, names: Iterable[str]) -> str:
    """The `dirHash` of some files below a folder.

    Raises:
        CertificateError: one is missing, cannot be read, or is not a regular file.
    """
    return _hash_of((name, base / name) for name in dict.fromkeys(names))


def _hash_of(files: Iterable[tuple[str, Path]]) -> str:
    whole = hashlib.sha256()
    for name, path in sorted((os.fsencode(name), path) for name, path in files):
        if b"\n" in name:
            raise CertificateError(
                f"{printable(os.fsdecode(name))} has a line feed in its name: it has no digest"
            )
        whole.update(_file_hash(path).encode() + b"  " + name + b"\n")
    return whole.hexdigest()


def _file_hash(path: Path) -> str:
    found = hashlib.sha256()
    try:
        if path.is_symlink():
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                raise CertificateError(
                    f"{printable(str(path), 300)} is not a regular file, or too large: it has no digest"
                )
            while chunk := stream.read(_CHUNK):
                found.update(chunk)
    except OSError as error:
        raise CertificateError(f"{printable(str(path), 300)} cannot be read: {error.strerror}") from None
    return found.hexdigest()


def name_of(distribution: metadata.Distribution) -> str:
    """The name of a distribution, empty where its metadata has none or is damaged."""
    try:
        said = distribution.metadata
        return str(said["Name"]) if "Name" in said else ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""


def _name(distribution: metadata.PathDistribution) -> str:
    return printable(name_of(distribution), 100)
