"""The first phase: read what a tool declares, and find out whether it can be called."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import CONFIGURATION, Declaration, Shortfall
from aptix_conformance.core.model.verdict import Level
from aptix_conformance.core.text import printable
from aptix_conformance.examine.applicable import Suite, applicable_rules
from aptix_conformance.examine.case import Case, Opened
from aptix_conformance.examine.harness_errors import HarnessErrors
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.needed_probes import ALL_CALLS
from aptix_conformance.examine.step_limit import OutOfTime, StepLimit
from aptix_conformance.hosts.author_files import names_in
from aptix_conformance.hosts.host import MIB
from aptix_conformance.hosts.refused_access import with_refusals
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.rules.registration import why_not_called
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.stimuli.probes import Subject
from aptix_conformance.targets.per_tool import table_of
from aptix_conformance.targets.settings import Target

LONGEST_DECLARED: Final = 4 * MIB
"""Characters of a tool's schema and usage text together that the suite reads."""


def check_length(declaration: Declaration) -> None:
    """Check that a declaration is not so long that reading it would take all of the time and memory.

    Raises:
        TargetError: it is.
    """
    length = len(declaration.schema.text or "") + len(declaration.usage_text.value or "")
    if length > LONGEST_DECLARED:
        most = LONGEST_DECLARED // MIB
        raise TargetError(
            f"it declares {length:,} characters of schema and usage text; the suite reads at most {most} Mi: shorten them"
        )


_UNREAD: Final = "the suite failed with its schema"


class _Exemptions:
    """Asks each rule whether it applies to a tool, under the limit of a step."""

    def __init__(self, declaration: Declaration, limit: StepLimit, harness: HarnessErrors) -> None:
        self.out_of_time: dict[str, str] = {}
        self.harness = harness
        self._declaration = declaration
        self._limit = limit

    def __call__(self, rule: Rule) -> str | None:
        try:
            with self._limit.step(rule.code):
                return rule.applies(self._declaration)
        except OutOfTime as error:
            self.out_of_time[rule.code] = f"finding out whether it applies was stopped: {error}"
        except Exception as error:  # noqa: BLE001 - a rule may be a third party's
            self.harness.add(f"finding out whether {rule.code} applies", error, [rule.code])
        return None


def exemptions(suite: Suite, declaration: Declaration, limit: StepLimit) -> Mapping[str, str]:
    """The rules of a suite that do not apply to a tool, each with the reason."""
    applicable = applicable_rules(suite, declaration, _Exemptions(declaration, limit, HarnessErrors()))
    return {each.rule.code: each.exempt.words for each in applicable if each.exempt}


def declare(opened: Opened) -> Case:
    """Read the declaration, judge it as the first observation, and prepare the input of the probes.

    Raises:
        TargetError: the declaration cannot be read.
        HostError: no process could be started.
    """
    host, options = opened.host, opened.options
    declaration = host.describe()
    limit = opened.limit
    harness = HarnessErrors(host)
    applies = _Exemptions(declaration, limit, harness)
    bound = applicable_rules(opened.suite, declaration, applies)
    waived = {each.rule for each in opened.settings.waivers if each.expires >= options.today}
    opened.watch.gate = {each.rule.code for each in bound if each.level is Level.MUST} - waived
    ledger = Ledger(
        bound,
        on_call=opened.watch.made_call,
        on_breach=opened.watch.saw_broken,
        limit=limit,
        out_of_time=applies.out_of_time,
        harness=harness,
    )
    ledger.observe(declaration)
    on_calls = ledger.codes(lambda rule: rule.over is not Declaration)
    schema, unreadable = harness.attempt(
        "reading the schema", on_calls, lambda: _schema_of(declaration, limit), lambda: (None, _UNREAD)
    )
    subject = Subject(
        declaration=declaration,
        schema=schema,
        settings=opened.settings,
        seed=options.seed,
        examples=options.examples,
        disturbances=host.disturbances,
        file_names=names_in(opened.settings.files),
        ask_listing_tools=host.ask_listing_tools,
    )
    subject = harness.attempt(
        "making arguments",
        on_calls,
        lambda: _with_arguments(subject, limit),
        lambda: replace(subject, schema=None, stopped=_UNREAD),
    )
    blocked = host.read_only or why_not_constructed(declaration, opened.target) or unreadable
    ledger.shortfalls += _of_the_configuration(subject)
    if blocked:
        ledger.shortfalls.append(Shortfall(ALL_CALLS, blocked))
    by_tool = bool(blocked) and not (host.read_only or declaration.missing_services or harness.found)
    return Case(opened, subject, ledger, blocked, by_tool)


def _of_the_configuration(subject: Subject) -> list[Shortfall]:
    """What the settings withhold, and what they would have to say for longer waits."""
    settings = subject.settings
    left_out = [Shortfall(CONFIGURATION, reason, reduced_coverage=True) for reason in settings.withheld]
    waits = sorted(subject.bounded_waits - settings.arguments.keys())
    if waits:
        names = ", ".join(printable(name, 40) for name in waits)
        reason = f"calls ask for a wait of a second at most ({names}): `arguments` in the tool's table lets them ask for more"
        left_out.append(Shortfall(CONFIGURATION, reason, reduced_coverage=True, expected=True))
    return left_out


def _schema_of(declaration: Declaration, limit: StepLimit) -> tuple[Mapping[str, Any] | None, str]:
    """The schema of calls, and why it cannot be read, empty where it can."""
    try:
        with limit.step("schema"):
            return usable_schema(declaration)[0], why_not_called(declaration) or ""
    except OutOfTime as error:
        return None, f"reading its schema was stopped: {error}"


def _with_arguments(subject: Subject, limit: StepLimit) -> Subject:
    """A subject whose arguments could be made; without a schema, where they take too long."""
    try:
        with limit.step("arguments"):
            subject.unusable()
    except OutOfTime as error:
        return replace(subject, schema=None, stopped=f"making arguments was stopped: {error}")
    return subject


def why_not_constructed(declaration: Declaration, target: Target) -> str | None:
    """Why no instance of a tool can be made, with the setting that helps; None where one can be made."""
    if declaration.missing_services:
        names = ", ".join(f'{name} = "module:factory"' for name in declaration.missing_services)
        table = table_of(target.spec)
        return f"it needs what the suite cannot make: add services = {{ {names} }} to {table}"
    if declaration.construction_error:
        error = printable(declaration.construction_error, 300)
        return with_refusals(f"{declaration.traits.no_instance}{error}")
    return None
