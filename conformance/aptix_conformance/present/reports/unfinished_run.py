"""The texts on a run that did not end as it should, and on a part of a run: the same in every format."""

from typing import Final

from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable

_MOST_NAMED: Final = 10
"""Tools that the sentence names."""


def not_ended(report: Report) -> str:
    """A sentence on a run that did not end as it should: why, and which tools were not examined; empty where it did."""
    suite, tools = report.suite, report.tools
    why = f" ({printable(suite.stopped, 300)})" if suite.stopped else ""
    if suite.complete:
        return f"Every tool was examined, but the run did not end as it should{why}." if why else ""
    names = [printable(tool.tool, 60) for tool in tools if not tool.steps and tool.status == "incomplete"]
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    named = f" Not examined: {', '.join(names[:_MOST_NAMED])}{more}." if names else ""
    return f"The run ended before every tool was examined{why}.{named}"


def not_whole(report: Report) -> str:
    """`not_ended`, and a sentence on a report that is only about a shard of the run; empty where it is about all."""
    shard = report.suite.shard
    part = "" if shard is None else shard_text(shard.number, shard.of, shard.entries)
    return " ".join(filter(None, (not_ended(report), part)))


def shard_name(report: Report) -> str:
    """`shard-2-of-8`; empty for a whole run."""
    shard = report.suite.shard
    return "" if shard is None else f"shard-{shard.number}-of-{shard.of}"


def shard_text(number: int, of: int, tools: int) -> str:
    """A sentence on shard `number` of `of`, which has `tools` tools and failed targets."""
    return (
        f"This is shard {number} of {of}, with {tools:,} {'entry' if tools == 1 else 'entries'}: "
        "`aptix-conformance report merge` joins the reports of all shards."
    )
