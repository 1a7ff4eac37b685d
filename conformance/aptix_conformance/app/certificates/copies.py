"""Copies of code: a tool is examined from a copy of the files that its digest covers, and of no others.

Anyone who can write to the original can change it at any time. So the digest that is signed is that of the copy, and the
originals are hidden from what runs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name

import aptix_conformance
from aptix_conformance.app.certificates.code import (
    digest_of,
    distribution_digest,
    distribution_files,
    folder_digest,
    folder_files,
    name_of,
)
from aptix_conformance.app.certificates.environment import distributions, installed_distribution, unowned
from aptix_conformance.app.certificates.packages import NODE_PACKAGES, packages_in
from aptix_conformance.app.certificates.servers import copy_server, environment_of, server_digest
from aptix_conformance.app.certificates.statement import CodePart, EnvironmentPart
from aptix_conformance.app.certificates.walk import Walk, copy_files
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable


@dataclass(frozen=True, slots=True)
class Code:
    """Whose code a tool is: what it is called, and the folder in which its files are."""

    part: CodePart
    place: Path
    tracked: bool = False
    """Whether git says which files of a folder count; else all do."""


def digest_in(place: Path, part: CodePart, signed: str | None) -> str:
    """The digest of the code in a stranger's folder: of the folder, of the distribution of that name in it, or of a server.

    Every file counts, since any of them may run: one that is not covered is refused by name. `signed` is what is expected.

    Raises:
        CertificateError: there is no such distribution, the code has no digest, or more is there than was signed.
    """
    if part.kind == "folder":
        _refuse_untracked(place, signed)
        return folder_digest(place)
    if part.kind == "server":
        return server_digest(place)
    digest = distribution_digest(_distribution(place, part))
    for reason in unowned(place, caches=True):
        raise CertificateError(reason)
    return digest


def what_differs(place: Path, part: CodePart, recorded: EnvironmentPart) -> Iterator[str]:
    """A sentence for each known difference of a stranger's folder from what was signed with an environment; bounded."""
    if part.kind == "distribution":
        return
    folder = environment_of(place) if part.kind == "server" else place
    for site in folder.glob("lib/python*/site-packages") if part.kind == "server" else ():
        yield from unowned(site)
        installed: dict[str, metadata.PathDistribution] = {
            canonicalize_name(name_of(each)): each for each in distributions(site)
        }
        for one in recorded.distributions:
            if one.name not in installed or distribution_digest(installed[one.name]) != one.digest:
                yield f"{one.name} {one.version} is not as it was signed: install it again"
    signed = {package for package in recorded.packages if NODE_PACKAGES in package.place}
    actual = set(packages_in(folder, Walk().names(folder))) if signed else set()
    for name in sorted({package.place for package in signed ^ actual}):
        yield f"{name} is not as it was signed: install it again"


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
    """The files that the digest of some code covers, as paths from its folder; of a server, from that of its environment.

    Raises:
        CertificateError: there is no such distribution, or the code has no digest.
    """
    if code.part.kind == "folder":
        return folder_files(code.place, tracked=code.tracked)
    if code.part.kind == "server":
        return list(Walk().names(environment_of(code.place)))
    return distribution_files(_distribution(code.place, code.part))


def copy_code(code: Code, root: Path, site: Path, python: str | None = None) -> str:
    """Copy what a digest covers: the files of a folder to `root`, those of a distribution or a server to `site`.

    Returns the digest of the copy. `python` is the interpreter of a server's copy, else it is that of the original.

    Raises:
        CertificateError: the code has no digest, a file cannot be copied or is a link that leads out of the code, or a
            distribution has a file that an interpreter runs where it starts.
    """
    if code.part.kind == "server":
        copy_server(code.place, site, python)
        return server_digest(site)
    names = files_of(code)
    if code.part.kind == "folder":
        copy_files(code.place, root, names)
        return digest_of(root, names)
    for name in names:
        if name.endswith(".pth"):
            raise CertificateError(
                f"{printable(name, 300)} is run from where it is installed, so no copy can be examined in its place"
            )
    copy_files(code.place, site, names)
    copy_files(
        code.place, site, [f"{name.split('/')[0]}/RECORD" for name in names if ".dist-info/" in name][:1]
    )
    return distribution_digest(_distribution(site, code.part))


def digests(code: Code, root: Path, site: Path) -> set[str]:
    """The digests of some code and of its copy as they are now: one, unless one of them has changed.

    Raises:
        CertificateError: as `copy_code`.
    """
    if code.part.kind == "server":
        return {server_digest(place, caches=True) for place in (code.place, site)}
    names = files_of(code)
    return {digest_of(place, names) for place in (code.place, root if code.part.kind == "folder" else site)}


def originals(code: Code, needed: Iterable[str]) -> tuple[str, ...]:
    """The paths that are hidden while a copy of a folder is examined: every entry of the original, tracked by git or not.

    Entries that hold one of the paths `needed`, or the suite itself, stay. A distribution hides nothing: its copy comes
    first on the path, and other distributions are beside the original.
    """
    if code.part.kind == "server":
        return (str(code.place),)
    if code.part.kind != "folder":
        return ()
    exempt = [Path(path).resolve() for path in (*needed, str(aptix_conformance.__file__))]
    return tuple(
        str(entry)
        for entry in sorted(code.place.iterdir())
        if not any(path.is_relative_to(entry.resolve()) for path in exempt)
    )


def import_paths(paths: Sequence[str], original: Path, copy: Path, known: Sequence[str]) -> tuple[str, ...]:
    """The directories from which modules are imported: the copies of those below a folder, and what is `known`.

    Anything else is left out, since no digest covers it.
    """
    places = []
    for path in paths:
        place = Path(path).resolve()
        if path in known:
            places.append(path)
        elif place.is_relative_to(original) and (copied := copy / place.relative_to(original)).exists():
            places.append(str(copied))
    return tuple(places)


def _distribution(place: Path, part: CodePart) -> metadata.PathDistribution:
    name = part.name.partition(" ")[0]
    distribution = installed_distribution(name, [str(place)])
    if distribution is None:
        raise CertificateError(f"{place} has no distribution {printable(name)}")
    return distribution
