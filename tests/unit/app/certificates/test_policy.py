"""Policies: which line is not met, and what is no policy."""

import pytest

from aptix_conformance.app.certificates import policy
from aptix_conformance.core.errors import CertificateError


@pytest.fixture
def with_policy(issuer, tmp_path):
    """A function that verifies the issuer's certificate by a policy's text."""

    def verify(text, **checks):
        (tmp_path / "policy.toml").write_text(text)
        return issuer.verify(issuer.line(), policy=policy.read(tmp_path / "policy.toml"), **checks)

    return verify


@pytest.mark.parametrize(
    ("met", "unmet"),
    [
        ('systems = ["aptix"]', 'systems = ["art"]'),
        ('editions = ["aptix-tul-011"]', "editions = []"),
        ('minimum-suite = "0.1"', 'minimum-suite = "0.10.0"'),
        ("max-age-days = 151", "max-age-days = 150.5"),
        ('allowed-advice = ["USE016"]', "allowed-advice = []"),
        ("require-revocations = false", "require-revocations = true"),
    ],
)
def test_a_line_that_is_not_met_is_named(with_policy, met, unmet):
    assert with_policy(f"# mine\n{met}\n").is_good
    found = with_policy(f"# mine\n{unmet}\n")
    key = unmet.partition(" ")[0]
    assert [line.partition("policy.toml:")[2].partition(" is not met")[0] for line in found.problems] == [
        f"2: {key}"
    ]


def test_containment_is_demanded_at_least(with_policy, attested):
    attested.update(kind="attestation", shortcomings=["x"], containment={"level": "partial"})
    assert with_policy('accept = "attestation"\ncontainment = "partial"').is_good
    assert ":2: containment" in with_policy('accept = "attestation"\ncontainment = "full"').problems[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("edition = []", "did you mean editions?"),
        ("editions = 1", "editions"),
        ('accept = "anything"', "accept"),
        ('minimum-suite = "new"', "not a version"),
        ("max-age-days = 0", "max-age-days"),
        ("max-age-days = inf", "max-age-days"),
        ("max-age-days = 1e300", "max-age-days"),
        ("max-age-days = nan", "max-age-days"),
        ("systems = " + "[" * 5_000, "not TOML"),
        ("= 1", "not TOML"),
    ],
)
def test_what_is_no_policy_is_refused(with_policy, text, words):
    with pytest.raises(CertificateError, match=r"policy|version") as caught:
        with_policy(text)
    assert words in str(caught.value)
