"""Policies: which line is not met, and what is no policy."""

import pytest

from aptix_conformance.app.certificates import policy, revocations
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
        ("require-revocations = false", "minimum-revocations = 1"),
        ("require-revocations = false", "max-revocations-age-days = 30"),
        ('tools = ["agent_weather"]', 'tools = ["weather"]'),
        ('targets = ["weather:WeatherTool"]', 'targets = ["weather"]'),
        ('allowed-settings = ["files", "arguments"]', 'allowed-settings = ["files"]'),
        ("minimum-values = 2", "minimum-values = 3"),
        ("minimum-examples = 100", "minimum-examples = 101"),
        ("whole-code = false", "whole-code = true"),
        ('sandboxes = ["bubblewrap", "gVisor"]', 'sandboxes = ["gVisor"]'),
        ('protections = ["no-network"]', 'protections = ["no-network", "user-namespace"]'),
    ],
)
def test_a_line_that_is_not_met_is_named(with_policy, attested, met, unmet):
    attested["configuration"] = {"arguments": {"mode": {"enum": ["a", "b"]}, "n": {"minimum": 1}}}
    attested["narrowed"] = [{"argument": "mode", "values": 2}, {"argument": "n", "values": None}]
    attested["issuance"]["siblings"] = [{"name": "shop", "target": "weather:Shop", "outcome": "not examined"}]
    attested["issuance"]["sandbox"] = {"declared": "bubblewrap", "protections": ["no-network"]}
    assert with_policy(f"# mine\n{met}\n").is_good
    found = with_policy(f"# mine\n{unmet}\n")
    key = unmet.partition(" ")[0]
    assert [line.partition("policy.toml:")[2].partition(" is not met")[0] for line in found.problems] == [
        f"2: {key}"
    ]


@pytest.mark.parametrize("demand", ['sandboxes = ["bubblewrap"]', 'protections = ["no-network"]'])
def test_a_certificate_that_says_nothing_of_a_sandbox_meets_no_demand_of_one(with_policy, demand):
    (problem,) = with_policy(demand).problems
    assert "is not met" in problem


def test_an_older_list_of_revocations_is_not_taken_for_a_newer_one(with_policy):
    listed = revocations.Revocations(revocations.FORMAT, 4, "2026-05-01T00:00:00Z", ())
    assert with_policy("minimum-revocations = 4\nmax-revocations-age-days = 31", revocations=listed).is_good
    older = with_policy("minimum-revocations = 5\nmax-revocations-age-days = 30", revocations=listed)
    assert [line.partition(" is not met: ")[2] for line in older.problems] == [
        "the list has the number 4",
        "the list was signed 31 days before",
    ]


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ("[]", "the policy allows no broken advice"),
        ('["USE001"]', "the policy allows breaches of USE001 only"),
    ],
)
def test_advice_that_is_not_allowed_is_named_with_what_is(with_policy, allowed, words):
    (problem,) = with_policy(f"allowed-advice = {allowed}").problems
    assert problem.endswith(f"allowed-advice is not met: USE016 is broken; {words}")


def test_a_list_of_the_future_is_not_a_new_one(with_policy):
    listed = revocations.Revocations(revocations.FORMAT, 4, "2030-01-01T00:00:00Z", ())
    (problem,) = with_policy("max-revocations-age-days = 31", revocations=listed).problems
    assert problem.endswith("the list was signed at 2030-01-01T00:00:00Z, which is still to come")


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
        ('protections = ["network"]', "did you mean no-network?"),
    ],
)
def test_what_is_no_policy_is_refused(with_policy, text, words):
    with pytest.raises(CertificateError, match=r"policy|version") as caught:
        with_policy(text)
    assert words in str(caught.value)
