"""The changes between two reports: verdicts that turned, tools that are new or gone, rules that the suite added.

Tools are matched by target and edition, rules by their codes. Every tool of an edition is judged by every rule of it, so a
rule that a tool's old report does not have was added by another version of the suite: the tool did not newly break it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind


class ChangeKind(StrEnum):
    """The kinds of change, in the order in which they are shown."""

    BROKEN = "newly broken"
    CAUSE = "new cause"
    UNSEEN = "not examined"
    GONE = "tool gone"
    STATUS = "status"
    NEW = "tool new"
    ADDED = "rule added"
    TURNED = "turned"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. Texts are as the reports have them: escape them before they are shown."""

    kind: ChangeKind
    tool: str
    edition: str
    text: str
    rule: str = ""
    """The rule's code and name; empty for a change of the whole tool."""
    level: Level | None = None
    is_worse: bool = False
    """Whether something is wrong or unknown that was not before, and the suite asked for it then too."""


def changes(old: Report, new: Report) -> list[Change]:
    """The differences of two reports, the worst kinds first, then by tool and rule."""
    before = {(tool.target, tool.edition): tool for tool in old.tools}
    after = {(tool.target, tool.edition): tool for tool in new.tools}
    diffs = [_missing(tool, ended=new.suite.complete) for key, tool in before.items() if key not in after]
    for key, tool in after.items():
        diffs += _of_tool(before[key], tool) if key in before else [_new(tool)]
    order = list(ChangeKind)
    return sorted(diffs, key=lambda change: (order.index(change.kind), change.tool, change.rule, change.text))


def _missing(tool: ToolReport, *, ended: bool) -> Change:
    """A tool that only the old report has; where the new run did not end, it may be there all the same."""
    kind = ChangeKind.GONE if ended else ChangeKind.UNSEEN
    return Change(kind, tool.tool, tool.edition, f"{tool.status} before", is_worse=True)


def _new(tool: ToolReport) -> Change:
    text = f"{tool.status}: {tool.error}" if tool.error else tool.status
    is_worse = tool.status in {"nonconforming", "incomplete"}
    return Change(ChangeKind.NEW, tool.tool, tool.edition, text, is_worse=is_worse)


def _of_tool(old: ToolReport, new: ToolReport) -> Iterator[Change]:
    if old.status != new.status or bool(old.error) != bool(new.error):
        reason = f": {new.error}" if new.error else ""
        text = f"{new.status}, {old.status} before{reason}"
        yield Change(ChangeKind.STATUS, new.tool, new.edition, text, is_worse=bool(new.error))
    if old.error or new.error:
        return  # the verdicts of a tool that was not examined say nothing
    before = {verdict.rule: verdict for verdict in old.verdicts}
    for verdict in new.verdicts:
        known = before.get(verdict.rule)
        yield from _added(new, verdict) if known is None else _turned(new, known, verdict)


def _added(tool: ToolReport, verdict: VerdictReport) -> Iterator[Change]:
    """The change for a rule that the suite added and that failed or was not examined; nothing where the tool keeps it."""
    if verdict.verdict in {VerdictKind.FAIL, VerdictKind.INCONCLUSIVE}:
        yield _change(ChangeKind.ADDED, tool, verdict, _with_reason(verdict))


def rules_between(old: Report, new: Report) -> tuple[list[str], list[str]]:
    """The codes of the rules that the suite added and removed, as far as tools of both reports show them."""
    before = {(tool.target, tool.edition): tool for tool in old.tools if not tool.error}
    added, removed = set(), set()
    for tool in new.tools:
        known = before.get((tool.target, tool.edition))
        if known is not None and not tool.error:
            old_rules, new_rules = ({verdict.rule for verdict in one.verdicts} for one in (known, tool))
            added |= new_rules - old_rules
            removed |= old_rules - new_rules
    return sorted(added), sorted(removed)


def _turned(tool: ToolReport, old: VerdictReport, new: VerdictReport) -> Iterator[Change]:
    """How the verdict of a rule that both reports have turned."""
    must = new.level is Level.MUST
    if old.verdict is new.verdict:
        if new.verdict is VerdictKind.FAIL:
            yield from _causes(tool, old, new)
        if old.level is not new.level and new.verdict is not VerdictKind.PASS:
            text = f"{_in_words(new)}, and a {new.level} instead of a {old.level}"
            yield _change(ChangeKind.TURNED, tool, new, text)
        return
    text = f"{_with_reason(new)} ({_in_words(old)} before)"
    if new.verdict is VerdictKind.FAIL:
        yield _change(ChangeKind.BROKEN, tool, new, text, is_worse=must)
    elif new.verdict is VerdictKind.INCONCLUSIVE:
        # A rule that a breach masks was not examined either, but only the breach got worse.
        yield _change(ChangeKind.UNSEEN, tool, new, text, is_worse=must and not new.masked_by)
    elif old.verdict is VerdictKind.FAIL and new.verdict is VerdictKind.PASS:
        yield _change(ChangeKind.FIXED, tool, new, text)
    else:
        yield _change(ChangeKind.TURNED, tool, new, text)


def _causes(tool: ToolReport, old: VerdictReport, new: VerdictReport) -> Iterator[Change]:
    """The causes of a broken rule that only one of the reports has; none where the other does not name all of its own."""
    before = {named.cause for named in old.named_causes if named.counts}
    after = {named.cause for named in new.named_causes if named.counts}
    if len(old.named_causes) >= old.causes:
        for cause in sorted(after - {named.cause for named in old.named_causes}):
            is_worse = new.level is Level.MUST
            yield _change(ChangeKind.CAUSE, tool, new, cause or new.reason, is_worse=is_worse)
    if len(new.named_causes) >= new.causes:
        for cause in sorted(before - {named.cause for named in new.named_causes}):
            text = f"no longer: {cause}" if cause else "its cause is another"
            yield _change(ChangeKind.FIXED, tool, new, text)


def _change(
    kind: ChangeKind, tool: ToolReport, verdict: VerdictReport, text: str, *, is_worse: bool = False
) -> Change:
    rule = f"{verdict.rule} {verdict.name}"
    return Change(kind, tool.tool, tool.edition, text, rule, verdict.level, is_worse)


def _in_words(verdict: VerdictReport) -> str:
    return verdict.verdict.replace("_", " ")


def _with_reason(verdict: VerdictReport) -> str:
    return f"{_in_words(verdict)}: {verdict.reason}" if verdict.reason else _in_words(verdict)
