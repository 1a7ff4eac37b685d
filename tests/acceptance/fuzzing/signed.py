"""Files about certificates: policies, signed lists of revocations, and certificates. What is damaged is signed, so that it is read."""

import datetime as dt
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.certificates import envelope, keys, policy, revocations, verify
from aptix_conformance.app.certificates.signing import Signer
from aptix_conformance.app.certificates.statement import ATTESTATION, PAYLOAD_TYPE, STATEMENT, canonical

_AT: Final = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
_POLICY: Final = """\
accept = "attestation"
systems = ["aptix"]
minimum-suite = "0.1.0"
containment = "full"
max-age-days = 90
allowed-advice = ["USE016"]
require-revocations = true
minimum-revocations = 2
max-revocations-age-days = 30.5
tools = ["agent_weather"]
allowed-settings = ["files"]
minimum-values = 2
whole-code = true
"""


@cache
def _key() -> Signer:
    return keys.generate()


def policies() -> tuple[bytes, ...]:
    """A policy with most keys."""
    return (_POLICY.encode(),)


def read_policy(data: bytes, scratch: Path) -> None:
    """Read a policy.

    Raises:
        CertificateError: it is none.
    """
    (scratch / "policy.toml").write_bytes(data)
    policy.read(scratch / "policy.toml")


def lists() -> tuple[bytes, ...]:
    """The payload of a list of revocations."""
    entry = {"digest": "1" * 64, "date": "2026-03-01T00:00:00Z", "reason": "leaks a key"}
    listed = {"format": revocations.FORMAT, "number": 2, "issued": "2026-03-01T00:00:00Z", "revoked": [entry]}
    return (json.dumps(listed).encode(),)


def read_list(data: bytes, scratch: Path) -> None:
    """Read a list with this payload, and use it for a certificate.

    Raises:
        CertificateError: it is none.
    """
    _sign(data, scratch / "list", revocations.PAYLOAD_TYPE)
    listed = revocations.read(scratch / "list", _key().public)
    _verify(statements()[0], scratch, listed)


def statements() -> tuple[bytes, ...]:
    """The payload of a certificate."""
    predicate: dict[str, Any] = {
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
        "rules": [{"rule": "ARG002", "level": "MUST", "verdict": "pass", "reason": ""}],
        "left_out": [{"probe": "fault", "reason": "its inside cannot be seen"}],
        "containment": {"level": "full", "reasons": []},
        "conditions": {"seed": 0, "examples": 100, "budget": 30.0, "timeout": 5.0, "memory": 1024},
        "environment": {"interpreter": "CPython 3.11.7", "platform": "Linux x86_64", "distributions": []},
        "configuration": {"arguments": {"mode": {"const": "a"}}},
        "narrowed": [{"argument": "mode", "values": 1}],
        "loaded": [{"kind": "aptix_conformance.rules", "name": "acme", "distribution": "acme 1.0"}],
        "issuance": {
            "issued": "2026-01-01T00:00:00Z",
            "valid_until": "2027-01-01T00:00:00Z",
            "report": f"sha256:{'0' * 64}",
            "observations": {"ARG002": 41},
            "siblings": [{"name": "shop", "target": "weather:Shop", "outcome": "not examined"}],
        },
    }
    subject = [
        {"name": "weather", "digest": {"dirHash": "c" * 64}},
        {"name": "report", "digest": {"sha256": "0" * 64}},
    ]
    whole = {"_type": STATEMENT, "subject": subject, "predicateType": ATTESTATION, "predicate": predicate}
    return (canonical(whole),)


def read_statement(data: bytes, scratch: Path) -> list[str]:
    """Verify a certificate with this payload; returns the lines that are printed.

    Raises:
        CertificateError: it is none.
    """
    return _verify(data, scratch, None)


def _verify(data: bytes, scratch: Path, listed: revocations.Revocations | None) -> list[str]:
    _sign(data, scratch / "certificate", PAYLOAD_TYPE)
    demands = policy.read(_written(scratch / "policy.toml", policies()[0]))
    checks = verify.Checks(_key().public, _AT, revocations=listed, policy=demands)
    verified = verify.verify(scratch / "certificate", checks)
    return [*verified.lines, *verified.unchecked, *verified.problems]


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _sign(data: bytes, path: Path, payload_type: str) -> None:
    path.write_text(envelope.written(envelope.sign(payload_type, data, _key())) + "\n")


READERS: Final[
    dict[str, tuple[Callable[[], tuple[bytes, ...]], Callable[[bytes, Path], list[str] | None]]]
] = {
    "policy": (policies, read_policy),
    "revocations": (lists, read_list),
    "certificate": (statements, read_statement),
}
"""By the name of the kind, its valid documents and its reader."""
