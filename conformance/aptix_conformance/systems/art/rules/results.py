"""ART: the ToolResult that a call resolves to: its members, and how a tool of each execution mode answers.

The data in it is in art_outputs. There is no cancellation signal: so nothing is asked of cancelled calls. The rule of
the source `runtime` tells what ART's own orchestrator does, as version 0.4.16 has it.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import is_blank, printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import came_back
from aptix_conformance.systems.art.rules import accessors

_NO_RESULT: Final = "no call resolved to a ToolResult whose members could be read"


@rule(
    "ART020",
    "ART.1.2",
    when=accessors.is_resolved,
    masks_others=True,
    unseen_reason="no call was answered",
    differs_by="the kind of the value that execute gave",
    remedy="Return { callId: context.callId, toolName: this.schema.name, status: 'success', output: data }.",
)
def resolves_to_a_tool_result(call: Call) -> Finding | None:
    """`execute` resolves to a ToolResult, an object with callId, toolName and status, and never to the data itself."""
    if accessors.is_tool_result(call):
        return None
    facts = accessors.resolved(call)
    whole = facts.text if facts and facts.fault is None else None
    text = whole if whole is not None else facts.kind if facts else ""
    return Finding(f"execute gave {printable(text, 100)}.", cause=facts.kind if facts else "")


@rule(
    "ART021",
    "ART.1.3",
    when=lambda call: (
        accessors.is_tool_result(call) and accessors.whole(call) is not None and bool(call.plan.context)
    ),
    unseen_reason=_NO_RESULT,
    differs_by="the type of the callId",
    remedy="Write callId: context.callId, read from the context of this very call.",
)
def call_id_is_the_contexts(call: Call) -> Finding | None:
    """The callId of a result is that of the context, also of calls that are made at the same time."""
    expected = (call.plan.context or {}).get("callId")
    call_id = (accessors.whole(call) or {}).get("callId")
    if call_id == expected:
        return None
    ids = f"The callId is {_value_phrase(call, 'callId', call_id)} and the context's {printable(json.dumps(expected), 60)}."
    return Finding(ids, cause=type(call_id).__name__)


@rule(
    "ART022",
    "ART.1.4",
    when=lambda exploration: (
        accessors.tool_name(exploration) is not None
        and any(
            accessors.is_tool_result(call) and accessors.whole(call) is not None for call in exploration.calls
        )
    ),
    unseen_reason=_NO_RESULT,
    differs_by="the toolName",
    remedy="Write toolName: this.schema.name.",
)
def tool_name_is_the_schemas(exploration: Exploration) -> Iterator[Finding]:
    """The toolName of every result is the name in the schema."""
    name = accessors.tool_name(exploration)
    for call in exploration.calls:
        result = accessors.whole(call) if accessors.is_tool_result(call) else None
        if result is None or result.get("toolName") == name:
            continue
        shown = _value_phrase(call, "toolName", result.get("toolName"))
        message = f"The toolName is {shown} and the schema's name {quoted(name or '', 60)}."
        yield Finding(message, call, cause=json.dumps(result.get("toolName")))


@rule(
    "ART023",
    "ART.1.5",
    when=lambda call: accessors.is_tool_result(call) and accessors.whole(call) is not None,
    unseen_reason=_NO_RESULT,
    differs_by="the status, or its type where it is no text",
    remedy="Write status: 'success', 'error' or 'suspended'.",
)
def status_is_one_of_three(call: Call) -> Finding | None:
    """The status of a result is success, error or suspended."""
    status = (accessors.whole(call) or {}).get("status")
    return None if status in accessors.STATUSES else _odd(call, "status", status)


@rule(
    "ART024",
    "ART.1.6",
    when=accessors.is_success,
    applies=accessors.completed_by_itself,
    differs_by="the members that stand in place of the output",
    remedy="Put the data under output, under no other name.",
)
def success_carries_output(call: Call) -> Finding | None:
    """A success carries its data as output.

    Values under data or result are not looked for, and the model reads that nothing was found.
    """
    result = accessors.whole(call) or {}
    odd = {oddity.what for oddity in accessors.output_oddities(call) if oddity.place == "output"} - {
        "undefined"
    }
    if "output" in result or odd:
        return None
    others = [name for name in ("data", "result", "value", "content") if name in result]
    beside = f"; there is {others[0]}" if others else ""
    return Finding(f"There is no output{beside}.", cause=tuple(others))


@rule(
    "ART025",
    "ART.1.7",
    when=accessors.has_status("error"),
    unseen_reason=NotApplicable("no call came back as an error"),
    differs_by="the error, or its type where it is no text",
    remedy="Write error: 'what was wrong, in a sentence'; a text, not an Error.",
)
def error_carries_a_text(call: Call) -> Finding | None:
    """An error carries a text that says what was wrong."""
    error = (accessors.whole(call) or {}).get("error")
    return None if _is_text(error) else _odd(call, "error", error)


@rule(
    "ART026",
    "ART.1.8",
    when=accessors.has_status("suspended"),
    unseen_reason=NotApplicable("no call was suspended"),
    differs_by="the suspensionId, or its type where it is no text",
    remedy="Write metadata: { suspensionId: a unique text }.",
)
def suspension_carries_its_id(call: Call) -> Finding | None:
    """A suspended result carries metadata.suspensionId, by which it is resumed."""
    value = _metadata(call, "suspensionId")
    return None if _is_text(value) else _odd(call, "suspensionId", value, "metadata.suspensionId")


@rule(
    "ART027",
    "ART.1.9",
    when=lambda call: (
        accessors.is_tool_result(call)
        and (_metadata(call, "sources") is not None or accessors.is_unwritten(call, "metadata.sources"))
    ),
    unseen_reason=NotApplicable("no result named sources"),
    differs_by="the member that is wrong, sourceName or url",
    remedy="Write sources: [{ sourceName: 'a text', url: 'a text' }], the url only where there is one.",
)
def sources_are_well_formed(call: Call) -> Iterator[Finding]:
    """metadata.sources is an array of objects, each with a sourceName and perhaps a url, both texts."""
    sources = _metadata(call, "sources")
    for source in sources if isinstance(sources, list) else [sources]:
        named = (
            isinstance(source, dict)
            and isinstance(source.get("sourceName"), str)
            and isinstance(sources, list)
        )
        if not named or not isinstance(source.get("url", ""), str):
            is_written = not accessors.is_unwritten(call, "metadata.sources")
            held = printable(json.dumps(source), 80) if is_written else "a value that JSON cannot write"
            message = f"The sources hold {held}."
            yield Finding(message, cause="sourceName" if not named else "url")


@rule(
    "ART030",
    "ART.3.4",
    when=lambda call: (
        accessors.has_status("success", "suspended")(call)
        and call.plan.probe in ("valid", "repeat", "context")
    ),
    applies=accessors.in_mode("blocking"),
    unseen_reason="no call was answered",
    remedy="Return status 'suspended' with a suspensionId first; the framework completes the call with the person's answer.",
)
def blocking_tool_suspends_first(call: Call) -> Finding | None:
    """A blocking tool answers a call with suspended, and leaves it to the framework to complete it."""
    if accessors.is_success(call):
        return Finding("The tool succeeded at once, and asked nobody.")
    return None


@rule(
    "ART031",
    "ART.3.5",
    when=accessors.has_status("success", "suspended"),
    applies=accessors.in_mode("display"),
    unseen_reason="no call was answered",
    remedy="Return status 'success' with what is to be shown as output.",
)
def display_tool_completes_at_once(call: Call) -> Finding | None:
    """A display tool completes its call at once, and never suspends it."""
    return Finding("The tool suspended the call.") if accessors.has_status("suspended")(call) else None


@rule(
    "ART040",
    source="runtime",
    when=came_back,
    masks_others=True,
    unseen_reason="no call was answered",
    differs_by="the value that was thrown, null or undefined",
    remedy="Throw an Error, or better, return status 'error'.",
)
def thrown_value_is_not_empty(call: Call) -> Finding | None:
    """Nothing that is thrown is null or undefined.

    The orchestrator reads the message of what it catches; of null and undefined it cannot, so that the whole batch of
    calls is lost, those of other tools too.
    """
    if call.raised is None or call.raised.category != "nothing":
        return None
    return Finding(f"The tool threw {call.raised.type_name}.", cause=call.raised.type_name)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not is_blank(value)


def _odd(call: Call, name: str, value: Any, place: str = "") -> Finding:
    """A member of a result has a value that it must not have; `place` is its path, where that is not its name."""
    cause = value if isinstance(value, str) else type(value).__name__
    return Finding(f"The {name} is {_value_phrase(call, place or name, value)}.", cause=cause)


def _value_phrase(call: Call, place: str, value: Any) -> str:
    if accessors.is_unwritten(call, place):
        return "a value that JSON cannot write"
    return printable(json.dumps(value), 60)


def _metadata(call: Call, name: str) -> Any:
    metadata = (accessors.whole(call) or {}).get("metadata")
    return metadata.get(name) if isinstance(metadata, dict) else None
