"""Whether the model of an SDK reads a tool's arguments, and what that model does with a text that is JSON.

The SDK for Python, `mcp`, reads arguments by a model of pydantic that it makes of the function's parameters. It reads the text of a
list or an object as that list or object wherever a parameter takes more than texts, and then refuses it where the parameter
takes texts or null.
"""

import re
from collections.abc import Iterable
from typing import Final

from aptix_conformance.core.model import Call
from aptix_conformance.rules.lib.documents import arguments_of, read

_BY_A_MODEL: Final = re.compile(
    r"Error executing tool [^\n]{1,200}: \d+ validation errors? for \w{1,200}Arguments\n"
)
_NO_TEXT: Final = re.compile(
    r"\n(?P<name>[^\n.]{1,200})\n {2}Input should be a valid string \[type=string_type"
)


def reads_by_a_model(calls: Iterable[Call]) -> bool:
    """Whether the refusal of a call shows that the model of an SDK reads the arguments."""
    return any(_BY_A_MODEL.match(_refusal(call)) for call in calls if call.refused)


def reads_json_in_text(call: Call) -> bool:
    """Whether the model of an SDK refused a text since it had read that text as JSON."""
    message, sent = _refusal(call), arguments_of(call)
    named = {match["name"] for match in _NO_TEXT.finditer(message)} if _BY_A_MODEL.match(message) else set()
    texts = [sent.get(name) for name in named]
    return bool(texts) and all(
        isinstance(text, str) and isinstance(read(text).value, dict | list) for text in texts
    )


def _refusal(call: Call) -> str:
    return (call.result.error_message if call.result else None) or ""
