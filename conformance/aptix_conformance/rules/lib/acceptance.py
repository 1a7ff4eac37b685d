"""Helpers of the rules on arguments: whether a tool needs any, and how a wrong acceptance or a refusal is reported."""

import re
from typing import Final

from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding
from aptix_conformance.rules.lib.scope import (
    changed,
)

NO_NETWORK: Final = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Name does not resolve|getaddrinfo|gaierror"
    r"|Network is unreachable|No route to host|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|fetch failed"
    r"|Connection refused|NameResolutionFailure|ConnectFailure|Max retries exceeded|Cannot connect to host"
    r"|All connection attempts failed|HttpRequestException|SocketException",
)
"""Words of libraries for a network that is not there, in the languages that hosts run. The suite gives a tool none."""


def needs_arguments(declaration: Declaration) -> str | None:
    """The `applies` of a rule on required arguments."""
    if not declarations.requires_something(declaration):
        return "its schema requires no argument, or has a default for each that it requires"
    own = declaration.own_rules.required
    return f"{own} says that nothing is required of it" if own else None


def forbids_nothing_sent(declaration: Declaration) -> str | None:
    """The `applies` of a rule on arguments that are no object: a tool that can do without may take them for none."""
    if declarations.allows_nothing_sent(declaration):
        return "its schema allows a call without arguments, which may be given in any form"
    return needs_arguments(declaration)


def accepted(call: Call, phrase: str, defers_to: str = "") -> Finding:
    """The finding that a call succeeded `phrase`, which follows "The tool succeeded"."""
    return Finding(f"The tool succeeded {phrase}.", call, defers_to, changed(call))


def refusal_text(call: Call) -> str:
    """The message of a refusal, quoted, as a phrase."""
    result = call.result
    errors = result.errors if result else ()
    message = (result.error_message if result else None) or next(
        (e.message for e in errors if e.message), None
    )
    return quoted(message, 120) if message else "without a message"
