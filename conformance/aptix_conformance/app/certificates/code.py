"""Digests of code: in-toto's `dirHash` over the files that are a tool's own.

The same code has the same digest wherever it is installed and by whom. What an installer writes for itself
is left out: `RECORD`, `INSTALLER`, `REQUESTED`, `direct_url.json`, uv's two, compiled files, and scripts, which name an
interpreter.
"""

import base64
import csv
import hashlib
import os
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Final

from aptix_conformance.app.certificates.walk import Walk
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.git import git

INSTALLERS: Final = frozenset(
    {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"}
)
SITES: Final = ("site-packages", "dist-packages")
_LEFT_OUT: Final = frozenset({"__pycache__", ".git"})


def distribution_digest(distribution: metadata.PathDistribution, walk: Walk | None = None) -> str:
    """The digest of what the record of an installed distribution lists.

    Raises:
        CertificateError: as `distribution_files`, or a listed file is missing, no regular file, or was changed.
    """
    names = distribution_files(distribution)
    try:
        return digest_of(Path(str(distribution.locate_file(""))), names, record_of(distribution), walk)
    except CertificateError as error:
        raise CertificateError(f"{error} (install {_name(distribution)} again)") from None


def record_of(distribution: metadata.PathDistribution) -> dict[str, str]:
    """The record of an installed distribution: the path of each file, and its SHA-256 or nothing.

    Raises:
        CertificateError: there is no record, or it cannot be read.
    """
    try:
        record = distribution.read_text("RECORD")
        rows = [row for row in csv.reader((record or "").splitlines()) if row]
    except (OSError, ValueError, csv.Error) as error:
        raise CertificateError(
            f"the RECORD of {_name(distribution)} cannot be read: {printable(str(error), 200)}"
        ) from None
    if record is None:
        raise CertificateError(f"{_name(distribution)} has no RECORD: install it as a wheel")
    return {name: _recorded_hash(more) for name, *more in rows}


def _recorded_hash(columns: list[str]) -> str:
    algorithm, _, value = (columns[0] if columns else "").partition("=")
    try:
        return base64.urlsafe_b64decode(f"{value}==").hex() if algorithm == "sha256" else ""
    except ValueError:
        return value  # equal to no digest


def distribution_files(distribution: metadata.PathDistribution) -> list[str]:
    """The files that the digest of an installed distribution covers, as paths from the folder of its installation.

    Raises:
        CertificateError: as `record_of`, or it lists no file, or a compiled one that is no cache.
    """
    names = record_of(distribution)
    files = [name for name in names if is_own(PurePosixPath(name))]
    if not any(map(is_code, files)):
        raise CertificateError(f"{_name(distribution)} lists no code: an editable one has no digest")
    for name in names:  # virtualenv lists some that are nowhere
        if is_compiled(name) and not is_cache(name) and Path(str(distribution.locate_file(name))).exists():
            refuse_compiled(name)
    return files


def folder_digest(folder: Path, *, tracked: bool = False) -> str:
    """The digest of the files of a folder.

    The content of a symbolic link is its text, as git has it.

    Raises:
        CertificateError: as `folder_files`, or a file cannot be read, or is a link that leads out of the folder.
    """
    return digest_of(folder, folder_files(folder, tracked=tracked))


def folder_files(folder: Path, *, tracked: bool = False) -> list[str]:
    """The files that the digest of a folder covers: all of them but those of its `.git`; with `tracked`, those of git.

    Only who signs says by git which files count. In a folder that somebody else wrote, git says what they like.

    Raises:
        CertificateError: there is no such folder, it holds nothing, a compiled file, or too much.
    """
    if not folder.is_dir():
        raise CertificateError(f"{folder} is not a folder")
    names = (tracked_files(folder) or []) if tracked else list(Walk().names(folder, without={".git"}))
    for name in names:
        if is_compiled(name):
            refuse_compiled(name)
    if not names:
        raise CertificateError(f"{folder} holds no file" + (" that git tracks" if tracked else ""))
    return names


def tracked_files(folder: Path) -> list[str] | None:
    """The files that git tracks below a folder, as paths from there; None where the folder is no part of a work tree.

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
    """The digest of the source files of some packages, each below its own name; `without` are names to leave out."""
    walk, hashes = Walk(), {}
    for package in packages:
        for name in walk.names(package):
            if not is_compiled(name) and PurePosixPath(name).name not in without:
                hashes[f"{package.name}/{name}"] = walk.file_hash(package, name)
    return hash_of(hashes)


def library_digest(folders: Mapping[str, Path], files: Mapping[str, Path]) -> str:
    """The digest of some files, and of folders without the caches and the packages that are installed in them."""
    walk, hashes = Walk(), {}
    for label, folder in folders.items():
        for name in walk.names(folder, without=SITES):
            if not is_cache(name):
                hashes[f"{label}/{name}"] = walk.file_hash(folder, name, follow=True)
    hashes |= {label: walk.file_hash(path.parent, path.name) for label, path in files.items()}
    return hash_of(hashes)


def is_compiled(name: str) -> bool:
    """Whether a file is bytecode: no digest covers it, and Python runs it in place of its source."""
    return name.endswith((".pyc", ".pyo"))


def is_cache(name: str) -> bool:
    """Whether a file is what Python keeps of a source file, which it does without as well."""
    return is_compiled(name) and PurePosixPath(name).parent.name == "__pycache__"


def refuse_compiled(name: str) -> None:
    """Refuse a compiled file. Raises CertificateError."""
    raise CertificateError(
        f"{printable(name, 300)} is a compiled file: delete it, as code has a digest as source alone"
    )


def is_code(name: str) -> bool:
    """Whether a file that a record lists is one of code: no metadata, and in the folder of the installation."""
    return is_own(PurePosixPath(name)) and not _is_metadata(name)


def is_own(name: PurePosixPath) -> bool:
    """Whether the digest of a distribution covers a file that its record lists."""
    inside = not name.is_absolute() and ".." not in name.parts
    installers = name.name in INSTALLERS and _is_metadata(str(name))
    return inside and not installers and name.suffix != ".pyc" and not _LEFT_OUT & set(name.parts)


def _is_metadata(name: str) -> bool:
    return name.partition("/")[0].endswith(".dist-info")


def digest_of(
    base: Path, names: Iterable[str], recorded: Mapping[str, str] | None = None, walk: Walk | None = None
) -> str:
    """The `dirHash` of some files below a folder; `recorded` are SHA-256 that some of them must have.

    Raises:
        CertificateError: one is missing, cannot be read, is not a regular file, or has another SHA-256.
    """
    walk, hashes = walk or Walk(), {}
    for name in names:
        hashes[name] = walk.file_hash(base, name)
        if (recorded or {}).get(name, "") not in ("", hashes[name]):
            raise CertificateError(f"{printable(name, 300)} is not the file that was installed")
    return hash_of(hashes)


def hash_of(hashes: Mapping[str, str]) -> str:
    """The `dirHash` of files whose SHA-256 are known, by their names."""
    whole = hashlib.sha256()
    for name, digest in sorted((os.fsencode(name), digest) for name, digest in hashes.items()):
        if b"\n" in name:
            raise CertificateError(
                f"{printable(os.fsdecode(name))} has a line feed in its name: it has no digest"
            )
        whole.update(digest.encode() + b"  " + name + b"\n")
    return whole.hexdigest()


def name_of(distribution: metadata.Distribution) -> str:
    """The name of a distribution, empty where its metadata has none or is damaged."""
    try:
        fields = distribution.metadata
        return str(fields["Name"]) if "Name" in fields else ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""


def _name(distribution: metadata.PathDistribution) -> str:
    return printable(name_of(distribution), 100)
