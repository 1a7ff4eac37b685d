"""What is judged in one revision and not in another."""

import pytest
from tests.unit.rules.mcp_builders import (
    DATA,
    INPUT,
    LEGACY,
    MODERN,
    OPENING,
    RULES,
    call,
    declared,
    error,
    note,
    ok,
    wire,
)

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.systems.mcp.facts import HttpAnswer

FIRST, BATCHES, LINKS = "2024-11-05", "2025-03-26", "2025-06-18"
ALL = (FIRST, BATCHES, LINKS, LEGACY, MODERN)
SPEAKS = {revision: {**OPENING[LEGACY], "protocolVersion": revision} for revision in ALL}


def of(revision, **members):
    opening = OPENING[MODERN] if revision == MODERN else SPEAKS[revision]
    return declared(revision, opening, **members)


def in_force(code):
    """The revisions in which a rule binds."""
    return {revision for revision in ALL if RULES[code].level(load().edition(f"mcp-{revision}"))}


@pytest.mark.parametrize(
    ("codes", "revisions"),
    [
        ("MCP007 MCP090 MCP052", ALL[3:]),
        ("MCP045", ALL[2:4]),
        ("MCP046 MCP047 MCP088", ALL[2:]),
        ("MCP078", ALL[2:4]),
        ("MCP091 MCP092 MCP093 MCP094 MCP070 MCP072 MCP073 MCP074", ALL[1:]),
        ("MCP075 MCP077", ALL[1:4]),
        ("MCP099 MCP100 MCP101 MCP106 MCP107", ALL[3:4]),
        ("MCP111", ALL[1:2]),
        ("MCP112", ALL[:2]),
        ("MCP010 MCP032 MCP041 MCP042 MCP058 MCP059 MCP079 MCP083 MCP105", ALL[4:]),
        ("MCP002 MCP003 MCP004 MCP005 MCP020 MCP021 MCP023 MCP026 MCP043 MCP048 MCP085", ALL),
    ],
)
def test_a_rule_binds_in_the_revisions_that_say_it(codes, revisions):
    assert {code: in_force(code) for code in codes.split()} == {code: {*revisions} for code in codes.split()}


@pytest.mark.parametrize(("revision", "level"), [(FIRST, "SHOULD"), (BATCHES, "SHOULD"), (LINKS, "MUST")])
def test_asking_for_what_was_not_declared_is_a_should_before_2025_06_18(revision, level):
    assert RULES["MCP025"].level(load().edition(f"mcp-{revision}")).name == level


@pytest.mark.parametrize(
    ("member", "value", "since"),
    [
        ("description", 7, FIRST),
        ("annotations", [], BATCHES),
        ("title", 7, LINKS),
        ("_meta", 7, LINKS),
        ("icons", 7, LEGACY),
    ],
)
def test_a_member_of_a_tool_is_judged_from_the_revision_on_that_has_it(member, value, since):
    broken = {revision for revision in ALL if RULES["MCP003"].check(of(revision, **{member: value}))}
    assert broken == {revision for revision in ALL if revision >= since}


def test_how_a_tool_runs_as_a_task_is_judged_in_the_one_revision_that_has_tasks():
    said = {"execution": {"taskSupport": "maybe"}}
    assert [r for r in ALL if RULES["MCP003"].check(of(r, **said))] == [LEGACY]


TUPLE = {
    "type": "object",
    "properties": {"span": {"type": "array", "items": [{"type": "integer"}, {"type": "integer"}]}},
    "required": ["span"],
}


def test_a_schema_of_draft_07_that_does_not_say_so_is_right_before_2025_11_25():
    broken = [r for r in ALL if RULES["MCP005"].findings(of(r, inputSchema=TUPLE))]
    assert broken == [LEGACY, MODERN]
    wrong = {**INPUT, "required": True}
    assert all(RULES["MCP005"].findings(of(r, inputSchema=wrong)) for r in ALL)
    named = {**TUPLE, "$schema": "https://json-schema.org/draft/2020-12/schema"}
    assert all(RULES["MCP005"].findings(of(r, inputSchema=named)) for r in ALL)


def test_arguments_are_made_of_such_a_schema():
    assert usable_schema(of(LINKS, inputSchema=TUPLE))[0]["properties"]["span"]["prefixItems"]
    assert usable_schema(of(LINKS, inputSchema=INPUT))[0] == INPUT
    assert usable_schema(of(LEGACY, inputSchema=TUPLE))[0] is None


def test_an_output_schema_is_judged_from_2025_06_18_on():
    said = {"outputSchema": {"type": "thing"}}
    assert [r for r in ALL if RULES["MCP005"].findings(of(r, **said))] == list(ALL[2:])
    assert [r for r in ALL if RULES["MCP006"].applies(of(r, **said)) is None] == list(ALL[2:])


def block(**members):
    return call({"result": {"content": [{"type": "text", "text": "4"}, members]}})


SOUND = block(type="audio", data="UklG", mimeType="audio/wav")
LINK = block(type="resource_link", uri="a:b", name="b")


def test_a_block_of_a_later_revision_is_found_in_those_that_do_not_have_it():
    def found(revision, *calls):
        said = RULES["MCP112"].findings(Exploration((of(revision),), calls))
        return [each.cause for each in said]

    assert found(FIRST, SOUND, LINK) == ["audio", "resource_link"]
    assert found(BATCHES, SOUND, LINK) == ["resource_link"]
    assert found(LINKS, SOUND, LINK) == []
    assert found(FIRST, call(ok()), block(type=7), block(type="video")) == []


CHANGED = note("notifications/tools/list_changed")


def test_a_change_of_the_list_that_was_not_declared_is_found_since_2025_06_18():
    found = [
        revision
        for revision in ALL
        if RULES["MCP026"].findings(Exploration((of(revision),), (call(ok(), CHANGED),)))
    ]
    assert found == list(ALL[2:])


def over_http(name, status, code=None, others=()):
    made = wire(name, None, *others)
    facts = replace(made.result.facts, http=HttpAnswer(status=status, code=code, kind="application/json"))
    return replace(made, result=replace(made.result, facts=facts))


@pytest.mark.parametrize(
    ("status", "code", "since"),
    [
        (200, None, FIRST),
        (202, None, FIRST),
        (200, -32600, LEGACY),
        (400, None, LEGACY),
        (0, None, LEGACY),
        (403, None, "never"),
    ],
)
def test_a_strange_origin_may_be_refused_in_any_way_before_a_status_is_named(status, code, since):
    seen = over_http("http-origin", status, code)
    found = [r for r in ALL if RULES["MCP071"].findings(Exploration((of(r),), (seen,)))]
    assert found == [r for r in ALL if r >= since]


def test_an_origin_is_not_judged_where_the_revision_has_another_transport():
    over = [replace(of(r), facts=replace(of(r).facts, http=HttpAnswer(status=200))) for r in ALL]
    assert [bool(RULES["MCP071"].applies(each)) for each in over] == [True, False, False, False, False]
    assert all(RULES["MCP071"].applies(of(r)) for r in ALL)


ONE, OTHER = ({"jsonrpc": "2.0", "id": number, "result": {}} for number in ("aptix-4", "aptix-5"))
REFUSED = {"jsonrpc": "2.0", "id": None, **error(-32600)}
EACH = [{**error(-32600), "id": number} for number in ("aptix-4", "aptix-5")]
BATCH = "batched-requests"


@pytest.mark.parametrize(
    ("seen", "cause"),
    [
        (wire(BATCH, None, ONE, OTHER), None),
        (wire(BATCH, None, OTHER, note("notifications/message"), ONE), None),
        (wire(BATCH, None, ONE, EACH[1]), None),
        (wire(BATCH, None), "unanswered"),
        (wire(BATCH, None, ONE), "unanswered"),
        (wire(BATCH, None, {**ONE, "id": "aptix-6"}, OTHER), "unanswered"),
        (wire(BATCH, None, REFUSED), "refused"),
        (wire(BATCH, None, *EACH), "refused"),
        (over_http(BATCH, 200, others=(ONE, OTHER)), None),
        (over_http(BATCH, 202), "unanswered"),
        (over_http(BATCH, 400, others=(REFUSED,)), "refused"),
        (over_http(BATCH, 200, others=(REFUSED,)), "refused"),
        (over_http(BATCH, 0), "unanswered"),
    ],
)
def test_a_batch_is_received_where_each_request_in_it_is_answered(seen, cause):
    assert RULES["MCP111"].when(seen)
    found = RULES["MCP111"].check(seen)
    assert (found and found.cause) == cause


@pytest.mark.parametrize(
    "seen",
    [
        wire(BATCH, None, ended="exit status 1"),
        wire("batch", None),
        over_http(BATCH, 401),
        over_http(BATCH, 503),
    ],
)
def test_what_says_nothing_of_batches_is_not_judged(seen):
    assert not RULES["MCP111"].when(seen)


def test_data_without_a_schema_is_free_where_no_revision_speaks_of_it():
    assert "MCP.O.2" not in load().edition(f"mcp-{BATCHES}").levels
    assert RULES["MCP046"].applies(of(BATCHES, outputSchema={"type": "object"}))
    assert RULES["MCP046"].applies(of(LINKS, outputSchema={"type": "object", "properties": DATA})) is None
