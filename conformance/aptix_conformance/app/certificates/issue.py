"""Issuing: sign what an examination showed.

Each tool gets two statements: the suite's own and in-toto's test-result. Any outcome can be attested. The word
*certificate* is for a tool that conforms, was examined in full containment, and has nothing waived.
"""

import datetime as dt
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.certificates import envelope
from aptix_conformance.app.certificates.environment import suite
from aptix_conformance.app.certificates.examined import Examined, with_texts
from aptix_conformance.app.certificates.narrowed import narrowed
from aptix_conformance.app.certificates.siblings import siblings_of
from aptix_conformance.app.certificates.signing import Signer
from aptix_conformance.app.certificates.statement import (
    ALGORITHM,
    ATTESTATION,
    PAYLOAD_TYPE,
    TEST_RESULT,
    Attestation,
    ConditionsPart,
    ContainmentPart,
    IssuancePart,
    LeftOutPart,
    LoadedPart,
    Resource,
    RulePart,
    SandboxPart,
    SuitePart,
    TestResult,
    ToolPart,
    canonical,
    contradictions,
    payload,
)
from aptix_conformance.app.run.reports import loaded_extensions
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace, to_json
from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import json_report
from aptix_conformance.present.reports.servers import why_not_certified
from aptix_conformance.targets.settings import ToolSettings

LONGEST_VALIDITY: Final = dt.timedelta(days=3660)
ELSEWHERE: Final = "…/"
"""The placeholder for the folder of a path outside of the project."""
_MEASURED: Final = re.compile(r"\d+(\.\d+)? (s|calls)\b")
_NOT_RECORDED: Final = frozenset({"given", "places", "env", "waivers"})


@dataclass(frozen=True, slots=True)
class Terms:
    """The decisions of the issuer: the time of issue, how long the statement counts, where revocations are listed, and what held the examination.

    Raises:
        CertificateError: the validity is not between one second and `LONGEST_VALIDITY`, or could end after the year 9999.
    """

    issued: dt.datetime
    validity: dt.timedelta = dt.timedelta(days=365)
    revocations: str = ""
    sandbox: SandboxPart | None = None

    def __post_init__(self) -> None:
        if not dt.timedelta(seconds=1) <= self.validity <= LONGEST_VALIDITY:
            raise CertificateError(f"a certificate counts for a second to {LONGEST_VALIDITY.days} days")
        if self.issued.year + LONGEST_VALIDITY.days // 365 >= dt.MAXYEAR:
            raise CertificateError(
                f"{self.issued.isoformat()} is too late: dates end with the year {dt.MAXYEAR}"
            )

    def issuance(self, tool: ToolReport, report: str) -> IssuancePart:
        """The part of a statement that differs from issue to issue; `report` is the digest of the report."""
        return IssuancePart(
            issued=moment(self.issued),
            valid_until=moment(self.issued + self.validity),
            report=report,
            observations={verdict.rule: verdict.observations for verdict in tool.verdicts},
            reduced=_left_out(tool, reduced=True),
            revocations=self.revocations,
            sandbox=self.sandbox,
        )


@dataclass(frozen=True, slots=True)
class Issued:
    """The statements that were issued for one tool."""

    attestation: Attestation
    lines: tuple[str, ...]
    """The envelopes, each a line of JSON."""


def moment(time: dt.datetime) -> str:
    """A time in UTC, to the second, as statements have it.

    Raises:
        CertificateError: it is not in the years 1 to 9999 of UTC.
    """
    try:
        return time.astimezone(dt.UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
    except OverflowError:
        raise CertificateError(f"{time.isoformat()} is not in the years 1 to 9999 of UTC") from None


def sign_all(
    report: Report, examined: Sequence[Examined], terms: Terms, key: Signer, root: Path
) -> list[Issued]:
    """Sign what was examined, a tool after the other; paths in the configuration are given as seen from `root`."""
    digest = hashlib.sha256(json_report.render(report).encode()).hexdigest()
    ours = suite()
    attested = [
        attest(one, report, ours, terms.issuance(one.report, f"sha256:{digest}"), root) for one in examined
    ]
    issued = []
    for one, attestation in zip(examined, _with_siblings(examined, attested), strict=True):
        subject = (Resource(one.code.name, {ALGORITHM: one.digest}), Resource("report", {"sha256": digest}))
        statements = (
            payload(subject, ATTESTATION, attestation),
            payload(subject, TEST_RESULT, _test_result(attestation)),
        )
        lines = tuple(envelope.written(envelope.sign(PAYLOAD_TYPE, text, key)) for text in statements)
        issued.append(Issued(attestation, lines))
    return issued


def _with_siblings(
    examined: Sequence[Examined], attestations: Sequence[Attestation]
) -> Iterator[Attestation]:
    for one, own in zip(examined, attestations, strict=True):
        of_code = [
            each for other, each in zip(examined, attestations, strict=True) if other.digest == one.digest
        ]
        siblings = siblings_of(own, of_code, one.unexamined)
        yield replace(own, issuance=replace(own.issuance, siblings=siblings))


def attest(one: Examined, report: Report, ours: SuitePart, issuance: IssuancePart, root: Path) -> Attestation:
    """The statement on one tool: a certificate if nothing prevents one, else an attestation that says why not."""
    tool = one.report
    attestation = Attestation(
        kind="certificate",
        shortcomings=(),
        tool=ToolPart(tool.tool, tool.target, tool.system, tool.edition, tool.status),
        code=one.code,
        suite=ours,
        rules=tuple(
            RulePart(verdict.rule, verdict.level, verdict.verdict, _reason(verdict), verdict.masked_by)
            for verdict in sorted(tool.verdicts, key=lambda verdict: verdict.rule)
        ),
        left_out=_left_out(tool, reduced=False),
        containment=_containment(tool),
        conditions=_conditions(report, one.tool.settings),
        environment=one.environment,
        configuration=_configuration(one.tool.settings, root),
        narrowed=narrowed(one.tool.settings.arguments),
        loaded=tuple(LoadedPart(each.kind, each.name, each.distribution) for each in loaded_extensions()),
        issuance=issuance,
    )
    missing = (
        *contradictions(attestation),
        *_of_the_run(report),
        *why_not_certified(tool, report.tools),
        *one.unnamed,
    )
    return replace(attestation, kind="attestation", shortcomings=missing) if missing else attestation


def _reason(verdict: VerdictReport) -> str:
    """Why a rule ended as it did, without what was measured."""
    is_timed = verdict.finding is not None and verdict.finding.timed
    return _MEASURED.sub(r"… \2", verdict.reason) if is_timed else verdict.reason


def _left_out(tool: ToolReport, *, reduced: bool) -> tuple[LeftOutPart, ...]:
    """The parts that were not examined; with `reduced`, those that were examined in part, for a reason that another machine may not have."""
    return tuple(
        LeftOutPart(gap.probe, gap.reason)
        for gap in tool.shortfalls
        if (gap.reduced_coverage and not gap.expected) is reduced
    )


def _of_the_run(report: Report) -> list[str]:
    """Why no tool of a run can have a certificate."""
    return [
        *([] if report.suite.complete else ["the run ended before every tool was examined"]),
        *([] if report.suite.isolated else ["the tools ran in the suite's own process"]),
        *report.unneeded_waivers,
    ]


def _containment(tool: ToolReport) -> ContainmentPart:
    held = tool.held
    if held is None:
        return ContainmentPart("none", ("what held the tool's process is not known",))
    return ContainmentPart(held.level, held.reasons)


def _conditions(report: Report, settings: ToolSettings) -> ConditionsPart:
    ours = report.suite
    if ours.budget is None or ours.memory is None or ours.timeout is None:
        raise CertificateError("the report does not say its limits")
    return ConditionsPart(
        ours.seed, ours.examples, ours.budget, settings.timeout or ours.timeout, ours.memory
    )


def _configuration(settings: ToolSettings, root: Path) -> Mapping[str, Any]:
    """The configuration that the project gives the tool; of its environment the names alone, and of its waivers the rules."""
    values = with_texts(to_json(settings), partial(_below, root))
    recorded = {name: values[name] for name in settings.given - _NOT_RECORDED}
    names = {"env": sorted(settings.env), "waivers": sorted(waiver.rule for waiver in settings.waivers)}
    return {**recorded, **{name: value for name, value in names.items() if value}}


def _below(root: Path, text: str) -> str:
    """A path below the project as seen from there, another absolute one by its last part; any other text as it is."""
    if not os.path.isabs(text):  # noqa: PTH117 - a text, which may hold wildcards
        return text
    path = Path(text)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else f"{ELSEWHERE}{path.name}"


def _test_result(attestation: Attestation) -> TestResult:
    """The same in in-toto's words: advice is a warning; what was not examined is in no list."""
    name = attestation.tool.name
    passed = tuple(f"{name}/{rule.rule}" for rule in attestation.rules if rule.verdict is VerdictKind.PASS)
    broken = [rule for rule in attestation.rules if rule.verdict in {VerdictKind.FAIL, VerdictKind.WAIVED}]
    failed = tuple(f"{name}/{rule.rule}" for rule in broken if rule.level is Level.MUST)
    warned = tuple(f"{name}/{rule.rule}" for rule in broken if rule.level is not Level.MUST)
    configuration = hashlib.sha256(canonical(attestation.configuration)).hexdigest()
    resources = (
        Resource("configuration", {"sha256": configuration}),
        Resource(f"aptix-conformance {attestation.suite.version}", {ALGORITHM: attestation.suite.digest}),
    )
    if attestation.kind != "certificate":
        return TestResult("FAILED", resources, passed, warned, failed)
    return TestResult("WARNED" if warned else "PASSED", resources, passed, warned, failed)
