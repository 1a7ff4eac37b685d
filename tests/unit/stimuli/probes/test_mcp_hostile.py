"""Hostile input is planned for a server over stdio and for one over HTTP."""

from typing import get_args

import pytest

from aptix_conformance.core.model.codec import replace
from aptix_conformance.runners.mcp import hostile
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpTool, Revision
from aptix_conformance.systems.mcp.probe import SERVER


@pytest.fixture
def planned(make_subject):
    """The names of the hostile stimuli for a server."""

    def plan(revision, http):
        facts = McpTool(revision, "{}", '{"name": "t", "inputSchema": {"type": "object"}}', http=http)
        subject = make_subject({"type": "object"})
        subject = replace(subject, declaration=replace(subject.declaration, facts=facts))
        sent = [each.disturbance.name for each in SERVER.fixed(subject, [])]
        return [name for name in sent if name in hostile.NAMES]

    return plan


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_over_http_the_same_is_sent_but_for_the_end_of_standard_input(planned, revision):
    over_stdio = planned(revision, None)
    assert over_stdio[-1] == "end-of-input"
    assert planned(revision, HttpAnswer(200)) == over_stdio[:-1]


def test_all_revisions_together_send_all_that_there_is(planned):
    assert set().union(*(planned(revision, None) for revision in get_args(Revision))) == hostile.NAMES
