"""What is expected of the sentinels, the suite's own tools that run in the process of a tool under test.

A tool shares its process with the host that runs it and could rewrite the host, so that it reports what is not so. A
sentinel goes the same way as a tool: the same function makes its call, reads its result and records what it logs. What
each must come back as is known here, in another process. So a host that makes every failure a success, hides
exceptions, drops log records or breaks off what hangs gives itself away; one that lies for a single tool and tells the
truth for all others does not (docs/threat-model.md).
"""

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.model import Call, Change, Kind, Outcome, Stimulus

BRIEF: Final = ("returns", "refuses", "raises")
"""Those that come back at once."""
LAST: Final = "hangs"
"""The one that costs its process, and so comes last."""
KINDS: Final = (*BRIEF, LAST)
HANG_SECONDS: Final = 0.05

_WORDS: Final = {
    "returns": "succeeds with a known text and logs it",
    "refuses": "fails with a known message",
    "raises": "raises a known exception",
    "hangs": "never comes back",
}


def plan(kind: str, context: Mapping[str, Any] | None) -> Stimulus:
    """A sentinel's call, like any other to look at; no two send the same."""
    # Written as compactly as most writers do, so that whoever parses it and writes it again gives the same text.
    arguments = json.dumps({f"x{secrets.token_hex(3)}": secrets.token_hex(8)}, separators=(",", ":"))
    return Stimulus("sentinel", Change(Kind.CUSTOM, detail=kind), arguments, context)


def fault(call: Call) -> str | None:
    """What is wrong with how a sentinel came back, as a sentence; None where it is right."""
    kind = call.plan.change.detail or ""
    if _is_right(kind, call):
        return None
    came = f"came back as {call.outcome.value.replace('_', ' ')}"
    if call.incident:
        came += f" ({call.incident})"
    elif call.succeeded or call.refused:
        came = "came back with a successful result" if call.succeeded else "came back with a failed result"
        came += ", and with other content or log records than it gave"
    return f"A call of the suite's own that {_WORDS[kind]} {came}."


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
