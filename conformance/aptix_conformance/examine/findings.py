"""From a breach to a finding as a report has it: with what the suite did to make the call, and long texts cut."""

from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call, Stimulus
from aptix_conformance.core.model.canaries import without_scratch_names
from aptix_conformance.core.model.codec import Record, from_json, replace, to_json
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import CallReport, FindingReport, ResultReport
from aptix_conformance.examine.ledger import Breach, Ledger
from aptix_conformance.examine.never_succeeded import refusals_of
from aptix_conformance.examine.what_suite_did import what_suite_did, works_undisturbed

LONGEST: Final = 20_000
"""Characters of one text that a report keeps; arguments are kept whole, because a replay needs them."""
MOST_LOGS: Final = 20
"""Log records of one call that a report keeps."""


def finding_of(
    breach: Breach,
    ledger: Ledger,
    containment: Containment | None,
    *,
    history: tuple[Stimulus, ...] = (),
    reproduced: bool = True,
    attempts: int = 2,
) -> FindingReport:
    """The finding that shows a breach. The key of its cause is set later, and the report sets the command that reproduces it."""
    call = breach.call
    return FindingReport(
        message=without_scratch_names(breach.finding.message),
        call=call_report(call, _suites_doing(call, ledger, containment)) if call else None,
        history=history,
        reproduced=reproduced,
        replay="",
        attempts=attempts,
        timed=breach.finding.timed,
    )


def call_report(call: Call, suites_doing: str) -> CallReport:
    """A call as a report has it; `suites_doing` is what the suite did to make it, as sentences."""
    return CallReport(
        plan=call.plan,
        label=call.plan.label,
        outcome=call.outcome,
        incident=call.incident,
        result=_bounded(from_json(ResultReport, to_json(call.result))) if call.result else None,
        raised=_bounded(call.raised),
        logs=_bounded(call.logs[:MOST_LOGS]),
        stdout=call.stdout,
        stderr=call.stderr,
        suite=suites_doing,
    )


def _suites_doing(call: Call, ledger: Ledger, containment: Containment | None) -> str:
    """Sentences on what the suite did to make a call and what its containment refused; empty where the suite fails."""

    def sentences() -> str:
        works = works_undisturbed(call, ledger.exploration().calls)
        refusals = refusals_of(call, ledger.declarations[0], containment)
        return " ".join([what_suite_did(call, works=works), *refusals])

    return ledger.harness.attempt("saying what the suite did to make a call", (), sentences, str)


def _bounded(value: Any) -> Any:
    """A copy with long texts truncated, at every depth."""
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}… ({len(value)} characters)"
    if isinstance(value, (list, tuple)):
        return type(value)(_bounded(item) for item in value)
    if isinstance(value, Mapping):
        return {key: _bounded(item) for key, item in value.items()}
    if isinstance(value, Record):
        return replace(value, **{name: _bounded(getattr(value, name)) for name in value.__struct_fields__})
    return value
