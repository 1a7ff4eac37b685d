"""The tool that word_count_host.py runs: a function and what it says of itself."""

import json

NAME = "agent_word_count"
USAGE = """agent_word_count: usage guide

Primary purpose:
- Counts the words of a text.

When to use:
- Call it when the user asks how long a text is. Do not use it to summarise one.

Arguments:
- text: the text, such as "to be or not to be".

Behaviour:
- Idempotent, cheap, without limits.

Errors:
- A failed result with a message when text is missing or is no text.

Good usage:
- {"text": "to be or not to be"}

Bad usage:
- {"text": 7}
"""
TEXT = {"type": "string", "description": "The text whose words are counted."}
PARAMETERS = {"type": "object", "properties": {"text": TEXT}, "required": ["text"]}
SCHEMA = {
    "type": "function",
    "name": NAME,
    "description": "Counts the words of a text.",
    "parameters": PARAMETERS,
}


async def count_words(arguments, context):
    """Gives a payload and None, or None and a message."""
    try:
        text = json.loads(arguments or "")["text"]
        words = len(text.split())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None, "The argument text is required: a text."
    context = context or {}
    request = context.get("request") or {}
    identifiers = {"sessionId": context.get("session_id"), "conversationId": request.get("conversation_id")}
    return json.dumps({"words": words, **identifiers}), None


def member(name, kind, *parameters, **more):
    parameters = [{"name": each, "kind": "positional", "required": True} for each in parameters]
    return {"name": name, "kind": kind, "parameters": parameters, **more}


def describe(when):
    """The members of a `Declaration`."""
    reading = {"outcome": "returned", "text": json.dumps(SCHEMA)}
    return {
        "class_name": "WordCount",
        "module": "word_count",
        "when": when,
        "schema": reading,
        "schema_again": reading,
        "tool_name": {"name": "TOOL_NAME", "kind": "plain", "value": NAME, "type_name": "str"},
        "usage_text": {"name": "TOOL_USAGE_METADATA", "kind": "plain", "value": USAGE, "type_name": "str"},
        "get_schema": member("get_schema", "static_method"),
        "name": member("name", "property", value=NAME, value_type="str"),
        "is_tool_fully_executed_on_server": member("", "property", value=True, value_type="bool"),
        "execute": member("execute", "method", "arguments_json", "context", "token", is_async=True),
        "constructor": member("", "method", "logger")["parameters"],
        "construction_error": None,
    }
