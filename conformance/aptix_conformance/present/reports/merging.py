"""Join the reports of all shards of a run: the result is the report of the whole run, apart from times."""

from collections.abc import Sequence
from functools import reduce

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.baseline import BaselineEntry
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import Report, RunReport, ShardReport, SuiteReport
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.baseline import baseline_report
from aptix_conformance.present.reports.totals import make_report

_Part = tuple[str, Report, ShardReport]
"""The path of a report, the report, and which shard it is."""


def merge(reports: Sequence[tuple[str, Report]]) -> Report:
    """The report of the whole run, of the reports of its shards; each comes with its path.

    Raises:
        ReportError: one is no shard, a shard is missing or twice, or they are not of one run.
    """
    parts = sorted(map(_part, reports), key=lambda part: (part[2].number, part[0]))
    _check_numbers(parts)
    _check_entries(parts)
    for part in parts[1:]:
        _check_same_run(parts[0], part)
    whole = [report for _, report, _ in parts]
    needed = {text for _, _, shard in parts for text in shard.needed_waivers}
    unneeded = {text for _, _, shard in parts for text in shard.unneeded_waivers}
    if not all(shard.whole for _, _, shard in parts):
        unneeded = set()  # a tool that was left out may need them
    first, tools = whole[0], [tool for report in whole for tool in report.tools]
    merged = make_report(tools, _suite(whole), _run(whole), first.revision)
    baseline = None if first.baseline is None else baseline_report(merged.tools, _gone(whole))
    return replace(merged, unneeded_waivers=tuple(sorted(unneeded - needed)), baseline=baseline)


def _part(named: tuple[str, Report]) -> _Part:
    path, report = named
    if report.suite.shard is None:
        raise ReportError(
            f"{path} is the report of a whole run, not of a shard: examine with --aptix-shard 1/2 and --aptix-shard 2/2 to get shards"
        )
    return path, report, report.suite.shard


def _check_numbers(parts: Sequence[_Part]) -> None:
    paths: dict[int, str] = {}
    for path, _, shard in parts:
        if shard.number in paths:
            raise ReportError(
                f"shard {shard.number}/{shard.of} is there twice, in {paths[shard.number]} and {path}: leave one of them out"
            )
        paths[shard.number] = path
    path, _, shard = parts[0]
    missing = [number for number in range(1, shard.of + 1) if number not in paths]
    if missing:
        named = ", ".join(f"{number}/{shard.of}" for number in missing[:20])
        raise ReportError(f"not all shards are there: the report of {named} is missing")


def _check_entries(parts: Sequence[_Part]) -> None:
    places: dict[tuple[str, str], str] = {}
    for path, report, shard in parts:
        if shard.number > shard.of or (report.suite.complete and len(report.tools) != shard.entries):
            raise ReportError(
                f"{path} has {len(report.tools):,} of the {shard.entries:,} entries of shard {shard.number}/{shard.of}: "
                "examine the shard again, without -k, ids or --deselect that leave tools out"
            )
        for tool in report.tools:
            if (first := places.setdefault((tool.target, tool.edition), path)) != path:
                raise ReportError(f"{printable(tool.target, 200)} is in two shards, {first} and {path}")


def _check_same_run(one: _Part, other: _Part) -> None:
    (path, report, shard), (other_path, other_report, other_shard) = one, other
    facts = {
        "number of shards": (shard.of, other_shard.of),
        **_suites(report.suite, other_report.suite),
        "revision": (report.revision, other_report.revision),
        "version of Python": (report.run.python, other_report.run.python),
        "tools, configuration or costs": (shard.run, other_shard.run),
        "use of a baseline": (report.baseline is None, other_report.baseline is None),
    }
    differing = [name for name, (value, other_value) in facts.items() if value != other_value]
    if differing:
        raise ReportError(
            f"{other_path} is a shard of another run than {path}: they differ in {printable(' and '.join(differing), 300)}. "
            "Examine all shards at the same commit, with the same options"
        )


def _suites(suite: SuiteReport, other: SuiteReport) -> dict[str, tuple[object, object]]:
    """The members of two suites that must be equal."""
    own = {"shard", "complete", "stopped", "own_time"}
    names = (name for name in suite.__struct_fields__ if name not in own)
    return {f"suite.{name}": (getattr(suite, name), getattr(other, name)) for name in names}


def _suite(reports: Sequence[Report]) -> SuiteReport:
    suites = [report.suite for report in reports]
    return replace(
        suites[0],
        shard=None,
        complete=all(suite.complete for suite in suites),
        own_time=all(suite.own_time for suite in suites),
        stopped="; ".join(dict.fromkeys(suite.stopped for suite in suites if suite.stopped)),
    )


def _run(reports: Sequence[Report]) -> RunReport:
    """The first shard's run, from the earliest start, as long as the longest, with the code that any shard loaded."""
    runs = [report.run for report in reports]
    return replace(
        runs[0],
        started=min(run.started for run in runs),
        seconds=max(run.seconds for run in runs),
        loaded=tuple(dict.fromkeys(loaded for run in runs for loaded in run.loaded)),
    )


def _gone(reports: Sequence[Report]) -> tuple[BaselineEntry, ...]:
    """The entries of tools that no shard has; a shard in which a tool was not examined names none."""
    gone = [report.baseline.gone if report.baseline else () for report in reports]
    return reduce(lambda one, other: tuple(entry for entry in one if entry in other), gone)
