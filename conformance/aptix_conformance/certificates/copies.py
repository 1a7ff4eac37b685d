"""Copies of code: a tool is examined from a copy of the files that its digest covers, and of no others.

Anyone who can write to the original can change it at any time. So the digest that is signed is that of the copy, and the
originals are hidden from what runs.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import aptix_conformance
from aptix_conformance.certificates.code import (
    digest_of,
    distribution_digest,
    distribution_files,
    folder_digest,
    folder_files,
)
from aptix_conformance.certificates.environment import installed_distribution
from aptix_conformance.certificates.statement import CodePart
from aptix_conformance.errors import CertificateError
from aptix_conformance.text import printable

_CHUNK: Final = 1 << 20
_EXECUTABLE: Final = 0o111


@dataclass(frozen=True, slots=True)
class Code:
    """Whose code a tool is: what it is called, and the folder in which its files are."""

    part: CodePart
    place: Path


def digest_in(place: Path, part: CodePart) -> str:
    """The digest of the code in a folder: of the folder, or of the distribution of that name in it.

    Raises:
        CertificateError: there is no such distribution, or the code has no digest.
    """
    return folder_digest(place) if part.kind == "folder" else distribution_digest(_distribution(place, part))


def files_of(code: Code) -> list[str]:
    """The files that the digest of some code covers, as paths from its folder.

    Raises:
        CertificateError: there is no such distribution, or the code has no digest.
    """
    if code.part.kind == "folder":
        return folder_files(code.place)
    return distribution_files(_distribution(code.place, code.part))


def copy_code(code: Code, root: Path, site: Path) -> str:
    """Copy what a digest covers: the files of a folder to `root`, those of a distribution to `site`.

    Returns the digest of the copy.

    Raises:
        CertificateError: the code has no digest, a file cannot be copied or is a link that leads out of the code, or a
            distribution has a file that an interpreter runs where it starts.
    """
    names = files_of(code)
    if code.part.kind == "folder":
        _copy(code.place, root, names)
        return digest_of(root, names)
    for name in names:
        if name.endswith(".pth"):
            raise CertificateError(
                f"{printable(name, 300)} is run from where it is installed, so no copy can be examined in its place"
            )
    _copy(code.place, site, names)
    _copy(code.place, site, [f"{name.split('/')[0]}/RECORD" for name in names if ".dist-info/" in name][:1])
    return distribution_digest(_distribution(site, code.part))


def originals(code: Code, needed: Iterable[str]) -> tuple[str, ...]:
    """What is hidden while a copy of a folder is examined: every entry of the original, tracked by git or not.

    Entries that hold one of the paths `needed`, or the suite itself, stay. A distribution hides nothing: its copy comes
    first on the path, and other distributions are beside the original.
    """
    if code.part.kind != "folder":
        return ()
    kept = [Path(path).resolve() for path in (*needed, str(aptix_conformance.__file__))]
    return tuple(
        str(entry)
        for entry in sorted(code.place.iterdir())
        if not any(path.is_relative_to(entry.resolve()) for path in kept)
    )


def import_paths(paths: Sequence[str], original: Path, copy: Path) -> tuple[str, ...]:
    """The directories from which modules are imported, with those below a folder replaced by their copies.

    What is below the folder and has no copy is left out, except for the packages of an environment.
    """
    found = []
    for path in paths:
        place = Path(path).resolve()
        if not place.is_relative_to(original):
            found.append(path)
        elif (copied := copy / place.relative_to(original)).exists():
            found.append(str(copied))
        elif place.name in {"site-packages", "dist-packages"}:
            found.append(path)
    return tuple(found)


def _distribution(place: Path, part: CodePart) -> metadata.PathDistribution:
    name = part.name.partition(" ")[0]
    found = installed_distribution(name, [str(place)])
    if found is None:
        raise CertificateError(f"{place} has no distribution {printable(name)}")
    return found


def _copy(source: Path, target: Path, names: Iterable[str]) -> None:
    root = target.resolve()
    for name in names:
        place = target / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.parent.resolve().is_relative_to(root):
                raise CertificateError(f"{printable(name, 300)} is below a link")
            if (source / name).is_symlink():
                _copy_link(source / name, place, root)
            else:
                _copy_file(source / name, place)
        except OSError as error:
            raise CertificateError(f"{printable(name, 300)} cannot be copied: {error.strerror}") from None


def _copy_link(source: Path, place: Path, root: Path) -> None:
    """Copy a link, which must stay in the code: the digest covers where it leads, not what is there."""
    to = source.readlink()
    if to.is_absolute() or not Path(os.path.normpath(place.parent.resolve() / to)).is_relative_to(root):
        raise CertificateError(
            f"{printable(str(source), 300)} is a link that leads out of the code, whose digest does not cover that"
        )
    place.symlink_to(to)


def _copy_file(source: Path, place: Path) -> None:
    descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream, place.open("xb") as copied:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise CertificateError(f"{printable(str(source), 300)} is not a regular file")
        while chunk := stream.read(_CHUNK):
            copied.write(chunk)
    place.chmod(0o644 | (status.st_mode & _EXECUTABLE))
