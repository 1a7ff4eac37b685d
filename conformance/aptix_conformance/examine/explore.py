"""The second phase: every probe plans calls, the host makes them, the ledger judges them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from typing import TypeVar

from aptix_conformance.core.model import Declaration, Shortfall, Stimulus
from aptix_conformance.examine.applicable import tool_name
from aptix_conformance.examine.batches import Batches
from aptix_conformance.examine.case import Case, Explored, Source
from aptix_conformance.examine.deadline import MOST_LOST, MOST_LOST_QUICKLY, Deadline
from aptix_conformance.examine.ledger import Ledger, size_of
from aptix_conformance.examine.needed_probes import ALL_CALLS, BASE
from aptix_conformance.examine.quick import QuickPlan
from aptix_conformance.examine.scan import Scan, seed_for
from aptix_conformance.examine.step_limit import OutOfTime
from aptix_conformance.examine.tainted_state import (
    AFTER_REFUSALS,
    WITHOUT_REFUSALS,
    after_a_refusal,
    is_made_again,
    is_tainted,
    may_be_tainted,
)
from aptix_conformance.hosts.own_time import ThreadClock
from aptix_conformance.stimuli.probes import Probe
from aptix_conformance.stimuli.probes.value_partitions import values_without_a_base

T = TypeVar("T")


def explore(case: Case) -> Explored:
    """Make the calls of every probe; none where no call can be made."""
    if case.blocked:
        return Explored(case, {})
    made_apart = Batches(case.host, size_of, case.ledger.calls)
    with closing(ThreadClock()) as clock, closing(made_apart) as batches:
        options, settings = case.opened.options, case.subject.settings
        # A busy machine must not reach the deadline, or it would decide which calls are made.
        deadline = Deadline(
            options.budget,
            clock=lambda: clock() - case.host.waited - batches.waited,
            timeout=settings.timeout or options.timeout,
            most_lost=MOST_LOST_QUICKLY if options.quick else MOST_LOST,
        )
        sources: dict[str, Source] = {}
        case.ledger.harness.attempt(
            "exploring the tool",
            judging_calls(case.ledger),
            lambda: _explore(case, deadline, batches, sources),
            bool,
        )
        return Explored(case, sources)


def judging_calls(ledger: Ledger, probe: str = BASE) -> list[str]:
    """The codes of the rules that may judge calls of a probe; other probes build on the calls of `BASE`."""
    return ledger.codes(
        lambda rule: (
            rule.over is not Declaration and (probe == BASE or rule.probes is None or probe in rule.probes)
        )
    )


def _explore(case: Case, deadline: Deadline, batches: Batches, sources: dict[str, Source]) -> None:
    """Make the calls of every probe; adds the source of drawn calls by name of probe."""
    subject, ledger = case.subject, case.ledger
    probes = [each for each in case.opened.suite.probes if each.of == case.declaration.kind]
    sources |= _run_all(probes, case, deadline, batches)
    has_tried = not case.opened.options.quick and any(probe.name == AFTER_REFUSALS.name for probe in probes)
    if not has_tried and may_be_tainted(ledger.observed):
        _run_all([AFTER_REFUSALS, WITHOUT_REFUSALS], case, deadline, batches, whole=True)
    if is_tainted(ledger.observed):
        sources |= _explore_again(list(filter(is_made_again, probes)), case, deadline, batches)
    ledger.count_left_out()
    ledger.count_unrecorded()
    unsent = why_no_surrogates(subject.declaration)
    if unsent and subject.declaration.kind == "tool":
        ledger.shortfalls.append(Shortfall(ALL_CALLS, unsent, reduced_coverage=True, expected=True))


def _explore_again(
    probes: Sequence[Probe], case: Case, deadline: Deadline, batches: Batches
) -> dict[str, Source]:
    """Make the calls of some probes once more, of a tool whose refusals spoil later calls (`tainted_state.py`)."""
    ledger, names = case.ledger, {probe.name for probe in probes}
    spoiled = [call for call in after_a_refusal(ledger.observed) if call.plan.probe in names]
    ledger.supersede(spoiled)
    ledger.shortfalls[:] = [each for each in ledger.shortfalls if each.probe not in names]
    reason = (
        f"a refused call spoils later ones (RES012): {len(spoiled)} that were refused after it are not judged, and all "
        "calls were made once more, those after a refusal in a fresh process"
    )
    ledger.shortfalls.append(Shortfall(ALL_CALLS, reason, reduced_coverage=True))
    deadline.hung = 0
    return _run_all(probes, case, deadline, batches, tainted=True)


def _run_all(
    probes: Sequence[Probe],
    case: Case,
    deadline: Deadline,
    batches: Batches,
    *,
    tainted: bool = False,
    whole: bool = False,
) -> dict[str, Source]:
    """Make the calls of some probes; `tainted` where the tool's refusals spoil later calls, `whole` for all at any thoroughness."""
    subject, ledger = case.subject, case.ledger
    sources = {}
    for probe in probes:
        if ledger.lacking is not None and all(call.left_out for call in ledger.calls):
            break  # the set-up lets no call be made
        scan = Scan(
            host=case.host,
            ledger=ledger,
            deadline=deadline,
            probe=probe.name,
            seed=seed_for(subject.seed, tool_name(case.declaration), probe.name),
            examples=subject.examples,
            in_sequence=probe.in_sequence,
            tainted=tainted,
            apart=probe.apart,
            batches=batches if case.host.has_others else None,
            patience=None if case.opened.options.quick else case.patience,
            quick=QuickPlan(probe.name) if case.opened.options.quick and not whole else None,
        )
        with case.opened.watch.during(probe.name):
            source = ledger.harness.attempt(
                f"making the calls of the probe {probe.name}",
                judging_calls(ledger, probe.name),
                partial(_run_and_check, probe, case, scan),
                lambda: None,
                asks_tool=True,
            )
            if source is not None:
                sources[probe.name] = source
    return sources


def _run_and_check(probe: Probe, case: Case, scan: Scan) -> Source | None:
    source = _run(probe, case, scan)
    case.ledger.check_host_integrity(case.host)
    return source


def why_no_surrogates(declaration: Declaration) -> str:
    """Why a tool gets no arguments with half of a character; empty where it may."""
    own = declaration.facts.unsent_surrogates() if declaration.facts else ""
    return declaration.traits.unsent_surrogates or own


def reaches_a_tool(declaration: Declaration, plan: Stimulus) -> bool:
    """Whether an orchestrator of the tool's system would pass the arguments of a call on."""
    if not why_no_surrogates(declaration) or plan.arguments is None:
        return True
    try:
        json.dumps(json.loads(plan.arguments), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True
    return True


def _stopped(probe: Probe, error: OutOfTime) -> Shortfall:
    return Shortfall(probe.name, f"planning its calls was stopped: {error}", cut=True)


def _limited(case: Case, probe: Probe, plans: Iterator[T]) -> Iterator[T]:
    """Plans one by one, each under the limit of a step."""
    while True:
        try:
            with case.ledger.limit.step(f"planning {probe.name}"):
                plan = next(plans, None)
        except OutOfTime as error:
            case.ledger.shortfalls.append(_stopped(probe, error))
            return
        if plan is None:
            return
        yield plan


def _run(probe: Probe, case: Case, scan: Scan) -> Source | None:
    """Make one probe's calls; returns the source of its drawn calls, None where it draws none."""
    subject, ledger = case.subject, case.ledger
    declaration = subject.declaration
    plans = _limited(
        case,
        probe,
        (plan for plan in probe.fixed(subject, ledger.observed) if reaches_a_tool(declaration, plan)),
    )
    scan.host.restore_files()
    fresh = scan.tainted or probe.in_fresh_process
    if fresh and (first := next(plans, None)):
        scan.host.reset()
        plans = chain([first], plans)
    scan.run_fixed(plans)
    try:
        with ledger.limit.step(f"planning {probe.name}"):
            shortfalls = (
                probe.shortfall(subject, ledger.observed),
                values_without_a_base(probe, subject, ledger.observed),
            )
            strategy = probe.drawn(subject, ledger.observed)
    except OutOfTime as error:
        ledger.shortfalls.append(_stopped(probe, error))
        return None
    ledger.shortfalls += [shortfall for shortfall in shortfalls if shortfall]
    groups = _limited(case, probe, probe.together(subject, ledger.observed))
    scan.run_together(groups, fresh=probe.in_fresh_process)
    if strategy is None:
        return None
    if why_no_surrogates(declaration):
        strategy = strategy.filter(lambda plan: reaches_a_tool(declaration, plan))
    case.opened.watch.drew(scan.run_drawn(strategy))
    return Source(scan, strategy)
