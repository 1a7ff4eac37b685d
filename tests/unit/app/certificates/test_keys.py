"""Keys: written so that only their owner reads them, read strictly, never printed."""

import os
import stat

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from aptix_conformance.app.certificates import keys
from aptix_conformance.core.errors import CertificateError


@pytest.mark.parametrize("algorithm", keys.ALGORITHMS)
def test_a_pair_that_was_written_signs_and_verifies(algorithm, tmp_path):
    public = keys.generate(algorithm).write(tmp_path / "key")
    signature = keys.read_private(tmp_path / "key").sign(b"message")
    assert keys.read_public(public).verifies(signature, b"message")
    assert not keys.read_public(public).verifies(signature, b"another")
    assert not keys.generate(algorithm).public.verifies(signature, b"message")
    assert not keys.read_public(public).verifies(b"no signature", b"message")


def test_a_private_key_is_its_owners_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        keys.generate().write(tmp_path / "key")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["key", "key.pub"])
def test_no_file_is_overwritten(name, tmp_path):
    (tmp_path / name).write_text("mine")
    with pytest.raises(CertificateError, match="is not overwritten"):
        keys.generate().write(tmp_path / "key")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_private_key_has_no_printed_form(key):
    assert "PRIVATE" not in repr(key)
    assert "Ed25519PrivateKey" not in repr(key)


def _pem(key, protection=None):
    protection = protection or serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not a key", "no private key"),
        (b"-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n", "no private key"),
        (_pem(ec.generate_private_key(ec.SECP384R1())), "another kind"),
        (_pem(rsa.generate_private_key(65537, 2048)), "another kind"),
        (
            _pem(ec.generate_private_key(ec.SECP256R1()), serialization.BestAvailableEncryption(b"x")),
            "passphrase",
        ),
    ],
)
def test_another_private_key_is_refused_and_not_quoted(content, words, tmp_path):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(CertificateError, match=words) as caught:
        keys.read_private(tmp_path / "key")
    assert "SECRET" not in str(caught.value)


def test_a_private_key_is_not_taken_for_a_public_one(tmp_path):
    keys.generate().write(tmp_path / "key")
    with pytest.raises(CertificateError, match="keep it to yourself"):
        keys.read_public(tmp_path / "key")


def test_what_is_no_regular_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "absent"):
        with pytest.raises(CertificateError):
            keys.read_public(path)
