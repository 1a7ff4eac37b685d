"""Declarations, calls and messages of MCP servers, for tests of the rules on them."""

import json

from aptix_conformance.core.model import (
    Call,
    Change,
    Constant,
    Declaration,
    Disturbed,
    Exploration,
    Kind,
    Member,
    Outcome,
    Output,
    ProtocolStimulus,
    Result,
    ScarceResource,
    SchemaReading,
    Stimulus,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.mcp.conversations import ANOTHER_CONVERSATION, NAME, ONE_CONVERSATION
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpResult, McpTool, TaskStep, TokenedCall
from aptix_conformance.systems.mcp.traits import TRAITS
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=()) if rule.code.startswith("MCP")}
LEGACY, MODERN = "2025-11-25", "2026-07-28"
INPUT = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "weather", "description": "Tells the weather.", "inputSchema": INPUT}
OPENING = {
    LEGACY: {
        "protocolVersion": LEGACY,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "w", "version": "1"},
    },
    MODERN: {"supportedVersions": [MODERN], "capabilities": {"tools": {}}},
}
PAGE = {"ttlMs": 0, "cacheScope": "private"}
TEXT = {"type": "text", "text": '{"celsius": 4}'}
DATA = {"celsius": 4}
SENT = "aptixtextabcdefghijkl"


def declared(revision=LEGACY, opening=None, pages=(PAGE,), names=("weather",), again=None, others=(), **tool):
    unread = {name: tool.pop(name) for name in ("list_fault", "list_breach") if name in tool}
    entry = {**TOOL, **tool}
    function = {"type": "function", "name": entry["name"], "parameters": entry["inputSchema"]}
    schema = SchemaReading("returned", json.dumps(function))
    missing = Member("", "missing")
    said = {"result": OPENING[revision] if opening is None else opening}
    facts = McpTool(
        revision=revision,
        opening=json.dumps(said),
        definition=json.dumps(entry),
        names=names,
        names_again=names if again is None else again,
        pages=tuple(json.dumps(page) for page in pages),
        others=tuple(map(json.dumps, others)),
        **unread,
    )
    return Declaration(
        class_name="weather",
        module="",
        when="start",
        tool_name=Constant("name", "plain", "weather", "str"),
        usage_text=Constant("description", "plain", "Tells the weather.", "str"),
        get_schema=missing,
        schema=schema,
        schema_again=schema,
        name=missing,
        is_tool_fully_executed_on_server=missing,
        execute=missing,
        constructor=(),
        construction_error=None,
        facts=facts,
        traits=TRAITS,
    )


def call(
    message, *others, change=None, probe="valid", arguments='{"city": "Oslo"}', stdout="", demand="either"
):
    """A tools/call and what came back; `message` is a result, an error, or a whole message as text."""
    text = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0", "id": 1, **message})
    found = json.loads(text)
    failed = "error" in found or (found.get("result") or {}).get("isError") is True
    return Call(
        Stimulus(probe, change or Change(Kind.MINIMAL), arguments, None, demand),
        Outcome.RETURNED,
        0.1,
        Result(
            "CallToolResult",
            True,
            not failed,
            payload=_payload(found),
            payload_type="str",
            facts=McpResult(text, tuple(json.dumps(o) for o in others)),
        ),
        stdout=Output(stdout, len(stdout)),
    )


def _payload(message):
    """The only text of a result, as the host gives it."""
    found = message.get("result")
    blocks = found.get("content") if isinstance(found, dict) else None
    texts = [block.get("text") for block in blocks or () if isinstance(block, dict)]
    return texts[0] if len(texts) == 1 else None


def wire(name, message, *others, ended="", left=(), busy=0.0):
    """A stimulus besides calls; `message` is None where no response came; `ended` is how the server ended in it, `left` what did not."""
    text = None if message is None else json.dumps({"jsonrpc": "2.0", "id": 1, **message})
    plan = Stimulus("wire", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=ProtocolStimulus(name))
    facts = McpResult(text, tuple(json.dumps(each) for each in others), ended=ended, left=left, busy=busy)
    return Call(plan, Outcome.RETURNED, 0.1, Result("message", False, facts=facts))


def tokened(message, *progress, **facts):
    """A cancelled call, sent behind it a request that was answered at once; `message` is None where no response came."""
    texts = tuple(
        json.dumps(note("notifications/progress", progressToken=7, progress=each)) for each in progress
    )
    told = {
        "took": 4.0,
        "sent": 1.0,
        "read": 1.0,
        "in_time": len(texts),
        "times": (1.0,) * len(texts),
        **facts,
    }
    observed = wire("cancelled-at-25", message)
    seen = replace(observed.result.facts, tokened=TokenedCall(token=7, progress=texts, **told))
    return replace(observed, result=replace(observed.result, facts=seen))


def scarce(message, *afterwards, renewed=None, name="full-disk", reached=True):
    """A call while something is scarce, the same calls after that, and the one in a new process."""
    made = call(message, probe="resources", change=Change(Kind.DISTURBED, number=1))
    texts = tuple(json.dumps({"jsonrpc": "2.0", "id": 1, **each}) for each in afterwards)
    later = None if renewed is None else json.dumps({"jsonrpc": "2.0", "id": 1, **renewed})
    facts = replace(made.result.facts, afterwards=texts, renewed=later)
    return replace(
        made,
        plan=replace(made.plan, disturbance=ScarceResource(name)),
        result=replace(made.result, facts=facts),
        disturbed=Disturbed(reached),
    )


def ok(**members):
    return {"result": {"content": [TEXT], **members}}


def error(code=-32602, message="no"):
    return {"error": {"code": code, "message": message}}


def seen(*calls, **of_tool):
    return Exploration((declared(**of_tool),), calls)


def note(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def living(*steps, stimulus="task", ended=""):
    """A stimulus on tasks: of each step the number of the task, what was asked, and the answer; None where none came."""
    told = tuple(
        TaskStep(number, what, "" if each is None else json.dumps({"jsonrpc": "2.0", "id": 1, **each}))
        for number, what, each in steps
    )
    observed = wire(stimulus, None, ended=ended)
    return replace(
        observed, result=replace(observed.result, facts=replace(observed.result.facts, steps=told))
    )


def state(status="working", number="a", **members):
    """The answer to a question about a task."""
    times = {"createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:40:00.5+01:00", "ttl": None}
    task = {"taskId": number, "status": status, **times, **members}
    return {"result": {name: value for name, value in task.items() if value != "left out"}}


def made(status="working", number="a", **members):
    """The answer to a call as a task."""
    return {"result": {"task": state(status, number, **members)["result"]}}


def given(number="a", **members):
    """The result of a task."""
    return ok(_meta={f"{META}related-task": {"taskId": number}}, **members)


def as_task(unknown, *answers):
    """`wire:as-task`: the answer to a task of an unknown tool, then those to a plain call and to a task, by turns."""
    *earlier, last = ({"id": 1, **each} for each in (unknown, *answers))
    return wire("as-task", last, *earlier)


def asked(**members):
    return {"result": {"resultType": "input_required", **members}}


def conversing(after, *restarted, told=SENT, asked="text", before=None, earlier=2):
    """A call that sends `told`, one that sends `asked` and gets `after`, and that one twice after a restart, where it was made."""
    calls = [
        call(before or ok(), change=ONE_CONVERSATION, probe=NAME, arguments=json.dumps({"note": told})),
        call(after, change=ANOTHER_CONVERSATION, probe=NAME, arguments=json.dumps({"note": asked})),
    ]
    if restarted:
        *others, last = ({"id": 1, **each} for each in restarted)
        calls.append(replace(wire("restarted-call", last, *others), earlier=earlier))
    return seen(*calls, revision=MODERN)


def posted(name, status, message=None, *, others=(), ended="", body=""):
    """The HTTP answer to a stimulus; 0 for none."""
    found = wire(name, message, *others, ended=ended)
    answer = HttpAnswer(status, body=body)
    return replace(found, result=replace(found.result, facts=replace(found.result.facts, http=answer)))


META = "io.modelcontextprotocol/"
NOT_LISTED = Change(Kind.ADDITIONAL, "unexpected")
CLOSED = {"inputSchema": {**INPUT, "additionalProperties": False}}
HUNG = replace(wire("deep", None), outcome=Outcome.TIMED_OUT, result=None, incident="no answer within 15 s")
FAILURE = ok(isError=True)


def saying(text):
    """A result whose only text is this."""
    return {"result": {"content": [{"type": "text", "text": text}]}}
