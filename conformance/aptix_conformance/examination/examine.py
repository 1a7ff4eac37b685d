"""One tool from its target to its verdicts."""

import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from aptix_conformance.contracts import Edition, Inventory
from aptix_conformance.errors import ConfigurationError, TargetError
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.examination.proof import Source, prove
from aptix_conformance.examination.restart import read_again
from aptix_conformance.examination.scan import Budget, Scan, seed_for
from aptix_conformance.examination.storage import hypothesis_home
from aptix_conformance.examination.verdicts import (
    Concern,
    Counterexample,
    Verdict,
    VerdictKind,
    apply_waivers,
    concerns,
    verdict_of,
)
from aptix_conformance.generate import usable_schema
from aptix_conformance.hosts.host import Hosts, ToolHost
from aptix_conformance.model import Change, Declaration, Exploration, Kind, SchemaReading, Shortfall
from aptix_conformance.model.codec import replace
from aptix_conformance.probes import PROBES, Probe, Subject
from aptix_conformance.probes.planning import plan
from aptix_conformance.probes.probe import Together
from aptix_conformance.rules import Rule
from aptix_conformance.rules.registration import why_not_called
from aptix_conformance.schemas import fingerprint_of_text
from aptix_conformance.targets.settings import Target, ToolSettings
from aptix_conformance.text import nearest, shown

_ONCE_MORE: Final = Change(Kind.AGAIN, of=(Change(Kind.GENERATED),))


@dataclass(frozen=True, slots=True)
class Options:
    """How thorough an examination is: examples a generating probe, seconds a tool, and the seed of the run.

    `storage` is a folder for Hypothesis's caches, a temporary one where it is None.
    """

    examples: int = 100
    budget: float = 30.0
    seed: int = 0
    storage: Path | None = None
    today: datetime.date = field(default_factory=datetime.date.today)


@dataclass(frozen=True, slots=True)
class Suite:
    """What a tool is judged by."""

    rules: tuple[Rule, ...]
    edition: Edition
    inventory: Inventory


@dataclass(frozen=True, slots=True)
class Examination:
    """All that became known of one tool. `seconds` is how long it took."""

    tool: str
    target: Target
    edition: str
    schema_fingerprint: str | None
    verdicts: tuple[Verdict, ...]
    exploration: Exploration
    seconds: float


def read_target(pool: Hosts, target: Target, settings: ToolSettings) -> Declaration:
    """What a tool declares, read in a process that is gone afterwards.

    Raises:
        TargetError: the target cannot be resolved or read.
        HostError: no process could be started.
    """
    host = pool.open(target, settings)
    try:
        return host.describe()
    finally:
        host.close()


def tool_name(declaration: Declaration) -> str:
    """What a tool is called in reports: its declared name, or its class's where it declares none."""
    declared = declaration.tool_name.value
    return declared if declared and declared.strip() else declaration.class_name


def bearing(suite: Suite, declaration: Declaration) -> list[Concern]:
    """Which rules of a suite's edition concern a tool."""
    return concerns(suite.rules, tool_name(declaration), declaration, suite.edition, suite.inventory)


def examine(
    pool: Hosts, target: Target, settings: ToolSettings, suite: Suite, options: Options
) -> Examination:
    """Explore one tool and judge it.

    Raises:
        TargetError: the target cannot be resolved or read.
        HostError: no process could be started or kept.
        ConfigurationError: a waiver names a rule that there is not.
    """
    check_waivers(target, settings, suite.rules)
    host = pool.open(target, settings)
    try:
        with hypothesis_home(options.storage):
            return _examine(host, target, settings, suite, options)
    finally:
        host.close()


def _examine(
    host: ToolHost, target: Target, settings: ToolSettings, suite: Suite, options: Options
) -> Examination:
    started = time.monotonic()
    declaration = host.describe()
    tool = tool_name(declaration)
    ledger = Ledger(bearing(suite, declaration))
    ledger.observe(declaration)
    schema, _ = usable_schema(declaration)
    subject = Subject(
        declaration=declaration,
        schema=schema,
        settings=settings,
        seed=options.seed,
        examples=options.examples,
        disturbances=host.disturbances,
        budget=options.budget,
    )
    sources: dict[str, Source] = {}
    blocked = host.read_only or why_not_constructed(declaration) or why_not_called(declaration)
    if blocked:
        ledger.shortfalls.append(Shortfall("calls", blocked))
    else:
        budget = Budget(options.budget)
        sources = _explore(host, ledger, subject, tool, budget)
        if budget.overrun:
            ledger.shortfalls.append(Shortfall("calls", budget.overrun, thinner=True))
        _see_that_it_has_served(host, ledger, subject)
        ledger.observe(_described_after_calls(host, declaration))
        ledger.prove_host(host, last=True)
    read_again(host, ledger)
    ledger.conclude()
    proofs = {
        rule.code: prove(rule, ledger, host, sources) for rule in ledger.rules if rule.code in ledger.breaches
    }
    return Examination(
        tool=tool,
        target=target,
        edition=suite.edition.name,
        schema_fingerprint=fingerprint_of_text(declaration.schema.text),
        verdicts=apply_waivers(_verdicts(ledger, proofs, blocked or ""), settings.waivers, options.today),
        exploration=ledger.exploration(),
        seconds=time.monotonic() - started,
    )


def _see_that_it_has_served(host: ToolHost, ledger: Ledger, subject: Subject) -> None:
    """Make a call like one that succeeded, for the process may be a new one: what calls change is to be seen.

    Nothing is demanded of its answer: what could be done once need not be possible again.
    """
    worked = next((call.plan for call in ledger.calls if call.succeeded and call.plan.probe == "valid"), None)
    if worked is not None:
        ledger.observe(host.execute(plan(subject, "valid", _ONCE_MORE, worked.arguments)))


def _described_after_calls(host: ToolHost, before: Declaration) -> Declaration:
    """The declaration read once more; where a tool does not let itself be read any more, with that for its schema."""
    try:
        return host.describe()
    except TargetError as error:
        gone = SchemaReading("raised", error=str(error))
        return replace(before, when="after_calls", schema=gone, schema_again=gone)


def _explore(
    host: ToolHost, ledger: Ledger, subject: Subject, tool: str, budget: Budget
) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for probe in PROBES:
        scan = Scan(
            host=host,
            ledger=ledger,
            budget=budget,
            probe=probe.name,
            seed=seed_for(subject.seed, tool, probe.name),
            examples=subject.examples,
        )
        _run(probe, subject, scan, ledger, sources)
        ledger.prove_host(host)
    return sources


def _run(probe: Probe, subject: Subject, scan: Scan, ledger: Ledger, sources: dict[str, Source]) -> None:
    plans = iter(probe.fixed(subject, ledger.calls))
    if getattr(probe, "in_fresh_process", False) and (first := next(plans, None)):
        scan.host.reset()
        plans = chain([first], plans)
    scan.run_fixed(plans)
    shortfall = probe.shortfall(subject, ledger.calls)
    if shortfall:
        ledger.shortfalls.append(shortfall)
    if isinstance(probe, Together):
        scan.run_together(probe.together(subject, ledger.calls))
    strategy = probe.drawn(subject, ledger.calls)
    if strategy is not None:
        scan.run_drawn(strategy)
        sources[probe.name] = Source(scan, strategy)


def why_not_constructed(declaration: Declaration) -> str | None:
    """Why no instance of a tool can be made, with the line that would help; None where one can."""
    if declaration.missing_services:
        names = ", ".join(f'{name} = "module:factory"' for name in declaration.missing_services)
        table = f"[tool.aptix-conformance.tool.{shown(tool_name(declaration), 60)}]"
        return f"its constructor needs what only you can give: add services = {{ {names} }} to {table}"
    if declaration.construction_error:
        return f"{declaration.traits.no_instance}{shown(declaration.construction_error, 300)}"
    return None


def _verdicts(ledger: Ledger, proofs: dict[str, Counterexample], blocked: str) -> list[Verdict]:
    left_out = (shortfall for shortfall in ledger.shortfalls if not shortfall.thinner)
    gaps = "; ".join(f"{shortfall.probe}: {shortfall.reason}" for shortfall in left_out)
    return [
        verdict_of(
            concern,
            ledger.counts.get(concern.rule.code, 0),
            proofs.get(concern.rule.code),
            blocked=blocked,
            gaps=gaps,
        )
        for concern in ledger.concerns
    ]


def check_waivers(target: Target, settings: ToolSettings, rules: Sequence[Rule]) -> None:
    """See that every waiver is for a rule that exists.

    Raises:
        ConfigurationError: one is not.
    """
    known = {rule.code for rule in rules}
    waive = settings.places.get("waivers")
    place = f"pyproject.toml: {waive}" if waive else f"{target.spec}: waivers"
    for index, waiver in enumerate(settings.waivers):
        if waiver.rule not in known:
            hint = nearest(waiver.rule, sorted(known))
            raise ConfigurationError(
                f"{place}[{index}].rule: {waiver.rule!r} names no rule of this suite{hint}"
            )


def unexamined(suite: Suite, declaration: Declaration, reason: str) -> tuple[Verdict, ...]:
    """Verdicts for a tool that was collected and never explored: nothing but inconclusive."""
    return tuple(
        Verdict(
            concern.rule.code,
            concern.rule.name,
            concern.level,
            concern.clauses,
            VerdictKind.NOT_APPLICABLE if concern.exempt else VerdictKind.INCONCLUSIVE,
            reason=concern.exempt or reason,
        )
        for concern in bearing(suite, declaration)
    )
