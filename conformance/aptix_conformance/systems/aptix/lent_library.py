"""Tools whose project brings no Json.NET run with the system's, which is old. What it alone decides is not the tool's fault.

Json.NET 6 throws FormatException, ArgumentException or OverflowException for some documents for which version 13 throws a
JsonException, or nothing. A tool that answers a JsonException would be blamed for the version that happens to be installed.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from aptix_conformance.core.model import Call, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts.process_host import ProcessToolHost

JSON_NET: Final = "Newtonsoft.Json.dll"

_REASON: Final = "the system's old Json.NET decided how that ended, and the project brings none: name yours by `references`"
_FRAME: Final = re.compile(r"^\s*at (?:\(wrapper [^)]*\) )?([\w.<>`+]+)", re.MULTILINE)
_DIFFERENT: Final = frozenset({"FormatException", "ArgumentException", "OverflowException"})
"""The exceptions that Json.NET 6 throws where a later version throws a JsonException or nothing."""


class HostWithLentLibrary(ProcessToolHost):
    """A tool's host that marks the calls that the library decided (`Call.left_out`)."""

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """See `host.ToolHost`."""
        return _marked(super().execute(plan, timeout))

    def execute_patiently(self, plan: Stimulus, idle_timeout: float) -> Call:
        """See `host.ToolHost`."""
        return _marked(super().execute_patiently(plan, idle_timeout))

    def execute_together(self, plans: Sequence[Stimulus], timeout: float | None = None) -> tuple[Call, ...]:
        """See `host.ToolHost`."""
        return tuple(_marked(call) for call in super().execute_together(plans, timeout))


def is_decided_by_library(call: Call) -> bool:
    """Whether the lent Json.NET decided how a call ended: it threw for a document that is no plain JSON, and not as it would today."""
    if call.raised is None or call.raised.type_name not in _DIFFERENT or _is_plain(call.plan.arguments or ""):
        return False
    for frame in _FRAME.findall(call.raised.traceback):
        if frame.startswith("Newtonsoft.Json."):
            return True
        if not frame.startswith("System."):
            return False
    return False


def _marked(call: Call) -> Call:
    return replace(call, left_out=_REASON) if is_decided_by_library(call) else call


def _is_plain(text: str) -> bool:
    """Whether a text is strict JSON in which no name occurs twice."""
    try:
        json.loads(text, object_pairs_hook=_without_twins, parse_constant=_refused)
    except (ValueError, RecursionError):
        return False
    return True


def _without_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice")
    return members


def _refused(name: str) -> object:
    raise ValueError(name)
