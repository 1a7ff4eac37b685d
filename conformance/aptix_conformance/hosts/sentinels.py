"""The expected results of the sentinels: tools of the suite that run in the process of a tool under test.

A tool shares its process with its host, so it could change the host to report false results. A sentinel takes the same
path as a tool: the same function makes the call, reads the result and records the logs. The parent process knows the
expected result. This finds a host that turns failures into successes, hides exceptions, drops log records or cuts
hanging calls short. It does not find a host that lies for a single tool only (docs/threat-model.md).
"""

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Outcome, Stimulus

BRIEF: Final = ("returns", "refuses", "raises")
"""The sentinels that return at once."""
LAST: Final = "hangs"
"""The sentinel that ends its process, and so runs last."""
KINDS: Final = (*BRIEF, LAST)
HANG_SECONDS: Final = 0.05

_WORDS: Final = {
    "returns": "succeeds with a known text and logs it",
    "refuses": "fails with a known message",
    "raises": "raises a known exception",
    "hangs": "never returns",
}


def plan(kind: str, context: Mapping[str, Any] | None) -> Stimulus:
    """The call of a sentinel. It looks like any other call, and its arguments are random."""
    # Compact JSON, as most encoders write it: a host that parses it and encodes it again gets the same text.
    arguments = json.dumps({f"x{secrets.token_hex(3)}": secrets.token_hex(8)}, separators=(",", ":"))
    return Stimulus("sentinel", Change(Kind.CUSTOM, detail=kind), arguments, context)


def fault(call: Call) -> str | None:
    """The fault in the result of a sentinel, as a sentence; None where the result is right."""
    kind = call.plan.change.detail or ""
    if _is_right(kind, call):
        return None
    outcome = f"came back as {call.outcome.value.replace('_', ' ')}"
    if call.incident:
        outcome += f" ({call.incident})"
    elif call.succeeded or call.refused:
        outcome = "came back with a successful result" if call.succeeded else "came back with a failed result"
        outcome += ", and with other content or log records than it gave"
    return f"A call of the suite's own that {_WORDS[kind]} {outcome}."


def _is_right(kind: str, call: Call) -> bool:
    sent, result = call.plan.arguments, call.result
    if kind == "hangs":
        return call.outcome is Outcome.TIMED_OUT
    if kind == "raises":
        thrown = call.raised
        return (
            call.outcome is Outcome.RAISED
            and thrown is not None
            and (thrown.type_name, thrown.message, thrown.category) == ("ValueError", sent, "exception")
        )
    if result is None or not result.is_invoke_result:
        return False
    if kind == "refuses":
        return call.refused and sent in [error.message for error in result.errors]
    logged = [record.message for record in call.logs if record.method == "add_error"]
    return call.succeeded and result.payload == sent and not result.errors and sent in logged
