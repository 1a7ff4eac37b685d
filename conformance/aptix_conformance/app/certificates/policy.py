"""Policies: what a user demands of certificates, in a TOML file."""

import datetime as dt
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from packaging.version import InvalidVersion, Version

from aptix_conformance.app.certificates.revocations import as_time
from aptix_conformance.app.certificates.safe_files import read_bytes, read_record
from aptix_conformance.app.certificates.statement import Attestation
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.core.text import nearest, printable

_LONGEST_AGE: Final = 36_500
_STRENGTH: Final = {"none": 0, "partial": 1, "full": 2}


class Demands(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The keys of a policy; what is absent is not demanded."""

    accept: Literal["certificate", "attestation"] = "certificate"
    """The least that is accepted."""
    systems: tuple[str, ...] | None = None
    """The systems that are accepted."""
    editions: tuple[str, ...] | None = None
    """The editions of the contracts that are accepted."""
    minimum_suite: str | None = None
    """The oldest version of the suite that is accepted."""
    containment: Literal["full", "partial", "none"] | None = None
    """The least containment that is accepted."""
    max_age_days: Annotated[float, Meta(gt=0, le=_LONGEST_AGE)] | None = None
    """How many days ago it may have been issued."""
    allowed_advice: tuple[str, ...] | None = None
    """The rules that are no MUST and may be broken; absent: all of them."""
    require_revocations: bool = False
    """Whether a list of revocations must have been looked at."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy, and the line of each key in its file."""

    demands: Demands = field(default_factory=Demands)
    path: str = ""
    lines: dict[str, int] = field(default_factory=dict)

    def accepting_attestations(self) -> "Policy":
        """The same policy, but an attestation is enough."""
        return replace(self, demands=replace(self.demands, accept="attestation"))

    def unmet(self, signed: Attestation, at: dt.datetime, *, revocations: bool) -> list[str]:
        """A sentence for each line that an attestation does not meet at a time; `revocations`: whether a list was read."""
        wants = self.demands
        tool, suite = signed.tool, signed.suite
        unmet = []
        if wants.systems is not None and tool.system not in wants.systems:
            unmet.append(self._line("systems", f"the system is {tool.system}"))
        if wants.editions is not None and tool.edition not in wants.editions:
            unmet.append(self._line("editions", f"the edition is {tool.edition}"))
        if wants.minimum_suite is not None and _is_older(suite.version, wants.minimum_suite):
            unmet.append(self._line("minimum-suite", f"the suite was {suite.version}"))
        if (
            wants.containment is not None
            and _STRENGTH[signed.containment.level] < _STRENGTH[wants.containment]
        ):
            unmet.append(self._line("containment", f"the containment was {signed.containment.level}"))
        age = at - as_time(signed.issuance.issued, "issued")
        if wants.max_age_days is not None and age > dt.timedelta(days=wants.max_age_days):
            unmet.append(self._line("max-age-days", f"it was issued {age.days} days before"))
        unmet += [
            self._line("allowed-advice", f"it does not follow {rule}") for rule in self._unmet_advice(signed)
        ]
        if wants.require_revocations and not revocations:
            unmet.append(self._line("require-revocations", "no list of revocations was given"))
        return unmet

    def _unmet_advice(self, signed: Attestation) -> list[str]:
        allowed = self.demands.allowed_advice
        return [
            rule.rule
            for rule in signed.rules
            if allowed is not None
            and rule.level is not Level.MUST
            and rule.verdict in {VerdictKind.FAIL, VerdictKind.WAIVED}
            and rule.rule not in allowed
        ]

    def _line(self, key: str, reason: str) -> str:
        return f"{self.path}:{self.lines.get(key, 0)}: {key} is not met: {printable(reason, 200)}"


def read(path: Path) -> Policy:
    """The policy in a TOML file.

    Raises:
        CertificateError: it cannot be read, is no TOML, or has an unknown key or a wrong value.
    """
    text = read_bytes(path, "policy")
    try:
        data: dict[str, Any] = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"the policy {path} is not TOML: {printable(str(error), 200)}") from None
    allowed = [name.replace("_", "-") for name in Demands.__struct_fields__]
    for key in data:
        if key not in allowed:
            raise CertificateError(
                f"the policy {path} has an unknown key {printable(key)}{nearest(key, allowed)}"
            )
    demands = read_record(Demands, data, str(path), "the policy has a wrong value")
    _is_older("0", demands.minimum_suite or "0")
    return Policy(demands, str(path), _line_numbers(text.decode("utf-8")))


def _line_numbers(text: str) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if key := re.match(r"""\s*["']?([a-z-]+)["']?\s*=""", line):
            numbers.setdefault(key[1], number)
    return numbers


def _is_older(version: str, least: str) -> bool:
    try:
        return Version(version) < Version(least)
    except InvalidVersion as error:
        raise CertificateError(f"this is not a version: {printable(str(error), 100)}") from None
