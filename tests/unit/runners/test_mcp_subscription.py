"""What the runner of MCP sees of a subscription, whenever its answer comes."""

import json

import pytest

from aptix_conformance.runners.mcp.comparisons import SUBSCRIPTION, listened
from aptix_conformance.runners.mcp.connection import Message

REFUSAL = {"jsonrpc": "2.0", "id": SUBSCRIPTION, "error": {"code": -32601, "message": "Method not found"}}
ACKNOWLEDGED = {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {}}


def message(value):
    return Message(json.dumps(value), value)


class InMemory:
    """A session and its connection: each light request is answered.

    What the subscription brings comes before the answer to one of them, or when it is waited for after all.
    """

    def __init__(self, late, *, before):
        self._late, self._before = [message(late)], before
        self._asked = 0
        self.connection = self
        self.answers_all = True

    def params(self, members):
        return members

    def send(self, line):
        assert json.loads(line)["id"] == SUBSCRIPTION

    def ask_lightly(self):
        self._asked += 1
        return self._asked

    def take(self, seconds=None):
        is_due = seconds is not None or self._asked == self._before
        given, self._late = (self._late, []) if is_due else ([], self._late)
        light = [] if seconds is not None else [message({"jsonrpc": "2.0", "id": self._asked, "result": {}})]
        return [*given, *light]

    def cancel(self, number):
        assert number == SUBSCRIPTION


@pytest.mark.parametrize("before", [1, 5, None])
def test_a_refused_subscription_is_refused_however_late_the_refusal_comes(before):
    seen = listened(InMemory(REFUSAL, before=before))
    assert (json.loads(seen.response), seen.others) == (REFUSAL, [])


@pytest.mark.parametrize("before", [1, 5, None])
def test_an_acknowledgement_is_no_response_and_is_seen_however_late_it_comes(before):
    seen = listened(InMemory(ACKNOWLEDGED, before=before))
    assert (seen.response, list(map(json.loads, seen.others))) == (None, [ACKNOWLEDGED])
