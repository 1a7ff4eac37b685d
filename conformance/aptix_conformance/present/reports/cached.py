"""What a report says of the run's cache: which results are an earlier run's, which were confirmed, and which differ."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from aptix_conformance.core.model.report import CacheState, ToolReport
from aptix_conformance.core.text import printable

_MOST_SHOWN: Final = 20


def cached_text(tool: ToolReport) -> str:
    """When an earlier run examined a tool, in a few words; empty where this run did."""
    return f"cached, examined {printable(tool.cache.examined, 40)}" if tool.cache and tool.is_cached else ""


def differs(tool: ToolReport) -> bool:
    """Whether an examination came to other results than an earlier one of which everything was equal."""
    return tool.cache is not None and tool.cache.state == "differs"


def difference_text(tool: ToolReport) -> str:
    """The sentence on such a tool; empty for any other."""
    if tool.cache is None or not differs(tool):
        return ""
    found = "; ".join(printable(reason, 200) for reason in tool.cache.reasons)
    return (
        f"the results are not reproducible: nothing has changed since the examination of {printable(tool.cache.examined, 40)}, "
        f"but {found}. The tool depends on chance, time or something outside of its files, or the suite has a fault: see docs/cache.md"
    )


def cache_lines(tools: Collection[ToolReport]) -> list[str]:
    """The lines of a summary: how many results are taken, confirmed and not kept, and each that differs."""
    states = Counter(tool.cache.state for tool in tools if tool.cache)
    if not states:
        return []
    return [
        f"cache         {', '.join(_counted(states, tools))}",
        *(
            f"cache         {printable(tool.tool, 60)}: {difference_text(tool)}"
            for tool in tools
            if differs(tool)
        ),
        *_not_kept(tools),
    ]


def _counted(states: Counter[CacheState], tools: Collection[ToolReport]) -> list[str]:
    oldest = min((tool.cache.examined for tool in tools if tool.cache and tool.is_cached), default="")
    words: dict[CacheState, str] = {
        "taken": f"taken from earlier runs, the oldest of {printable(oldest, 40)}",
        "confirmed": "examined again with the same results",
        "differs": "examined again with other results",
        "new": "examined",
        "not_kept": "examined and not kept",
    }
    return [f"{states[state]:,} {text}" for state, text in words.items() if states[state]]


def _not_kept(tools: Collection[ToolReport]) -> list[str]:
    """A line for each reason for which results are not kept."""
    reasons = Counter(
        reason
        for tool in tools
        if tool.cache and tool.cache.state == "not_kept"
        for reason in tool.cache.reasons
    )
    shown = [
        f"cache         not kept for {count:,} {'tool' if count == 1 else 'tools'}: {printable(reason, 400)}"
        for reason, count in reasons.most_common(_MOST_SHOWN)
    ]
    return (
        [*shown, f"cache         and {len(reasons) - _MOST_SHOWN} reasons more"]
        if len(reasons) > _MOST_SHOWN
        else shown
    )
