"""Verifying: what a file of certificates says, and every reason against it.

Only what is signed by the given key is believed, and only that is printed.
"""

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from aptix_conformance.app.certificates import envelope
from aptix_conformance.app.certificates.copies import digest_in, what_differs
from aptix_conformance.app.certificates.policy import Policy
from aptix_conformance.app.certificates.revocations import Revocations, as_time
from aptix_conformance.app.certificates.safe_files import read_bytes, sha256_of
from aptix_conformance.app.certificates.sandbox import describe
from aptix_conformance.app.certificates.signing import Verifier
from aptix_conformance.app.certificates.statement import (
    ATTESTATION,
    PAYLOAD_TYPE,
    TEST_RESULT,
    Attestation,
    Statement,
    attestation_of,
    code_digest,
    identity,
    parse_statement,
    result_of,
)
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.text import printable

MOST_LINES: Final = 20_000
_MOST_DIFFERING: Final = 5
"""Lines about what is not as it was signed."""
_MOST_NOT_EXAMINED: Final = 60
"""Lines about what was not examined."""


@dataclass(frozen=True, slots=True)
class Checks:
    """The things that a file is compared with; None is not checked."""

    key: Verifier
    at: dt.datetime
    report: Path | None = None
    code: Path | None = None
    revocations: Revocations | None = None
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class Attested:
    """An attestation whose code is there: `digest` is the one that was signed and found."""

    where: str
    attestation: Attestation
    digest: str


@dataclass(slots=True)
class Verified:
    """The result: the lines to show, the reasons against the file, and what was not checked, each as a line."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    attested: list[Attested] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether there is no reason against the file."""
        return not self.problems


def verify(path: Path, checks: Checks) -> Verified:
    """Verify a file of certificates.

    Raises:
        CertificateError: it is no such file: it cannot be read, or a line is no envelope.
    """
    result = Verified()
    statements = []
    for where, line in _lines(read_bytes(path, "certificate"), path):
        signed = envelope.parse(line, where)
        if why := _why_not_believed(signed, checks.key):
            result.problems.append(f"{where}: {why}")
        else:
            statements.append((where, parse_statement(signed.payload, where), identity(signed.payload)))
    attestations = {}
    for where, statement, named in statements:
        if statement.predicate_type == ATTESTATION:
            attestations[where] = attestation_of(statement, where)
            _check(result, attestations[where], statement, named, checks, where)
        elif statement.predicate_type == TEST_RESULT:
            _check_subjects(result, statement, named, checks, where)
            result.lines.append(f"in-toto test-result: {result_of(statement, where).result}")
        else:
            name = printable(statement.predicate_type, 80)
            result.unchecked.append(f"{where}: a statement of the type {name} is not read here")
    _check_bundle(result, {where: statement for where, statement, _ in statements}, attestations, path)
    if checks.revocations is not None:
        listed = checks.revocations
        result.lines.append(
            f"list of revocations: number {listed.number}, signed at {listed.issued}, {len(listed.revoked)} entries"
        )
    _note_unchecked(result, checks)
    return result


def _why_not_believed(signed: envelope.Envelope, key: Verifier) -> str:
    """Why nothing of an envelope is read; empty where it is."""
    if signed.payload_type != PAYLOAD_TYPE:
        return f"the payload type is {printable(signed.payload_type, 80)}, not in-toto's"
    if not signed.is_signed_by(key):
        return f"no signature is that of the key {key.keyid[:16]}…: another key, or it was changed"
    return ""


def _check_bundle(
    result: Verified,
    statements: Mapping[str, Statement],
    attestations: Mapping[str, Attestation],
    path: Path,
) -> None:
    """Check that the file has a statement of the suite, says nothing of code on which it has none, and has no gap."""
    attested = {code_digest(statements[where]) for where in attestations}
    if not attested:
        if not result.problems:
            result.problems.append(f"{path} has no statement of this suite")
        return
    result.problems += [
        f"{where}: a test-result on code of which no other statement of the file says more"
        for where, one in statements.items()
        if one.predicate_type == TEST_RESULT and code_digest(one) not in attested
    ]
    present = {_known_by(code_digest(statements[where]), one) for where, one in attestations.items()}
    for where, one in attestations.items():
        digest = code_digest(statements[where])
        result.problems += [f"{where}: {line}" for line in _taken_out(one, digest, present)]


_Known = tuple[str | None, str, str, str, str]
"""The digest of its code, the name, the target and the status of a tool, and what was issued on it."""


def _known_by(digest: str | None, attested: Attestation) -> _Known:
    tool = attested.tool
    return digest, tool.name, tool.target, tool.status, attested.kind


def _taken_out(attested: Attestation, digest: str | None, present: Collection[_Known]) -> list[str]:
    """A sentence for each tool of the same code that has no certificate, where the file does not say so any more."""
    return [
        f"the same code has the tool {printable(one.name)} ({printable(one.target, 200)}), which was {one.status}; "
        "the statement on it was taken out of this file"
        for one in attested.issuance.siblings
        if one.outcome == "attestation"
        and (digest, one.name, one.target, one.status, one.outcome) not in present
    ]


def identities(path: Path, key: Verifier) -> list[str]:
    """The identities of the statements in a file, which `key` signed.

    Raises:
        CertificateError: it is no file of certificates, or one of another key.
    """
    ids = []
    for where, line in _lines(read_bytes(path, "certificate"), path):
        signed = envelope.parse(line, where)
        if not signed.is_signed_by(key):
            raise CertificateError(f"{where}: this key did not sign it, and cannot revoke it")
        ids.append(identity(signed.payload))
    return ids


def _lines(text: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    """The envelopes of a file, each with its place: one JSON text, or one a line."""
    lines = [(number, line) for number, line in enumerate(text.split(b"\n"), start=1) if line.strip()]
    if not lines:
        raise CertificateError(f"{path} is empty")
    if len(lines) > MOST_LINES:
        raise CertificateError(f"{path} has more than {MOST_LINES} lines")
    if lines[0][1].rstrip().endswith(b"}"):
        yield from ((f"{path}:{number}", line) for number, line in lines)
    else:
        yield str(path), text


def _check(
    result: Verified, attested: Attestation, statement: Statement, named: str, checks: Checks, where: str
) -> None:
    tool = attested.tool
    title = (
        f"{printable(tool.name)} ({printable(tool.target, 200)}), {printable(tool.edition)}: {tool.status}"
    )
    if attested.kind == "certificate":
        result.lines.append(f"certificate: {title}")
    else:
        result.lines.append(f"ATTESTATION, NO CERTIFICATE: {title}")
        result.lines += [f"  {printable(reason, 300)}" for reason in attested.shortcomings]
    issuance, suite = attested.issuance, attested.suite
    result.lines.append(
        f"  suite {printable(suite.version)}, containment {attested.containment.level}, issued {issuance.issued}, "
        f"valid until {issuance.valid_until}, identity {named}"
    )
    result.lines += [*_said(attested), *_siblings(attested), *_not_examined(attested)]
    if attested.kind != "certificate" and checks.policy.demands.accept == "certificate":
        result.problems.append(
            f"{where}: it is not a certificate; accept attestations by --attestation or a policy"
        )
    issued, ends = (
        as_time(issuance.issued, f"{where}.issued"),
        as_time(issuance.valid_until, f"{where}.valid_until"),
    )
    if checks.at < issued:
        result.problems.append(f"{where}: it was issued at {issuance.issued}, which is still to come")
    if checks.at >= ends:
        result.problems.append(f"{where}: it expired at {issuance.valid_until}")
    _check_subjects(result, statement, named, checks, where)
    _check_code(result, attested, statement, checks, where)
    if any(package.integrity for package in attested.environment.packages):
        result.unchecked.append(
            "the archives of its packages, whose hashes are recorded: an installation does not show them"
        )
    unmet = checks.policy.unmet(attested, checks.at, checks.revocations)
    result.problems += [f"{where}: {line}" for line in unmet]
    if checks.revocations is None:
        place = f" from {printable(issuance.revocations, 200)}" if issuance.revocations else ""
        result.unchecked.append(f"whether it was revoked: give the issuer's list by --revocations{place}")


def _said(attested: Attestation) -> list[str]:
    """Lines on the sandbox, the configuration, and on what extended the suite."""
    around = attested.issuance.sandbox
    held = [f"  {describe(around)}"] if around is not None else []
    return [*held, *_configured(attested), *_loaded(attested)]


def _configured(attested: Attestation) -> list[str]:
    """A line for what the configuration sets, and one for each argument of which it takes values away."""
    names = ", ".join(printable(name, 60) for name in sorted(attested.configuration))
    return [
        *([f"  the configuration sets {names}"] if names else []),
        *(
            f"  the configuration narrows the argument {printable(one.argument, 60)}{_values(one.values)}"
            for one in attested.narrowed
        ),
    ]


def _loaded(attested: Attestation) -> list[str]:
    """A line on the code of third parties in the suite's process; none where nothing was loaded."""
    names = dict.fromkeys(
        f"{printable(one.distribution or one.name, 60)} ({printable(one.kind, 60)})"
        for one in attested.loaded
    )
    return [f"  loaded into the suite: {', '.join(names)}"] if names else []


def _values(number: int | None) -> str:
    if number is None:
        return ", to no fixed number of values"
    return f" to {number} value{'' if number == 1 else 's'} that can be counted"


def _siblings(attested: Attestation) -> list[str]:
    """A line for each tool of the same code that was not examined."""
    return [
        f"  not examined: the tool {printable(one.name, 60)} of the same code"
        for one in attested.issuance.siblings
        if one.outcome == "not examined"
    ]


def _not_examined(attested: Attestation) -> list[str]:
    """A line for each thing that was not examined, or examined in part, and for each rule without a verdict."""
    lines = [
        *(
            f"  not examined: {printable(gap.probe, 60)}: {printable(gap.reason, 300)}"
            for gap in attested.left_out
        ),
        *(
            f"  examined in part: {printable(gap.probe, 60)}: {printable(gap.reason, 300)}"
            for gap in attested.issuance.reduced
        ),
        *(
            f"  inconclusive: {printable(rule.rule, 60)} ({rule.level}): {printable(rule.reason, 300)}"
            for rule in attested.rules
            if rule.verdict is VerdictKind.INCONCLUSIVE
        ),
    ]
    more = len(lines) - _MOST_NOT_EXAMINED
    return lines if more <= 0 else [*lines[:_MOST_NOT_EXAMINED], f"  and {more} lines more like these"]


def _check_subjects(result: Verified, statement: Statement, named: str, checks: Checks, where: str) -> None:
    """The report and the list of revocations, which are about digests."""
    digests = {value for subject in statement.subject for value in subject.digest.values()}
    if checks.report is not None:
        actual = sha256_of(checks.report, "report")
        if actual not in {subject.digest.get("sha256") for subject in statement.subject}:
            result.problems.append(f"{where}: the report {checks.report} is not the one that was signed")
    if checks.revocations is not None:
        for entry in checks.revocations.of(named, *digests):
            if checks.at >= as_time(entry.date, "the date of a revocation"):
                result.problems.append(f"{where}: revoked on {entry.date}: {printable(entry.reason, 300)}")


def _check_code(
    result: Verified, attested: Attestation, statement: Statement, checks: Checks, where: str
) -> None:
    if checks.code is None:
        return
    try:
        actual = digest_in(checks.code, attested.code, code_digest(statement))
        if actual != code_digest(statement):
            result.problems.append(f"{where}: the code in {checks.code} is not the one that was signed")
            differing = islice(
                what_differs(checks.code, attested.code, attested.environment), _MOST_DIFFERING
            )
            result.problems += [f"{where}: {printable(line, 300)}" for line in differing]
            return
    except CertificateError as error:
        result.problems.append(f"{where}: {error}")
        return
    result.attested.append(Attested(where, attested, actual))


def _note_unchecked(result: Verified, checks: Checks) -> None:
    if checks.code is None:
        result.unchecked.append("the code: give its folder by --code")
    if checks.report is None:
        result.unchecked.append("the report: give it by --report")
    result.unchecked = list(dict.fromkeys(result.unchecked))
