"""DSSE envelopes: a payload, its type, and signatures over both.

What is signed is the pre-authentication encoding (DSSE v1.0.2), so that no other type can be claimed for a payload. An
envelope is a stranger's: its reader ignores unknown members, as in-toto demands, and refuses everything else that is
not as it should be.
"""

import base64
import binascii
import json
from typing import Annotated, Final

import msgspec

from aptix_conformance.app.certificates.safe_files import LARGEST, parse_json, read_record
from aptix_conformance.app.certificates.signing import Signer, Verifier
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import to_json

MOST_SIGNATURES: Final = 16


class Signature(msgspec.Struct, frozen=True):
    """One signature; `keyid` is a hint that is not signed."""

    sig: str
    keyid: str = ""


class _Written(msgspec.Struct, frozen=True):
    payload: str
    payload_type: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = msgspec.field(
        name="payloadType"
    )
    signatures: Annotated[tuple[Signature, ...], msgspec.Meta(min_length=1, max_length=MOST_SIGNATURES)]


class Envelope(msgspec.Struct, frozen=True):
    """A payload with the bytes of its signatures."""

    payload: bytes
    payload_type: str
    signatures: tuple[bytes, ...]
    keyids: tuple[str, ...]

    @property
    def signed(self) -> bytes:
        """The bytes over which signatures are made."""
        return pre_authentication_encoding(self.payload_type, self.payload)

    def is_signed_by(self, key: Verifier) -> bool:
        """Whether one of the signatures is that key's; `keyid` is not looked at."""
        return any(key.verifies(signature, self.signed) for signature in self.signatures)


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """`DSSEv1`, then the type and the payload, each after its length in bytes, all separated by spaces."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def sign(payload_type: str, payload: bytes, key: Signer) -> Envelope:
    """An envelope with one signature."""
    signature = key.sign(pre_authentication_encoding(payload_type, payload))
    return Envelope(payload, payload_type, (signature,), (key.public.keyid,))


def written(envelope: Envelope) -> str:
    """The envelope as one line of JSON, without a line feed."""
    signatures = tuple(
        Signature(base64.b64encode(signature).decode(), keyid)
        for signature, keyid in zip(envelope.signatures, envelope.keyids, strict=True)
    )
    form = _Written(base64.b64encode(envelope.payload).decode(), envelope.payload_type, signatures)
    return json.dumps(to_json(form), separators=(",", ":"))


def parse(line: bytes, where: str) -> Envelope:
    """The envelope in a JSON text.

    Raises:
        CertificateError: it is no envelope; `where` is the first part of the message.
    """
    form = read_record(_Written, parse_json(line, where), where, "this is not a signed envelope")
    payload = _decoded(form.payload, f"{where}.payload")
    signatures = tuple(
        _decoded(entry.sig, f"{where}.signatures[{number}].sig")
        for number, entry in enumerate(form.signatures)
    )
    try:
        form.payload_type.encode()
    except UnicodeEncodeError:
        raise CertificateError(f"{where}.payloadType is not valid text") from None
    return Envelope(payload, form.payload_type, signatures, tuple(entry.keyid for entry in form.signatures))


def _decoded(text: str, where: str) -> bytes:
    """The bytes of standard or URL-safe base64 with its padding; DSSE allows both."""
    try:
        raw = text.encode("ascii")
        alternative = b"-_" if b"-" in raw or b"_" in raw else None
        decoded = base64.b64decode(raw, altchars=alternative, validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise CertificateError(f"{where} is not base64") from None
    if (
        base64.b64encode(decoded, alternative) != raw
    ):  # bits that no byte has: the same bytes, written otherwise
        raise CertificateError(f"{where} is not base64 as the standard writes it")
    if not decoded or len(decoded) > LARGEST:
        raise CertificateError(f"{where} is empty, or too long")
    return decoded
