"""MCP070 to MCP081 on what a server did over HTTP: each with what breaks it, and with what keeps it."""

import pytest
from tests.unit.rules.mcp_builders import LEGACY, MODERN, RULES, call, declared, error, note, ok, wire

from aptix_conformance.core.model import Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpResult

JSON = "application/json"


def over_http(observed, status=200, message=True, others=None, **answer):
    """The observation with an HTTP answer; without `message` no response was in it."""
    facts = observed.result.facts
    seen = McpResult(
        facts.message if message else None,
        facts.others if others is None else others,
        HttpAnswer(status=status, **{"kind": JSON, **answer}),
    )
    return replace(observed, result=replace(observed.result, facts=seen))


def http(name, status, **answer):
    return over_http(wire(name, None), status, **answer)


def server(*calls, revision=LEGACY, session=None):
    declaration = declared(revision)
    facts = replace(declaration.facts, http=HttpAnswer(status=200, kind=JSON, session=session))
    return Exploration((replace(declaration, facts=facts),), calls)


PLAIN = over_http(call(ok()))
CHANGED = note("notifications/resources/updated", uri="file:///a")
CASES = [
    ("MCP070", over_http(call(ok()), 307, message=False, location="/other"), PLAIN),
    ("MCP070", over_http(wire("ping", ok()), 404, message=False), over_http(wire("unknown-method", error(-32601)), 404)),
    ("MCP071", server(http("http-origin", 200)), server(http("http-origin", 403))),
    ("MCP071", server(http("http-origin", 0)), server(http("http-origin", 403))),
    ("MCP072", http("unknown-notification", 200), http("unknown-notification", 202)),
    ("MCP072", http("unknown-cancellation", 202, body="null"), http("unknown-cancellation", 400, body="{}")),
    ("MCP073", over_http(call(ok()), message=False, kind="text/html", fault="is of the type 'text/html'"), PLAIN),
    ("MCP073", over_http(call(ok()), 500, message=False), over_http(call(ok()), 429, message=False)),
    ("MCP070", over_http(wire("deep", ok()), 307, message=False), over_http(wire("deep", ok()), 404, message=False)),
    ("MCP073", over_http(wire("deep", ok()), 200, message=False), over_http(wire("deep", ok()), 413, message=False)),
    ("MCP073", over_http(wire("text-id", ok()), 400, message=False), over_http(wire("batch", ok()), 202, message=False)),
    ("MCP073", over_http(wire("text-id", ok()), 500, message=False), http("text-id", 0)),
    ("MCP074", server(over_http(call(ok(), CHANGED))), server(over_http(call(ok(), note("notifications/tools/list_changed"))))),
    ("MCP075", http("http-get", 200), http("http-get", 405)),
    ("MCP075", over_http(wire("http-get", None, {"id": 3, "result": {}}), kind="text/event-stream"), over_http(wire("http-get", None, note("n")), kind="text/event-stream")),
    ("MCP076", http("http-delete", 200), http("http-delete", 405)),
    ("MCP076", http("http-resumed", 200, session="a"), http("http-resumed", 200)),
    ("MCP076", http("http-resumed", 400), wire("http-resumed", None)),
    ("MCP077", server(PLAIN, session="a b"), server(PLAIN, session="a-b")),
    ("MCP077", server(PLAIN, session=""), server(PLAIN)),
    ("MCP077", server(PLAIN, http("http-ended", 200)), server(PLAIN, http("http-ended", 404))),
    ("MCP078", http("http-version", 200), http("http-version", 400)),
    ("MCP079", http("http-name-other", 200), http("http-name-other", 400, code=-32020)),
    ("MCP079", http("http-method-missing", 400, code=-32022), http("http-version-other", 400, code=-32022)),
    ("MCP079", http("http-name-encoded", 400, code=-32020), http("http-name-encoded", 200)),
    ("MCP080", http("http-param-other", 400), http("http-param-other", 400, code=-32020)),
    ("MCP080", http("http-param-missing", 200), wire("http-param-missing", None)),
    ("MCP081", over_http(wire("unknown-method", error(-32601)), 200), over_http(wire("unknown-method", error(-32601)), 404)),
    ("MCP081", over_http(wire("unknown-version", error(-32022)), 200), over_http(wire("unknown-version", error(-32022)), 400)),
    ("MCP081", over_http(wire("without-meta", error()), 404), over_http(wire("without-meta", error(-32600)), 200)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "broken", "kept"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)])
def test_a_rule_finds_what_breaks_it_and_nothing_else(code, broken, kept):
    rule = RULES[code]
    assert rule.when(broken)
    assert rule.check(broken) is not None
    assert not rule.when(kept) or rule.check(kept) is None


def test_every_rule_on_http_has_a_case_and_applies_to_no_server_over_stdio():
    assert {code for code, _, _ in CASES} == {code for code in RULES if "MCP070" <= code <= "MCP081"}
    over_stdio = [declared(LEGACY), declared(MODERN)]
    assert all(RULES[code].applies(each) for code, _, _ in CASES for each in over_stdio)


@pytest.mark.parametrize(
    ("schema", "applies"),
    [
        ({"properties": {"a": {"properties": {"b": {"x-mcp-header": "B"}}}}}, True),
        ({"properties": {"a": True}}, False),
    ],
)
def test_parameters_in_headers_are_examined_where_the_first_tool_wants_them(schema, applies):
    declaration = declared(MODERN, inputSchema=schema)
    facts = replace(declaration.facts, http=HttpAnswer(status=200))
    assert (RULES["MCP080"].applies(replace(declaration, facts=facts)) is None) is applies
