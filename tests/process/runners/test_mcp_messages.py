"""Every message that the suite means well is one of the revision that is spoken, by the official client's types.

`mcp_types` holds types that are generated from the schema of the specification: one set for all revisions with a handshake, with the
methods of each, and one for 2026-07-28. What is wrong on purpose, such as a call without a name, is not sent here.
"""

import json
import sys
from pathlib import Path

import pytest
from mcp_types import CancelTaskRequest, GetTaskPayloadRequest, GetTaskRequest, methods
from pydantic import ValidationError

from aptix_conformance.runners.mcp import asking, comparisons, stimuli, tasks
from aptix_conformance.runners.mcp.connection import StdioConnection
from aptix_conformance.runners.mcp.opening import HANDSHAKES, LEGACY, MODERN, list_tools, open_session

FIXTURES = Path(__file__).parents[3] / "fixtures"
LENGTH = ("convert_length", '{"value": 1, "unit": "km"}')
SERVED = {
    "2024-11-05": ("lengths_first", *LENGTH),
    "2025-03-26": ("lengths_spoken", *LENGTH),
    "2025-06-18": ("lengths_linked", *LENGTH),
    LEGACY: ("lengths_tasks", *LENGTH),
    MODERN: ("lengths_asking", *LENGTH),
}
"""By revision: a server that speaks it and no other, its tool, and arguments that work."""
REQUESTS = {
    **methods.CLIENT_REQUESTS,
    ("tasks/get", LEGACY): GetTaskRequest,
    ("tasks/result", LEGACY): GetTaskPayloadRequest,
    ("tasks/cancel", LEGACY): CancelTaskRequest,
}
"""The form of each request; the official client makes none about tasks, and has the types."""
_OPENING = ("initialize", "notifications/initialized", "ping", "notifications/cancelled")
SENT = {
    **dict.fromkeys(HANDSHAKES, _OPENING),
    LEGACY: (*_OPENING, "tasks/get", "tasks/result", "tasks/cancel"),
    MODERN: ("server/discover", "subscriptions/listen", "notifications/cancelled"),
}
"""What is sent besides lists and calls."""
MEANT_WELL = ("followed-call", "named-call", "unknown-tool", "unknown-cancellation")


class Recorded(StdioConnection):
    """A connection that keeps what it sends."""

    sent: list[str]

    def send(self, line):
        self.sent.append(line)
        super().send(line)


def conversation(revision, server, tool, arguments):
    """The messages of a session in which a tool is called in each way."""
    sent: list[str] = []

    def connect():
        connection = Recorded(
            [sys.executable, f"mcp/conforming/{server}.py"], str(FIXTURES), is_for_tool=True
        )
        connection.sent = sent
        return connection

    session = open_session(connect, None, revision)
    connection = session.connection
    try:
        list_tools(session)
        for name in (*MEANT_WELL, *(("ping",) if revision in HANDSHAKES else ())):
            stimuli.apply(name, session, tool, arguments)
        for members in (
            stimuli.call_members(session, tool, None),
            stimuli.call_members(session, tool, arguments, {"progressToken": 7}),
            stimuli.call_members(session, tool, arguments, {"progressToken": "aptix-7"}),
        ):
            connection.wait_for(connection.send_request("tools/call", members))
        connection.wait_for(session.ask_lightly())
        number = connection.send_request("tools/call", stimuli.call_members(session, tool, arguments))
        connection.cancel(number)
        for make in comparisons.BY_TURNS.values():
            make(session, tool, arguments)
        if revision == MODERN:
            asking.asking(session, tool, arguments)
            comparisons.listened(session)
        if revision == LEGACY:
            tasks.lived(session, tool, arguments, 1.0)
            tasks.cancelled(session, tool, arguments, 1.0)
            tasks.unknown(session, 1.0)
    finally:
        connection.close()
    return [json.loads(line) for line in sent]


@pytest.mark.parametrize("revision", SERVED)
def test_what_is_meant_well_is_a_message_of_the_revision(revision):
    """Each has a method that the revision has, and members of its form."""
    messages = conversation(revision, *SERVED[revision])
    for message in messages:
        assert message["jsonrpc"] == "2.0"
        if "id" in message:
            methods.validate_client_request(
                message["method"], revision, message.get("params"), surface=REQUESTS
            )
        else:
            methods.validate_client_notification(message["method"], revision, message.get("params"))
        assert isinstance(message.get("id", 0), int | str)
    assert {message["method"] for message in messages} >= {*SENT[revision], "tools/list", "tools/call"}
    numbers = [message["id"] for message in messages if "id" in message]
    assert len(numbers) == len(set(numbers))


def test_a_message_of_another_form_is_found():
    """The types are not so open that they take anything."""
    with pytest.raises(ValidationError):
        methods.validate_client_request("tools/call", LEGACY, {"arguments": {}})
    with pytest.raises(ValidationError):
        methods.validate_client_request("tools/list", MODERN, {})
    with pytest.raises(KeyError):
        methods.validate_client_request("ping", MODERN, None)
