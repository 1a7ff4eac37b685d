"""Every rule on MCP servers and their tools finds what breaks it, and nothing in what keeps it."""

import json

import pytest
from tests.unit.rules.mcp_builders import (
    CLOSED,
    DATA,
    FAILURE,
    HUNG,
    INPUT,
    LEGACY,
    META,
    MODERN,
    NOT_LISTED,
    OPENING,
    PAGE,
    RULES,
    SENT,
    TEXT,
    as_task,
    asked,
    call,
    conversing,
    declared,
    error,
    given,
    living,
    made,
    note,
    ok,
    posted,
    saying,
    scarce,
    seen,
    state,
    tokened,
    wire,
)

from aptix_conformance.core.model import Change, Kind, Output, Stimulus, canaries
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.file_change import FileChange
from aptix_conformance.rules.lib.argument_models import reads_json_in_text
from aptix_conformance.systems.mcp.facts import HttpAnswer
from aptix_conformance.systems.mcp.probe import NO_ARGUMENTS
from aptix_conformance.systems.rulebook import all_rules

SERVER = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "w", "version": "1"}}}
EXC003, EXC005 = (rule for rule in all_rules(others=()) if rule.code in ("EXC003", "EXC005"))


def paged(*names):
    return {"result": {"tools": [{"name": name} for name in names]}}


def by_turns(*answers):
    """`wire:two-clients`: the answers of the suite and of another client, by turns."""
    *earlier, last = (
        {"id": 1, **ok(structuredContent=each, _meta={"n": n})} for n, each in enumerate(answers)
    )
    return wire("two-clients", last, *earlier)


def compared(*plain, polled, awaited=None):
    """Two tasks between plain calls."""
    first = ((1, "create", made()), (1, "get", state("completed")), (1, "result", polled))
    second = ((2, "create", made(number="b")), (2, "result", awaited or given("b")))
    calls = [(0, "call", each) for each in plain]
    return living(calls[0], *first, *calls[1:2], *second, *calls[2:])


def lenient(detail, answer, demand="either", *, untyped=False):
    """A value that could be converted to what the inputSchema allows, and what came back; `untyped`: an object is taken, too."""
    changes = [(Change(Kind.COERCIBLE, "city", detail), answer, demand)]
    changes += [(Change(Kind.TYPE, "city", "object"), ok(), "refused")] if untyped else []
    calls = [
        call(said, change=change, probe="invalid", arguments='{"city": 5}', demand=wanted)
        for change, said, wanted in changes
    ]
    return seen(*calls)


def asking(plain, *retries, first=None):
    """`wire:asking`: a plain call, the answer to a client that can be asked, and those to its retries."""
    others = ({"id": 1, **each} for each in (plain, *retries))
    return wire("asking", first or ASKED, *others)


def lacking(required, **members):
    return {"error": {"code": -32021, "message": "no", "data": {"requiredCapabilities": required}, **members}}


def over_http(message, status):
    found = call(message)
    return replace(
        found, result=replace(found.result, facts=replace(found.result.facts, http=HttpAnswer(status)))
    )


def acknowledged(number="listen-1", **granted):
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
TASK = {"result": {"task": {"taskId": "1", "status": "working"}}}
NO_TASKS = error(-32601, "no tasks")
CHANGED = note("notifications/tools/list_changed", _meta={f"{META}subscriptionId": "listen-1"})
ANNOUNCING = {**OPENING[LEGACY], "capabilities": {"tools": {"listChanged": True}}}
GROWN = wire("between-lists", paged("a", "b"), {"id": 1, **paged("a")})
ANNOUNCED = wire(
    "between-lists", paged("a", "b"), {"id": 1, **paged("a")}, note("notifications/tools/list_changed")
)
DEFINED = {"$defs": {"a": {"type": "integer"}}}
REFERRING = {"type": "object", "properties": {"n": {"$ref": "#/$defs/a"}}}
WITH_OUTPUT = {
    "outputSchema": {"type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"]}
}
UNKNOWN = wire("unknown-tool", error(message="Unknown tool: aptix-no-such-tool"))
REFUSED = {
    "error": {"code": -32022, "message": "no", "data": {"supported": [MODERN], "requested": "1999-01-01"}}
}
CANCELLED = error(-32800, "Request cancelled")
TEXTS = {"type": "string"}
CANARY = canaries.environment(0)["GITHUB_TOKEN"]
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1'
EMBEDDED = {
    "result": {
        "content": [{"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": ""}}]
    }
}


def of_properties(*nodes):
    return {"type": "object", "properties": {f"p{place}": node for place, node in enumerate(nodes)}}


KEEPING = conversing(saying(f"notes: {SENT}, text"), ok(), ok())
COLOURED = '{"city": "a\\u001b[31mb"}'


def repeating(text, sent="a\x1b[31mb"):
    """A refused call whose argument has control characters."""
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return call({"result": result}, arguments=json.dumps({"city": sent}))


def unserved(message):
    """A call that was answered by an error of the protocol."""
    made = call(error(message=message), arguments=COLOURED)
    return replace(made, result=replace(made.result, error_message=message))


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
    ("MCP005", declared(inputSchema=REFERRING | {"properties": REFERRING["properties"] | DEFINED}), declared(inputSchema=REFERRING | DEFINED)),
    ("MCP005", declared(outputSchema=REFERRING), declared(outputSchema=REFERRING | {"allOf": [{"$id": "https://a.b/c", **DEFINED}]})),
    ("MCP006", declared(outputSchema={}), declared(**WITH_OUTPUT)),
    ("MCP007", declared(name="current weather"), declared(name="current.weather-2")),
    ("MCP007", declared(name="w" * 129), declared(name="w" * 128)),
    ("MCP008", declared(names=("weather", "weather")), declared(names=("weather", "Weather"))),
    ("MCP009", seen(names=("a", "b"), again=("b", "a")), seen(names=("a", "b"))),
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
    ("MCP023", call(ok(), stdout='.{"jsonrpc": "2.0", "id": 1, "result": {}}\n'), call(ok())),
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
    ("MCP027", wire("malformed-cancellation", None, error()), wire("malformed-cancellation", None, {"id": 3, **ok()})),
    ("MCP028", wire("unknown-method", ok()), wire("unknown-method", error())),
    ("MCP028", wire("inherited-method", ok()), wire("inherited-method", error())),
    ("MCP029", wire("unknown-method", error()), wire("unknown-method", error(-32601))),
    ("MCP030", wire("ping", error()), wire("ping", {"result": {}})),
    ("MCP031", wire("not-json", None), wire("not-json", None, {"id": None, **error(-32700)})),
    ("MCP032", wire("without-meta", ok()), wire("without-meta", error())),
    ("MCP032", wire("without-meta", error(-32600)), wire("without-meta", error())),
    ("MCP040", call({"result": {}}), call({"result": {"content": []}})),
    ("MCP040", call(ok(isError="no")), call(ok(isError=False))),
    ("MCP041", call(ok()), call(ok(resultType="complete"))),
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
    ("MCP114", seen(call(ok(isError=True, structuredContent={"error": "no"})), **WITH_OUTPUT), seen(call(ok(isError=True, structuredContent=DATA)), **WITH_OUTPUT)),
    ("MCP114", seen(call(ok(isError=True, structuredContent={"error": "no"})), call(ok(structuredContent=DATA)), **WITH_OUTPUT), seen(call(ok(structuredContent={})), call(ok(isError=True, structuredContent=DATA)), **WITH_OUTPUT)),
    ("MCP113", declared(outputSchema={"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}), declared(outputSchema={"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"})),
    ("MCP113", declared(outputSchema={"$schema": "https://example.com/own", "type": "object"}), declared(outputSchema={"type": "object"}, inputSchema={"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"})),
    ("MCP113", declared(outputSchema={"$schema": "https://json-schema.org/draft/2019-09/schema"}), declared(outputSchema={"$schema": 7})),
    ("MCP047", call({"result": {"content": [], "structuredContent": DATA}}), call(ok(structuredContent=DATA))),
    ("MCP047", call(ok(structuredContent={"result": 5})), call(ok(structuredContent={"result": DATA}))),
    ("MCP048", wire("unknown-tool", ok()), wire("unknown-tool", ok(isError=True))),
    ("MCP048", wire("inherited-tool", ok()), wire("inherited-tool", ok(isError=True))),
    ("MCP049", wire("unknown-tool", ok(isError=True)), wire("unknown-tool", error())),
    ("MCP049", wire("unknown-tool", error(-32601)), wire("unknown-tool", error())),
    ("MCP050", seen(wire("nameless-call", ok(isError=True))), seen(wire("nameless-call", error()))),
    ("MCP050", seen(wire("text-for-arguments", ok())), seen(wire("nameless-call", ok()), wire("unknown-tool", ok()))),
    ("MCP051", seen(call(ok(), arguments="{}"), call(error(), probe="wire", change=NO_ARGUMENTS)), seen(call(error(), arguments="{}"), call(error(), probe="wire", change=NO_ARGUMENTS))),
    ("MCP051", seen(call(ok(), arguments="{}"), call(error(), probe="wire", change=NO_ARGUMENTS)), seen(call(ok(), arguments="{}", probe="malformed", demand="refused"), call(error(), probe="wire", change=NO_ARGUMENTS))),
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
    ("MCP021", wire("digits-id", {"id": 900719, "result": {}}), wire("digits-id", {"id": "900719", "result": {}})),
    ("MCP021", wire("empty-id", {"id": None, "result": {}}), wire("empty-id", {"id": "", "result": {}})),
    ("MCP021", wire("zero-id", {"id": "0", "result": {}}), wire("zero-id", {"id": 0, "result": {}})),
    ("MCP021", wire("zero-id", {"id": False, "result": {}}), wire("zero-id", {"id": 0, "result": {}})),
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
    ("MCP033", posted("text-for-arguments", 0), posted("text-for-arguments", 400)),
    ("MCP033", posted("unknown-method", 0), wire("unknown-method", None)),
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
    ("MCP085", declared(pages=({**PAGE, "nextCursor": None},)), declared(pages=({**PAGE, "nextCursor": "b"}, PAGE))),
    ("MCP085", declared(list_fault="gave 5", list_breach="form"), declared()),
    ("MCP086", declared(list_fault="has no end", list_breach="end"), declared(list_fault="gave 5", list_breach="form")),
    ("MCP087", seen(refusal_in('{"error": "city is missing"}')), seen(refusal_in('{"celsius": 4}'))),
    ("MCP087", seen(refusal_in("Error: city is missing")), seen(call(saying("Error: city is missing")))),
    ("MCP087", seen(call(saying(TRACE))), seen(call(saying(f"It began: {TRACE}")))),
    ("MCP087", seen(call(saying("Failed: Error: ENOENT\n    at f (a.js:1:2)"))), seen(call(saying("See: Error: ENOENT\n    at f (a.js:1:2)")))),
    ("MCP087", seen(call(saying('{"result": "TypeError: a is null\\n    at f (a.js:1:2)"}'))), seen(call(saying(TRACE), arguments=json.dumps({"city": TRACE})))),
    ("MCP088", seen(call(EMBEDDED)), seen(call(EMBEDDED), opening={**OPENING[LEGACY], "capabilities": {"tools": {}, "resources": {}}})),
    ("MCP064", repeating("no a\x1b[31mb here"), repeating("no 'a\\x1b[31mb' here")),
    ("MCP064", repeating("no a\x1b[31mb here"), call(saying("no a\x1b[31mb here"), arguments=COLOURED)),
    ("MCP064", repeating("no a\x1b[31mb here"), repeating("\x1b[31mno such city\x1b[0m", sent="\x1b[31mred")),
    ("MCP064", repeating("no \x01 a", sent="\x01 a"), repeating("no \x01 a", sent="\x01")),
    ("MCP064", repeating("no a\x07 here", sent="a\x07"), repeating("no a\tb here", sent="a\tb")),
    ("MCP064", unserved("no a\x1b[31mb"), unserved("no a\\x1b[31mb")),
    ("MCP064", call(ok(), note("notifications/message", data="asked for a\x1b[31mb"), arguments=COLOURED), call(ok(), note("notifications/own", data="asked for a\x1b[31mb"), arguments=COLOURED)),
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
    ("MCP021", wire("listen", {"id": 1, "result": {}}), wire("listen", {"id": "listen-1", "result": {}})),
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
    ("MCP110", lenient("numeric-string", ok()), lenient("numeric-string", ok(isError=True))),
    ("MCP110", lenient("true", ok()), lenient("fraction", ok(), demand="refused")),
    ("MCP110", lenient("json-text", ok()), lenient("json-text", ok(), untyped=True)),
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
    ("MCP087", seen(scarce(ok(content=[{"type": "text", "text": TRACE}]))), seen(scarce(ok(content=[{"type": "text", "text": TRACE}], isError=True)))),
    ("MCP035", wire("deep", None, ended="exit status 0"), wire("client-gone", None, ended="exit status 0")),
    ("MCP116", seen(wire("cut-message", None, left=("node",))), seen(wire("cut-message", None, ended="exit status 0"))),
    ("MCP116", seen(wire("wrapper-killed", None, left=("node",))), seen(wire("wrapper-killed", None))),
    ("MCP116", seen(wire("between-lists", ok(), left=("sleep",))), seen(wire("between-lists", ok()))),
    ("MCP116", seen(wire("end-of-input", None)), seen(wire("end-of-input", None, ended="exit status 0"))),
    ("MCP116", seen(wire("client-gone", None, left=("sleep",))), seen(wire("end-of-input", None), wire("client-gone", None, left=("node",)), revision=MODERN)),
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


@pytest.mark.parametrize(("busy", "is_said"), [(0.9, True), (0.1, False)])
def test_of_a_server_that_stays_it_is_said_whether_it_keeps_a_processor_busy(busy, is_said):
    stayed = wire("end-of-input", None, busy=busy)
    left = wire("client-gone", None, left=("node",), busy=busy)
    found = [RULES["MCP059"].check(stayed), *(RULES["MCP116"].check(seen(call)) for call in (stayed, left))]
    assert [each.message.endswith("kept a processor busy meanwhile.") for each in found] == [is_said] * 3


MODEL = "Error executing tool f: 1 validation error for fArguments\ncity\n  Input should be a valid string [type=string_type]"


def test_lenient_readings_of_an_sdks_model_have_the_same_cause_for_each_argument():
    """Where no model of an SDK is seen, each argument has its own."""
    taken = lenient("true", ok())
    (found,) = RULES["MCP110"].findings(taken)
    assert found.cause == ("a boolean for another type", "city")
    refused = failed_call(MODEL)
    (found,) = RULES["MCP110"].findings(replace(taken, calls=(*taken.calls, refused)))
    assert found.cause == "a boolean for another type"


@pytest.mark.parametrize(
    ("text", "message", "expected"),
    [
        ("[1]", MODEL, True),
        ("{}", MODEL, True),
        ("5", MODEL, False),
        ("[1", MODEL, False),
        ("[1]", "The city is no valid string.", False),
        ("[1]", MODEL.replace("city", "country"), False),
    ],
)
def test_the_refusal_of_a_text_that_an_sdk_read_as_json_is_told_by_its_words(text, message, expected):
    refused = failed_call(message, arguments=json.dumps({"city": text}))
    assert reads_json_in_text(refused) is expected


TRACEBACK = (
    'Error: Traceback (most recent call last):\n  File "/srv/app/notes.py", line 12, in find\nKeyError: 7\n'
)


@pytest.mark.parametrize(
    ("arguments", "is_found"),
    [
        ({"city": "Oslo"}, True),
        ({"code": "1 / 0"}, False),
        ({"path": "run/app.log"}, False),
        ({"city": TRACEBACK}, False),
    ],
    ids=["its own", "of a program", "of a log", "sent by the caller"],
)
def test_a_failure_without_the_mark_of_one_is_searched_unless_it_may_be_what_was_asked_for(
    arguments, is_found
):
    made = call(saying(TRACEBACK), arguments=json.dumps(arguments))
    assert bool(EXC003.when(made) and EXC003.findings(made)) is is_found


def test_a_credential_in_such_a_failure_is_found():
    """In data it is the caller's business; in a failure it comes from the tool's configuration."""
    address = "postgres://notes:hunter2@db.internal/notes"
    assert EXC005.findings(call(saying(f"Error: cannot connect to {address}"), arguments="{}"))
    assert not EXC005.findings(call(saying(f"The address is {address}"), arguments="{}"))
    assert not EXC005.findings(call(saying("Error: cannot connect"), arguments="{}"))


def failed_call(message, arguments='{"city": {}}'):
    made = call(ok(isError=True), arguments=arguments)
    return replace(made, result=replace(made.result, error_message=message))


def test_every_rule_of_mcp_has_a_case():
    """Those on HTTP are in test_mcp_http_rules.py, those of one revision in test_mcp_revisions.py."""
    elsewhere = {"MCP111", "MCP112"}
    rest = {code for code in RULES if not "MCP070" <= code <= "MCP081"} - elsewhere
    assert {code for code, _, _ in CASES} == rest
