"""MCP105: what one conversation has sent, and another one is shown."""

import re
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib.documents import strings_in
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.conversations import (
    ANOTHER_CONVERSATION,
    NAME,
    ONE_CONVERSATION,
    RESTARTED,
    WORD,
    kept,
)
from aptix_conformance.systems.mcp.rules.accessors import (
    Message,
    definition,
    members,
    messages,
    name_of,
    response,
)

_OF_RECORDS: Final = re.compile(
    r"\b(?:logs?|logged|logging|audits?|auditing|metrics?|statistics?|stats|telemetry|diagnostics?|traces?|tracing)\b"
)
"""Words of a tool that reports what its process did, for any client."""
_TIMES: Final = 2
"""Calls in the new process: a server may still read its files during the first."""


def _reports_no_record(declaration: Declaration) -> str | None:
    """The `applies`: what a process did is no conversation."""
    entry = definition(declaration)
    texts = [
        entry.get("name"),
        entry.get("title"),
        entry.get("description"),
        members(entry.get("annotations")).get("title"),
    ]
    words = " ".join(WORD.findall(" ".join(text for text in texts if isinstance(text, str))))
    match = _OF_RECORDS.search(words.lower())
    return f"it speaks of {quoted(match[0])}, and may report what its process did" if match else None


def _result_text(message: Message) -> str | None:
    """The text of a complete result that is no failure, without `_meta`; None for any other message."""
    fields = message.get("result")
    if not isinstance(fields, dict) or fields.get("resultType", "complete") != "complete":
        return None
    if fields.get("isError", False) is not False:
        return None
    return "\n".join(strings_in({name: value for name, value in fields.items() if name != "_meta"}))


def _conversations(exploration: Exploration) -> tuple[Call, Call] | None:
    """The two calls, both of which succeeded; None where there are none."""
    first = None
    for call in exploration.calls:
        if call.plan.probe != NAME:
            continue
        if call.plan.change == ONE_CONVERSATION and call.succeeded:
            first = call
        elif call.plan.change == ANOTHER_CONVERSATION and first is not None and call.succeeded:
            return first, call
    return None


def _restarted(exploration: Exploration) -> list[str] | None:
    """The results of the calls in a new process, which has the files of the earlier one; None where there were none."""
    for call in exploration.calls:
        if name_of(call) == RESTARTED.name and call.earlier:
            answers = [*messages(call), response(call) or {}]
            texts_or_none = [_result_text(message) for message in answers if "method" not in message]
            texts = [text for text in texts_or_none if text is not None]
            return texts if len(texts) == _TIMES else None
    return None


def _leaked_text(exploration: Exploration) -> tuple[str, Call] | None:
    """The text of the first call that the second shows; empty where it shows none, None where that is not known."""
    pair = _conversations(exploration)
    if pair is None:
        return None
    first, second = pair
    text = kept(first, second, [_result_text(response(second) or {}) or ""])
    if not text:
        return "", second
    restarted = _restarted(exploration)
    if restarted is None:
        return None
    return ("" if kept(first, second, restarted) else text), second


@rule(
    "MCP105",
    "MCP.L.15",
    applies=_reports_no_record,
    when=lambda exploration: _leaked_text(exploration) is not None,
    unseen_reason=NotApplicable(
        "no call with a text of its own succeeded before another one, or the server could not be started again"
    ),
    probes=(NAME,),
    remedy="Return a handle from the call that creates the state, take it as an argument of later calls, and keep the state under it.",
)
def conversation_is_known_by_an_identifier(exploration: Exploration) -> Iterator[Finding]:
    """No result shows what another conversation has sent, unless the call names the state by an identifier.

    A process or a connection serves many conversations, in any order, and each may be served by another one next time.
    What a tool keeps in memory without an identifier reaches the wrong model, and is missing in the right one. Two calls that
    share no value are made in one process. A finding needs a text of the first in the result of the second that is not there
    in a new process with the same files: files and databases are not judged. Neither are names that a tool lists, counters
    and caches, or a tool that speaks of logs or statistics.
    """
    text, call = _leaked_text(exploration) or ("", None)
    if text:
        yield Finding(
            f"The result held {quoted(text)}, which another conversation had sent; it did not in a new process with the same files.",
            call,
        )
