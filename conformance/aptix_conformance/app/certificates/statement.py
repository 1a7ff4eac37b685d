"""Statements about code, as in-toto Statements of version 1.

Two predicates, one statement each. in-toto's own *test-result* says in the terms of everybody's tools which rules passed.
It has no place for editions, containment, seeds and the environment, so ours says all of it. (in-toto's *simple
verification result* carries a list of properties and a time, which is less than test-result does.)

Everything but `Attestation.issuance` is the same for the same code, configuration, environment and seed. How many calls
were made depends on the machine's speed too, so counts of observations, and what was reduced to fewer calls, are there.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from aptix_conformance.app.certificates.safe_files import parse_json, read_record
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import to_json
from aptix_conformance.core.model.report import Count, Digest, Positive
from aptix_conformance.core.model.verdict import Level, Status, VerdictKind

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT: Final = "https://in-toto.io/Statement/v1"
TEST_RESULT: Final = "https://in-toto.io/attestation/test-result/v0.1"
ALGORITHM: Final = "dirHash"
"""in-toto's name for the digest of the files of a folder."""
ATTESTATION: Final = "urn:aptix-conformance:attestation:1"

_UNKNOWN: Final = "this is not a known statement"

Text = Annotated[str, Meta(min_length=1, max_length=4096)]
Hex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Moment = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")]
"""A time in UTC, to the second."""


class Resource(Struct, frozen=True):
    """What a statement is about: an artefact by its digests (in-toto's ResourceDescriptor)."""

    name: Text
    """What it is called; the digest alone identifies it."""
    digest: Annotated[Mapping[str, str], Meta(min_length=1)]
    """Algorithm to digest, in hexadecimal digits: `dirHash` for code, `sha256` for a file."""


class Statement(Struct, frozen=True):
    """An in-toto Statement; the predicate is read apart, by its type."""

    subject: Annotated[tuple[Resource, ...], Meta(min_length=1)]
    predicate_type: Text = field(name="predicateType")
    predicate: Mapping[str, Any]
    type_: Literal["https://in-toto.io/Statement/v1"] = field(name="_type")


class ToolPart(Struct, frozen=True):
    """The tool that was examined."""

    name: Text
    """Its name in the report."""
    target: Text
    """The target spec by which it was found."""
    system: Text
    """The id of its system, as `mcp`."""
    edition: Text
    """The edition of the contracts by which it was judged."""
    status: Status
    """What its verdicts amount to, as `conforming`."""


class CodePart(Struct, frozen=True):
    """How the digest of the tool's own code was made."""

    kind: Literal["distribution", "folder", "server"]
    """The files of an installed distribution's record, those of a folder, or a server of a store with all that it needs."""
    name: Text
    """The distribution's or server's name and version, or the name of the folder's project; `project` where it has none."""


class SuitePart(Struct, frozen=True):
    """The suite that examined."""

    version: Text
    """The suite's version, as `1.4.0`."""
    digest: Hex
    """The `dirHash` of its own code, with all rules and contracts."""


class RulePart(Struct, frozen=True):
    """How one rule ended."""

    rule: Text
    """The rule's code, as `ARG002`."""
    level: Level
    """How strongly it binds in the edition."""
    verdict: VerdictKind
    """The rule's verdict on the tool."""
    reason: str = ""
    """The reason for the verdict, without measured times; empty for `pass`."""
    masked_by: tuple[str, ...] = ()
    """The broken rules that hide something from it."""


class LeftOutPart(Struct, frozen=True):
    """Something that was not examined."""

    probe: Text
    """The probe that could not examine it."""
    reason: Text
    """Why not, as the report says it."""


class ContainmentPart(Struct, frozen=True):
    """What held the tool's process."""

    level: Literal["full", "partial", "none"]
    """How much of what the suite can do was in force."""
    reasons: tuple[str, ...] = ()
    """What was missing or opened, each in a sentence or clause."""


class ConditionsPart(Struct, frozen=True):
    """Seed, thoroughness and limits."""

    seed: int
    """The number that everything drawn comes from."""
    examples: Count
    """Drawn calls of each generating probe."""
    budget: Positive
    """Seconds that the calls of one tool may take; rules whose calls are not all made by then are inconclusive."""
    timeout: Positive
    """Seconds that one call may take."""
    memory: Count
    """MiB that the processes of one tool may hold."""


class DistributionPart(Struct, frozen=True):
    """A distribution in the environment in which the tool ran."""

    name: Text
    """Its name, in lower case and with `-` for each run of `-`, `_` and `.`."""
    version: Text
    """Its version, as installed."""
    digest: Hex | None
    """The `dirHash` of what its record lists; null where files are missing, or where it is editable."""


class PackagePart(Struct, frozen=True):
    """A package of Node.js or .NET from which the tool can load code."""

    place: Text
    """Where it is in the code, as `node_modules/zod`; else its name, as `Newtonsoft.Json`."""
    version: str
    """Its version in the lock, or in the file that names it; empty where that has none."""
    integrity: str
    """The hash of its archive as it stands there, which installed files cannot show and nothing was compared with; or empty."""
    digest: Hex
    """The `dirHash` of the files that were installed."""


class EnvironmentPart(Struct, frozen=True):
    """Where the tool ran."""

    interpreter: Text
    """Implementation and version of Python, such as `CPython 3.11.7`."""
    platform: Text
    """Operating system and machine, such as `Linux x86_64`."""
    distributions: tuple[DistributionPart, ...] = ()
    """What was installed, sorted by name."""
    runtime: Text | None = None
    """What runs the tool, with its version, such as `Node.js 22.11.0`; None where that is the interpreter."""
    binary: Hex | None = None
    """The `dirHash` of the interpreter's program, with the library of Python that it loads."""
    library: Hex | None = None
    """The `dirHash` of its standard library, without bytecode."""
    runtime_binary: Hex | None = None
    """The `dirHash` of the program of `runtime`, with the libraries that it loads; None where that is the interpreter."""
    packages: tuple[PackagePart, ...] = ()
    """The packages of Node.js and .NET, sorted by place."""


class NarrowedPart(Struct, frozen=True):
    """An argument to which the configuration lets the suite send fewer values than the tool declares."""

    argument: Text
    """Its name."""
    values: Count | None
    """How many different values were left; None where no number limits them."""


class SiblingPart(Struct, frozen=True):
    """Another tool that has its code in common with the one that was examined."""

    name: Text
    """Its name in the report."""
    target: Text
    """The target spec by which it was found."""
    outcome: Literal["certificate", "attestation", "not examined"]
    """What was issued on it, in the same file."""
    status: Status | None = None
    """What its verdicts amount to; None where it was not examined."""


class LoadedPart(Struct, frozen=True):
    """Code of a third party that was loaded into the suite's process."""

    kind: Text
    """The group of its entry point, such as `aptix_conformance.rules`."""
    name: Text
    """The name of the entry point."""
    distribution: str = ""
    """The name and version of its distribution; empty where it has none."""


class SandboxPart(Struct, frozen=True):
    """What held the whole examination, with the suite itself."""

    declared: str
    """The issuer's name for it, such as `bubblewrap 0.8`; empty where the issuer names none. Nothing proves a name."""
    protections: tuple[Text, ...] = ()
    """What the suite found in force around its own process (`sandbox.PROTECTIONS`), sorted."""


class IssuancePart(Struct, frozen=True):
    """What differs from issue to issue, and from machine to machine."""

    issued: Moment
    """When it was signed."""
    valid_until: Moment
    """The first moment at which it counts no more."""
    report: Digest
    """The SHA-256 of the report's bytes."""
    observations: Mapping[str, Count]
    """How many observations each rule judged, by its code."""
    reduced: tuple[LeftOutPart, ...] = ()
    """What was examined in part, for a reason that another machine may not have."""
    revocations: str = ""
    """Where the signed list of revoked certificates is; empty where the issuer names none."""
    siblings: tuple[SiblingPart, ...] = ()
    """The other tools of the same code, and what became of each, sorted."""
    sandbox: SandboxPart | None = None
    """What held the whole examination; None where nobody looked."""


class Attestation(Struct, frozen=True):
    """The suite's own predicate."""

    kind: Literal["certificate", "attestation"]
    """A certificate says that the tool conforms; an attestation says how it ended."""
    shortcomings: tuple[str, ...]
    """Why it is no certificate; empty for one."""
    tool: ToolPart
    """Which tool was examined, and its status."""
    code: CodePart
    """How the digest of its code was made."""
    suite: SuitePart
    """Which version of the suite examined it."""
    rules: Annotated[tuple[RulePart, ...], Meta(min_length=1)]
    """How each rule of the edition ended, sorted."""
    left_out: tuple[LeftOutPart, ...]
    """What was not examined."""
    containment: ContainmentPart
    """What held the tool's process."""
    conditions: ConditionsPart
    """Seed, thoroughness and limits."""
    environment: EnvironmentPart
    """Where the tool ran."""
    configuration: Mapping[str, Any]
    """The tool's configuration, less the values of its environment."""
    narrowed: tuple[NarrowedPart, ...]
    """What the configuration took away of the values that the tool declares, sorted by argument."""
    loaded: tuple[LoadedPart, ...]
    """The code of third parties that was loaded into the suite's process, which is what the issuer named; sorted."""
    issuance: IssuancePart
    """What differs from issue to issue, and from machine to machine."""


class TestResult(Struct, frozen=True):
    """in-toto's predicate test-result, version 0.1."""

    __test__ = False  # pytest takes a class of this name for tests

    result: Literal["PASSED", "WARNED", "FAILED"]
    configuration: tuple[Resource, ...]
    passed: tuple[str, ...] = field(name="passedTests", default=())
    warned: tuple[str, ...] = field(name="warnedTests", default=())
    failed: tuple[str, ...] = field(name="failedTests", default=())


def canonical(value: Any) -> bytes:
    """The bytes of a JSON value: keys sorted, no blanks, ASCII. Equal values have equal bytes."""
    return json.dumps(to_json(value), sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def payload(subject: tuple[Resource, ...], predicate_type: str, predicate: Struct) -> bytes:
    """The bytes of a statement, to be signed."""
    return canonical(Statement(subject, predicate_type, to_json(predicate), STATEMENT))


def identity(statement: bytes) -> str:
    """What identifies a statement in a list of revocations: the SHA-256 of its bytes, in hexadecimal digits."""
    return hashlib.sha256(statement).hexdigest()


def parse_statement(text: bytes, where: str) -> Statement:
    """The statement in a payload.

    Raises:
        CertificateError: it is no statement; `where` is the first part of the message.
    """
    return read_record(Statement, parse_json(text, where), where, _UNKNOWN)


def attestation_of(statement: Statement, where: str) -> Attestation:
    """The suite's own predicate of a statement.

    Raises:
        CertificateError: a member or a subject is missing or of another type, or they contradict each other.
    """
    attestation = read_record(Attestation, statement.predicate, f"{where}.predicate", _UNKNOWN)
    if code_digest(statement) is None or attestation.issuance.report not in _report_digests(statement):
        raise CertificateError(f"{where}.subject does not name the code and the report by their digests")
    if attestation.kind == "certificate":
        reasons = contradictions(attestation)
        if reasons:
            raise CertificateError(f"{where} calls itself a certificate, and {reasons[0]}")
    return attestation


def code_digest(statement: Statement) -> str | None:
    """The `dirHash` of the code that a statement is about; None where it names none, or several."""
    digests = {subject.digest[ALGORITHM] for subject in statement.subject if ALGORITHM in subject.digest}
    return digests.pop() if len(digests) == 1 else None


def _report_digests(statement: Statement) -> set[str]:
    return {
        f"sha256:{subject.digest['sha256']}" for subject in statement.subject if "sha256" in subject.digest
    }


def contradictions(attestation: Attestation) -> list[str]:
    """Why an attestation cannot be called a certificate, each as the rest of a sentence."""
    broken = [
        f"{rule.rule} ({rule.level}) is {rule.verdict}"
        for rule in attestation.rules
        if rule.verdict is VerdictKind.WAIVED
        or (rule.level is Level.MUST and rule.verdict in {VerdictKind.FAIL, VerdictKind.INCONCLUSIVE})
    ]
    return [
        *([f"the tool is {attestation.tool.status}"] if attestation.tool.status != "conforming" else []),
        *broken,
        *(
            f"{rule.rule} is masked by {' and '.join(rule.masked_by)}"
            for rule in attestation.rules
            if rule.masked_by
        ),
        *([_containment(attestation.containment)] if attestation.containment.level != "full" else []),
        *attestation.shortcomings,
    ]


def _containment(part: ContainmentPart) -> str:
    reasons = f" ({'; '.join(part.reasons)})" if part.reasons else ""
    return f"the containment was {part.level}{reasons}"


def result_of(statement: Statement, where: str) -> TestResult:
    """in-toto's test-result of a statement.

    Raises:
        CertificateError: a member is missing or of another type.
    """
    return read_record(TestResult, statement.predicate, f"{where}.predicate", _UNKNOWN)
