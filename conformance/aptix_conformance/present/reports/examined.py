"""What was examined and what the tool declared: the members `examined` and `declared` of a tool's report.

`suspensions` are the places at which its calls wait, in the order in which they were first seen, each with how it
was cancelled there: by its `token`, as a `task`, both, or neither for lack of time. `restarts` are the conditions under
which its declaration was read again, with how the clock was changed. `fault_sites` are the places at which a dependency
of a call was made to fail, with the faults that were tried.

`declared` is the declaration as a model sees it, used to compare reports.
"""

import contextlib
from collections.abc import Mapping
from typing import Final, Literal

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Exploration
from aptix_conformance.core.model.report import (
    DeclaredReport,
    ExaminedReport,
    FaultSiteReport,
    SuspensionReport,
)
from aptix_conformance.core.schemas import canonical, parse_schema, result_shape
from aptix_conformance.examine import Examination
from aptix_conformance.stimuli.probes import fault


def examined(exploration: Exploration) -> ExaminedReport:
    """The suspensions, restarts and fault sites of an exploration."""
    sites = fault_sites(exploration)
    out_of_reach: tuple[str, ...] = fault.OUT_OF_REACH if sites else ()
    if any(".py:" in site.at for site in sites):
        out_of_reach += fault.OUT_OF_REACH_OF_PYTHON
    return ExaminedReport(
        suspensions=suspensions(exploration),
        restarts=restarts(exploration),
        fault_sites=sites,
        fault_sites_out_of_reach=out_of_reach,
    )


def fault_sites(exploration: Exploration) -> tuple[FaultSiteReport, ...]:
    """The sites of the calls that the fault probe made."""
    sites = fault.fault_sites(exploration.calls)
    return tuple(FaultSiteReport(place, tuple(faults)) for place, faults in sites.items())


def restarts(exploration: Exploration) -> tuple[Mapping[str, str], ...]:
    """The conditions under which the declaration was read again, as the host reached them: value by name of condition."""
    return tuple(
        dict(each.conditions) for each in exploration.declarations if each.when in ("restarted", "threads")
    )


def suspensions(exploration: Exploration) -> tuple[SuspensionReport, ...]:
    """The suspensions of the calls that the cancel probe made."""
    kinds_by_place: dict[str, set[Literal["task", "token"]]] = {}
    for call in exploration.calls:
        point = call.plan.cancellation
        if point is None or call.disturbed is None:
            continue
        if point.is_watched_only:
            for place in call.disturbed.suspensions:
                kinds_by_place.setdefault(place, set())
        elif (point.kind == "token" or point.kind == "task") and call.disturbed.reached:  # noqa: PLR1714 - narrows
            kinds_by_place.setdefault(call.disturbed.place, set()).add(point.kind)
    return tuple(SuspensionReport(place, tuple(sorted(kinds))) for place, kinds in kinds_by_place.items())


LONGEST: Final = 100_000
"""Characters. A report omits a longer schema or usage text."""


def declared(examination: Examination) -> DeclaredReport:
    """The parsed schema, the usage text, and the shape of the results; None for each that is missing or too long."""
    declaration = examination.exploration.declarations[0]
    text = declaration.schema.text
    schema = None
    if text is not None and len(text) <= LONGEST:
        # A schema without a canonical form (NaN, nesting beyond the stack) cannot be written as JSON.
        with contextlib.suppress(RecordError):
            parsed = parse_schema(text)
            canonical(parsed)
            schema = parsed
    usage = declaration.usage_text.value
    return DeclaredReport(
        schema=schema,
        usage_text=usage if usage is not None and len(usage) <= LONGEST else None,
        result_shape=result_shape(examination.exploration.calls),
    )
