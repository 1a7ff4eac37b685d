"""Whether the suite says the same of the tool on each system: its status, and the rule that finds the fault."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.model.verdict import VerdictKind
from corpus.same_tool.faults import CONFORMING, Fault


@dataclass(frozen=True)
class Seen:
    """What was found of one variant of the tool with one fault."""

    status: str
    found: Sequence[str]
    """The broken rules that speak of the fault."""
    others: Sequence[str]
    """Other broken rules that the tool without the fault keeps."""
    error: str = ""
    """Why the tool could not be examined."""


def seen_of(fault: Fault, system: str, tool: ToolReport, conforming: ToolReport) -> Seen:
    """Read a report beside that of the tool without a fault."""
    usual = set(_broken(conforming)) if fault.name != CONFORMING else set()
    broken = [rule for rule in _broken(tool) if rule not in usual]
    spoken = fault.codes(system)
    own = [rule for rule in broken if rule in spoken]
    others = [rule for rule in broken if rule not in spoken and _is_must(tool, rule)]
    return Seen(tool.status, own, others, tool.error or "")


def disagreements(fault: Fault, seen: Mapping[str, Seen]) -> Iterator[str]:
    """A sentence for each way in which the systems disagree on a fault, `seen` by the title of the variant."""
    for title, each in seen.items():
        if each.error:
            yield f"{title}, {fault.name}: not examined: {each.error}"
        elif fault.name == CONFORMING and each.status != "conforming":
            yield f"{title}, {fault.name}: {each.status}: {', '.join(each.others)}"
        elif fault.name != CONFORMING and not each.found:
            yield f"{title}, {fault.name}: no rule found the fault"
        elif each.others:
            yield f"{title}, {fault.name}: other rules are broken, too: {', '.join(each.others)}"
    statuses = {each.status for each in seen.values()}
    if len(statuses) > 1 and not fault.difference:
        yield f"{fault.name}: the statuses differ, and faults.toml does not say why: {', '.join(sorted(statuses))}"
    if len(statuses) == 1 and fault.difference:
        yield f"{fault.name}: the statuses do not differ; faults.toml gives a reason why they do"


def _broken(tool: ToolReport) -> list[str]:
    return [each.rule for each in tool.verdicts if each.verdict is VerdictKind.FAIL]


def _is_must(tool: ToolReport, rule: str) -> bool:
    return any(each.rule == rule and each.level == "MUST" for each in tool.verdicts)
