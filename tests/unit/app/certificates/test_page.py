"""docs/certificates.md tells what `verify` says of every kind of change, and it is so."""

import base64
import json

import pytest
from tests.pages import read_page

from aptix_conformance.app.certificates import keys, revocations
from aptix_conformance.app.certificates.statement import canonical, identity
from aptix_conformance.core.errors import CertificateError

TABLE = read_page("docs/certificates.md").sections["What `verify` says of a changed file"]
ROWS = {change: said.strip("`") for change, said in TABLE.rows()}


def _with_form(change):
    def verify(issuer, _path):
        form = json.loads(issuer.line())
        change(form)
        return issuer.verify(json.dumps(form))

    return verify


def _flipped(form):
    payload = bytearray(base64.b64decode(form["payload"]))
    payload[20] ^= 1
    form["payload"] = base64.b64encode(payload).decode()


def _written_otherwise(form):
    form["signatures"][0]["sig"] = form["signatures"][0]["sig"][:-3] + "h=="


def _other_report(issuer, path):
    (path / "report.json").write_text("{}")
    return issuer.verify(issuer.line(), report=path / "report.json")


def _other_code(issuer, path):
    (path / "code").mkdir()
    (path / "code" / "a.py").write_text("")
    return issuer.verify(issuer.line(), code=path / "code")


def _revoked(issuer, path):
    added = (revocations.revoked(identity(issuer.statement()), "2026-03-01T00:00:00Z", "x"),)
    (path / "list").write_text(revocations.extended(path / "list", issuer.key, added, "2026-03-01T00:00:00Z"))
    return issuer.verify(issuer.line(), revocations=revocations.read(path / "list", issuer.key.public))


def _list_of_another(issuer, path):
    added = (revocations.revoked("1" * 64, "2026-03-01T00:00:00Z", "x"),)
    text = revocations.extended(path / "list", keys.generate(), added, "2026-03-01T00:00:00Z")
    (path / "list").write_text(text)
    return issuer.verify(issuer.line(), revocations=revocations.read(path / "list", issuer.key.public))


def _false_certificate(issuer, _path):
    predicate = json.loads(issuer.statement())["predicate"]
    return issuer.verify(issuer.line(issuer.statement({**predicate, "shortcomings": ["waived"]})))


def _without_a_sibling(issuer, _path):
    predicate = json.loads(issuer.statement())["predicate"]
    shop = {"name": "shop", "target": "w:Shop", "outcome": "attestation", "status": "nonconforming"}
    predicate["issuance"]["siblings"] = [shop]
    return issuer.verify(issuer.line(issuer.statement(predicate)))


def _without(*path):
    """A statement of the issuer's own that lacks a member."""

    def verify(issuer, _path):
        statement = json.loads(issuer.statement())
        place = statement
        for name in path[:-1]:
            place = place[name]
        del place[path[-1]]
        return issuer.verify(issuer.line(canonical(statement)))

    return verify


def _result_of_other_code(issuer, _path):
    result = json.loads(issuer.test_result())
    result["subject"][0]["digest"]["dirHash"] = "d" * 64
    return issuer.verify(f"{issuer.line()}\n{issuer.line(canonical(result))}")


CHANGES = {
    "another payload type, which is signed": lambda issuer, _: issuer.verify(
        issuer.line(payload_type="text/plain")
    ),
    "a member of the statement is missing": _without("predicate", "rules"),
    "the code or the report is no subject": _without("subject", 0),
    "a signature is missing": _with_form(lambda form: form["signatures"].clear()),
    "a certificate and a test-result on other code": _result_of_other_code,
    "any byte of the payload, its type or the signature": _with_form(_flipped),
    "the key: another issuer's": lambda issuer, _: issuer.verify(issuer.line(), key=keys.generate().public),
    "the code": _other_code,
    "the report": _other_report,
    "verified after its end": lambda issuer, _: issuer.verify(issuer.line(), "2027-01-01T00:00:00+00:00"),
    "verified before its start": lambda issuer, _: issuer.verify(issuer.line(), "2025-01-01T00:00:00+00:00"),
    "on the list of revocations": _revoked,
    "the statement on a tool of the same code that has no certificate is missing": _without_a_sibling,
    "the list of revocations: another issuer's, or changed": _list_of_another,
    "an attestation that is called a certificate, by its own issuer": _false_certificate,
    "cut short": lambda issuer, _: issuer.verify(issuer.line()[:-20]),
    "base64 that is written in another way": _with_form(_written_otherwise),
    "a key twice, NaN": lambda issuer, _: issuer.verify('{"a": 1, "a": 1}'),
    "100 MB": lambda issuer, _: issuer.verify(b" " * 100_000_000),
    "200,000 levels": lambda issuer, _: issuer.verify(b"[" * 200_000),
}


def test_the_page_has_every_change():
    assert set(ROWS) == set(CHANGES)


@pytest.mark.parametrize("change", ROWS)
def test_verify_says_what_the_page_says(issuer, tmp_path, change):
    try:
        found = CHANGES[change](issuer, tmp_path)
        said = found.problems
        assert not found.is_good
    except CertificateError as error:
        said = [str(error)]
    assert ROWS[change] in said[0]
