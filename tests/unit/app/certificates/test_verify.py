"""Verifying: what is signed is said; whatever stands against it is a line, and nothing else is believed."""

import base64
import hashlib
import json

import pytest

from aptix_conformance.app.certificates import envelope, keys, policy, revocations
from aptix_conformance.app.certificates.statement import PAYLOAD_TYPE, TEST_RESULT, canonical, identity
from aptix_conformance.core.errors import CertificateError

from .conftest import CODE


def test_a_certificate_is_good_and_says_what_was_not_checked(issuer):
    found = issuer.verify(issuer.line() + "\n" + issuer.line(issuer.test_result()))
    assert found.is_good, found.problems
    assert found.lines[0] == "certificate: agent_weather (weather:WeatherTool), aptix-tul-011: conforming"
    assert found.lines[-1] == "in-toto test-result: PASSED"
    assert [line.partition(":")[0] for line in found.unchecked] == [
        "whether it was revoked",
        "the code",
        "the report",
    ]


def test_what_was_not_examined_is_said(issuer, attested):
    attested["left_out"] = [{"probe": "fault", "reason": "its inside\x1b[2J cannot be seen"}]
    attested["issuance"]["reduced"] = [{"probe": "context", "reason": "2 calls are not judged"}]
    attested["rules"].append(
        {"rule": "USE099", "level": "SHOULD", "verdict": "inconclusive", "reason": "3 of 9 calls were made"}
    )
    found = issuer.verify(issuer.line())
    assert found.is_good, found.problems
    assert found.lines[2:] == [
        "  not examined: fault: its inside\\x1b[2J cannot be seen",
        "  examined in part: context: 2 calls are not judged",
        "  inconclusive: USE099 (SHOULD): 3 of 9 calls were made",
    ]
    attested["left_out"] = [{"probe": "fault", "reason": "unseen"}] * 1000
    assert issuer.verify(issuer.line()).lines[-1] == "  and 942 lines more like these"


def test_a_certificate_that_is_written_over_many_lines_is_read(issuer):
    assert issuer.verify(json.dumps(json.loads(issuer.line()), indent=2)).is_good


@pytest.mark.parametrize("algorithm", keys.ALGORITHMS)
def test_each_algorithm_verifies(issuer, algorithm):
    key = keys.generate(algorithm)
    assert issuer.verify(issuer.line(by=key), key=key.public).is_good


def _changed(line, name, place):
    """The envelope with one bit of one byte changed."""
    form = json.loads(line)
    if name == "payloadType":
        text = bytearray(form[name].encode())
        text[place] ^= 1
        return json.dumps({**form, name: text.decode()})
    whole = bytearray(base64.b64decode(form[name] if name == "payload" else form["signatures"][0]["sig"]))
    whole[place] ^= 1
    encoded = base64.b64encode(whole).decode()
    changed = {"payload": encoded} if name == "payload" else {"signatures": [{"sig": encoded}]}
    return json.dumps({**form, **changed})


def test_no_byte_of_an_envelope_can_be_changed(issuer):
    """Every byte of the payload, its type and the signature, one after the other."""
    line = issuer.line()
    form = json.loads(line)
    lengths = {"payload": len(issuer.statement()), "sig": 64, "payloadType": len(form["payloadType"])}
    for name, length in lengths.items():
        for place in range(length):
            assert not envelope.parse(_changed(line, name, place).encode(), "file").is_signed_by(
                issuer.key.public
            )


def test_of_a_whole_file_only_bytes_of_the_keyid_can_be_changed(issuer):
    """Every byte in turn, each by three others: what is not refused and still good is in the hint that nobody signs."""
    line = issuer.line().encode()
    start = line.index(b'"keyid":"') + 1
    good = []
    for place, byte in enumerate(line):
        for other in {byte ^ 1, byte ^ 0x20, 0x22} - {byte}:
            try:
                parsed = envelope.parse(line[:place] + bytes([other]) + line[place + 1 :], "file")
            except CertificateError as error:
                assert "\n" not in str(error)  # noqa: PT017 - one of a thousand
                continue
            if parsed.payload_type == PAYLOAD_TYPE and parsed.is_signed_by(issuer.key.public):
                good.append(place)
    assert start <= min(good)
    assert max(good) < line.index(b'"', start + 9)


def test_a_good_signature_among_others_is_enough(issuer):
    form = json.loads(issuer.line())
    other = json.loads(issuer.line(by=keys.generate("ecdsa-p256")))
    form["signatures"] = [{"sig": "AAAA"}, *other["signatures"], *form["signatures"]]
    assert issuer.verify(json.dumps(form)).is_good


def test_a_signature_of_one_algorithm_is_none_of_a_key_of_another(issuer):
    other = keys.generate("ecdsa-p256")
    assert not issuer.verify(issuer.line(), key=other.public).is_good
    assert not issuer.verify(issuer.line(by=other)).is_good


@pytest.mark.parametrize(
    "subject",
    [
        [{"name": "code", "digest": {"dirHash": CODE}}],
        [{"name": "report", "digest": {"sha256": "0" * 64}}],
        [{"name": "code", "digest": {"dirHash": CODE}}, {"name": "report", "digest": {"sha256": "1" * 64}}],
        [{"name": name, "digest": {"dirHash": name * 64, "sha256": "0" * 64}} for name in "ab"],
    ],
)
def test_subjects_that_do_not_name_one_code_and_the_report_are_refused(issuer, subject):
    with pytest.raises(CertificateError, match="does not name the code and the report"):
        issuer.verify(issuer.line(issuer.statement(subject=subject)))


def test_a_test_result_on_other_code_is_not_good(issuer):
    result = json.loads(issuer.test_result())
    result["subject"][0]["digest"]["dirHash"] = "d" * 64
    found = issuer.verify(f"{issuer.line(canonical(result))}\n{issuer.line()}")
    assert [line.partition(": ")[2] for line in found.problems] == [
        "a test-result on code of which no other statement of the file says more"
    ]


def test_a_number_that_is_none_is_refused(issuer):
    with pytest.raises(CertificateError, match="1e999 is too large"):
        issuer.verify(issuer.line(issuer.statement().replace(b'"budget":30.0', b'"budget":1e999')))


def test_a_report_of_any_size_is_compared(issuer, tmp_path, attested):
    (tmp_path / "report").write_bytes(b" " * (17 * 2**20))
    digest = hashlib.sha256((tmp_path / "report").read_bytes()).hexdigest()
    attested["issuance"]["report"] = f"sha256:{digest}"
    statement = issuer.statement().replace(b'"sha256":"' + b"0" * 64, f'"sha256":"{digest}'.encode())
    assert issuer.verify(issuer.line(statement), report=tmp_path / "report").is_good


@pytest.mark.parametrize("name", ["payload", "sig", "payloadType"])
def test_a_changed_envelope_is_not_good_and_nothing_of_it_is_printed(issuer, name):
    found = issuer.verify(_changed(issuer.line(), name, 10))
    assert (found.is_good, found.lines) == (False, [])


def test_a_signature_is_no_other_statements(issuer, attested):
    form = json.loads(issuer.line())
    attested["tool"]["name"] = "another"
    form["payload"] = base64.b64encode(issuer.statement(attested)).decode()
    assert not issuer.verify(json.dumps(form)).is_good


def test_another_key_is_not_good(issuer):
    found = issuer.verify(issuer.line(), key=keys.generate().public)
    assert (found.is_good, found.lines) == (False, [])
    assert "another key, or it was changed" in found.problems[0]


def test_one_bad_line_among_good_ones_is_not_good(issuer):
    found = issuer.verify(issuer.line() + "\n" + issuer.line(by=keys.generate()))
    assert (found.is_good, len(found.problems)) == (False, 1)


def test_a_signed_text_of_another_payload_type_is_not_good(issuer):
    assert "not in-toto's" in issuer.verify(issuer.line(payload_type="text/plain")).problems[0]


def test_a_statement_of_another_kind_is_not_called_good(issuer):
    found = issuer.verify(issuer.line(issuer.statement({"a": 1}, "urn:other")))
    assert "has no statement of this suite" in found.problems[0]
    assert "urn:other is not read here" in found.unchecked[0]


@pytest.mark.parametrize(
    ("at", "words"),
    [("2025-12-31T23:59:59+00:00", "still to come"), ("2027-01-01T00:00:00+00:00", "expired")],
)
def test_outside_of_its_validity_it_is_not_good(issuer, at, words):
    assert words in issuer.verify(issuer.line(), at=at).problems[0]


def test_at_its_first_and_last_moment_it_is_good(issuer):
    for at in ("2026-01-01T00:00:00+00:00", "2026-12-31T23:59:59+00:00"):
        assert issuer.verify(issuer.line(), at=at).is_good


def test_an_attestation_says_first_that_it_is_none_and_is_not_good_unless_asked_for(issuer, attested):
    attested.update(kind="attestation", shortcomings=["the containment was none"])
    found = issuer.verify(issuer.line())
    assert found.lines[:2] == [
        "ATTESTATION, NO CERTIFICATE: agent_weather (weather:WeatherTool), aptix-tul-011: conforming",
        "  the containment was none",
    ]
    assert "not a certificate" in found.problems[0]
    assert issuer.verify(issuer.line(), policy=policy.Policy().accepting_attestations()).is_good


@pytest.mark.parametrize(
    "change",
    [
        {"tool": {"status": "nonconforming"}},
        {"containment": {"level": "partial"}},
        {"shortcomings": ["something"]},
        {"rules": [{"rule": "R", "level": "MUST", "verdict": "inconclusive", "reason": "x"}]},
        {"rules": [{"rule": "R", "level": "SHOULD", "verdict": "waived", "reason": "x"}]},
        {
            "rules": [
                {
                    "rule": "R",
                    "level": "SHOULD",
                    "verdict": "inconclusive",
                    "masked_by": ["S"],
                }
            ]
        },
    ],
)
def test_what_calls_itself_a_certificate_and_is_none_is_refused(issuer, attested, change):
    for name, value in change.items():
        attested[name] = {**attested[name], **value} if isinstance(value, dict) else value
    with pytest.raises(CertificateError, match="calls itself a certificate"):
        issuer.verify(issuer.line())


@pytest.mark.parametrize(
    "member", ["kind", "tool", "rules", "containment", "issuance", "environment", "suite"]
)
def test_a_missing_member_is_refused_and_an_unknown_one_ignored(issuer, attested, member):
    attested["unknown"] = attested["tool"]["unknown"] = 1
    assert issuer.verify(issuer.line()).is_good
    del attested[member]
    with pytest.raises(CertificateError, match=f"'{member}' is missing"):
        issuer.verify(issuer.line())


@pytest.mark.parametrize(
    "change", [{"_type": "https://in-toto.io/Statement/v0.1"}, {"subject": []}, {"predicate": 1}]
)
def test_another_statement_is_refused(issuer, change):
    with pytest.raises(CertificateError, match="not a known statement"):
        issuer.verify(issuer.line(issuer.statement(**change)))


def test_a_test_result_without_its_configuration_is_refused(issuer):
    with pytest.raises(CertificateError, match="'configuration' is missing"):
        issuer.verify(issuer.line(issuer.statement({"result": "PASSED"}, TEST_RESULT)))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"PK\x03\x04", b"{}" * 20, b"[" * 300_000])
def test_a_file_that_is_none_is_refused_in_a_line(issuer, content):
    with pytest.raises(CertificateError) as caught:
        issuer.verify(content)
    assert "\n" not in str(caught.value)


def test_a_truncated_file_is_refused_wherever_it_is_cut(issuer):
    line = issuer.line()
    for end in range(1, len(line), 97):
        with pytest.raises(CertificateError):
            issuer.verify(line[:end])


def test_a_file_of_17_mib_is_not_read(issuer):
    with pytest.raises(CertificateError, match="larger than 16 MiB"):
        issuer.verify(b" " * (17 * 2**20))


def test_a_swapped_report_is_not_good(issuer, tmp_path):
    (tmp_path / "report.json").write_text("{}")
    assert (
        "not the one that was signed"
        in issuer.verify(issuer.line(), report=tmp_path / "report.json").problems[0]
    )


def test_changed_code_is_not_good(issuer, tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("")
    assert "the code in" in issuer.verify(issuer.line(), code=tmp_path / "code").problems[0]


@pytest.mark.parametrize("of", ["statement", "code", "report"])
def test_what_is_revoked_is_not_good_from_that_day_on(issuer, tmp_path, of):
    digest = {"statement": identity(issuer.statement()), "code": CODE, "report": "0" * 64}[of]
    added = (revocations.revoked(digest, "2026-03-01T00:00:00Z", "leaks a key"),)
    (tmp_path / "list").write_text(
        revocations.extended(tmp_path / "list", issuer.key, added, "2026-03-01T00:00:00Z")
    )
    listed = revocations.read(tmp_path / "list", issuer.key.public)
    assert issuer.verify(issuer.line(), "2026-02-28T00:00:00+00:00", revocations=listed).is_good
    found = issuer.verify(issuer.line(), revocations=listed)
    assert found.problems[0].endswith("revoked on 2026-03-01T00:00:00Z: leaks a key")
    assert not any("revoked" in line for line in found.unchecked)
    assert found.lines[-1] == "list of revocations: number 1, signed at 2026-03-01T00:00:00Z, 1 entries"


SHOP = {"name": "shop", "target": "weather:Shop", "outcome": "attestation", "status": "nonconforming"}


def test_a_statement_on_a_tool_of_the_same_code_cannot_be_taken_out(issuer, attested):
    attested["issuance"]["siblings"] = [SHOP]
    (problem,) = issuer.verify(issuer.line()).problems
    assert problem.endswith(
        "the same code has the tool shop (weather:Shop), which was nonconforming; the statement on it was taken out of this file"
    )
    tool = {**attested["tool"], "name": "shop", "target": "weather:Shop", "status": "nonconforming"}
    shop = {**attested, "kind": "attestation", "shortcomings": ["it is nonconforming"], "tool": tool}
    whole = issuer.line() + "\n" + issuer.line(issuer.statement(shop))
    accepting = policy.Policy(policy.Demands(accept="attestation"))
    assert issuer.verify(whole, policy=accepting).is_good
    older = {**attested, "tool": {**tool, "status": "conforming"}}
    replaced = issuer.line() + "\n" + issuer.line(issuer.statement(older))
    assert "was taken out of this file" in issuer.verify(replaced).problems[0]


def test_a_tool_of_the_same_code_that_was_not_examined_is_named(issuer, attested):
    attested["issuance"]["siblings"] = [{**SHOP, "outcome": "not examined", "status": None}]
    found = issuer.verify(issuer.line())
    assert found.is_good
    assert found.lines[2] == "  not examined: the tool shop of the same code"


def test_what_the_configuration_sets_and_takes_away_is_said(issuer, attested):
    attested["configuration"] = {"files": "data", "arguments": {"mode": {"const": "a"}, "n": {"minimum": 3}}}
    attested["narrowed"] = [{"argument": "mode", "values": 1}, {"argument": "n", "values": None}]
    assert issuer.verify(issuer.line()).lines[2:] == [
        "  the configuration sets arguments, files",
        "  the configuration narrows the argument mode to 1 value that can be counted",
        "  the configuration narrows the argument n, to no fixed number of values",
    ]


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ({"declared": "gVisor", "protections": ["no-network", "system-call-filter"]}, "gVisor; found in force: no-network, system"),
        ({"declared": ""}, "not declared; found in force: nothing"),
    ],
)  # fmt: skip
def test_what_held_the_whole_examination_is_said(issuer, attested, sandbox, said):
    attested["issuance"]["sandbox"] = sandbox
    assert any(said in line for line in issuer.verify(issuer.line()).lines)


def test_what_was_loaded_into_the_suite_is_said(issuer, attested):
    attested["loaded"] = [{"kind": "aptix_conformance.rules", "name": "acme", "distribution": "acme 1.0"}]
    assert issuer.verify(issuer.line()).lines[2:] == [
        "  loaded into the suite: acme 1.0 (aptix_conformance.rules)"
    ]


def test_a_certificate_names_where_its_list_is(issuer, attested):
    attested["issuance"]["revocations"] = "https://example.org/revoked.json"
    assert "from https://example.org/revoked.json" in issuer.verify(issuer.line()).unchecked[0]


def test_hashes_of_archives_are_said_not_to_be_checked(issuer, attested):
    package = {"place": "node_modules/x", "version": "1.0.0", "integrity": "sha512-x", "digest": "0" * 64}
    attested["environment"]["packages"] = [package]
    found = issuer.verify(issuer.line())
    assert found.is_good
    assert found.unchecked[0].startswith("the archives of its packages, whose hashes are recorded")


def test_a_list_of_another_key_or_kind_is_refused(issuer, tmp_path):
    added = (revocations.revoked(CODE, "2026-03-01T00:00:00Z", "x"),)
    other = keys.generate()
    (tmp_path / "list").write_text(
        revocations.extended(tmp_path / "list", other, added, "2026-03-01T00:00:00Z")
    )
    with pytest.raises(CertificateError, match="not signed by this key"):
        revocations.read(tmp_path / "list", issuer.key.public)
    with pytest.raises(CertificateError, match="not signed by this key"):
        revocations.extended(tmp_path / "list", issuer.key, added, "2026-03-01T00:00:00Z")
    (tmp_path / "statement").write_text(issuer.line())
    with pytest.raises(CertificateError, match="not a list of revocations"):
        revocations.read(tmp_path / "statement", issuer.key.public)


def test_a_list_grows_and_keeps_what_it_had(issuer, tmp_path):
    path = tmp_path / "list"
    for digest in ("1" * 64, "2" * 64, "1" * 64):
        added = (revocations.revoked(digest, "2026-03-01T00:00:00Z", "x"),)
        path.write_text(revocations.extended(path, issuer.key, added, "2026-03-01T00:00:00Z"))
    listed = revocations.read(path, issuer.key.public)
    assert [one.digest[0] for one in listed.revoked] == ["1", "2"]
    assert listed.number == 3


@pytest.mark.parametrize(("part", "member"), [("tool", "name"), ("tool", "edition"), ("suite", "version")])
def test_a_terminal_gets_no_command_from_what_is_signed(issuer, attested, part, member):
    attested[part][member] = "\x1b[2J\u202e\nx"
    said = "".join(issuer.verify(issuer.line()).lines)
    assert not {"\x1b", "\u202e", "\n"} & set(said)


@pytest.mark.parametrize(
    "time", ["2026-01-01T00:00:00Z\n", "\uff12\uff10\uff12\uff16-01-01T00:00:00Z", "2026-02-31T00:00:00Z"]
)
def test_a_time_that_is_none_is_refused_in_one_line(issuer, attested, time):
    attested["issuance"]["issued"] = time
    with pytest.raises(CertificateError) as caught:
        issuer.verify(issuer.line())
    assert "\n" not in str(caught.value)
