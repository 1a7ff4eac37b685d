"""Policies: what a user demands of certificates, in a TOML file."""

import datetime as dt
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from packaging.version import InvalidVersion, Version

from aptix_conformance.app.certificates.revocations import Revocations, as_time
from aptix_conformance.app.certificates.safe_files import read_bytes, read_record
from aptix_conformance.app.certificates.sandbox import PROTECTIONS
from aptix_conformance.app.certificates.statement import Attestation, SandboxPart
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.core.text import nearest, printable

_LONGEST_AGE: Final = 36_500
_STRENGTH: Final = {"none": 0, "partial": 1, "full": 2}
_BROKEN: Final = frozenset({VerdictKind.FAIL, VerdictKind.WAIVED})
_Unmet = tuple[str, str]
"""A key of a policy, and why it is not met."""


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
    minimum_revocations: Annotated[int, Meta(ge=1)] | None = None
    """The lowest number of that list: who has seen it takes no older one. Demands a list."""
    max_revocations_age_days: Annotated[float, Meta(gt=0, le=_LONGEST_AGE)] | None = None
    """How many days ago that list may have been signed. Demands a list."""
    tools: tuple[str, ...] | None = None
    """The names of the tools that are accepted."""
    targets: tuple[str, ...] | None = None
    """The target specs that are accepted."""
    allowed_settings: tuple[str, ...] | None = None
    """The keys that the tool's configuration may have; absent: all of them."""
    minimum_values: Annotated[int, Meta(ge=1)] | None = None
    """How many values the configuration must leave of each argument that it narrows."""
    minimum_examples: Annotated[int, Meta(ge=1)] | None = None
    """How many drawn calls of each generating probe must have been planned; those that were not made are named."""
    sandboxes: tuple[str, ...] | None = None
    """The sandboxes that are accepted around the whole examination, by the names that issuers declare."""
    protections: tuple[str, ...] = ()
    """What must have been found in force around the whole examination (`sandbox.PROTECTIONS`)."""
    whole_code: bool = False
    """Whether each other tool of the same code must have a certificate too."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy, and the line of each key in its file."""

    demands: Demands = field(default_factory=Demands)
    path: str = ""
    lines: dict[str, int] = field(default_factory=dict)

    def accepting_attestations(self) -> "Policy":
        """The same policy, but an attestation is enough."""
        return replace(self, demands=replace(self.demands, accept="attestation"))

    def unmet(self, signed: Attestation, at: dt.datetime, revocations: Revocations | None) -> list[str]:
        """A sentence for each line that an attestation does not meet at a time; `revocations` is the list that was read."""
        wants = self.demands
        reasons = (
            *_of_the_tool(wants, signed),
            *_of_the_examination(wants, signed, at),
            *_of_the_sandbox(wants, signed),
            *_of_the_configuration(wants, signed),
            *_of_the_list(wants, revocations, at),
        )
        return [self._line(key, reason) for key, reason in reasons]

    def _line(self, key: str, reason: str) -> str:
        return f"{self.path}:{self.lines.get(key, 0)}: {key} is not met: {printable(reason, 200)}"


def _of_the_tool(wants: Demands, signed: Attestation) -> Iterator[_Unmet]:
    tool = signed.tool
    accepted = {
        "tools": (wants.tools, "tool", tool.name),
        "targets": (wants.targets, "target", tool.target),
        "systems": (wants.systems, "system", tool.system),
        "editions": (wants.editions, "edition", tool.edition),
    }
    for key, (values, noun, actual) in accepted.items():
        if values is not None and actual not in values:
            yield key, f"the {noun} is {actual}"
    if wants.whole_code:
        for one in signed.issuance.siblings:
            if one.outcome != "certificate":
                yield "whole-code", f"the tool {one.name} of the same code is {one.status or one.outcome}"


def _of_the_examination(wants: Demands, signed: Attestation, at: dt.datetime) -> Iterator[_Unmet]:
    suite, held = signed.suite, signed.containment
    if wants.minimum_suite is not None and _is_older(suite.version, wants.minimum_suite):
        yield "minimum-suite", f"the suite was {suite.version}"
    if wants.containment is not None and _STRENGTH[held.level] < _STRENGTH[wants.containment]:
        yield "containment", f"the containment was {held.level}"
    if wants.minimum_examples is not None and signed.conditions.examples < wants.minimum_examples:
        yield "minimum-examples", f"the examples were {signed.conditions.examples}"
    age = at - as_time(signed.issuance.issued, "issued")
    if wants.max_age_days is not None and age > dt.timedelta(days=wants.max_age_days):
        yield "max-age-days", f"it was issued {age.days} days before"
    for rule in signed.rules:
        is_broken_advice = rule.level is not Level.MUST and rule.verdict in _BROKEN
        if is_broken_advice and wants.allowed_advice is not None and rule.rule not in wants.allowed_advice:
            allowed = ", ".join(wants.allowed_advice)
            only = f"breaches of {allowed} only" if allowed else "no broken advice"
            yield "allowed-advice", f"{rule.rule} is broken; the policy allows {only}"


def _of_the_sandbox(wants: Demands, signed: Attestation) -> Iterator[_Unmet]:
    around = signed.issuance.sandbox or SandboxPart("")
    if wants.sandboxes is not None and around.declared not in wants.sandboxes:
        yield "sandboxes", f"the sandbox was {around.declared or 'not declared'}"
    if missing := sorted(set(wants.protections) - set(around.protections)):
        yield "protections", f"{', '.join(missing)} was not in force"


def _of_the_configuration(wants: Demands, signed: Attestation) -> Iterator[_Unmet]:
    if wants.allowed_settings is not None:
        for name in sorted(signed.configuration.keys() - set(wants.allowed_settings)):
            yield "allowed-settings", f"the configuration sets {name}"
    for one in signed.narrowed:
        if wants.minimum_values is not None and one.values is not None and one.values < wants.minimum_values:
            yield "minimum-values", f"the configuration leaves {one.values} of {one.argument}"


def _of_the_list(wants: Demands, revocations: Revocations | None, at: dt.datetime) -> Iterator[_Unmet]:
    if revocations is None:
        demanding = {
            "require-revocations": wants.require_revocations,
            "minimum-revocations": wants.minimum_revocations is not None,
            "max-revocations-age-days": wants.max_revocations_age_days is not None,
        }
        yield from (
            (key, "no list of revocations was given") for key, demands in demanding.items() if demands
        )
        return
    if wants.minimum_revocations is not None and revocations.number < wants.minimum_revocations:
        yield "minimum-revocations", f"the list has the number {revocations.number}"
    age = at - as_time(revocations.issued, "the time of the list of revocations")
    if wants.max_revocations_age_days is not None and age < dt.timedelta():
        yield (
            "max-revocations-age-days",
            f"the list was signed at {revocations.issued}, which is still to come",
        )
    longest = wants.max_revocations_age_days
    if longest is not None and age > dt.timedelta(days=longest):
        yield "max-revocations-age-days", f"the list was signed {age.days} days before"


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
    for name in demands.protections:
        if name not in PROTECTIONS:
            raise CertificateError(
                f"the policy {path} demands an unknown protection {printable(name)}{nearest(name, PROTECTIONS)}"
            )
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
