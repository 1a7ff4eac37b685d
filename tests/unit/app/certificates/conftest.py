"""An issuer, and what it signs."""

import datetime as dt
import json
from types import SimpleNamespace

import pytest

from aptix_conformance.app.certificates import envelope, keys
from aptix_conformance.app.certificates.policy import Policy
from aptix_conformance.app.certificates.statement import (
    ATTESTATION,
    PAYLOAD_TYPE,
    STATEMENT,
    TEST_RESULT,
    canonical,
)
from aptix_conformance.app.certificates.verify import Checks, verify

CODE = "c" * 64
REPORT = b'{"format": "aptix-conformance-report/2"}\n'


@pytest.fixture(scope="session")
def key():
    """An issuer's private key."""
    return keys.generate()


@pytest.fixture
def attested():
    """The predicate of a conforming tool, as JSON."""
    rules = [
        {"rule": "ARG002", "level": "MUST", "verdict": "pass", "reason": ""},
        {"rule": "USE016", "level": "SHOULD", "verdict": "fail", "reason": "too short"},
    ]
    return {
        "kind": "certificate",
        "shortcomings": [],
        "tool": {
            "name": "agent_weather",
            "target": "weather:WeatherTool",
            "system": "aptix",
            "edition": "aptix-tul-011",
            "status": "conforming",
        },
        "code": {"kind": "folder", "name": "weather"},
        "suite": {"version": "0.1.0", "digest": "5" * 64},
        "rules": rules,
        "left_out": [],
        "containment": {"level": "full", "reasons": []},
        "conditions": {"seed": 0, "examples": 100, "budget": 30.0, "timeout": 5.0, "memory": 1024},
        "environment": {"interpreter": "CPython 3.11.7", "platform": "Linux x86_64", "distributions": []},
        "configuration": {},
        "narrowed": [],
        "loaded": [],
        "issuance": {
            "issued": "2026-01-01T00:00:00Z",
            "valid_until": "2027-01-01T00:00:00Z",
            "report": "sha256:" + "0" * 64,
            "observations": {"ARG002": 41, "USE016": 1},
            "reduced": [],
            "revocations": "",
        },
    }


@pytest.fixture
def issuer(key, attested, tmp_path):
    """`statement()` and `line()` make statements and envelopes, `verify(lines)` verifies a file of them."""

    def statement(predicate=None, kind=ATTESTATION, **changes):
        subject = [
            {"name": "weather", "digest": {"dirHash": CODE}},
            {"name": "report", "digest": {"sha256": "0" * 64}},
        ]
        whole = {
            "_type": STATEMENT,
            "subject": subject,
            "predicateType": kind,
            "predicate": predicate or attested,
        }
        return canonical({**whole, **changes})

    def line(payload=None, payload_type=PAYLOAD_TYPE, by=key):
        return envelope.written(envelope.sign(payload_type, payload or statement(), by))

    def verified(text, at="2026-06-01T00:00:00+00:00", **checks):
        file = tmp_path / "tools.certificate"
        file.write_bytes(text if isinstance(text, bytes) else f"{text}\n".encode())
        checks = {"key": key.public, "policy": Policy(), **checks}
        return verify(file, Checks(at=dt.datetime.fromisoformat(at), **checks))

    def test_result():
        predicate = {"result": "PASSED", "configuration": [], "passedTests": ["agent_weather/ARG002"]}
        return statement(predicate, TEST_RESULT)

    return SimpleNamespace(
        key=key, statement=statement, line=line, verify=verified, test_result=test_result, json=json
    )
