import asyncio
import json

import pytest

from aptix_harness import CancellationToken, CancellationTokenSource
from aptix_reference_tools import DelayTool


class WaitedForToken(CancellationToken):
    """A token that tells when the tool has begun to wait for it."""

    def __init__(self, state=None):
        super().__init__(state)
        self.waited_for = asyncio.Event()

    def _on_consulted(self, member):
        if member == "wait":
            self.waited_for.set()


@pytest.fixture
def deadlines(monkeypatch):
    """Time-outs in seconds that were set, in order; each expires at once."""
    seconds = []
    timeout = asyncio.timeout
    monkeypatch.setattr(asyncio, "timeout", lambda delay: seconds.append(delay) or timeout(0))
    return seconds


async def test_delay_reports_what_was_asked_for_and_what_it_took(succeed, context):
    """Requested and elapsed milliseconds, the note and the identifiers come back."""
    payload = await succeed(DelayTool, {"milliseconds": 0, "note": "n"}, context)
    assert type(payload.pop("elapsedMs")) is int
    assert payload == {
        "requestedMs": 0,
        "cancelled": False,
        "note": "n",
        "conversationId": "conversation-1",
        "sessionId": "session-1",
    }


@pytest.mark.parametrize(
    ("milliseconds", "seconds"),
    [
        ("null", 1.0),
        ("0", 0.0),
        ("-1", 0.0),
        ("-1e300", 0.0),
        ("1", 0.001),
        ("250.0", 0.25),
        ("60000", 60.0),
        ("60001", 60.0),
        ("9" * 300, 60.0),
    ],
)
async def test_delay_is_clamped_to_a_minute_and_never_refused(succeed, deadlines, milliseconds, seconds):
    """The default is a second; outside 0 to 60000 the nearest bound counts."""
    payload = await succeed(DelayTool, f'{{"milliseconds": {milliseconds}}}')
    assert deadlines == [seconds]
    assert payload["requestedMs"] == int(json.loads(milliseconds) or 0 if milliseconds != "null" else 1000)


async def test_token_cancelled_beforehand_means_no_delay(succeed, cancelled_token):
    """Even no time at all counts as cancelled then."""
    assert (await succeed(DelayTool, {"milliseconds": 0}, cancellation_token=cancelled_token))[
        "cancelled"
    ] is True


async def test_token_is_not_polled(make):
    """The token is consulted once, however long the delay."""
    consulted = []

    class Counting(WaitedForToken):
        def _on_consulted(self, member):
            consulted.append(member)
            super()._on_consulted(member)

    source = CancellationTokenSource(Counting)
    call = asyncio.create_task(make(DelayTool).execute('{"milliseconds": 60000}', None, source.token))
    await source.token.waited_for.wait()
    source.cancel()
    await call
    assert consulted == ["wait"]
