"""MCP091 to MCP094: what a tool says of its effects, where a call of it proves something else.

A hint that is left out claims nothing. The host compares the author's files before and after each call
(`hosts/effects.py`), and counts attempts to reach another machine (`runners/mcp/network.py`).
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Exploration, Kind
from aptix_conformance.core.model.file_change import FileChange
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import OWN_TABLE, proper
from aptix_conformance.systems.mcp.rules.accessors import definition, is_plain, members, received

_NO_FILES: Final = (
    "no successful call could be compared with the files before it: name the folder that the calls work in, as "
    f'files = "FOLDER" in {OWN_TABLE}'
)
_HOW: Final = {"created": "made", "changed": "changed", "removed": "removed"}
_TWICE: Final = 2


def _hints(name: str, *, value: bool, if_read_only: bool = False) -> Callable[[Declaration], str | None]:
    """The `applies` of a rule on a hint; two of them mean nothing for a tool that only reads."""

    def applies(declaration: Declaration) -> str | None:
        annotations = members(definition(declaration).get("annotations"))
        if annotations.get(name) is not value:
            return f"its annotations do not say {name}: {str(value).lower()}"
        if not if_read_only and annotations.get("readOnlyHint") is True:
            return "its annotations say readOnlyHint: true, so this hint means nothing"
        return None

    return applies


def _is_compared(call: Call) -> bool:
    """A call that a model may make, that succeeded, and whose files were compared."""
    facts = received(call)
    return proper(call) and call.succeeded and facts is not None and facts.changes is not None


def _changes(call: Call) -> Iterator[FileChange]:
    """The changes of the author's files, and of those that the call names: others may be caches."""
    facts = received(call)
    for change in (facts.changes or ()) if facts else ():
        if change.given or PurePosixPath(change.path).name in (call.plan.arguments or ""):
            yield change


def _change_phrase(change: FileChange) -> str:
    return f"{_HOW[change.how]} the file {quoted(change.path, 100)}"


@rule(
    "MCP091",
    "MCP.A.1",
    applies=_hints("readOnlyHint", value=True, if_read_only=True),
    when=_is_compared,
    unseen_reason=NotApplicable(_NO_FILES),
    differs_by="the file and what happened to it",
    remedy="Leave readOnlyHint out, or set it to false.",
)
def read_only_tool_changes_nothing(call: Call) -> Iterator[Finding]:
    """A tool with `readOnlyHint: true` changes none of its author's files, and makes none that the call names.

    Clients call such a tool without asking their user. Caches, logs, locks and temporary files do not count, and neither do
    times in a text.
    """
    for change in _changes(call):
        yield Finding(f"The call {_change_phrase(change)}.", cause=(change.how, change.path))


def _repetitions(exploration: Exploration) -> Iterator[Call]:
    """Each call that was made a second time directly after the first, with both successful and compared."""
    same = (Kind.SAME, Kind.IDEMPOTENT)
    repeats = [call for call in exploration.calls if call.plan.probe == "repeat" and call.plan.kind in same]
    for first, again in pairwise(repeats):
        is_next = again.earlier == first.earlier + 1 and again.plan.change.number == _TWICE
        if (
            is_next
            and first.plan.arguments == again.plan.arguments
            and all(map(_is_compared, (first, again)))
        ):
            yield again


@rule(
    "MCP092",
    "MCP.A.2",
    applies=_hints("idempotentHint", value=True),
    when=lambda exploration: any(True for _ in _repetitions(exploration)),
    unseen_reason=NotApplicable(_NO_FILES),
    probes=("repeat",),
    differs_by="the file",
    remedy="Leave idempotentHint out, or look first whether the work is done already.",
)
def idempotent_tool_has_one_effect(exploration: Exploration) -> Iterator[Finding]:
    """A call of a tool with `idempotentHint: true` has no further effect when it is repeated.

    The author's files are compared after one call and after two. What a database changes in its file is not judged.
    """
    for call in _repetitions(exploration):
        for change in _changes(call):
            if change.how != "changed" or not change.binary:
                yield Finding(
                    f"The repeated call {_change_phrase(change)} once more.", call, cause=change.path
                )


@rule(
    "MCP093",
    "MCP.A.3",
    applies=_hints("destructiveHint", value=False),
    when=_is_compared,
    unseen_reason=NotApplicable(_NO_FILES),
    differs_by="the file and what happened to it",
    remedy="Leave destructiveHint out, or set it to true; clients then ask their user.",
)
def additive_tool_destroys_nothing(call: Call) -> Iterator[Finding]:
    """After a call of a tool with `destructiveHint: false`, what its author's files held is still there.

    A file that was moved is still there, and so is a text to which something was added.
    """
    for change in _changes(call):
        if change.given and change.lost:
            what = "a part of what stood in it is gone" if change.how == "changed" else "what it held is gone"
            yield Finding(f"The call {_change_phrase(change)}, and {what}.", cause=(change.how, change.path))


def _is_counted(call: Call) -> bool:
    """A call that a model may make, whose attempts were counted; the first of a process may meet its start."""
    facts = received(call)
    return (
        proper(call)
        and is_plain(call)
        and call.earlier > 0
        and facts is not None
        and facts.attempts is not None
    )


@rule(
    "MCP094",
    "MCP.A.4",
    applies=_hints("openWorldHint", value=False, if_read_only=True),
    when=AnyCall(_is_counted),
    unseen_reason=NotApplicable("attempts to reach another machine could not be counted"),
    remedy="Leave openWorldHint out, or set it to true.",
)
def closed_tool_reaches_nobody(exploration: Exploration) -> Finding | None:
    """A tool with `openWorldHint: false` does not try to reach another machine.

    The server has no network, and the kernel counts look-ups of names and datagrams that found no way. Calls while the server
    starts do not count, and neither does a single one.
    """
    tried = [call for call in filter(_is_counted, exploration.calls) if _attempts(call)]
    if len(tried) < _TWICE:
        return None
    return Finding(f"{len(tried)} calls tried to reach another machine by a name or a datagram.", tried[0])


def _attempts(call: Call) -> int:
    facts = received(call)
    return (facts.attempts or 0) if facts else 0
