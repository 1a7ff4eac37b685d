"""Rules on MCP servers in the cases where one of their conditions alone decides."""

import json

import pytest
from tests.unit.rules.mcp_builders import (
    FAILURE,
    RULES,
    as_task,
    call,
    declared,
    error,
    note,
    ok,
    scarce,
    seen,
)

from aptix_conformance.core.model import Change, Kind
from aptix_conformance.core.model.codec import replace

TASK = {"result": {"task": {"taskId": "a", "status": "working"}}}
ADVICE = {"MCP036", "MCP064", "MCP110"}


@pytest.mark.parametrize("code", sorted(ADVICE))
def test_what_harms_no_caller_is_advice(code):
    assert RULES[code].advice


def check(code, observation):
    return RULES[code].check(observation)


def logged(text, **arguments):
    return call(ok(), note("notifications/message", data=text), arguments=json.dumps(arguments))


@pytest.mark.parametrize(("secret", "found"), [("hunter", True), ("hunte", False)])
def test_a_secret_of_six_characters_is_long_enough(secret, found):
    assert (check("MCP089", logged(f"it is {secret}", password=secret)) is not None) is found


def test_a_secret_argument_that_no_log_message_holds_is_kept():
    assert check("MCP089", logged("it is cold", password="hunter22")) is None


def test_a_tool_without_arguments_converts_none():
    assert RULES["MCP110"].applies(declared()) is None
    assert (
        RULES["MCP110"].applies(declared(inputSchema={"type": "object"})) == "its inputSchema has no argument"
    )


@pytest.mark.parametrize(("kind", "judged"), [(Kind.COERCIBLE, True), (Kind.TYPE, False)])
def test_only_a_value_that_can_be_converted_is_judged(kind, judged):
    sent = call(ok(), change=Change(kind, "city", "numeric-string"), probe="invalid", arguments='{"city": 5}')
    assert bool(RULES["MCP110"].when(seen(sent))) is judged


def test_a_conversion_of_an_argument_whose_listed_values_are_not_checked_is_their_rules():
    sent = [
        call(ok(), change=change, probe="invalid", arguments='{"city": 5}', demand=demand)
        for change, demand in (
            (Change(Kind.COERCIBLE, "city", "numeric-string"), "either"),
            (Change(Kind.ENUM, "city", "unlisted"), "refused"),
        )
    ]
    assert check("MCP110", seen(sent[0])) is not None
    assert check("MCP110", seen(*sent)) is None


@pytest.mark.parametrize("answers", [(FAILURE, ok()), (ok(),)])
def test_a_call_that_nothing_disturbed_shows_no_recovery(answers):
    made = scarce(*answers)
    assert RULES["MCP109"].when(made)
    assert RULES["MCP109"].when(replace(made, disturbed=None)) is False
    assert RULES["MCP109"].when(replace(made, disturbed=replace(made.disturbed, reached=False))) is False


@pytest.mark.parametrize(("plain", "said"), [(ok(), "a result"), (error(-32602), "the code -32602")])
def test_a_plain_call_of_a_tool_of_tasks_says_what_it_got(plain, said):
    found = check("MCP100", as_task(error(), plain, TASK))
    assert found.message == f"A plain call was answered with {said}."


@pytest.mark.parametrize(
    ("answer", "cause"), [(TASK, "task"), (ok(isError=True), "failure"), (ok(), "success"), (error(-1), -1)]
)
def test_what_a_forbidden_task_got_is_the_cause(answer, cause):
    assert check("MCP101", as_task(error(), ok(), answer)).cause == cause


def test_a_task_with_content_is_no_new_task():
    answer = {"result": {**TASK["result"], "content": []}}
    assert "with a new task" in check("MCP099", seen(as_task(error(), *(ok(), TASK) * 3))).message
    assert check("MCP099", seen(as_task(error(), *(ok(), answer) * 3))) is None
    assert check("MCP099", seen(as_task(error(), *(ok(), {"result": {"task": None}}) * 3))) is None
