"""The certificates by which the sockets of this process answer as the hosts that a tool calls by HTTPS.

They are signed by an authority that each run makes anew, in memory. Its certificate is shown to the tool's process alone.
"""

import datetime as dt
import functools
import ipaddress
import os
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from aptix_conformance.core.errors import ConfigurationError

AUTHORITY_FILE: Final = "/etc/aptix-recorded-services.pem"
"""Where the tool's process finds the authority's certificate."""
VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(
        (
            "SSL_CERT_FILE",  # OpenSSL: Python, Ruby, PHP; Go; httpx
            "NODE_EXTRA_CA_CERTS",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "DENO_CERT",
            "AWS_CA_BUNDLE",
            "GIT_SSL_CAINFO",
        ),
        AUTHORITY_FILE,
    )
)
"""The variables by which runtimes and clients find the certificates that they trust."""
_FIRST: Final = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
_LAST: Final = dt.datetime(2099, 12, 31, tzinfo=dt.UTC)
"""A tool is also started with another clock."""
_OTHER_NAME: Final = "another-host.invalid"
_MISSING: Final = (
    "HTTPS is recorded and replayed with `cryptography`: pip install 'aptix-conformance[record]'"
)


@dataclass(slots=True)
class Authority:
    """Signs certificates for the names of hosts. `pem` is its own certificate."""

    pem: str
    _key: Any
    _certificate: Any
    _contexts: dict[str, ssl.SSLContext] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def context(self, name: str) -> ssl.SSLContext:
        """What a server of that name needs for TLS."""
        with self._lock:
            if name not in self._contexts:
                self._contexts[name] = self._made(name)
            return self._contexts[name]

    def wrong_context(self) -> ssl.SSLContext:
        """What a server needs that shows the certificate of another host."""
        return self.context(_OTHER_NAME)

    def _made(self, name: str) -> ssl.SSLContext:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra

        key, certificate = _signed(name, self._key, self._certificate)
        text = certificate.public_bytes(serialization.Encoding.PEM)
        text += key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        fd = os.memfd_create("certificate")
        try:
            os.pwrite(fd, text, 0)
            context.load_cert_chain(f"/proc/self/fd/{fd}")
        finally:
            os.close(fd)
        return context


@functools.cache
def authority() -> Authority:
    """The authority of this process.

    Raises:
        ConfigurationError: `cryptography` is not installed.
    """
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra
    except ImportError:
        raise ConfigurationError(_MISSING) from None
    key, certificate = _signed("Aptix recorded services", None, None)
    pem = certificate.public_bytes(serialization.Encoding.PEM).decode("ascii")
    return Authority(pem, key, certificate)


def _signed(name: str, signer: Any, issuer: Any) -> tuple[Any, Any]:
    """A new key and its certificate: an authority's where nobody signs it."""
    from cryptography import x509  # noqa: PLC0415 - an extra
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    is_authority = issuer is None
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if is_authority else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FIRST)
        .not_valid_after(_LAST)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(_usage(is_authority=is_authority), critical=True)
    )
    if not is_authority:
        try:
            named: Any = x509.IPAddress(ipaddress.ip_address(name))
        except ValueError:
            named = x509.DNSName(name)
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(x509.SubjectAlternativeName([named]), critical=False)
        builder = builder.add_extension(identifier, critical=False).add_extension(usage, critical=False)
    return key, builder.sign(signer or key, hashes.SHA256())


def _usage(*, is_authority: bool) -> Any:
    from cryptography import x509  # noqa: PLC0415 - an extra

    others = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False
    )
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        encipher_only=False,
        decipher_only=False,
        **others,
    )
