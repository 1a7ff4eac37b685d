"""What the rules on MCP servers judge, and what they leave open."""

import pytest
from tests.unit.rules.mcp_builders import (
    CLOSED,
    DATA,
    FAILURE,
    HUNG,
    INPUT,
    LEGACY,
    MODERN,
    NOT_LISTED,
    RULES,
    SENT,
    call,
    conversing,
    declared,
    error,
    ok,
    posted,
    saying,
    scarce,
    seen,
    tokened,
    wire,
)

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model import (
    Call,
    Change,
    Declaration,
    Disturbed,
    Exploration,
    Kind,
    Outage,
    Outcome,
    Result,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.rules.lib.scope import OWN_TABLE
from aptix_conformance.systems.mcp.facts import McpResult, TokenedCall


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
    ("again", "said"),
    [
        (("b", "a"), "had another order"),
        (("a", "b", "b"), "had a tool more or less often"),
        (("a", "b", "c"), "had the new tool 'c'"),
        (("a",), "had no 'b' any more"),
        (("a", "c"), "had the new tool 'c' and had no 'b' any more"),
    ],
)
def test_what_differs_in_the_second_list_is_told(again, said):
    found = RULES["MCP009"].check(seen(names=("a", "b"), again=again))
    assert found.message == f"A second tools/list, directly after the first, {said}."


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({"process": "another"}, "in each process"),
        ({"hash seed": "1"}, "in a fresh process with hash seed 1"),
    ],
)
def test_an_order_that_another_process_changes_is_told_with_the_first_tool_that_moved(conditions, said):
    first = declared(names=("a", "b", "c"))
    later = replace(declared(names=("a", "c", "b")), when="restarted", conditions=conditions)
    found = RULES["MCP009"].check(Exploration((first, later)))
    assert found.message == f"The order differs {said}: tool 2 is 'b', then 'c'."


def test_another_set_of_tools_in_another_process_has_no_order_to_keep():
    later = replace(declared(names=("b", "c")), when="restarted", conditions={"hash seed": "1"})
    assert RULES["MCP009"].check(Exploration((declared(names=("a", "b")), later))) is None


def test_a_list_that_changes_is_advice_in_the_revision_that_says_nothing_of_it():
    """MCP.P.2 is a clause of the later one."""
    editions = [load().edition(f"mcp-{revision}") for revision in (LEGACY, MODERN)]
    assert [RULES["MCP009"].level(edition) for edition in editions] == [Level.SHOULD] * 2


@pytest.mark.parametrize("code", ["MCP091", "MCP092", "MCP093"])
def test_a_hint_that_needs_a_folder_says_which_line_of_which_table_names_it(code):
    assert f'files = "FOLDER" in {OWN_TABLE}' in RULES[code].not_applicable


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
    assert RULES["MCP105"].is_optional


@pytest.mark.parametrize("code", ["MCP091", "MCP093"])
def test_a_call_whose_files_were_not_compared_shows_nothing(code):
    assert not RULES[code].when(call(ok()))
    assert RULES[code].is_optional


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
    assert RULES["MCP109"].is_optional


def test_a_call_that_fails_while_something_is_scarce_may_be_an_error_of_the_protocol():
    assert not RULES["MCP053"].when(seen(scarce(error(-32603, "no room"))))


def failing(message, *, reached=True):
    made = call(message, probe="outage", change=Change(Kind.DISTURBED, number=1))
    return replace(
        made, plan=replace(made.plan, disturbance=Outage("500")), disturbed=Disturbed(reached, "GET")
    )


def test_a_call_whose_service_fails_owes_a_result():
    rule = RULES["MCP053"]
    assert len(list(rule.findings(seen(failing(error(-32603, "no answer")))))) == 1
    assert rule.when(seen(failing(ok(isError=True))))
    assert not list(rule.findings(seen(failing(ok(isError=True)))))
    assert not rule.when(seen(failing(error(-32603, "no answer"), reached=False)))


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


@pytest.mark.parametrize("breach", ["", "form", "end"])
def test_a_list_that_was_not_read_to_its_end_leaves_rules_open(breach):
    """Its names and their order are known in part; and that it is a list shows at its end only."""
    unread = declared(list_fault="has more than 100 pages", list_breach=breach)
    assert not RULES["MCP008"].when(unread)
    assert not RULES["MCP009"].when(Exploration((unread,)))
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
    assert (found.defers_to, found.timed) == ("MCP033", True)
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


def test_a_definition_that_is_not_there_is_not_judged():
    """MCP003 would find that it has no inputSchema."""
    listed = declared()
    gone = replace(listed, facts=replace(listed.facts, definition="null"))
    assert RULES["MCP003"].when(listed)
    assert not RULES["MCP003"].when(gone)
