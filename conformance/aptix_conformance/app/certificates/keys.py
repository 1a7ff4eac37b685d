"""Keys: Ed25519, or ECDSA over P-256 with SHA-256, in PEM files; the signatures themselves are the library's.

`cryptography` comes with the extra `certificate`.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from aptix_conformance.app.certificates.safe_files import new_beside, read_bytes, write_new
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.files import is_taken

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
except ImportError as error:
    raise CertificateError(
        "certificates need the extra: pip install 'aptix-conformance[certificate]'"
    ) from error

Algorithm = Literal["ed25519", "ecdsa-p256"]
ALGORITHMS: Final[tuple[Algorithm, ...]] = get_args(Algorithm)

_PRIVATE_MODE: Final = 0o600
_ECDSA: Final = ec.ECDSA(hashes.SHA256())


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that verifies signatures."""

    _key: ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey

    @property
    def keyid(self) -> str:
        """The SHA-256 of the key as DER `SubjectPublicKeyInfo`, in hexadecimal digits."""
        der = self._key.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return hashlib.sha256(der).hexdigest()

    @property
    def pem(self) -> bytes:
        """The key as PEM `SubjectPublicKeyInfo`."""
        return self._key.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether the signature is this key's over the message."""
        try:
            if isinstance(self._key, ed25519.Ed25519PublicKey):
                self._key.verify(signature, message)
            else:
                self._key.verify(signature, message, _ECDSA)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True, repr=False)
class PrivateKey:
    """A key that signs. It has no printed form."""

    _key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey

    @property
    def public(self) -> PublicKey:
        """The key that verifies what this one signs."""
        return PublicKey(self._key.public_key())

    def sign(self, message: bytes) -> bytes:
        """The signature: 64 bytes of Ed25519, or DER of ECDSA."""
        if isinstance(self._key, ed25519.Ed25519PrivateKey):
            return self._key.sign(message)
        return self._key.sign(message, _ECDSA)

    def write(self, path: Path) -> Path:
        """Write the pair: the private key, readable by its owner alone, and the public one beside it as `PATH.pub`.

        Raises:
            CertificateError: a file exists, or cannot be written; a private key is not left without its public one.
        """
        public = new_beside(path, after=".pub")
        if is_taken(public):
            raise CertificateError(
                f"{public} exists and is not overwritten: move it away, or name another file"
            )
        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        write_new(path, pem, mode=_PRIVATE_MODE)
        try:
            write_new(public, self.public.pem)
        except CertificateError:
            path.unlink()
            raise
        return public


def generate(algorithm: Algorithm = "ed25519") -> PrivateKey:
    """A new private key."""
    if algorithm == "ed25519":
        return PrivateKey(ed25519.Ed25519PrivateKey.generate())
    return PrivateKey(ec.generate_private_key(ec.SECP256R1()))


def read_private(path: Path) -> PrivateKey:
    """The private key in a PEM file without a passphrase.

    Raises:
        CertificateError: it cannot be read, or is no private key of a known algorithm. What the file holds is not quoted.
    """
    text = read_bytes(path, "private key")
    try:
        key: Any = serialization.load_pem_private_key(text, password=None)
    except TypeError:
        raise CertificateError(
            f"the private key {path} has a passphrase: give one without, kept where only you can read it"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise CertificateError(f"{path} holds no private key in PEM form") from None
    _require_known(key, path)
    return PrivateKey(key)


def read_public(path: Path) -> PublicKey:
    """The public key in a PEM file.

    Raises:
        CertificateError: it cannot be read, or is no public key of a known algorithm.
    """
    text = read_bytes(path, "public key")
    if b"PRIVATE KEY" in text:
        raise CertificateError(f"{path} holds a private key: keep it to yourself, and give the public one")
    try:
        key: Any = serialization.load_pem_public_key(text)
    except (ValueError, UnsupportedAlgorithm):
        raise CertificateError(f"{path} holds no public key in PEM form") from None
    _require_known(key, path)
    return PublicKey(key)


def _require_known(key: Any, path: Path) -> None:
    """Check that a key is of one of the `ALGORITHMS`."""
    is_ed25519 = isinstance(key, ed25519.Ed25519PrivateKey | ed25519.Ed25519PublicKey)
    is_ec = isinstance(key, ec.EllipticCurvePrivateKey | ec.EllipticCurvePublicKey)
    if not (is_ed25519 or (is_ec and isinstance(key.curve, ec.SECP256R1))):
        raise CertificateError(
            f"{path} holds a key of another kind: one of {', '.join(ALGORITHMS)} is needed"
        )
