import pytest

from aptix_harness import LogLevel
from aptix_reference_tools import FailureInjectionTool


@pytest.mark.parametrize(
    "arguments", [None, {}, {"shouldFail": False}, {"shouldFail": None, "failureMessage": "no"}]
)
async def test_tool_succeeds_unless_told_to_fail(succeed, logger, arguments):
    """Nothing is logged then."""
    payload = await succeed(FailureInjectionTool, arguments)
    assert payload == {
        "failed": False,
        "payload": None,
        "cancelled": False,
        "conversationId": None,
        "sessionId": None,
    }
    assert logger.calls == []


async def test_payload_comes_back(succeed):
    """A call that succeeds hands the payload back."""
    assert (await succeed(FailureInjectionTool, {"payload": "p"}))["payload"] == "p"


@pytest.mark.clause("AGN-005.9.1")
async def test_tool_fails_with_the_message_it_was_given(fail):
    """The message is the one asked for, word by word."""
    arguments = {"shouldFail": True, "failureMessage": "Disk full."}
    assert await fail(FailureInjectionTool, arguments) == ("INJECTED_FAILURE", "Disk full.")


@pytest.mark.parametrize("message", [None, "", "  "])
async def test_failure_has_a_message_of_its_own_without_one(fail, message):
    """A missing or blank message is replaced."""
    code, text = await fail(FailureInjectionTool, {"shouldFail": True, "failureMessage": message})
    assert (code, text) == ("INJECTED_FAILURE", "This failure was asked for.")


async def test_failure_is_logged_as_an_event_with_pairs(make, logger, context):
    """The event has level, tag, and a sequence of text pairs with identifiers and payload."""
    await make(FailureInjectionTool).execute('{"shouldFail": true, "payload": "p"}', context)
    ((method, level, tag, _, pairs),) = logger.calls
    assert (method, level) == ("add_custom_event", LogLevel.ERROR)
    assert tag == "[FailureInjectionTool_ExecuteAsync]"
    assert pairs == [("ConversationId", "conversation-1"), ("SessionId", "session-1"), ("Payload", "p")]


async def test_cancelled_call_does_not_fail(succeed, logger, cancelled_token):
    """Cancelled beforehand, it does nothing."""
    payload = await succeed(FailureInjectionTool, {"shouldFail": True}, cancellation_token=cancelled_token)
    assert (payload["failed"], payload["cancelled"]) == (False, True)
    assert logger.calls == []


async def test_log_that_fails_is_an_unexpected_failure(make, logger):
    """What the logger raises is not shown."""

    def explode(*event):
        raise ConnectionError("secret")

    logger.add_custom_event = explode
    result = await make(FailureInjectionTool).execute('{"shouldFail": true}', None)
    assert result.errors[0].code == "UNEXPECTED_FAILURE"
    assert "secret" not in result.error_message
    assert logger.calls[0][0] == "add_exception"
