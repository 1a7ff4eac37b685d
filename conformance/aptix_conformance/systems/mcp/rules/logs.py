"""MCP089: the log messages that a server sends to the client."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.model import Call
from aptix_conformance.rules.lib import leaks
from aptix_conformance.rules.lib.documents import arguments_of, read, strings_in
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.systems.mcp.rules.accessors import members, received
from aptix_conformance.text import quoted

_NAMED_SECRET: Final = re.compile(
    r"passw(?:or)?d|passphrase|secret|api_?key|access_?token|private_?key|credentials?", re.IGNORECASE
)
_SHORTEST: Final = 6
"""Characters of a value that stands in a text by no accident."""


@rule(
    "MCP089",
    "MCP.X.12",
    over=Call,
    of=("tool", "server"),
    when=lambda call: any(True for _ in _logged(call)),
    unseen_reason="no log message came",
    if_unseen="not_applicable",
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
        yield Finding(f"A log message holds {leak.what}: {quoted(leak.text, 60)}.", gives_way_to=first)
    for name, value in _secret_arguments(arguments_of(call)):
        if any(value in text for text in texts):
            yield Finding(f"A log message holds the argument {quoted(name, 60)}.", cause=name)


def _logged(call: Call) -> Iterator[str]:
    """The texts in the log messages that came with a call."""
    found = received(call)
    for text in found.others if found else ():
        message = members(read(text).value)
        if message.get("method") == "notifications/message":
            yield from strings_in(members(message.get("params")))


def _secret_arguments(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments that are secret by their names, and are no other argument's value."""
    for name, value in arguments.items():
        is_secret = isinstance(value, str) and len(value) >= _SHORTEST and _NAMED_SECRET.search(name)
        if is_secret and value not in strings_in([v for n, v in arguments.items() if n != name]):
            yield name, value
