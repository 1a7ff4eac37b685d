"""From an examination to a tool's report: only reports are sent to other processes and written to files."""

from collections.abc import Iterable, Sequence

from aptix_conformance.core.errors import ConformanceError, HarnessError
from aptix_conformance.core.model import Call, Declaration, Shortfall
from aptix_conformance.core.model.codec import from_json, replace, to_json
from aptix_conformance.core.model.report import (
    HarnessErrorReport,
    ShortfallReport,
    StepReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.examine import Examination
from aptix_conformance.examine.never_succeeded import unreached
from aptix_conformance.examine.verdicts import status_of
from aptix_conformance.present.reports.examined import declared, examined
from aptix_conformance.present.reports.replay_commands import replay_command
from aptix_conformance.targets.settings import Target


def tool_report(examination: Examination, *, tool: str, deselected: frozenset[str]) -> ToolReport:
    """The report of an examined tool. Where the suite fails to make it, it has the verdicts without what explains them."""
    return examination.harness.attempt(
        "making the report",
        (),
        lambda: _whole_report(examination, tool, deselected),
        lambda: _bare_report(examination, tool, deselected),
    )


def _bare_report(examination: Examination, tool: str, deselected: frozenset[str]) -> ToolReport:
    """The verdicts alone."""
    verdicts = [
        replace(_selected(verdict, deselected).with_findings(()), causes=0, other_causes=())
        for verdict in examination.verdicts
    ]
    bare = unexplored_report(tool, examination.target, examination.edition, verdicts, "")
    return replace(
        bare,
        status=examination.status_without(deselected),
        shortfalls=(),
        harness_errors=harness_errors_of(examination),
    )


def harness_errors_of(examination: Examination) -> tuple[HarnessErrorReport, ...]:
    """Where the suite itself failed, with the rules that are inconclusive because of it."""
    open_ = {each.rule for each in examination.verdicts if each.verdict is VerdictKind.INCONCLUSIVE}
    by_rule = examination.harness.by_rule
    return tuple(
        harness_error(error, [code for code in by_rule if code in open_ and by_rule[code] == phase])
        for phase, error in examination.harness.found.items()
    )


def harness_error(error: HarnessError, rules: Iterable[str] = ()) -> HarnessErrorReport:
    """One error of the suite."""
    return HarnessErrorReport(error.phase, str(error), error.trace, tuple(rules))


def _whole_report(examination: Examination, tool: str, deselected: frozenset[str]) -> ToolReport:
    exploration, held = examination.exploration, examination.containment
    report = ToolReport(
        tool=tool,
        target=examination.target.spec,
        system=examination.target.spelling,
        edition=examination.edition,
        status=examination.status_without(deselected),
        schema_fingerprint=examination.schema_fingerprint,
        calls=len(exploration.calls),
        seconds=round(examination.seconds, 3),
        shortfalls=(*map(_shortfall, exploration.shortfalls), *_looks(exploration.calls)),
        verdicts=tuple(
            with_commands(_selected(verdict, deselected), tool, examination.target)
            for verdict in examination.verdicts
        ),
        declared=declared(examination),
        examined=examined(exploration),
        containment=held.confinement if held else None,
        containment_reached=held,
        steps=tuple(
            StepReport(
                step, examination.watch.calls[step], round(seconds, 3), examination.watch.drawn.get(step, 0)
            )
            for step, seconds in examination.watch.seconds.items()
        ),
        unreached=unreached(examination),
        kind=exploration.declarations[0].kind,
        inherited=inherited_by(exploration.declarations[0], examination.verdicts),
        server=server_of(examination.target, exploration.declarations[0]),
        harness_errors=harness_errors_of(examination),
        quick=examination.quick,
    )
    # The same from this process and from a worker's JSON: an integer that stands for a float is one or the other.
    return from_json(ToolReport, to_json(report))


def inherited_by(declaration: Declaration, verdicts: Iterable[VerdictReport]) -> dict[str, str]:
    """The broken rules of which every cause is a library's below, each with that library."""
    facts = declaration.facts
    inherited = {}
    for verdict in verdicts if facts else ():
        causes = [each.cause for each in verdict.named_causes]
        libraries = [facts.breaks_by_itself(verdict.rule, cause) for cause in causes] if facts else []
        if (
            verdict.verdict is VerdictKind.FAIL
            and libraries
            and all(libraries)
            and len(causes) >= verdict.causes
        ):
            inherited[verdict.rule] = libraries[0]
    return inherited


def server_of(target: Target, declaration: Declaration) -> str:
    """The target of the server that offers a tool; empty where none does."""
    is_offered = declaration.traits.has_servers and declaration.kind == "tool"
    return f"{target.spelling}:{target.module}" if is_offered else ""


def unexplored_report(
    tool: str, target: Target, edition: str, verdicts: Sequence[VerdictReport], reason: str
) -> ToolReport:
    """The report of a tool that was collected but not explored, because the run ended early."""
    return ToolReport(
        tool=tool,
        target=target.spec,
        system=target.spelling,
        edition=edition,
        status=status_of(()),
        schema_fingerprint=None,
        calls=0,
        seconds=0.0,
        shortfalls=(ShortfallReport("run", reason),),
        verdicts=tuple(verdicts),
    )


def failed_target_report(spec: str, system: str, edition: str, error: str) -> ToolReport:
    """The report of a target that could not be resolved, read or run: never conforming."""
    return ToolReport(
        tool=spec,
        target=spec,
        system=system,
        edition=edition,
        status=status_of(()),
        schema_fingerprint=None,
        calls=0,
        seconds=0.0,
        shortfalls=(),
        verdicts=(),
        error=error,
    )


def failed_report(unexplored: ToolReport, error: ConformanceError) -> ToolReport:
    """The report of a tool whose examination failed: no verdict is known."""
    reason = printable(str(error), 300)
    verdicts = tuple(
        replace(verdict, reason=reason) if verdict.verdict is VerdictKind.INCONCLUSIVE else verdict
        for verdict in unexplored.verdicts
    )
    return replace(
        unexplored,
        error=str(error),
        shortfalls=(),
        verdicts=verdicts,
        harness_errors=harness_errors_in(error),
    )


def harness_errors_in(error: Exception | None) -> tuple[HarnessErrorReport, ...]:
    """The error of the suite that ended an examination; empty where another error ended it, or none."""
    return (harness_error(error),) if isinstance(error, HarnessError) else ()


def with_commands(verdict: VerdictReport, tool: str, target: Target) -> VerdictReport:
    """A verdict whose findings have the commands that reproduce them."""
    commands = (
        replay_command(tool, verdict.rule if number == 1 else f"{verdict.rule}:{number}", target)
        for number in range(1, len(verdict.findings) + 1)
    )
    findings = tuple(
        replace(finding, replay=command) for finding, command in zip(verdict.findings, commands, strict=True)
    )
    return verdict.with_findings(findings)


def _selected(verdict: VerdictReport, deselected: frozenset[str]) -> VerdictReport:
    if verdict.rule not in deselected or verdict.verdict is VerdictKind.NOT_APPLICABLE:
        return verdict
    return VerdictReport(
        rule=verdict.rule,
        name=verdict.name,
        level=verdict.level,
        clauses=verdict.clauses,
        verdict=VerdictKind.INCONCLUSIVE,
        observations=0,
        reason="deselected on the command line",
        finding=None,
        obstacle=Obstacle.DESELECTED,
    )


def _shortfall(shortfall: Shortfall) -> ShortfallReport:
    return ShortfallReport(
        probe=shortfall.probe,
        reason=shortfall.reason,
        reduced_coverage=shortfall.reduced_coverage,
        expected=shortfall.expected,
        cut=shortfall.cut,
        unmade=shortfall.unmade,
    )


def _looks(calls: Sequence[Call]) -> list[ShortfallReport]:
    """A note where the tool looked at what tells an examination from production."""
    looks = ", ".join(
        printable(look, 100) for look in dict.fromkeys(look for call in calls for look in call.looks)
    )
    reason = (
        f"it looks at {looks}: it can tell this examination from production, and may behave otherwise there"
    )
    return [ShortfallReport("examination", reason, reduced_coverage=True)] if looks else []
