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
from aptix_conformance.certificates.environment import installed_distribution, unowned
from aptix_conformance.certificates.statement import CodePart
from aptix_conformance.certificates.walk import Walk
from aptix_conformance.errors import CertificateError
from aptix_conformance.text import printable

_CHUNK: Final = 1 << 20
_EXECUTABLE: Final = 0o111


@dataclass(frozen=True, slots=True)
class Code:
    """Whose code a tool is: what it is called, and the folder in which its files are."""

    part: CodePart
    place: Path
    tracked: bool = False
    """Whether git says which files of a folder count; else all do."""


def digest_in(place: Path, part: CodePart, signed: str | None) -> str:
    """The digest of the code in a stranger's folder: of the folder, or of the distribution of that name in it.

    Every file counts, since any of them may run: one that is not covered is refused by name. `signed` is what is expected.

    Raises:
        CertificateError: there is no such distribution, the code has no digest, or more is there than was signed.
    """
    if part.kind == "folder":
        _refuse_untracked(place, signed)
        return folder_digest(place)
    found = distribution_digest(_distribution(place, part))
    for reason in unowned(place, caches=True):
        raise CertificateError(reason)
    return found


def _refuse_untracked(place: Path, signed: str | None) -> None:
    """Name a file that makes the digest another, where that of the files that git tracks is the one that was signed."""
    if not (place / ".git").exists():
        return
    try:
        tracked = set(folder_files(place, tracked=True))
        more = sorted(set(Walk().names(place, without={".git"})) - tracked)
        is_signed = bool(more) and digest_of(place, tracked) == signed
    except CertificateError:
        return  # the digest of the whole folder says what is wrong
    if is_signed:
        raise CertificateError(
            f"{printable(more[0], 300)} ({len(more)} such files) lies beside what was signed, and may run in its place: verify "
            "a copy without it, as `git checkout-index --all --prefix=COPY/` makes one"
        )


def files_of(code: Code) -> list[str]:
    """The files that the digest of some code covers, as paths from its folder.

    Raises:
        CertificateError: there is no such distribution, or the code has no digest.
    """
    if code.part.kind == "folder":
        return folder_files(code.place, tracked=code.tracked)
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


def import_paths(paths: Sequence[str], original: Path, copy: Path, known: Sequence[str]) -> tuple[str, ...]:
    """The directories from which modules are imported: the copies of those below a folder, and what is `known`.

    Anything else is left out, since no digest covers it.
    """
    found = []
    for path in paths:
        place = Path(path).resolve()
        if path in known:
            found.append(path)
        elif place.is_relative_to(original) and (copied := copy / place.relative_to(original)).exists():
            found.append(str(copied))
    return tuple(found)


def _distribution(place: Path, part: CodePart) -> metadata.PathDistribution:
    name = part.name.partition(" ")[0]
    found = installed_distribution(name, [str(place)])
    if found is None:
        raise CertificateError(f"{place} has no distribution {printable(name)}")
    return found


def _copy(source: Path, target: Path, names: Iterable[str]) -> None:
    root, walk = target.resolve(), Walk()
    for name in names:
        walk.file_hash(source, name)  # refuses what has no digest before anything of it is copied
        place = target / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.parent.resolve().is_relative_to(root):
                raise CertificateError(f"{printable(name, 300)} is below a link")
            if (source / name).is_symlink():
                place.symlink_to((source / name).readlink())
            else:
                _copy_file(source / name, place)
        except OSError as error:
            raise CertificateError(f"{printable(name, 300)} cannot be copied: {error.strerror}") from None


def _copy_file(source: Path, place: Path) -> None:
    descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream, place.open("xb") as copied:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise CertificateError(f"{printable(str(source), 300)} is not a regular file")
        while chunk := stream.read(_CHUNK):
            copied.write(chunk)
    place.chmod(0o644 | (status.st_mode & _EXECUTABLE))
