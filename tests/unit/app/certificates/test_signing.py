"""The interface for other kinds of signatures: a signer that has it issues, verifies and revokes."""

import datetime as dt
import hashlib
import hmac

from aptix_conformance.app.certificates import revocations

from .conftest import CODE


class Shared:
    """A signer and a verifier that know nothing of keys in files."""

    keyid = "shared"

    @property
    def public(self):
        return self

    def sign(self, message):
        return hmac.digest(b"secret", message, hashlib.sha256)

    def verifies(self, signature, message):
        return hmac.compare_digest(self.sign(message), signature)


def test_a_signer_of_another_kind_issues_what_its_verifier_verifies(issuer):
    line = issuer.line(by=Shared())
    assert issuer.verify(line, key=Shared()).is_good
    assert not issuer.verify(line).is_good
    assert not issuer.verify(issuer.line(), key=Shared()).is_good


def test_a_signer_of_another_kind_revokes(issuer, tmp_path):
    moment = f"{dt.date(2026, 3, 1)}T00:00:00Z"
    added = (revocations.revoked(CODE, moment, "leaks a key"),)
    (tmp_path / "list").write_text(revocations.extended(tmp_path / "list", Shared(), added, moment))
    listed = revocations.read(tmp_path / "list", Shared())
    assert not issuer.verify(issuer.line(by=Shared()), key=Shared(), revocations=listed).is_good
