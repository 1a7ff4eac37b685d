"""The second phase: every probe plans calls, the host makes them, the ledger judges them."""

from itertools import chain

from aptix_conformance.examination.applicable import tool_name
from aptix_conformance.examination.case import Case, Explored, Source
from aptix_conformance.examination.scan import Budget, Scan, seed_for
from aptix_conformance.model import Shortfall
from aptix_conformance.probes import Probe
from aptix_conformance.probes.probe import Together


def explore(case: Case) -> Explored:
    """Make the calls of every probe; none where no call can be made.

    Raises:
        HostError: no process could be started or kept.
    """
    if case.blocked:
        return Explored(case, {})
    subject, ledger = case.subject, case.ledger
    budget = Budget(subject.budget)
    sources = {}
    for probe in case.opened.suite.probes:
        scan = Scan(
            host=case.host,
            ledger=ledger,
            budget=budget,
            probe=probe.name,
            seed=seed_for(subject.seed, tool_name(case.declaration), probe.name),
            examples=subject.examples,
        )
        source = _run(probe, case, scan)
        if source is not None:
            sources[probe.name] = source
        ledger.check_host_integrity(case.host)
    if budget.overrun:
        ledger.shortfalls.append(Shortfall("calls", budget.overrun, reduced_coverage=True))
    return Explored(case, sources)


def _run(probe: Probe, case: Case, scan: Scan) -> Source | None:
    """Make one probe's calls; returns the source of its drawn calls, None where it draws none."""
    subject, ledger = case.subject, case.ledger
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
    if strategy is None:
        return None
    scan.run_drawn(strategy)
    return Source(scan, strategy)
