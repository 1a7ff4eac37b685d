"""The rules on tasks of MCP servers: which calls they judge, and what one fault is."""

import pytest
from tests.unit.rules.mcp_builders import RULES, declared, given, living, made, state

from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.mcp.facts import McpResult, TaskStep

TASKS = {"tasks": {"requests": {"tools": {"call": {}}}}}


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
