"""Stimuli on tasks are planned where a server has tasks, in the revision that has them."""

import json

import pytest

from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.systems.mcp.probe import SERVER, WIRE

CALLS = {"requests": {"tools": {"call": {}}}}


@pytest.fixture
def planned(make_subject):
    """What the probes send about tasks to a tool with a taskSupport, and to its server."""

    def plan(support, tasks, revision="2025-11-25"):
        opening = {"result": {"capabilities": {"tools": {}, "tasks": tasks}}}
        entry = {"name": "t", "inputSchema": {"type": "object"}, "execution": {"taskSupport": support}}
        subject = make_subject({"type": "object"})
        facts = McpTool(revision, json.dumps(opening), json.dumps(entry))
        subject = replace(subject, declaration=replace(subject.declaration, facts=facts))
        texts = [
            [each.disturbance.name for each in probe.fixed(subject, []) if each.disturbance]
            for probe in (WIRE, SERVER)
        ]
        return [
            [each for each in found if each in ("task", "cancelled-task", "unknown-task")] for found in texts
        ]

    return plan


@pytest.mark.parametrize("support", ["optional", "required"])
def test_a_tool_that_can_be_called_as_a_task_is(planned, support):
    assert planned(support, CALLS) == [["task"], ["unknown-task"]]


def test_a_server_cancels_a_task_of_its_first_tool_where_it_declares_that(planned):
    assert planned("optional", {**CALLS, "cancel": {}}) == [["task"], ["cancelled-task", "unknown-task"]]
    assert planned("forbidden", {**CALLS, "cancel": {}}) == [[], ["unknown-task"]]


@pytest.mark.parametrize("tasks", [None, {}, {"cancel": {}}, {"requests": []}])
def test_a_server_without_tasks_is_asked_about_none(planned, tasks):
    assert planned("optional", tasks) == [[], []]


def test_the_later_revision_has_no_tasks_in_its_core(planned):
    assert planned("optional", CALLS, "2026-07-28") == [[], []]
