"""Finds in payloads what a language makes of an object that nobody has written down: its default representation."""

import json
import re
from typing import Final

from aptix_conformance.core.model import Call
from aptix_conformance.rules.lib.documents import arguments_of, payload_of, strings_in

_DEFAULT: Final = re.compile(
    r"<(?:[\w.]{1,100} object|(?:async_generator|bound method|built-in \w+|coroutine object|function|generator object|module)"
    r" [^<>\n]{1,200}?) at 0x[0-9A-Fa-f]{6,16}>"
    r"|<coroutine object [^<>\n]{1,200}>"
    r"|\[object (?:Object|Promise|Map|Set|Function|AsyncFunction|Generator|Array)\]"
    r"|\bSystem\.(?:[A-Z]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:`\d\[[\w.,\[\]` ]{1,200}\]|\[\])"
)
_MAY_SHOW: Final = re.compile(r" at 0x|object |System\.|\\u")
"""A part of such a representation in a payload, written as JSON or not, or an escape that may be any character."""
_SEARCHED: Final = 50_000
"""Characters of each text that are searched."""


def representation_in(call: Call) -> str | None:
    """The first default representation of an object in a payload's texts, the parts of written-down JSON included.

    None without one, and where the call itself sent it.
    """
    payload = call.result.payload if call.result else None
    if payload is None or not _MAY_SHOW.search(payload):
        return None
    shown = [
        match.group()
        for text in strings_in(payload_of(call).value)
        if "<" in text or "[" in text
        for match in _DEFAULT.finditer(text[:_SEARCHED])
    ]
    if not shown:
        return None
    sent = f"{call.plan.arguments or ''}{json.dumps(arguments_of(call), ensure_ascii=False)}"
    return next((each for each in shown if each not in sent), None)
