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


@pytest.mark.parametrize("tool_type", [HelloWorldTool, HelloWorldClientTool])
@pytest.mark.parametrize("arguments", [{}, {"name": None}, {"name": ""}, {"name": " \n\u2003"}], ids=ascii)
async def test_empty_name_is_refused(fail, tool_type, arguments):
    """Missing, null, empty and blank are the same to it."""
    assert await fail(tool_type, arguments) == (
        "INVALID_ARGUMENTS",
        "'name' is required and must not be empty.",
    )


@pytest.mark.parametrize(
    "name", [" Ada ", "\ud800", "\x00", "x" * 1_000_000, "\u0639\u0644\u064a"], ids=lambda n: ascii(n)[:20]
)
async def test_any_other_name_is_greeted_as_it_is(succeed, name):
    """The name is neither trimmed nor changed."""
    assert f"Hello, {name}!" in (await succeed(HelloWorldTool, {"name": name}))["Message"]


async def test_unescaped_lone_surrogate_leaves_escaped(make):
    """A payload never holds a surrogate that UTF-8 could not carry."""
    result = await make(HelloWorldTool).execute('{"name": "\ud800"}', None)
    assert result.result.isascii()
    assert "\\ud800" in result.result


async def test_last_of_two_equal_keys_counts(succeed):
    """Double keys are no error."""
    assert "B" in (await succeed(HelloWorldTool, '{"name": "A", "name": "B"}'))["Message"]


async def test_cancelled_greeting_keeps_the_shape(succeed, context, cancelled_token):
    """The message says that there is no greeting."""
    payload = await succeed(HelloWorldTool, {"name": "Ada"}, context, cancellation_token=cancelled_token)
    assert set(payload) == {"Message", "ConversationId", "SessionId", "Cancelled"}
    assert "cancelled" in payload["Message"]


def test_schema_and_usage_text_speak_of_a_greeting():
    """One required string, and the words that its contract asks for."""
    schema = HelloWorldTool.get_schema()
    assert schema["parameters"]["required"] == ["name"]
    assert list(schema["parameters"]["properties"]) == ["name"]
    assert "friendly greeting" in schema["description"]
    assert "user's name" in schema["description"]
    assert "asks to be greeted or welcomed" in HelloWorldTool.TOOL_USAGE_METADATA
