"""Makes the pages of the lists, such as docs/real-servers.md, of the reports and the judgements."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.model.report import FindingReport, ToolReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.present.reports.servers import is_inherited_alone
from corpus.judgements import Judgement
from corpus.known import known_faults, state_of
from corpus.results import Result
from corpus.servers import HERE, Server

_DOCS: Final = HERE.parent / "docs"
PAGES: Final = {
    "servers": _DOCS / "real-servers.md",
    "deployed": _DOCS / "deployed-servers.md",
    "frameworks": _DOCS / "real-framework-tools.md",
}
"""The page of each list, by the name of its file."""
_NAMES: Final = {"true": "true", "sdk": "true, its SDK's", "false": "false"}


@dataclass(frozen=True)
class Broken:
    """One cause by which a tool breaks a MUST rule."""

    server: str
    tool: str
    rule: str
    cause: str
    message: str
    """What was found, in a sentence; empty where the report has only the cause."""
    sdk: str = ""
    """The SDK that the suite names as its source; empty where it names none."""


def broken(results: Iterable[Result]) -> Iterator[Broken]:
    """Each cause by which an examined tool breaks a MUST rule."""
    for result in results:
        for tool in result.tools or ():
            for verdict in tool.verdicts:
                if verdict.blocks:
                    sdk = tool.inherited.get(verdict.rule, "")
                    for found in verdict.new_causes:
                        message = found.message if isinstance(found, FindingReport) else ""
                        yield Broken(result.server.name, tool.tool, verdict.rule, found.cause, message, sdk)


def judgement_of(found: Broken, judgements: Iterable[Judgement]) -> Judgement | None:
    """The first judgement that is about it."""
    about = (found.server, found.tool, found.rule, found.cause, found.sdk)
    return next((each for each in judgements if each.is_about(*about)), None)


def unjudged(results: Sequence[Result], judgements: Sequence[Judgement]) -> list[str]:
    """A line for each broken rule that no person has judged."""
    return [
        f"{each.server} {each.tool} {each.rule} ({each.cause}): {each.message}"
        for each in broken(results)
        if judgement_of(each, judgements) is None
    ]


_HEAD: Final = """# {title}

{what} This page is made by `python -m corpus` of the pinned list
`corpus/{name}.toml`, the reports, and the judgements of a person in `corpus/judgements.toml`; do not edit it.

Each server is installed from a lock file with hashes, in its own environment, and examined over stdio at the suite's default
thoroughness: contained, without a network. If `{name}.toml` lists tools of a server, only these tools are examined. The server itself is
examined {revisions}. A separate column shows the breaches of an SDK, which all of its servers have.
A finding is one cause by which a tool or a server breaks a MUST rule. A person has judged each finding: *true*; *true, its SDK's*, if
every server on that SDK does the same; or *false*, which is a fault of the suite. The share of false findings leaves out those of SDKs.
{more}
"""
_SERVERS: Final = {
    "name": "servers",
    "title": "Real MCP servers",
    "what": "This page shows the findings of the suite in servers that people use.",
    "revisions": "in each revision of the protocol that it speaks",
    "more": "[deployed-servers.md](deployed-servers.md) has older versions with the SDK of their time.\n"
    "[same-tool.md](same-tool.md) compares one tool on each SDK.\n"
    "[findings.md](findings.md) describes some findings for their maintainers.",
}
_DEPLOYED: Final = {
    "name": "deployed",
    "title": "MCP servers as they are deployed",
    "what": "This page shows the findings of the suite in older versions of servers, on the SDK of their time, and in the fixed\n"
    "versions.",
    "revisions": "in the two newest revisions of the protocol, or in its own newest revision if that is older",
    "more": "[real-servers.md](real-servers.md) has current servers. `corpus/deployed.toml` names the sources of the bugs, and the servers\n"
    "that come from other lists.",
}
_FRAMEWORKS: Final = """# Real tools of frameworks

This page shows the findings of the suite in tools that PyPI has for LangChain, the OpenAI Agents SDK and Pydantic AI, and npm for the AI SDK.
None of the tools needs a network or a key. `python -m corpus` makes this page from the pinned list `corpus/frameworks.toml`, the reports, and the judgements in
`corpus/judgements.toml`; do not edit it. [real-servers.md](real-servers.md) and [deployed-servers.md](deployed-servers.md) show MCP servers.

Each package is installed from a lock file with hashes, in its own environment. A module in `corpus/framework_tools/` makes its tools, which
are examined unchanged: contained, without a network, at the suite's default thoroughness. A finding is one cause by which a tool breaks a
MUST rule. Each has a judgement: *true*; *true, its SDK's*, if the framework does so for every tool; or *false*, which is a fault
of the suite. The documentation of these frameworks demands little with the force of a MUST, so most findings are advice (SHOULD).

Not on this page: file and shell tools of pydantic-ai-harness and pydantic-ai-backend, which need the workspace of a run; toolsets of a class
other than `FunctionToolset`, such as that of pydantic-ai-filesystem-sandbox; the examples of openai-agents, which its package does not have; and
the shell of langchain's middleware, which keeps its process in the state of a graph. On npm, most packages with tools of the AI SDK ask a
service on the network; `@agentic/ai-sdk` 8.4.4 makes tools of AI SDK 4. Those of bashkit 0.7.1 need Bun.
"""
HEADS: Final = {
    "servers": _HEAD.format(**_SERVERS),
    "deployed": _HEAD.format(**_DEPLOYED),
    "frameworks": _FRAMEWORKS,
}
"""The beginning of each page, by the name of its list."""


def render(results: Sequence[Result], judgements: Sequence[Judgement], head: str = HEADS["servers"]) -> str:
    """A page, in Markdown."""
    parts = [head, *figures(results, judgements), *_servers(results), *findings(results, judgements)]
    return "\n".join([*parts, *_known(results), *_needs(results)])


def figures(results: Sequence[Result], judgements: Sequence[Judgement]) -> list[str]:
    """How many packages, tools and findings there are, by status and judgement."""
    tools = [tool for result in results for tool in result.tools or ()]
    servers = [tool for tool in tools if tool.kind == "server"]
    judged = [judgement_of(each, judgements) for each in broken(results)]
    counts = Counter(each.judgement if each else "not judged" for each in judged)
    own = len(judged) - counts["sdk"]
    share = f"{100 * counts['false'] / own:.1f}%" if own else "none"
    named = ", ".join(f"{count} {_NAMES.get(kind, kind)}" for kind, count in sorted(counts.items()))
    return [
        f"- {sum(result.tools is not None for result in results)} packages",
        *_statuses("tools", [tool for tool in tools if tool.kind == "tool"]),
        *(_statuses("servers in a revision that they speak", servers) if servers else ()),
        f"- {len(judged)} findings of MUST rules: {named or 'none'}",
        f"- false: {share}",
        "",
    ]


def _statuses(what: str, tools: Sequence[ToolReport]) -> Iterator[str]:
    counts = Counter(map(_status, tools))
    named = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    yield f"- {len(tools)} {what}: {named or 'none'}"


def _status(tool: ToolReport) -> str:
    return "nonconforming by its SDK alone" if is_inherited_alone(tool) else tool.status


def _servers(results: Sequence[Result]) -> Iterator[str]:
    yield "## Packages and tools\n"
    yield "| package | tool | status | MUST | SHOULD | its SDK's | what is not known |"
    yield "|---|---|---|---|---|---|---|"
    for result in results:
        if not result.tools:
            yield f"| {_package(result.server)} |  | not examined |  |  |  |  |"
        for tool in result.tools or ():
            musts, shoulds = _failed(tool, "MUST"), _failed(tool, "SHOULD")
            cells = [
                _package(result.server),
                _code(tool.tool),
                _status(tool),
                musts,
                shoulds,
                " ".join(sorted(tool.inherited)),
                _unknown(result.server, tool),
            ]
            yield f"| {' | '.join(cells)} |"
    yield ""


def _package(server: Server) -> str:
    return _code(server.package.partition(":")[2])


def _failed(tool: ToolReport, level: str) -> str:
    failed = (each for each in tool.verdicts if each.verdict is VerdictKind.FAIL and each.level == level)
    return " ".join(each.rule for each in failed if each.rule not in tool.inherited)


def _unknown(server: Server, tool: ToolReport) -> str:
    """Why a tool is incomplete, in few words."""
    if tool.error:
        return _cell(
            tool.error.partition("; it printed")[0], 160
        )  # what it printed has paths of this machine
    missing = [
        each for each in tool.verdicts if each.verdict is VerdictKind.INCONCLUSIVE and each.level == "MUST"
    ]
    needs = f"its calls need what is not here ({server.needs}): " if server.needs else ""
    if not missing:
        return f"never seen to work: {needs}{_cell(tool.unreached.reason, 160)}" if tool.unreached else ""
    first = next((each for each in missing if not each.masked_by), missing[0])
    more = f" and {len(missing) - 1} more" if missing[1:] else ""
    return f"{first.rule}{more}: {needs}{_cell(first.reason, 160)}"


def findings(results: Sequence[Result], judgements: Sequence[Judgement]) -> Iterator[str]:
    """A row for each finding of a MUST rule, with its judgement."""
    yield "## Findings of MUST rules\n"
    yield "| package | tool | rule | what was found | judgement | why |"
    yield "|---|---|---|---|---|---|"
    packages = {result.server.name: _package(result.server) for result in results}
    alike: dict[tuple[str, ...], list[Broken]] = {}
    for each in broken(results):
        judged = judgement_of(each, judgements)
        said = (_NAMES[judged.judgement], _cell(judged.reason, 300)) if judged else ("not judged", "")
        where = (f"all on {each.sdk}", "") if each.sdk else (packages[each.server], _code(each.tool))
        cells = (*where, each.rule, _cell(each.message or each.cause, 160), *said)
        alike.setdefault(cells, []).append(each)
    for cells, found in alike.items():
        place = f"{len({each.server for each in found})} servers" if found[0].sdk else cells[1]
        yield f"| {' | '.join((cells[0], place, *cells[2:]))} |"
    yield ""


def _known(results: Sequence[Result]) -> Iterator[str]:
    if not any(result.server.known for result in results):
        return
    yield "## Known faults\n"
    yield "The suite must find each fault in the faulty version, and not in the fixed version. `python -m corpus` fails otherwise.\n"
    yield "| server | tool | rule | known fault | in this version | fixed in | in that version |"
    yield "|---|---|---|---|---|---|---|"
    for old, fault, new in known_faults(results):
        fixed = (_package(new.server), state_of(fault, new.tools)) if new else ("", "")
        what = f"{fault.what} ({fault.cve})" if fault.cve else fault.what
        found = state_of(fault, old.tools)
        cells = (_package(old.server), _code(fault.tool), fault.rule, what, found, *fixed)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _needs(results: Sequence[Result]) -> Iterator[str]:
    if not any(result.server.needs for result in results):
        return
    yield "## What servers need for their calls\n"
    yield "| server | needs |"
    yield "|---|---|"
    for result in results:
        if result.server.needs:
            yield f"| {_package(result.server)} | {result.server.needs} |"
    yield ""


def _cell(text: str, most: int) -> str:
    """A stranger's text for a table: one line, no markup, no more than `most` characters."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    shown = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    return _code(shown.replace("`", "'"))


def _code(text: str) -> str:
    return f"`{text.replace('|', '¦')}`"
