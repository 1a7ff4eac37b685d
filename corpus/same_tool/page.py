"""Makes docs/same-tool.md of the faults and what was seen of each variant."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from corpus.same_tool.comparison import Seen
from corpus.same_tool.faults import HERE, Fault

PAGE: Final = HERE.parents[1] / "docs" / "same-tool.md"

_HEAD: Final = """# One tool on every SDK

One tool, which quotes the postage of a parcel, is written with four SDKs of MCP, as an Aptix tool, and with LangChain, OpenAI Agents,
Pydantic AI and the AI SDK. The suite examines each without a fault, and with faults that all of them can have. `python -m corpus same-tool`
makes this page from the tools in `corpus/same_tool/tools/`, the list `corpus/same_tool/faults.toml` and the reports; do not edit it. The
command exits with 1 if a fault is not found, if the tool without a fault does not conform, or if a MUST rule finds something else. It also
exits with 1 if statuses differ and the list gives no reason.

The SDKs of MCP and the AI SDK are installed from lock files with hashes; the frameworks in Python are those of the suite's environment. The
tools are examined contained, servers over stdio in the newest revision of the protocol that the SDK speaks, with 20 drawn calls of each
generating probe.

A cell has the tool's status, and the rules that found the fault. A tool that breaks only a SHOULD is conforming. The page does not
repeat rules that the tool without a fault also breaks.
"""
_NOTES: Final = """## What the SDKs do for the tool

- Python, both versions: an exception of the tool becomes a result with `isError`. `mcp` 1.30.0 gives the text of every exception to the
  model, 2.3.0 only that of a `ToolError`. Both convert arguments, such as the text "2" to a number, before the tool sees them.
- npm, both: an exception of the tool becomes a result with `isError` and its message.
- All four refuse arguments that the inputSchema forbids before they call the tool, and compare each result with the outputSchema. They
  replace a result that does not fit by an error, so that no client sees it. Then calls fail that should succeed, and the suite finds that.
- `mcp` 1.30.0 answers a cancelled call with an error at once, even if the tool continues to compute.
- An Aptix tool has none of this: it reads and checks its arguments itself, and its contract has no schema for results. An example
  gives the expected result.
"""


def render(faults: Sequence[Fault], seen: Mapping[str, Mapping[str, Seen]]) -> str:
    """The page, in Markdown; `seen` by the name of the fault and the title of the variant."""
    return "\n".join([_HEAD, *_table(faults, seen), *_differences(faults), _NOTES])


def _table(faults: Sequence[Fault], seen: Mapping[str, Mapping[str, Seen]]) -> Iterator[str]:
    titles = list(next(iter(seen.values()), {}))
    yield f"| fault | {' | '.join(titles)} |"
    yield "|---" * (len(titles) + 1) + "|"
    for fault in faults:
        cells = [_cell(seen[fault.name][title]) for title in titles]
        yield f"| {fault.text} | {' | '.join(cells)} |"
    yield ""


def _cell(seen: Seen) -> str:
    if seen.error:
        return "not examined"
    return f"{seen.status}: {', '.join(seen.found)}" if seen.found else seen.status


def _differences(faults: Sequence[Fault]) -> Iterator[str]:
    yield "## Where statuses differ\n"
    named = [fault for fault in faults if fault.difference]
    for fault in named:
        yield f"- {fault.text[:1].upper()}{fault.text[1:]}: {fault.difference}"
    if not named:
        yield "Nowhere."
    yield ""
