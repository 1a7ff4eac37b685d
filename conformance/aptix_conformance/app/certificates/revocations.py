"""Lists of what an issuer has revoked: signed, and honoured by `verify`.

A list names statements by their identity, code by its `dirHash`, or reports by their SHA-256.
"""

import datetime as dt
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from aptix_conformance.app.certificates import envelope
from aptix_conformance.app.certificates.safe_files import parse_json, read_bytes, read_record
from aptix_conformance.app.certificates.signing import Signer, Verifier
from aptix_conformance.app.certificates.statement import Hex, Moment, Text, canonical
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.files import is_taken
from aptix_conformance.core.text import printable

PAYLOAD_TYPE: Final = "application/vnd.aptix-conformance.revocations+json"
FORMAT: Final = "aptix-conformance-revocations/1"


class Revoked(Struct, frozen=True):
    """A digest on which no certificate counts any more."""

    digest: Hex
    """The identity of a statement, the `dirHash` of code, or the SHA-256 of a report."""
    date: Moment
    """The moment from which on it does not count."""
    reason: Text
    """The reason, for people."""


class Revocations(Struct, frozen=True):
    """A list of revocations."""

    format: Literal["aptix-conformance-revocations/1"]
    number: Annotated[int, Meta(ge=1)]
    """How often the list was signed: a list with a lower number is an older one."""
    issued: Moment
    """When the list was signed."""
    revoked: Annotated[tuple[Revoked, ...], Meta(max_length=100_000)]

    def of(self, *digests: str) -> list[Revoked]:
        """The entries on some digests."""
        return [entry for entry in self.revoked if entry.digest in digests]


def read(path: Path, key: Verifier) -> Revocations:
    """The list in a file, signed by `key`.

    Raises:
        CertificateError: it cannot be read, is no list, or is not signed by that key.
    """
    signed = envelope.parse(read_bytes(path, "list of revocations"), str(path))
    if signed.payload_type != PAYLOAD_TYPE:
        raise CertificateError(f"{path} is not a list of revocations: its payload type is another")
    if not signed.is_signed_by(key):
        raise CertificateError(f"{path} is not signed by this key: another key, or the list was changed")
    data = parse_json(signed.payload, str(path))
    return read_record(Revocations, data, str(path), "this is not a list of revocations")


def revoked(digest: str, date: str, reason: str) -> Revoked:
    """A revocation, as it is listed.

    Raises:
        CertificateError: the digest is no SHA-256 in lower case hexadecimal digits, or the reason is empty or too long.
    """
    data = {"digest": digest, "date": date, "reason": reason}
    return read_record(Revoked, data, "revocation", "name a file of certificates or 64 hexadecimal digits")


def extended(path: Path, key: Signer, added: tuple[Revoked, ...], issued: str) -> str:
    """The text of the list in a file, or of a new one, with more revocations, signed.

    Raises:
        CertificateError: as `read`.
    """
    earlier = read(path, key.public) if is_taken(path) else Revocations(FORMAT, 0, issued, ())
    known = {old.digest for old in earlier.revoked}
    new = tuple(one for one in added if one.digest not in known)
    listed = Revocations(FORMAT, earlier.number + 1, issued, (*earlier.revoked, *new))
    return envelope.written(envelope.sign(PAYLOAD_TYPE, canonical(listed), key)) + "\n"


def as_time(moment: str, where: str) -> dt.datetime:
    """A moment of a statement or list as a time.

    Raises:
        CertificateError: there is no such day or hour.
    """
    try:
        return dt.datetime.strptime(moment, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.UTC)
    except ValueError:
        raise CertificateError(f"{where} is not a time: {printable(moment)}") from None
