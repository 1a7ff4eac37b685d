"""MCP064 and MCP089: log messages that a server sends to the client, and control characters in them and in errors."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib import leaks
from aptix_conformance.rules.lib.documents import arguments_of, read, strings_in
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.rules.accessors import members, received

_NAMED_SECRET: Final = re.compile(
    r"passw(?:or)?d|passphrase|secret|api_?key|access_?token|private_?key|credentials?", re.IGNORECASE
)
_SHORTEST: Final = 6
"""Characters of a value that stands in a text by no accident."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""A control character that is neither a tab nor an end of a line, and that every quoting escapes."""
_AFTER: Final = 4
"""Characters after a control character that are looked for together with it."""


@rule(
    "MCP089",
    "MCP.X.12",
    of=("tool", "server"),
    when=lambda call: any(True for _ in _logged(call)),
    unseen_reason=NotApplicable("no log message came"),
    differs_by="the argument; all other secrets count as one",
    remedy="Log names and counts, and never the environment, a connection string or an argument that is a secret.",
)
def log_messages_hold_no_secret(call: Call) -> Iterator[Finding]:
    """No log message that the client gets holds a credential.

    The suite plants worthless secrets in the server's environment. An argument is a secret where its name says so, such as
    `password`.
    """
    texts = tuple(_logged(call))
    leak = leaks.secrets(call, texts)
    if leak is not None:
        first = "EXC004" if call.refused else ""
        yield Finding(f"A log message holds {leak.kind}: {quoted(leak.text, 60)}.", defers_to=first)
    for name, value in _secret_arguments(arguments_of(call)):
        if any(value in text for text in texts):
            yield Finding(f"A log message holds the argument {quoted(name, 60)}.", cause=name)


@rule(
    "MCP064",
    "MCP.Sec.7",
    of=("tool", "server"),
    when=lambda call: leaks.has_failure_text(call) or any(True for _ in _logged(call)),
    unseen_reason=NotApplicable("no call failed, and no log message came"),
    differs_by="whether an error or a log message holds them",
    source="advice",
    remedy="Quote what the caller sent, as `repr` and `JSON.stringify` do, before it becomes part of such a text.",
)
def no_control_characters_of_arguments_are_repeated(call: Call) -> Iterator[Finding]:
    """No error and no log message repeats control characters of an argument as they came.

    A terminal and a log viewer obey them: what a model sends could colour, hide or forge lines. Escaped characters are data, and so
    is an argument in a result that is no error. The specification does not say what it means by sanitised, so this is advice.
    """
    for cause, where, texts in (
        ("error", "An error", leaks.failure_texts(call)),
        ("log", "A log message", _logged(call)),
    ):
        repeated = next(filter(None, (_repeated_controls(call, text) for text in texts)), None)
        if repeated is not None:
            fault = f"{where} repeats control characters of an argument as they came: {quoted(repeated, 60)}."
            yield Finding(fault, cause=cause)


def _repeated_controls(call: Call, text: str) -> str | None:
    """A control character of the call's arguments, with what stands beside it, that the text holds too."""
    if not _CONTROL.search(text):
        return None
    for sent in strings_in(arguments_of(call)):
        for match in _CONTROL.finditer(sent):
            part = sent[max(match.start() - 1, 0) : match.end() + _AFTER]
            # A tool that colours its own errors begins with an escape, too.
            if len(part) > 1 and not part.startswith("\x1b") and part in text:
                return part
    return None


def _logged(call: Call) -> Iterator[str]:
    """The texts in the log messages that came with a call."""
    facts = received(call)
    for text in facts.others if facts else ():
        message = members(read(text).value)
        if message.get("method") == "notifications/message":
            yield from strings_in(members(message.get("params")))


def _secret_arguments(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments that are secret by their names, and are no other argument's value."""
    for name, value in arguments.items():
        is_secret = isinstance(value, str) and len(value) >= _SHORTEST and _NAMED_SECRET.search(name)
        if is_secret and value not in strings_in([v for n, v in arguments.items() if n != name]):
            yield name, value
