import pytest

from aptix_reference_tools import PingPongTool


async def test_message_comes_back_and_the_count_goes_up(succeed, context):
    """The reply is "pong: " and the message; the count is one more."""
    assert await succeed(PingPongTool, {"message": "hello", "count": 41}, context) == {
        "reply": "pong: hello",
        "count": 42,
        "cancelled": False,
        "conversationId": "conversation-1",
        "sessionId": "session-1",
    }


async def test_defaults_are_ping_and_zero(succeed):
    """Without arguments the reply is "pong: ping" and the count 1."""
    payload = await succeed(PingPongTool, None)
    assert (payload["reply"], payload["count"]) == ("pong: ping", 1)


async def test_empty_message_is_a_message(succeed):
    """Only a missing or null message has a default."""
    assert (await succeed(PingPongTool, {"message": ""}))["reply"] == "pong: "


@pytest.mark.parametrize(
    ("count", "answer"), [("-1", 0), ("1.0", 2), ("1e2", 101), ("-0.0", 1), ("1" + "0" * 300, 10**300 + 1)]
)
async def test_every_integer_of_json_schema_is_counted_exactly(succeed, count, answer):
    """Floats without a fraction and long integers are integers."""
    found = (await succeed(PingPongTool, f'{{"count": {count}}}'))["count"]
    assert (found, type(found)) == (answer, int)


@pytest.mark.parametrize("count", ["1e400", "-1e400", "1" + "0" * 400])
async def test_number_beyond_a_double_is_refused(fail, count):
    """Too large is a clean failure."""
    assert await fail(PingPongTool, f'{{"count": {count}}}') == ("INVALID_ARGUMENTS", "'count' is too large.")


async def test_cancelled_call_has_neither_reply_nor_count(succeed, cancelled_token):
    """Both are null, and the shape is the same."""
    payload = await succeed(PingPongTool, {"count": 1}, cancellation_token=cancelled_token)
    assert payload == {
        "reply": None,
        "count": None,
        "cancelled": True,
        "conversationId": None,
        "sessionId": None,
    }
