"""Known faults: each is to be found in the version that has it, and not in the one that fixed it."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase

from aptix_conformance.core.model.report import ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import VerdictKind
from corpus.results import Result
from corpus.servers import KnownFault


class State(StrEnum):
    """Whether a known fault was found in one version."""

    FOUND = "found"
    NOT_FOUND = "not found"
    NOT_ASKED = "does not apply"
    """The rule asks nothing of the tool, since it no longer declares what it broke."""
    NOT_EXAMINED = "not examined"


def state_of(fault: KnownFault, tools: Sequence[ToolReport] | None) -> State:
    """Whether a fault was found in a version, of which these are the tools; None where there is no report."""
    verdicts = list(_verdicts(fault, tools or ()))
    kinds = {verdict.verdict for verdict in verdicts}
    if any(fnmatchcase(each.cause, fault.cause) for verdict in verdicts for each in verdict.new_causes):
        return State.FOUND
    if not kinds or VerdictKind.INCONCLUSIVE in kinds:
        return State.NOT_EXAMINED
    return State.NOT_ASKED if kinds == {VerdictKind.NOT_APPLICABLE} else State.NOT_FOUND


def known_faults(results: Sequence[Result]) -> Iterator[tuple[Result, KnownFault, Result | None]]:
    """Each known fault with the version that has it, and the one that fixed it; None where no version here did."""
    named = {result.server.name: result for result in results}
    for result in results:
        for fault in result.server.known:
            yield result, fault, named[fault.fixed_in] if fault.fixed_in else None


def lost(results: Sequence[Result]) -> list[str]:
    """A line for each known fault that is not found, and for each that is not known to be gone from the version that fixed it."""
    lines = []
    for old, fault, new in known_faults(results):
        said = f"{fault.rule} {fault.tool} ({fault.cause}): {fault.what}"
        found = state_of(fault, old.tools)
        if found is not State.FOUND:
            lines.append(f"{found} in {old.server.name}: {said}")
        fixed = state_of(fault, new.tools) if new else State.NOT_FOUND
        if new and fixed in (State.FOUND, State.NOT_EXAMINED):
            lines.append(f"{fixed} in {new.server.name}, which fixed it: {said}")
    return lines


def _verdicts(fault: KnownFault, tools: Sequence[ToolReport]) -> Iterator[VerdictReport]:
    for tool in tools:
        if fnmatchcase(tool.tool, fault.tool):
            yield from (verdict for verdict in tool.verdicts if verdict.rule == fault.rule)
