import pytest

from aptix_reference_tools import HelloWorldClientTool, HelloWorldTool


async def test_greeting_has_the_name_and_the_identifiers(succeed, context):
    """Message, ConversationId and SessionId, and nothing else."""
    assert await succeed(HelloWorldTool, {"name": "Zoë"}, context) == {
        "Message": "Hello, Zoë! It is good to have you here.",
        "ConversationId": "conversation-1",
        "SessionId": "session-1",
    }


async def test_client_tool_prepares_what_the_client_needs(succeed, context):
    """Name, ConversationId and SessionId, and nothing else."""
    assert await succeed(HelloWorldClientTool, {"name": "Zoë"}, context) == {
        "Name": "Zoë",
        "ConversationId": "conversation-1",
        "SessionId": "session-1",
    }


@pytest.mark.parametrize("name", ["", " \n\u2003"], ids=ascii)
async def test_client_tool_refuses_an_empty_name(fail, name):
    """Empty and blank are the same to it."""
    assert await fail(HelloWorldClientTool, {"name": name}) == (
        "INVALID_ARGUMENTS",
        "'name' is required and must not be empty.",
    )


@pytest.mark.parametrize(
    "name", [" Ada ", "\ud800", "\x00", "x" * 1_000_000, "\u0639\u0644\u064a"], ids=lambda n: ascii(n)[:20]
)
async def test_any_other_name_is_greeted_as_it_is(succeed, name):
    """The name is neither trimmed nor changed."""
    assert f"Hello, {name}!" in (await succeed(HelloWorldTool, {"name": name}))["Message"]


async def test_last_of_two_equal_keys_counts(succeed):
    """Double keys are no error."""
    assert "B" in (await succeed(HelloWorldTool, '{"name": "A", "name": "B"}'))["Message"]
