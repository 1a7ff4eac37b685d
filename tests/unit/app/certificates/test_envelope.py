"""DSSE envelopes: the encoding that is signed, and what a reader refuses."""

import base64
import json
from copy import deepcopy

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from aptix_conformance.app.certificates import envelope, keys
from aptix_conformance.app.certificates.envelope import parse, pre_authentication_encoding
from aptix_conformance.core.errors import CertificateError

PAYLOAD = base64.b64encode(b"hello world").decode()


def _form(**changes):
    whole = {"payload": PAYLOAD, "payloadType": "t", "signatures": [{"sig": "AAAA", "keyid": "k"}]}
    return json.dumps({**whole, **changes}).encode()


def test_the_encoding_is_that_of_the_specification():
    """The test vector of the DSSE protocol, less its key."""
    encoded = pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
    assert encoded == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_are_those_of_bytes():
    assert pre_authentication_encoding("é", "ü".encode()) == "DSSEv1 2 é 2 ü".encode()


def test_a_type_and_a_payload_cannot_trade_bytes():
    assert pre_authentication_encoding("a", b"1 b") != pre_authentication_encoding("a 3", b"b")


def test_what_is_written_is_read(key):
    signed = envelope.sign("t", b"\x00payload", key)
    assert parse(envelope.written(signed).encode(), "file") == signed


@pytest.mark.parametrize("algorithm", keys.ALGORITHMS)
def test_another_implementation_verifies_what_we_sign_and_nothing_else(algorithm):
    """securesystemslib, which demands its own `keyid`."""
    key = keys.generate(algorithm)
    theirs = SSlibKey.from_crypto(load_pem_public_key(key.public.pem))
    form = json.loads(envelope.written(envelope.sign("t", b"payload", key)))
    form["signatures"][0]["keyid"] = theirs.keyid
    assert Envelope.from_dict(deepcopy(form)).verify([theirs], threshold=1)
    form["payload"] = base64.b64encode(b"Payload").decode()
    with pytest.raises(VerificationError):
        Envelope.from_dict(form).verify([theirs], threshold=1)


def test_unknown_members_are_ignored_and_a_keyid_may_be_missing():
    found = parse(_form(signatures=[{"sig": "AAAA", "cert": "x"}], extension=1), "file")
    assert (found.payload, found.keyids) == (b"hello world", ("",))


def test_url_safe_base64_is_read():
    assert (
        parse(_form(payload=base64.urlsafe_b64encode(b"\xff\xfe\xfd").decode()), "file").payload
        == b"\xff\xfe\xfd"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 200_000, "too deep"),
        (b'{"payload": NaN}', "NaN is not a JSON number"),
        (b"[" + b"1," * 300_000 + b"1]", "more than 200000 JSON values"),
        (b'{"payload": "QQ==", "payload": "QQ=="}', "a key twice"),
        (b"[]", "object"),
        (_form(payload=1), "payload"),
        (_form(payload="Q Q="), "not base64"),
        (_form(payload="QQ="), "not base64"),
        (_form(payload="QR=="), "not base64 as the standard writes it"),
        (_form(payload="é"), "not base64"),
        (_form(payload=""), "empty"),
        (_form(payloadType=""), "payloadType"),
        (_form(payloadType="\ud800"), "not valid text"),
        (_form(signatures=[]), "signatures"),
        (_form(signatures=[{"sig": "AAAA"}] * 17), "signatures"),
        (_form(signatures=[{"keyid": "k"}]), "'sig' is missing"),
        (json.dumps({"payload": PAYLOAD, "payloadType": "t"}).encode(), "'signatures' is missing"),
    ],
)
def test_what_is_no_envelope_is_refused_with_its_place(text, words):
    with pytest.raises(CertificateError, match=r"file") as caught:
        parse(text, "file")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
