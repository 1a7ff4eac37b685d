"""The effect of a server on its tools: the entry of the server is beside those of its tools.

A server is judged once for each revision of its protocol that it speaks. Its tools keep a status of their own; what the
server breaks prevents their certificates.
"""

from collections.abc import Collection, Iterator, Mapping

from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, Obstacle, VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.baseline import has_known_breaches_only, open_verdicts
from aptix_conformance.present.reports.cached import differs
from aptix_conformance.present.reports.causes import by_cause


def entries_of(server: str, reports: Collection[ToolReport]) -> list[ToolReport]:
    """The entries of a server, by the target that its tools name: one for each revision, the newest first."""
    entries = [each for each in reports if each.kind == "server"]
    return [each for each in entries if each.target == server or each.target.startswith(f"{server}#")]


def why_not_certified(tool: ToolReport, reports: Collection[ToolReport]) -> list[str]:
    """Why the tool's server prevents its certificate, a sentence for each reason; empty where it does not."""
    if not tool.server:
        return []
    entries = entries_of(tool.server, reports)
    if not entries:
        return [f"its server {printable(tool.server, 120)} was not examined"]
    return [f"its server {reason}" for each in entries if (reason := what_stands_against(each))]


def what_stands_against(server: ToolReport) -> str:
    """The status of a server that is not conforming by itself, with the rules that it broke; empty for one that is.

    Rules that its SDK breaks for every server on it do not count.
    """
    if server.status in {"conforming", "conforming-with-waivers"} or is_inherited_alone(server):
        return ""
    broken = ", ".join(
        each.rule for each in server.verdicts if each.blocks and each.rule not in server.inherited
    )
    return f"{printable(server.target, 120)} is {server.status}{f' ({broken})' if broken else ''}"


def is_inherited_alone(server: ToolReport) -> bool:
    """Whether an entry is nonconforming by nothing but what a library below breaks for everything on it."""
    broken = {verdict.rule for verdict in server.verdicts if verdict.blocks}
    is_open = bool(server.harness_errors) or any(verdict.is_open for verdict in server.verdicts)
    return bool(broken) and broken <= server.inherited.keys() and not is_open


def is_selection(entry: ToolReport) -> bool:
    """Whether an entry is incomplete for no other reason than that rules were left out on the command line."""
    unseen = [
        each
        for each in entry.verdicts
        if each.level is Level.MUST and each.verdict is VerdictKind.INCONCLUSIVE
    ]
    return (
        entry.status == "incomplete"
        and not entry.error
        and any(each.obstacle is Obstacle.DESELECTED for each in unseen)
        and all(each.obstacle is Obstacle.DESELECTED for each in unseen)
    )


def is_accepted(entry: ToolReport) -> bool:
    """Whether an entry fails no run: it conforms, or only its SDK, a baseline or a quick plan is why it does not.

    One whose results are not reproducible fails.
    """
    if entry.error or entry.harness_errors or entry.stale or differs(entry):
        return False
    if entry.status in {"conforming", "conforming-with-waivers"} or is_inherited_alone(entry):
        return True
    is_open = bool(open_verdicts(entry)) and not entry.quick
    if entry.status == "incomplete":
        return entry.quick and not unrepeated(entry)
    return has_known_breaches_only(entry) and not is_open


def unrepeated(entry: ToolReport) -> list[str]:
    """The MUST rules of which a breach was seen once, and no second attempt was made: a quick plan waits for no call that hangs."""
    open_rules = [
        each for each in entry.verdicts if each.is_open and each.obstacle is Obstacle.NOT_REPRODUCED
    ]
    return [each.rule for each in open_rules if any(found.attempts == 1 for found in each.findings)]


def fails(report: Report) -> bool:
    """Whether a run fails: it did not end, an entry is not accepted, or an entry of its baseline or a waiver is not needed."""
    is_stale = report.baseline is not None and report.baseline.stale > 0
    is_accepted_whole = all(map(is_accepted, report.tools))
    return not report.suite.complete or not is_accepted_whole or is_stale or bool(report.unneeded_waivers)


def kinds_of(entries: Collection[ToolReport]) -> str:
    """The word for entries behind their number: `tool`, `servers` or `tools and servers`."""
    kinds = sorted({entry.kind for entry in entries}, reverse=True) or ["tool"]
    return kinds[0] if len(entries) == 1 else " and ".join(f"{kind}s" for kind in kinds)


def own_breaches(entry: ToolReport) -> list[tuple[VerdictReport, int]]:
    """The broken MUST rules of an entry, each with its depth below its root cause, without what a library below breaks."""
    return [
        (verdict, depth)
        for verdict, depth in by_cause(entry.verdicts)
        if verdict.blocks and verdict.rule not in entry.inherited
    ]


def status_phrase(entry: ToolReport) -> str:
    """The status of an entry, and whether its SDK alone, a selection of rules or a quick plan is why."""
    if is_inherited_alone(entry):
        return f"{entry.status} by its {library_of(entry)[0]} alone"
    if is_selection(entry):
        return "no verdict"
    return f"{entry.status} (quick)" if entry.quick and entry.status == "incomplete" else entry.status


def library_of(entry: ToolReport) -> tuple[str, str]:
    """What an entry stands on, and what else does: the SDK of servers, or the framework of tools."""
    is_of_server = entry.kind == "server" or bool(entry.server)
    return ("SDK", "server") if is_of_server else ("framework", "tool")


def breaks_alone(entry: ToolReport, rule: str) -> str:
    """That the library below an entry breaks a rule, as a sentence without its end."""
    return f"{printable(entry.inherited[rule], 60)} breaks it for every {library_of(entry)[1]} on it"


def _inherited_by_server(
    reports: Collection[ToolReport],
) -> dict[tuple[str, str, str], dict[str, str]]:
    """By target and `library_of`, what breaks there: of a server and of its tools together, since the SDK does it for all of them."""
    names = {each.target for each in reports if each.kind == "server"}
    by_target: dict[tuple[str, str, str], dict[str, str]] = {}
    for entry in reports:
        if entry.inherited:
            name = entry.server if entry.server in names else entry.target
            by_target.setdefault((name, *library_of(entry)), {}).update(entry.inherited)
    return by_target


def inherited_text(inherited: Mapping[str, str]) -> str:
    """Which libraries break what, in a line: `mcp 1.30.0: MCP031, MCP033`."""
    rules: dict[str, list[str]] = {}
    for rule, library in sorted(inherited.items()):
        rules.setdefault(library, []).append(rule)
    return "; ".join(f"{printable(library, 60)}: {', '.join(codes)}" for library, codes in rules.items())


def inherited_lines(reports: Collection[ToolReport]) -> Iterator[str]:
    """A sentence for each server of a run whose SDK breaks something, and for each tool whose framework does."""
    yield from (text for _, text in _inherited(reports))


def _inherited(reports: Collection[ToolReport]) -> Iterator[tuple[str, str]]:
    """The same, each behind the word for what stands on the library."""
    for (name, library, others), inherited in _inherited_by_server(reports).items():
        text = inherited_text(inherited)
        yield others, f"{printable(name, 120)}: its {library} breaks this for every {others} on it: {text}"


def server_lines(reports: Collection[ToolReport]) -> Iterator[str]:
    """A line for each server of a run that prevents its tools' certificates, or whose SDK breaks something."""
    for others, text in _inherited(reports):
        yield f"{others:<14}{text}"
    counts: dict[str, int] = {}
    for tool in reports:
        if tool.server and not tool.quick:  # a quick plan certifies none, whatever its server does
            counts[tool.server] = counts.get(tool.server, 0) + 1
    for server, count in sorted(counts.items()):
        for text in filter(None, map(what_stands_against, entries_of(server, reports))):
            yield f"server        {text}: no certificate for {count} {'tool' if count == 1 else 'tools'}"
