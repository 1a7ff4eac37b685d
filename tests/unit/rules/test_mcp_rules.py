"""The rules of MCP on what a server sent: each with what breaks it, and with what keeps it."""

import json

import pytest

from aptix_conformance import canaries
from aptix_conformance.contracts import Level, load
from aptix_conformance.model import (
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
from aptix_conformance.model.codec import replace
from aptix_conformance.model.file_change import FileChange
from aptix_conformance.systems.mcp.conversations import ANOTHER_CONVERSATION, NAME, ONE_CONVERSATION
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpResult, McpTool, TaskStep, TokenedCall
from aptix_conformance.systems.mcp.probe import NO_ARGUMENTS
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
SERVER = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "w", "version": "1"}}}


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


def wire(name, message, *others, ended=""):
    """A stimulus besides calls; `message` is None where no response came; `ended` is how the server ended in it."""
    text = None if message is None else json.dumps({"jsonrpc": "2.0", "id": 1, **message})
    plan = Stimulus("wire", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=ProtocolStimulus(name))
    facts = McpResult(text, tuple(json.dumps(each) for each in others), ended=ended)
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


def paged(*names):
    return {"result": {"tools": [{"name": name} for name in names]}}


def ok(**members):
    return {"result": {"content": [TEXT], **members}}


def error(code=-32602, message="no"):
    return {"error": {"code": code, "message": message}}


def seen(*calls, **of_tool):
    return Exploration((declared(**of_tool),), calls)


def note(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def by_turns(*answers):
    """`wire:two-clients`: the answers of the suite and of another client, by turns."""
    *earlier, last = (
        {"id": 1, **ok(structuredContent=each, _meta={"n": n})} for n, each in enumerate(answers)
    )
    return wire("two-clients", last, *earlier)


def as_task(unknown, *answers):
    """`wire:as-task`: the answer to a task of an unknown tool, then those to a plain call and to a task, by turns."""
    *earlier, last = ({"id": 1, **each} for each in (unknown, *answers))
    return wire("as-task", last, *earlier)


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


def compared(*plain, polled, awaited=None):
    """Two tasks between plain calls."""
    first = ((1, "create", made()), (1, "get", state("completed")), (1, "result", polled))
    second = ((2, "create", made(number="b")), (2, "result", awaited or given("b")))
    calls = [(0, "call", each) for each in plain]
    return living(calls[0], *first, *calls[1:2], *second, *calls[2:])


def asked(**members):
    return {"result": {"resultType": "input_required", **members}}


def asking(plain, *retries, first=None):
    """`wire:asking`: a plain call, the answer to a client that can be asked, and those to its retries."""
    others = ({"id": 1, **each} for each in (plain, *retries))
    return wire("asking", first or ASKED, *others)


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


def lacking(required, **members):
    return {"error": {"code": -32021, "message": "no", "data": {"requiredCapabilities": required}, **members}}


def over_http(message, status):
    found = call(message)
    return replace(
        found, result=replace(found.result, facts=replace(found.result.facts, http=HttpAnswer(status)))
    )


def posted(name, status, message=None, *, others=(), ended="", body=""):
    """The HTTP answer to a stimulus; 0 for none."""
    found = wire(name, message, *others, ended=ended)
    answer = HttpAnswer(status, body=body)
    return replace(found, result=replace(found.result, facts=replace(found.result.facts, http=answer)))


def acknowledged(number="aptix-listen", **granted):
    return note(
        "notifications/subscriptions/acknowledged",
        _meta={f"{META}subscriptionId": number},
        notifications={"toolsListChanged": True, **granted},
    )


def listening(*others, response=None, able=False):
    tools = {"listChanged": True} if able else {}
    opening = {"supportedVersions": [MODERN], "capabilities": {"tools": tools}}
    return seen(wire("listen", response, *others), revision=MODERN, opening=opening)


ASKED = asked(inputRequests={"a": {"method": "elicitation/create"}}, requestState="7")
REFUSED_STATE = error(message="not my state")
TASKS = {"tasks": {"requests": {"tools": {"call": {}}}}}
TASK = {"result": {"task": {"taskId": "1", "status": "working"}}}
NO_TASKS = error(-32601, "no tasks")
META = "io.modelcontextprotocol/"
CHANGED = note("notifications/tools/list_changed", _meta={f"{META}subscriptionId": "aptix-listen"})
ANNOUNCING = {**OPENING[LEGACY], "capabilities": {"tools": {"listChanged": True}}}
GROWN = wire("between-lists", paged("a", "b"), {"id": 1, **paged("a")})
ANNOUNCED = wire(
    "between-lists", paged("a", "b"), {"id": 1, **paged("a")}, note("notifications/tools/list_changed")
)
NOT_LISTED = Change(Kind.ADDITIONAL, "unexpected")
CLOSED = {"inputSchema": {**INPUT, "additionalProperties": False}}
WITH_OUTPUT = {
    "outputSchema": {"type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"]}
}
UNKNOWN = wire("unknown-tool", error(message="Unknown tool: aptix-no-such-tool"))

REFUSED = {
    "error": {"code": -32022, "message": "no", "data": {"supported": [MODERN], "requested": "1999-01-01"}}
}
CANCELLED = error(-32800, "Request cancelled")
HUNG = replace(wire("deep", None), outcome=Outcome.TIMED_OUT, result=None, incident="no answer within 15 s")

TEXTS = {"type": "string"}
CANARY = canaries.environment(0)["GITHUB_TOKEN"]
FAILURE = ok(isError=True)
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1'
EMBEDDED = {
    "result": {
        "content": [{"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": ""}}]
    }
}


def of_properties(*nodes):
    return {"type": "object", "properties": {f"p{place}": node for place, node in enumerate(nodes)}}


def saying(text):
    """A result whose only text is this."""
    return {"result": {"content": [{"type": "text", "text": text}]}}


KEEPING = conversing(saying(f"notes: {SENT}, text"), ok(), ok())


def refusal_in(text):
    """What came back for a call without a required argument, without isError."""
    return call(
        saying(text), probe="invalid", change=Change(Kind.MISSING, "city"), arguments="{}", demand="refused"
    )


INVALID = Stimulus("invalid", Change(Kind.MISSING, "city"), "{}", None, "refused")


def effect(*changes, **more):
    """A call that works, and what it changed in the author's files; `more` are members of the call."""
    return watched(call(ok()), changes=changes, **more)


def watched(found, changes=None, attempts=None, **more):
    facts = replace(found.result.facts, changes=changes, attempts=attempts)
    return replace(found, result=replace(found.result, facts=facts), **more)


def twice(*changes, earlier=1):
    """A call that is repeated, and what the second one changed."""
    plans = [
        Stimulus("repeat", Change(Kind.SAME, detail="A", number=n), '{"city": "Oslo"}', None) for n in (1, 2)
    ]
    first = FileChange("a.txt", "created", given=True)
    return seen(effect(first, plan=plans[0]), effect(*changes, plan=plans[1], earlier=earlier))


def tried(attempts, earlier=1):
    """A call in which the server tried so often to reach another machine."""
    return watched(call(ok()), attempts=attempts, earlier=earlier)


CASES = [
    ("MCP001", declared(opening={"capabilities": {}}), declared()),
    ("MCP001", declared(opening={"capabilities": {"tools": {"listChanged": 1}}}), declared(MODERN)),
    ("MCP002", declared(opening={**OPENING[LEGACY], "serverInfo": {"name": "w"}}), declared()),
    ("MCP002", declared(opening={**OPENING[LEGACY], "protocolVersion": 1}), declared()),
    ("MCP002", declared(MODERN, {"capabilities": {}}), declared(MODERN)),
    ("MCP003", declared(title=7), declared(title="Weather")),
    ("MCP003", declared(inputSchema=True), declared()),
    ("MCP003", declared(icons=[{"src": "weather.png"}]), declared(icons=[{"src": "https://example.com/i.png"}])),
    ("MCP003", declared(execution={"taskSupport": "maybe"}), declared(execution={"taskSupport": "optional"})),
    ("MCP004", declared(inputSchema={}), declared()),
    ("MCP005", declared(inputSchema={**INPUT, "required": True}), declared()),
    ("MCP005", declared(outputSchema={"type": "thing"}), declared(**WITH_OUTPUT)),
    ("MCP006", declared(outputSchema={}), declared(**WITH_OUTPUT)),
    ("MCP007", declared(name="current weather"), declared(name="current.weather-2")),
    ("MCP007", declared(name="w" * 129), declared(name="w" * 128)),
    ("MCP008", declared(names=("weather", "weather")), declared(names=("weather", "Weather"))),
    ("MCP009", declared(names=("a", "b"), again=("b", "a")), declared(names=("a", "b"))),
    ("MCP010", declared(MODERN, pages=({"cacheScope": "public"},)), declared(MODERN)),
    ("MCP010", declared(MODERN, pages=({**PAGE, "ttlMs": True},)), declared(MODERN)),
    ("MCP010", declared(MODERN, pages=(PAGE, {**PAGE, "cacheScope": "public"})), declared(MODERN, pages=(PAGE, PAGE))),
    ("MCP020", call('{"id": 1, "result": {}}'), call(ok())),
    ("MCP020", call({"result": {}, **error()}), call(error())),
    ("MCP020", call({"result": []}), call({"result": {}})),
    ("MCP020", call(error(code="E1")), call(error())),
    ("MCP021", call({**ok(), "id": "1"}), call(ok())),
    ("MCP021", call({**error(), "id": None}), call(error())),
    ("MCP022", call('{"jsonrpc": "2.0", "id": 1, "result": {"a": NaN}}'), call(ok())),
    ("MCP023", call(ok(), stdout="asked\n"), call(ok())),
    ("MCP023", replace(HUNG, stdout=Output("asked", 5)), HUNG),
    ("MCP024", wire("followed-call", ok(), {"jsonrpc": "2.0", "id": 1, "result": {}}), wire("followed-call", ok(), note("x"))),
    ("MCP025", seen(call(ok(), {**note("roots/list"), "id": 7})), seen(call(ok(), {**note("ping"), "id": 7}))),
    ("MCP025", seen(call(ok(), {**note("ping"), "id": 7}), revision=MODERN), seen(call(ok()), revision=MODERN)),
    ("MCP025", seen(call(ASKED), revision=MODERN), seen(call(ok(resultType="complete", inputRequests={"a": {}})), revision=MODERN)),
    ("MCP025", seen(call(ASKED), revision=MODERN), seen(wire("asking", ASKED, ok()), call(asked(requestState="0")), revision=MODERN)),
    ("MCP026", seen(call(ok(), note("notifications/progress"))), seen(call(ok(), note("notifications/own")))),
    ("MCP026", seen(call(ok(), note("notifications/message"))), seen(wire("not-json", None, note("notifications/message")))),
    ("MCP026", seen(call(ok(), note("notifications/cancelled")), revision=MODERN), seen(call(ok(), note("notifications/cancelled")))),
    ("MCP026", seen(call(ok()), others=(note("notifications/tools/list_changed"),)), seen(call(ok()))),
    ("MCP027", wire("unknown-notification", None, error()), wire("unknown-notification", None, note("x"))),
    ("MCP027", wire("unknown-cancellation", None, error()), wire("unknown-cancellation", None, {"id": 3, **ok()})),
    ("MCP028", wire("unknown-method", ok()), wire("unknown-method", error())),
    ("MCP029", wire("unknown-method", error()), wire("unknown-method", error(-32601))),
    ("MCP030", wire("ping", error()), wire("ping", {"result": {}})),
    ("MCP031", wire("not-json", None), wire("not-json", None, {"id": None, **error(-32700)})),
    ("MCP032", wire("without-meta", ok()), wire("without-meta", error())),
    ("MCP032", wire("without-meta", error(-32600)), wire("without-meta", error())),
    ("MCP040", call({"result": {}}), call({"result": {"content": []}})),
    ("MCP040", call(ok(isError="no")), call(ok(isError=False))),
    ("MCP041", call(ok(resultType="done")), call(ok(resultType="complete"))),
    ("MCP041", call({"result": {"resultType": "task", "taskId": "1"}}), call(asked(requestState="7"))),
    ("MCP042", call(ok()), call(ok(**SERVER))),
    ("MCP043", call({"result": {"content": [{"type": "json"}]}}), call(ok())),
    ("MCP043", call({"result": {"content": ["text"]}}), call(ok())),
    ("MCP043", call({"result": {"content": [{"type": "resource", "resource": {"uri": "a:b"}}]}}), call({"result": {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": ""}}]}})),
    ("MCP043", call({"result": {"content": [{**TEXT, "annotations": {"priority": 2}}]}}), call({"result": {"content": [{**TEXT, "annotations": {"priority": 1, "audience": ["user"]}}]}})),
    ("MCP044", call({"result": {"content": [{"type": "image", "data": "<svg/>"}]}}), call({"result": {"content": [{"type": "image", "data": "PHN2Zy8+"}]}})),
    ("MCP044", call({"result": {"content": [{"type": "resource_link", "uri": "notes.txt"}]}}), call({"result": {"content": [{"type": "resource_link", "uri": "file:///notes.txt"}]}})),
    ("MCP045", call(ok(structuredContent=[1])), call(ok(structuredContent={}))),
    ("MCP046", seen(call(ok(structuredContent={"celsius": "4"})), **WITH_OUTPUT), seen(call(ok(structuredContent=DATA)), **WITH_OUTPUT)),
    ("MCP046", seen(call(ok(structuredContent={"celsius": "\ud83d"})), **WITH_OUTPUT), seen(call(ok(structuredContent=DATA)), **WITH_OUTPUT)),
    ("MCP046", seen(call(ok()), **WITH_OUTPUT), seen(call(ok(structuredContent=DATA)), call(ok(isError=True)), **WITH_OUTPUT)),
    ("MCP047", call({"result": {"content": [], "structuredContent": DATA}}), call(ok(structuredContent=DATA))),
    ("MCP047", call(ok(structuredContent={"result": 5})), call(ok(structuredContent={"result": DATA}))),
    ("MCP048", wire("unknown-tool", ok()), wire("unknown-tool", ok(isError=True))),
    ("MCP049", wire("unknown-tool", ok(isError=True)), wire("unknown-tool", error())),
    ("MCP049", wire("unknown-tool", error(-32601)), wire("unknown-tool", error())),
    ("MCP050", seen(wire("nameless-call", ok(isError=True))), seen(wire("nameless-call", error()))),
    ("MCP050", seen(wire("text-for-arguments", ok())), seen(wire("nameless-call", ok()), wire("unknown-tool", ok()))),
    ("MCP051", seen(call(ok(), arguments="{}"), call(error(), probe="wire", change=NO_ARGUMENTS)), seen(call(error(), arguments="{}"), call(error(), probe="wire", change=NO_ARGUMENTS))),
    ("MCP052", call(error(), probe="invalid", change=Change(Kind.MISSING, "city"), demand="refused"), call(ok(isError=True), probe="invalid", change=Change(Kind.MISSING, "city"), demand="refused")),
    ("MCP053", seen(call(error(-32603, "full"))), seen(call(ok(isError=True)))),
    ("MCP053", seen(call(error(-32603, "Unknown tool: weather")), UNKNOWN), seen(call(error(message="Unknown tool: weather")), UNKNOWN)),
    ("MCP054", seen(call(error(message="Unknown tool: weather")), UNKNOWN), seen(call(error(message="Unknown tool: other")), UNKNOWN)),
    ("MCP054", seen(call(ok(isError=True, content=[{"type": "text", "text": "No weather"}])), wire("unknown-tool", ok(isError=True, content=[{"type": "text", "text": "No aptix-no-such-tool"}]))), seen(call(ok()), UNKNOWN)),
    ("MCP055", seen(call(ok(), probe="invalid", change=NOT_LISTED, arguments='{"city": "", "unexpected": 1}'), **CLOSED), seen(call(error(), probe="invalid", change=NOT_LISTED, arguments='{"city": "", "unexpected": 1}'), **CLOSED)),
    ("MCP056", call(error(-32042)), call(error(-32021))),
    ("MCP056", call(error(-32099)), call(error(-32019))),
    ("MCP021", wire("text-id", {"id": None, **error()}), wire("lone-surrogate", {"id": None, **error(-32700)})),
    ("MCP021", wire("duplicate-keys", {"id": None, **error()}), wire("deep", {"id": None, **error()})),
    ("MCP021", wire("text-id", {"id": 1, "result": {}}), wire("text-id", {"id": "aptix-1", "result": {}})),
    ("MCP033", wire("lone-surrogate", None), wire("lone-surrogate", error())),
    ("MCP033", wire("one-mebibyte", None), wire("one-mebibyte", None, ended="exit status 1")),
    ("MCP034", wire("long-integer", None), wire("long-integer", {"id": None, **error(-32700)})),
    ("MCP035", wire("deep", None, ended="exit status 1"), wire("deep", None)),
    ("MCP035", wire("eight-mebibytes", None, ended="exit status 0"), wire("end-of-input", None, ended="exit status 0")),
    ("MCP035", wire("sixteen-mebibytes", None, ended="signal 9"), wire("sixteen-mebibytes", None, ended="the server ended with exit status 0")),
    ("MCP035", HUNG, wire("deep", ok())),
    ("MCP035", living((1, "create", ok()), stimulus="cancelled-task", ended="exit status 1"), living((1, "create", ok()), stimulus="cancelled-task")),
    ("MCP033", posted("duplicate-keys", 0), posted("duplicate-keys", 400)),
    ("MCP033", posted("one-mebibyte", 0), posted("one-mebibyte", 413)),
    ("MCP034", posted("deep", 0), posted("deep", 500)),
    ("MCP034", posted("odd-ids", 0), wire("odd-ids", None)),
    ("MCP035", posted("batch", 400, ended="exit status 1"), posted("batch", 400)),
    ("MCP036", wire("sixteen-mebibytes", None, ended="exit status 0"), wire("sixteen-mebibytes", ok())),
    ("MCP036", wire("sixteen-mebibytes", None, ended="the server closed its standard output"), wire("sixteen-mebibytes", None, ended="signal 6")),
    ("MCP037", wire("batch", None), wire("batch", None, {"id": None, **error(-32600)})),
    ("MCP037", wire("bad-utf-8", None, note("notifications/message")), wire("bad-utf-8", None, {"id": None, **error(-32700)})),
    ("MCP037", posted("bad-utf-8", 200), posted("bad-utf-8", 400)),
    ("MCP037", posted("bare-text", 202), posted("bare-text", 200, others=[{"id": None, **error(-32600)}])),
    ("MCP037", posted("batch", 0), posted("batch", 500)),
    ("MCP038", posted("unknown-version", 400), posted("unknown-version", 400, REFUSED)),
    ("MCP038", posted("unknown-version-first", 400), posted("unknown-version-first", 200)),
    ("MCP038", wire("unknown-version-first", {"result": {"protocolVersion": "1999-01-01"}}), wire("unknown-version-first", {"result": {"protocolVersion": LEGACY}})),
    ("MCP038", wire("unknown-version-first", error()), wire("unknown-version", REFUSED)),
    ("MCP038", wire("unknown-version", ok()), wire("unknown-version", REFUSED)),
    ("MCP038", wire("unknown-version", error()), wire("unknown-version", REFUSED)),
    ("MCP038", wire("unknown-version", {"error": {**REFUSED["error"], "data": {"supported": [MODERN]}}}), wire("unknown-version", REFUSED)),
    ("MCP039", wire("unknown-cursor", {"result": {"tools": []}}), wire("unknown-cursor", error())),
    ("MCP039", wire("unknown-cursor", error(-32603)), wire("unknown-cursor", error())),
    ("MCP039", posted("unknown-cursor", 200, {"result": {"tools": []}}), posted("unknown-cursor", 400, error(-32603))),
    ("MCP039", posted("unknown-cursor", 200, error(-32603)), posted("unknown-cursor", 400)),
    ("MCP021", posted("duplicate-keys", 200, {"id": None, **error()}), posted("duplicate-keys", 400, {"id": None, **error()})),
    ("MCP021", posted("text-id", 400, {"id": None, **error()}), posted("text-id", 400)),
    ("MCP031", posted("not-json", 200), posted("not-json", 400)),
    ("MCP108", posted("deep", 500, body=TRACE), posted("deep", 400, body=TRACE)),
    ("MCP108", posted("deep", 502, body=f"it is {CANARY}"), posted("deep", 500, body="Internal Server Error")),
    ("MCP108", wire("deep", error(message=TRACE)), wire("deep", error(message="too deep"))),
    ("MCP108", wire("bad-utf-8", None, {"id": None, **error(message=TRACE)}), wire("bad-utf-8", None, note("n", data=TRACE))),
    ("MCP057", wire("page-again", paged("a"), {"id": 1, **paged("b")}), wire("page-again", paged("a"), {"id": 1, **paged("a")})),
    ("MCP057", wire("page-again", error(), {"id": 1, **paged("b")}), wire("page-again", None)),
    ("MCP058", seen(wire("list-first", error()), revision=MODERN), seen(wire("list-first", paged("a")), revision=MODERN)),
    ("MCP082", declared(MODERN, inputSchema={**INPUT, "$ref": "https://example.com/a.json"}), declared(MODERN, inputSchema={**INPUT, "$ref": "#/$defs/a"})),
    ("MCP082", declared(MODERN, outputSchema={"anyOf": [{"$ref": "a.json#/b"}]}), declared(MODERN, outputSchema={"default": {"$ref": "a.json"}})),
    ("MCP082", declared(MODERN, inputSchema={"$id": "https://a.b/c", "$ref": "d"}), declared(MODERN, inputSchema={"$id": "https://a.b/c", "$ref": "d", "$defs": {"d": {"$id": "https://a.b/d"}}})),
    ("MCP082", declared(MODERN, inputSchema={"properties": {"a": {"$ref": "https://[/"}}}), declared(MODERN, inputSchema={"properties": {"$ref": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}})),
    ("MCP083", declared(MODERN, inputSchema=of_properties({"x-mcp-header": ""})), declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A-1"}))),
    ("MCP083", declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A\n"})), declared(MODERN, inputSchema={"default": {"x-mcp-header": ""}})),
    ("MCP083", declared(MODERN, inputSchema=of_properties({"x-mcp-header": 7})), declared(MODERN, outputSchema=of_properties({"x-mcp-header": 7}))),
    ("MCP083", declared(MODERN, inputSchema=of_properties({"x-mcp-header": "a"}, {"x-mcp-header": "A"})), declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A"}, {"x-mcp-header": "B"}))),
    ("MCP084", declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A", "type": "number"})), declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A", "type": ["integer", "null"]}))),
    ("MCP084", declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A"})), declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A", "anyOf": [TEXTS, {"type": "null"}]}))),
    ("MCP084", declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A", "enum": [1.5]})), declared(MODERN, inputSchema=of_properties({"x-mcp-header": "A", "enum": ["a", None]}))),
    ("MCP084", declared(MODERN, inputSchema={**TEXTS, "x-mcp-header": "A"}), declared(MODERN, inputSchema=of_properties(of_properties({**TEXTS, "x-mcp-header": "A"})))),
    ("MCP084", declared(MODERN, inputSchema=of_properties({"items": {**TEXTS, "x-mcp-header": "A"}})), declared(MODERN)),
    ("MCP085", declared(list_fault="gave 5", list_breach="form"), declared()),
    ("MCP086", declared(list_fault="has no end", list_breach="end"), declared(list_fault="gave 5", list_breach="form")),
    ("MCP087", refusal_in('{"error": "city is missing"}'), refusal_in('{"celsius": 4}')),
    ("MCP087", refusal_in("Error: city is missing"), call(saying("Error: city is missing"))),
    ("MCP087", call(saying(TRACE)), call(saying(f"It began: {TRACE}"))),
    ("MCP087", call(saying('{"result": "TypeError: a is null\\n    at f (a.js:1:2)"}')), call(saying(TRACE), arguments=json.dumps({"city": TRACE}))),
    ("MCP088", seen(call(EMBEDDED)), seen(call(EMBEDDED), opening={**OPENING[LEGACY], "capabilities": {"tools": {}, "resources": {}}})),
    ("MCP089", call(ok(), note("notifications/message", data={"env": [CANARY]})), call(ok(), note("notifications/message", data="asked"))),
    ("MCP089", call(ok(), note("notifications/message", data="it is hunter22"), arguments='{"password": "hunter22"}'), call(ok(), note("notifications/message", data="it is hunter22"), arguments='{"city": "hunter22"}')),
    ("MCP089", call(ok(), note("notifications/message", data=CANARY)), call(ok(), note("notifications/own", data=CANARY))),
    ("MCP089", call(ok(), note("notifications/message", data="hunter22"), arguments='{"api_key": "hunter22"}'), call(ok(), note("notifications/message", data="hunter22"), arguments='{"api_key": "hunter22", "city": "hunter22"}')),
    ("MCP089", call(ok(), note("notifications/message", data=CANARY)), call(ok(), note("notifications/message", data=CANARY), arguments=json.dumps({"city": CANARY}))),
    ("MCP090", seen(wire("other-case", ok())), seen(wire("other-case", error()))),
    ("MCP090", seen(wire("other-case", ok()), UNKNOWN), seen(wire("other-case", ok()), wire("unknown-tool", ok()))),
    ("MCP091", effect(FileChange("a.txt", "changed", given=True)), effect()),
    ("MCP091", effect(FileChange("b/new.txt", "created", given=True)), effect(FileChange("tmp1", "created"))),
    ("MCP091", effect(FileChange("Oslo", "created")), effect(FileChange("a.db", "changed"))),
    ("MCP091", effect(FileChange("a.txt", "removed", given=True)), replace(effect(FileChange("a", "removed", given=True)), plan=INVALID)),
    ("MCP092", twice(FileChange("a.txt", "changed", given=True)), twice()),
    ("MCP092", twice(FileChange("a.txt", "created", given=True)), twice(FileChange("a.db", "changed", given=True, binary=True))),
    ("MCP092", twice(FileChange("Oslo", "changed")), twice(FileChange("a.txt", "changed", given=True), earlier=5)),
    ("MCP093", effect(FileChange("a.txt", "changed", given=True, lost=True)), effect(FileChange("a.txt", "changed", given=True))),
    ("MCP093", effect(FileChange("a.txt", "removed", given=True, lost=True)), effect(FileChange("Oslo", "removed", lost=True))),
    ("MCP094", seen(tried(1), tried(2)), seen(tried(0), tried(2))),
    ("MCP094", seen(tried(1), tried(1)), seen(tried(1), tried(1, earlier=0))),
    ("MCP095", by_turns(DATA, {}, DATA, {}, DATA, {}), by_turns(DATA, DATA)),
    ("MCP095", by_turns(DATA, {}, DATA, {}, DATA, {}), by_turns(DATA, {}, DATA, {}, DATA, DATA)),
    ("MCP095", by_turns(DATA, {}, DATA, {}, DATA, {}), by_turns(DATA, {}, [], {}, DATA, {})),
    ("MCP095", by_turns(DATA, {}, DATA, {}, DATA, {}), by_turns(DATA, {}, DATA, {})),
    ("MCP021", wire("listen", {"id": 1, "result": {}}), wire("listen", {"id": "aptix-listen", "result": {}})),
    ("MCP026", seen(call(ok(), CHANGED), revision=MODERN), seen(call(ok()), wire("listen", None, CHANGED), revision=MODERN)),
    ("MCP096", GROWN, wire("between-lists", error(), {"id": 1, **paged("a")})),
    ("MCP096", wire("between-lists", paged("a", "b"), {"id": 1, **paged("a")}), wire("between-lists", paged("b", "a"), {"id": 1, **paged("a", "b")})),
    ("MCP096", wire("between-lists", paged("a"), {"id": 1, **paged("a", "b")}), wire("between-lists", paged("a"), {"id": 1, **error()})),
    ("MCP097", seen(GROWN, opening=ANNOUNCING), seen(replace(GROWN, result=ANNOUNCED.result), opening=ANNOUNCING)),
    ("MCP097", seen(GROWN, opening=ANNOUNCING), seen(GROWN)),
    ("MCP098", listening(acknowledged()), listening(acknowledged(), able=True)),
    ("MCP098", listening(), listening(acknowledged(toolsListChanged=False))),
    ("MCP098", listening(acknowledged(number=1), able=True), listening(acknowledged(), CHANGED, able=True)),
    ("MCP098", listening(CHANGED, acknowledged(), able=True), listening(response=error())),
    ("MCP098", listening(acknowledged(), note("notifications/tools/list_changed"), able=True), listening(acknowledged(), note("notifications/message"), able=True)),
    ("MCP098", listening(acknowledged(promptsListChanged=True), able=True), listening(acknowledged(promptsListChanged=False), able=True)),
    ("MCP099", seen(as_task(error(), *(ok(), TASK) * 3)), seen(as_task(error(), ok(), ok()))),
    ("MCP099", seen(as_task(error(), *(ok(), error(-1)) * 3)), seen(as_task(error(-1), *(ok(), error(-1)) * 3))),
    ("MCP099", seen(as_task(error(), *(ok(), ok(isError=True)) * 3)), seen(as_task(error(), *(ok(), ok(isError=True)) * 2, ok(), ok()))),
    ("MCP099", seen(as_task(error(), *(error(), error(-1)) * 3)), seen(as_task(error(), *(ok(), error(-1)) * 2))),
    ("MCP099", seen(as_task(error(), *(ok(), TASK) * 3)), seen(as_task(error(), *(ok(), TASK) * 2, ok(), error(-1)))),
    ("MCP099", seen(UNKNOWN, wire("unknown-tool-task", error(-32603))), seen(UNKNOWN, wire("unknown-tool-task", error()))),
    ("MCP100", as_task(error(), ok(), TASK), as_task(error(), NO_TASKS, TASK)),
    ("MCP100", as_task(error(), error(), TASK), as_task(error(), error(-32600), TASK)),
    ("MCP101", as_task(error(), ok(), TASK), as_task(error(), ok(), NO_TASKS)),
    ("MCP101", as_task(error(), ok(), error()), as_task(error(), error(), NO_TASKS)),
    ("MCP106", living((1, "create", ok())), living((1, "create", ok(isError=True)))),
    ("MCP106", living((1, "create", ok())), living((1, "create", error()))),
    ("MCP106", living((1, "create", made(ttl="left out"))), living((1, "create", made()))),
    ("MCP106", living((1, "create", made(ttl="60000"))), living((1, "create", made(ttl=60000.5)))),
    ("MCP106", living((1, "create", made(ttl=True))), living((1, "create", made(pollInterval=-1)))),
    ("MCP106", living((1, "create", made(createdAt="today"))), living((1, "create", made(createdAt="20251125T103000Z")))),
    ("MCP106", living((1, "create", made(createdAt=1764066600))), living((1, "create", made(createdAt="2025-11-25 10:30:00")))),
    ("MCP106", living((1, "create", made(lastUpdatedAt="left out"))), living((1, "create", made(lastUpdatedAt="2025-11-25T10:30:00.123456789Z")))),
    ("MCP106", living((1, "create", made("queued"))), living((1, "create", made("completed")))),
    ("MCP106", living((1, "create", made(number=5))), living((1, "create", made(number="")))),
    ("MCP106", living((1, "create", made(pollInterval=None))), living((1, "create", made(statusMessage="soon")))),
    ("MCP106", living((1, "create", made()), (1, "get", state(statusMessage=5))), living((1, "create", made()), (1, "get", state()))),
    ("MCP106", living((1, "create", made()), (2, "create", made())), living((1, "create", made()), (2, "create", made(number="b")))),
    ("MCP106", living((1, "create", made()), (1, "get", state(number="b"))), living((1, "create", made()), (1, "get", state()))),
    ("MCP106", living((1, "create", made()), (1, "get", state("completed")), (1, "get", state())), living((1, "create", made()), (1, "get", state("input_required")), (1, "get", state()))),
    ("MCP106", living((1, "create", made("failed")), (1, "get", state("completed"))), living((1, "create", made("failed")), (1, "get", state("failed")))),
    ("MCP106", living((1, "create", made()), (1, "cancel", state())), living((1, "create", made()), (1, "cancel", state("cancelled")))),
    ("MCP106", living((1, "create", made()), (1, "cancel", state("cancelled")), (1, "get", state("completed"))), living((1, "create", made()), (1, "cancel", state("cancelled")), (1, "get", error()))),
    ("MCP106", living((1, "create", made()), (1, "get", error())), living((1, "create", made("cancelled")), (1, "get", error()))),
    ("MCP106", living((1, "create", made()), (1, "cancel", state("cancelled")), (1, "get", error(-32603))), living((1, "create", made()), (1, "cancel", state("cancelled")), (1, "get", error()))),
    ("MCP106", living((1, "create", made()), (1, "get", None)), living((1, "create", made()), (1, "cancel", None))),
    ("MCP106", living((1, "create", made()), (1, "cancel", error()), (1, "get", state())), living((1, "create", made()), (1, "cancel", error()), (1, "get", state("completed")))),
    ("MCP106", living((1, "create", made()), (1, "result", given()), (1, "get", state())), living((1, "create", made()), (1, "result", given()), (1, "get", state("completed")))),
    ("MCP106", living((1, "create", made()), (1, "result", given()), (1, "get", state())), living((1, "create", made()), (1, "result", given()), (1, "get", state("input_required")))),
    ("MCP106", living((1, "create", made()), (1, "result", error()), (1, "get", state("completed")), (1, "result", given())), living((1, "create", made()), (1, "result", error()), (1, "get", state("completed")), (1, "result", error()))),
    ("MCP106", living((1, "create", made()), (1, "get", state("completed")), (1, "result", ok())), living((1, "create", made()), (1, "get", state("completed")), (1, "result", given()))),
    ("MCP106", living((1, "create", made()), (1, "get", state("completed")), (1, "result", given("b"))), living((1, "create", made()), (1, "get", state("completed")), (1, "result", error()))),
    ("MCP106", living((1, "create", made()), (1, "get", state("completed")), (1, "result", given(content="4 degrees"))), living((1, "create", made()), (1, "cancel", state("cancelled")), (1, "result", given(content="4 degrees")))),
    ("MCP106", living((1, "create", made()), (1, "get", state("completed")), (1, "result", None)), living((1, "create", made()), (1, "get", state()), (1, "result", None))),
    ("MCP106", compared(ok(), ok(), ok(), polled=given(n=1), awaited=given("b", n=1)), compared(ok(), ok(), ok(), polled=given())),
    ("MCP106", compared(ok(), ok(), ok(), polled=given(n=1), awaited=given("b", n=1)), compared(ok(), ok(n=1), ok(), polled=given(n=1), awaited=given("b", n=1))),
    ("MCP106", compared(ok(), ok(), ok(), polled=given(n=1), awaited=given("b", n=1)), compared(ok(), ok(), polled=given(n=1), awaited=given("b", n=1))),
    ("MCP106", compared(ok(), ok(), ok(), polled=given(n=1), awaited=given("b", n=1)), compared(ok(), ok(), ok(), polled=given(n=1), awaited=given("b", n=2))),
    ("MCP106", compared(ok(), ok(), ok(), polled=error(), awaited=error()), compared(error(), error(), error(), polled=given(), awaited=given("b"))),
    ("MCP106", compared(ok(), ok(), ok(), polled=error(), awaited=error()), compared(*[ok(isError=True)] * 3, polled=given(), awaited=given("b"))),
    ("MCP106", compared(ok(), ok(), ok(), polled=given(isError=True), awaited=given("b", isError=True)), compared(ok(), ok(), ok(), polled=given(isError=False), awaited=given("b", isError=False))),
    ("MCP106", living((1, "create", made()), (1, "get", state("completed")), (1, "get", error())), living((1, "create", made()), (1, "get", state("completed")), (1, "cancel", state("completed")))),
    ("MCP107", living((0, "get", error(-32603)), stimulus="unknown-task"), living((0, "get", error()), stimulus="unknown-task")),
    ("MCP107", living((0, "result", state()), stimulus="unknown-task"), living((0, "call", error(-32603)))),
    ("MCP107", living((0, "cancel", None), stimulus="unknown-task"), living((0, "cancel", error()), stimulus="unknown-task")),
    ("MCP107", living((1, "create", made()), (1, "get", state("completed")), (1, "cancel", state("completed"))), living((1, "create", made()), (1, "get", state("completed")), (1, "cancel", error()))),
    ("MCP107", living((1, "create", made("failed")), (1, "cancel", error(-32600))), living((1, "create", made()), (1, "cancel", error(-32600)))),
    ("MCP102", call(asked()), call(asked(requestState="7"))),
    ("MCP102", call(asked(requestState=7)), call(asked(inputRequests={}))),
    ("MCP102", call(asked(inputRequests=["roots/list"])), call(asked(inputRequests={"a": {"method": "roots/list"}}))),
    ("MCP102", asking(ok(), first=asked(inputRequests={"a": {"method": "ping"}})), asking(ok())),
    ("MCP103", asking(ok(), ok(), ok(), ok(structuredContent={})), asking(ok(), ok(), ok(), REFUSED_STATE)),
    ("MCP103", asking(ok(), ASKED, asked(requestState="8"), ok()), asking(ok(), ASKED, ASKED, asked(requestState="9"))),
    ("MCP103", asking(ok(), REFUSED_STATE, REFUSED_STATE, ok()), asking(ok(), ok(), ok(_meta={"n": 1}), ok(_meta={"n": 2}))),
    ("MCP103", asking(ok(), ok(), ok(), ok(structuredContent={})), asking(ok(), ok(), REFUSED_STATE, ok(structuredContent={}))),
    ("MCP103", asking(ok(), ok(), ok(), ok(structuredContent={})), asking(ok(), ok(), ok(), ok(isError=True))),
    ("MCP103", asking(ok(), ok(_meta={"n": 1}), ok(_meta={"n": 2}), ok(structuredContent={})), asking(ok(), ok(), ok(), ok(_meta={"n": 1}))),
    ("MCP104", call(lacking({})), call(lacking({"elicitation": {}}))),
    ("MCP104", call(lacking(["elicitation"])), call(lacking({"elicitation": {"form": {}}}))),
    ("MCP104", asking(ok(), first=lacking({"elicitation": {"form": {}}})), asking(ok(), first=lacking({"elicitation": {"url": {}}}))),
    ("MCP104", asking(ok(isError=True)), asking(ok())),
    ("MCP104", asking(error()), asking(lacking({"roots": {}}))),
    ("MCP104", over_http(lacking({"roots": {}}), 200), over_http(lacking({"roots": {}}), 400)),
    ("MCP105", KEEPING, conversing(ok(), ok(), ok())),
    ("MCP105", KEEPING, conversing(saying(SENT), ok(), saying(SENT))),
    ("MCP105", KEEPING, conversing(saying(SENT), saying(SENT), ok())),
    ("MCP105", KEEPING, conversing(saying(SENT))),
    ("MCP105", KEEPING, conversing(saying(SENT), ok())),
    ("MCP105", KEEPING, conversing(saying(SENT), ok(), ok(isError=True))),
    ("MCP105", KEEPING, conversing(saying(SENT), ok(), error())),
    ("MCP105", KEEPING, conversing(saying(SENT), ok(), ok(), earlier=0)),
    ("MCP105", KEEPING, conversing(saying(SENT), ok(), ok(), before=error())),
    ("MCP105", KEEPING, conversing({"result": {**saying(SENT)["result"], "isError": True}}, ok(), ok())),
    ("MCP105", KEEPING, conversing(saying(SENT), ok(), ok(), asked=SENT)),
    ("MCP105", KEEPING, conversing(saying(SENT.replace("text", "name")), ok(), ok(), told=SENT.replace("text", "name"))),
    ("MCP105", KEEPING, conversing(ok(_meta={"before": SENT}), ok(), ok())),
    ("MCP105", conversing(saying(SENT.upper()), ok(), ok()), conversing(saying(f"{SENT[:-1]} and so on"), ok(), ok())),
    ("MCP105", conversing(ok(structuredContent={SENT: 1}), ok(_meta={"before": SENT}), ok()), conversing(saying("2 notes"), ok(), ok())),
    ("MCP105", conversing(saying(SENT), ok(), note("notifications/message"), ok()), conversing(saying(SENT), ok(), asked(requestState="7"))),
    ("MCP109", scarce(FAILURE, FAILURE, FAILURE, FAILURE, renewed=ok()), scarce(FAILURE, FAILURE, ok())),
    ("MCP109", scarce(error(), error(), error(), error(), renewed=ok()), scarce(FAILURE, FAILURE, FAILURE, FAILURE, renewed=FAILURE)),
    ("MCP109", scarce(FAILURE, FAILURE, FAILURE, FAILURE, renewed=ok()), scarce(FAILURE, FAILURE, FAILURE, FAILURE, renewed=error())),
    ("MCP109", scarce(FAILURE, FAILURE, FAILURE, FAILURE, renewed=ok()), scarce(ok())),
    ("MCP040", scarce({"result": {"isError": "yes", "content": [TEXT]}}), scarce(FAILURE)),
    ("MCP087", scarce(ok(content=[{"type": "text", "text": TRACE}])), scarce(ok(content=[{"type": "text", "text": TRACE}], isError=True))),
    ("MCP059", wire("end-of-input", None), wire("end-of-input", None, ended="exit status 0")),
    ("MCP060", tokened(CANCELLED, answered=2.1), tokened(CANCELLED, answered=1.9)),
    ("MCP060", tokened(None, 1, times=(2.1,)), tokened(None, 1, times=(1.9,))),
    ("MCP060", tokened(None, 1, times=(2.1,)), tokened(None, 1, times=(2.1,), closed=True)),
    ("MCP060", tokened(CANCELLED, answered=9.0), tokened(error(-32603, "The disk is full."), answered=9.0)),
    ("MCP060", tokened(CANCELLED, answered=9.0), tokened(CANCELLED, answered=9.0, read=9.0)),
    ("MCP061", tokened(ok(), answered=2.1), tokened(ok(), answered=1.9)),
    ("MCP061", tokened(ok(), answered=2.1), tokened(ok(), answered=2.1, read=2.2)),
    ("MCP061", tokened(error(-32603, "The disk is full."), answered=2.1), tokened(CANCELLED, answered=2.1)),
    ("MCP061", tokened(ok(), answered=2.1), tokened(ok(), 1, answered=2.1, times=(2.1,))),
    ("MCP062", tokened(ok(), answered=4.0, read=4.0), tokened(ok(), answered=1.9, read=1.9)),
    ("MCP062", tokened(None, closed=True, read=4.0), tokened(None, closed=True)),
    ("MCP062", tokened(None, busy=0.9), tokened(None, busy=0.1)),
    ("MCP062", tokened(None, busy=0.9), tokened(None, busy=0.9, idle=0.8)),
    ("MCP062", tokened(None, busy=0.9), tokened(None, 1, busy=0.9, times=(2.1,))),
    ("MCP062", tokened(CANCELLED, answered=1.0, left=("sleep",)), tokened(CANCELLED, answered=1.0)),
    ("MCP062", tokened(CANCELLED, answered=1.0, busy=0.9), tokened(CANCELLED, answered=1.0, busy=0.1)),
    ("MCP062", tokened(None, left=("sleep",)), tokened(None, left=("sleep",), left_usually=("sleep",))),
    ("MCP063", tokened(ok(), 1, 1), tokened(ok(), 1, 1.5)),
    ("MCP063", tokened(ok(), 2, 1), tokened(ok(), -1, 0)),
    ("MCP063", tokened(ok(), True), tokened(ok(), 0)),
    ("MCP063", tokened(ok(), "1"), tokened(ok())),
    ("MCP063", tokened(ok(), 1, 2, in_time=1), tokened(ok(), 1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "broken", "kept"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)])
def test_a_rule_finds_what_breaks_it_and_nothing_else(code, broken, kept):
    rule = RULES[code]
    assert rule.when(broken)
    assert rule.check(broken) is not None
    assert not rule.when(kept) or rule.check(kept) is None


@pytest.mark.parametrize(
    ("code", "hints", "applies"),
    [
        ("MCP091", {"readOnlyHint": True}, True),
        ("MCP091", {"readOnlyHint": "true"}, False),
        ("MCP092", {"idempotentHint": True}, True),
        ("MCP092", {"idempotentHint": True, "readOnlyHint": True}, False),
        ("MCP093", {"destructiveHint": False, "readOnlyHint": False}, True),
        ("MCP093", {"destructiveHint": False, "readOnlyHint": True}, False),
        ("MCP093", {}, False),
        ("MCP094", {"openWorldHint": False, "readOnlyHint": True}, True),
        ("MCP094", {"openWorldHint": 0}, False),
    ],
)
def test_only_a_hint_that_is_given_and_means_something_is_judged(code, hints, applies):
    assert (RULES[code].applies(declared(annotations=hints)) is None) is applies


@pytest.mark.parametrize(
    ("able", "tool", "judged"),
    [
        ({}, {}, "MCP099"),
        ({"tasks": {"requests": {"tools": []}}}, {"taskSupport": "required"}, "MCP099"),
        (TASKS, {"taskSupport": "required"}, "MCP100"),
        (TASKS, {"taskSupport": "forbidden"}, "MCP101"),
        (TASKS, {}, "MCP101"),
        (TASKS, {"taskSupport": "optional"}, None),
    ],
)
def test_a_call_as_a_task_is_judged_by_what_the_server_and_the_tool_declare(able, tool, judged):
    of_tool = declared(opening={"capabilities": {"tools": {}, **able}}, execution=tool)
    assert [c for c in ("MCP099", "MCP100", "MCP101") if RULES[c].applies(of_tool) is None] == [
        judged
    ] * bool(judged)


@pytest.mark.parametrize(
    ("able", "tool", "judged"),
    [
        ({}, {"taskSupport": "required"}, []),
        (TASKS, {}, ["server"]),
        (TASKS, {"taskSupport": "forbidden"}, ["server"]),
        (TASKS, {"taskSupport": "optional"}, ["tool", "server"]),
        (TASKS, {"taskSupport": "required"}, ["tool", "server"]),
    ],
)
@pytest.mark.parametrize("code", ["MCP106", "MCP107"])
def test_what_becomes_of_a_task_is_judged_where_there_can_be_one(code, able, tool, judged):
    of_tool = declared(opening={"capabilities": {"tools": {}, **able}}, execution=tool)
    kinds = [kind for kind in ("tool", "server") if RULES[code].applies(replace(of_tool, kind=kind)) is None]
    assert kinds == judged


@pytest.mark.parametrize(
    ("code", "silent"),
    [
        ("MCP106", living((1, "create", made()), (1, "get", None))),
        ("MCP106", living((1, "create", made()), (1, "get", state("failed")), (1, "result", None))),
        ("MCP107", living((0, "get", None), stimulus="unknown-task")),
    ],
)
def test_a_silence_about_tasks_counts_only_where_it_is_reproduced(code, silent):
    """A busy machine keeps a server silent, too."""
    assert [found.timed for found in RULES[code].findings(silent)] == [True]


@pytest.mark.parametrize(
    ("steps", "causes"),
    [
        ([(1, "get", state(number=5))], [("form", "taskId")]),
        ([(1, "get", state("failed")), (1, "result", given()), (1, "get", state())], ["final"]),
        ([(1, "cancel", state()), (1, "get", state())], ["cancel"]),
        ([(1, "get", state(ttl="left out", createdAt=0))], [("form", "createdAt", "ttl")]),
    ],
)
def test_one_fault_of_a_task_is_one_finding(steps, causes):
    found = RULES["MCP106"].findings(living((1, "create", made()), *steps))
    assert [finding.cause for finding in found] == causes


@pytest.mark.parametrize("code", ["MCP106", "MCP107"])
@pytest.mark.parametrize(
    "message", ["", "[]", "5", "{}", '{"result": []}', '{"error": 5}', '{"result": {"task": 5}}']
)
def test_no_rule_on_tasks_stumbles_over_an_answer_of_another_form(code, message):
    asked_of = ("create", "get", "result", "get", "cancel", "call")
    told = tuple(TaskStep(number, what, message) for number in (0, 1, 2) for what in asked_of)
    begun = living((1, "create", made("completed", number=[])), (1, "cancel", state({})))
    hostile = replace(
        begun, result=replace(begun.result, facts=McpResult(None, steps=begun.result.facts.steps + told))
    )
    assert RULES[code].when(hostile)
    RULES[code].findings(hostile)


@pytest.mark.parametrize(
    ("said", "judged"),
    [
        ({"name": "keep_note", "description": "Keeps a note in the catalogue of blogs."}, True),
        ({"name": "audit_trail"}, False),
        ({"name": "readLogs"}, False),
        ({"title": "Statistics of calls"}, False),
        ({"description": "Shows the log of the last calls."}, False),
        ({"annotations": {"title": "Diagnostics"}}, False),
        ({"description": None, "annotations": []}, True),
    ],
)
def test_a_tool_that_may_report_what_its_process_did_is_in_no_conversation(said, judged):
    assert (RULES["MCP105"].applies(declared(MODERN, **said)) is None) is judged


@pytest.mark.parametrize(
    "seen",
    [
        conversing(saying(SENT)),
        conversing(saying(SENT), ok(), ok(isError=True)),
        conversing(saying(SENT), ok(), ok(), earlier=0),
        conversing(ok(), before=error()),
        conversing(ok(isError=True)),
    ],
    ids=["not restarted", "refused after it", "nothing before it", "refused text", "refused afterwards"],
)
def test_two_conversations_that_cannot_be_compared_are_not_judged(seen):
    assert not RULES["MCP105"].when(seen)
    assert RULES["MCP105"].if_unseen == "not_applicable"


@pytest.mark.parametrize("code", ["MCP091", "MCP093"])
def test_a_call_whose_files_were_not_compared_shows_nothing(code):
    assert not RULES[code].when(call(ok()))
    assert RULES[code].if_unseen == "not_applicable"


@pytest.mark.parametrize(
    "unseen",
    [
        scarce(FAILURE, reached=False),
        scarce(FAILURE, FAILURE, FAILURE, FAILURE),
        scarce(FAILURE, FAILURE, FAILURE, FAILURE, renewed=FAILURE),
        call(ok()),
        wire("asking", ok()),
    ],
    ids=[
        "nothing was scarce",
        "not started again",
        "fails in a new process",
        "a plain call",
        "another stimulus",
    ],
)
def test_whether_a_server_serves_again_is_not_judged_where_it_is_not_seen(unseen):
    assert not RULES["MCP109"].when(unseen)
    assert RULES["MCP109"].if_unseen == "not_applicable"


def test_a_call_that_fails_while_something_is_scarce_may_be_an_error_of_the_protocol():
    assert not RULES["MCP053"].when(seen(scarce(error(-32603, "no room"))))


def test_that_a_server_serves_again_is_good_practice_only():
    assert {RULES["MCP109"].level(load().edition(f"mcp-{revision}")) for revision in (LEGACY, MODERN)} == {
        Level.SHOULD
    }


def test_a_schema_may_be_closed_in_a_branch_of_its_root():
    taken = call(ok(), probe="invalid", change=NOT_LISTED, arguments='{"city": "", "unexpected": 1}')
    branch = {"inputSchema": {"type": "object", "allOf": [CLOSED["inputSchema"]]}}
    closed, opened = seen(taken, **branch), seen(taken, inputSchema={"type": "object", "allOf": [INPUT]})
    assert "'unexpected'" in RULES["MCP055"].check(closed).message
    assert RULES["MCP055"].applies(closed.declarations[0]) is None
    assert RULES["MCP055"].applies(opened.declarations[0])


def test_every_rule_of_mcp_has_a_case():
    """Those on HTTP are in test_mcp_http_rules.py."""
    assert {code for code, _, _ in CASES} == {code for code in RULES if not "MCP070" <= code <= "MCP081"}


@pytest.mark.parametrize("breach", ["", "form", "end"])
def test_a_list_that_was_not_read_to_its_end_leaves_rules_open(breach):
    """Its names and their order are known in part; and that it is a list shows at its end only."""
    unread = declared(list_fault="has more than 100 pages", list_breach=breach)
    assert not RULES["MCP008"].when(unread)
    assert not RULES["MCP009"].when(unread)
    assert RULES["MCP085"].when(unread) is (breach == "form")


def test_a_call_that_ended_before_its_cancellation_shows_nothing_of_it():
    """It was too quick, and neither kept nor broke a rule on cancellation."""
    quick = tokened(ok(), sent=None, read=4.1, answered=4.0)
    assert not any(RULES[code].when(quick) for code in ("MCP060", "MCP061", "MCP062", "MCP063"))


def test_after_a_cancellation_a_should_of_the_older_revision_is_a_must_of_the_later():
    """And a result that could not be stopped is a SHOULD in both."""
    editions = load().editions
    legacy, modern = editions["mcp-2025-11-25"], editions["mcp-2026-07-28"]
    assert [RULES["MCP060"].level(each) for each in (legacy, modern)] == [Level.SHOULD, Level.MUST]
    assert [RULES["MCP061"].level(each) for each in (legacy, modern)] == [Level.SHOULD, Level.SHOULD]
    assert [RULES["MCP062"].level(each) for each in (legacy, modern)] == [Level.SHOULD, Level.SHOULD]
    assert [RULES["MCP063"].level(each) for each in (legacy, modern)] == [Level.MUST, Level.MUST]


@pytest.mark.parametrize(
    ("seen_call", "timed"), [(HUNG, True), (wire("deep", None, ended="exit status 1"), False)]
)
def test_a_silence_after_hostile_input_counts_only_where_it_is_reproduced(seen_call, timed):
    """A machine that is busy keeps a server silent, too."""
    assert RULES["MCP035"].check(seen_call).timed is timed


@pytest.mark.parametrize("name", ["eight-mebibytes", "sixteen-mebibytes"])
def test_a_large_body_without_an_answer_is_a_finding_where_a_smaller_one_has_one(name):
    rule = RULES["MCP034"]
    (found,) = rule.findings(posted(name, 0))
    assert (found.gives_way_to, found.timed) == ("MCP033", True)
    assert rule.findings(posted(name, 413)) == ()
    assert not rule.when(wire(name, None))


@pytest.mark.parametrize(("code", "breach"), [("MCP085", "form"), ("MCP086", "end")])
def test_a_list_after_hostile_messages_is_not_judged(code, breach):
    later = replace(declared(list_fault="gave 5", list_breach=breach), when="after_calls")
    assert RULES[code].check(later) is None


@pytest.mark.parametrize(
    "message", ["[]", "5", '{"id": 1, "result": {"content": {}}}', '{"error": []}', "{}"]
)
def test_no_rule_stumbles_over_a_message_of_another_form(message):
    """What a server sends is hostile."""
    observed = call('{"result": {}}')
    progress = TokenedCall(7, 1.0, sent=0.1, read=0.2, answered=9.0, progress=(message,), times=(9.0,))
    forged = Result("CallToolResult", True, True, facts=McpResult(message, (message,), tokened=progress))
    hostile = Call(observed.plan, Outcome.RETURNED, 0.1, forged)
    exploration = seen(hostile, others=(5, [], {"method": 7}))
    for rule in RULES.values():
        over = {Call: hostile, Declaration: exploration.declarations[0], Exploration: exploration}[rule.over]
        if rule.when(over):
            rule.findings(over)


def test_an_edition_has_the_clauses_of_its_revision():
    """What one revision does not say binds none of its servers."""
    editions = load().editions
    legacy, modern = editions["mcp-2025-11-25"], editions["mcp-2026-07-28"]
    assert RULES["MCP030"].level(legacy)
    assert RULES["MCP030"].level(modern) is None
    assert RULES["MCP041"].level(modern)
    assert RULES["MCP041"].level(legacy) is None
    assert declared(MODERN).edition == modern.name


def test_without_structured_content_mcp046_needs_no_output_schema_that_it_can_use():
    elsewhere = {"outputSchema": {"type": "object", "$ref": "https://example.com/x.json"}}
    rule = RULES["MCP046"]
    bare = seen(call(ok()), call(ok(structuredContent=DATA)), **elsewhere)
    assert rule.when(bare)
    assert [found.cause for found in rule.findings(bare)] == ["missing"]
    assert not rule.when(seen(call(ok(structuredContent=DATA)), **elsewhere))
    assert not rule.when(seen(call(ok(isError=True)), **elsewhere))
