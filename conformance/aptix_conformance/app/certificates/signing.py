"""The interface between statements and what signs them: the rest of this package knows only these two protocols.

`keys` has the two that are there today, for keys in files. A signature of another kind, such as Sigstore's, whose
material is a certificate with an entry in a transparency log, is one more class for each; nothing else changes. A
verifier that needs more than the signature's bytes gets it when it is made.
"""

from typing import Protocol


class Verifier(Protocol):
    """Checks signatures of one signer."""

    @property
    def keyid(self) -> str:
        """A name for the signer: a hint in envelopes, by which nothing is decided."""

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether the signature is this signer's over the message. Any bytes may come; none raise an error."""


class Signer(Protocol):
    """Makes signatures."""

    @property
    def public(self) -> Verifier:
        """What verifies the signatures that this signer makes."""

    def sign(self, message: bytes) -> bytes:
        """The signature over the message.

        Raises:
            CertificateError: it cannot be made.
        """
