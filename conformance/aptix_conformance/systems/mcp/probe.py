"""What a client may send other than a call with arguments: each is one call with a disturbance `wire:NAME`.

The probe `wire` sends what concerns one tool, the probe `server` what concerns its server.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from aptix_conformance.core.model import (
    Call,
    Change,
    Declaration,
    Kind,
    SchemaReading,
    Stimulus,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate import Arguments, usable_schema, write
from aptix_conformance.stimuli.probes import Probe, Subject
from aptix_conformance.stimuli.probes.planning import base_of, plan
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpTool, Revision
from aptix_conformance.systems.mcp.rules.accessors import capabilities, has_tasks, members, task_support
from aptix_conformance.systems.mcp.wire import stimulus

KIND: Final = "wire"
NO_ARGUMENTS: Final = Change(Kind.CUSTOM, detail="no-arguments")
"""A tools/call without the member `arguments`."""

_OF_TOOLS: Final = {
    "2025-11-25": ("followed-call", "unknown-tool", "as-task", "between-lists"),
    "2026-07-28": ("followed-call", "unknown-tool", "two-clients", "asking", "between-lists"),
}
_OF_TOOLS_OF_OLDER: Final = ("followed-call", "unknown-tool", "between-lists")
_OF_SERVERS: Final = (
    *("unknown-tool", "inherited-tool", "other-case", "unknown-method", "inherited-method"),
    *("nameless-call", "text-for-arguments"),
    *("unknown-notification", "unknown-cancellation", "malformed-cancellation", "not-json"),
)
UNOWED: Final = ("odd-ids", "batch", "bare-text", "bad-utf-8")
"""Hostile input to which no response is owed."""
_AWKWARD: Final = (
    *("duplicate-keys", "lone-surrogate", "long-integer", "deep", "params-array", "unknown-cursor"),
    *("one-mebibyte", "eight-mebibytes", "sixteen-mebibytes"),
)
_IDS: Final = ("text-id", "digits-id", "empty-id", "zero-id")
_HOSTILE: Final = (*_IDS, *UNOWED, *_AWKWARD, "page-again")
_ENDS: Final = ("end-of-input", "cut-message", "client-gone", "wrapper-killed")
"""Ways in which a client leaves a server over stdio; the first one ends the process that served all other stimuli."""
_UNSAID: Final = {
    "2024-11-05": ("other-case", "batch"),
    "2025-03-26": ("other-case", "batch"),
    "2025-06-18": ("other-case",),
}
"""What no clause of the revision is on; where a batch is a message, it is sent as one that can be answered."""
_OF_ONE_REVISION: Final = {
    "2025-11-25": ("ping", "unknown-tool-task"),
    "2026-07-28": ("without-meta", "listen"),
}
_OF_OLDER: Final = ("ping",)
_HOSTILE_OF_HANDSHAKES: Final = ("second-initialize", "unknown-version-first")
_HOSTILE_OF_ONE_REVISION: Final = {
    "2024-11-05": (*_HOSTILE_OF_HANDSHAKES, "batched-requests"),
    "2025-03-26": (*_HOSTILE_OF_HANDSHAKES, "batched-requests"),
    "2026-07-28": ("list-first", "unknown-version"),
}
REFUSABLE: Final = (*_AWKWARD, "second-initialize", "unknown-version", "unknown-version-first")
"""Hostile requests that a server over HTTP may refuse by a status alone, as far as MCP070 and MCP073 go."""
HEADERS: Final = tuple(
    f"http-{name}"
    for name in ("method-missing", "method-other", "name-missing", "name-other", "version-other")
)
"""A message whose headers are not what its body says."""
_OVER_HTTP: Final[dict[Revision, tuple[str, ...]]] = {
    "2024-11-05": (),
    "2025-03-26": ("http-origin", "http-get", "http-ended"),
    "2025-06-18": ("http-origin", "http-get", "http-version", "http-ended"),
    "2025-11-25": ("http-origin", "http-get", "http-version", "http-ended"),
    "2026-07-28": (
        *("http-origin", "http-get", "http-delete", "http-resumed", *HEADERS),
        *("http-name-encoded", "http-param-missing", "http-param-other"),
    ),
}


_AS_TASK: Final = ("optional", "required")
"""The values of execution.taskSupport of a tool that can be called as a task."""


class WireProbe(Probe):
    """A fixed list; the host implements each (`runners/mcp/stimuli.py`)."""

    name = KIND

    def fixed(self, subject: Subject, observed_calls: Sequence[Call]) -> Iterator[Stimulus]:
        """A call without arguments, and each stimulus once, with the arguments of a call that works where it has any."""
        works = write(base_of(subject, observed_calls).arguments)
        yield plan(subject, self.name, NO_ARGUMENTS, None)
        for name in _OF_TOOLS.get(_facts(subject).revision, _OF_TOOLS_OF_OLDER):
            yield _stimulus(subject, self.name, name, works)
        if _support(subject) in _AS_TASK:
            yield _stimulus(subject, self.name, "task", works)


class ServerProbe(Probe):
    """A fixed list; the host implements each (`runners/mcp/stimuli.py`)."""

    name = "server"
    of = "server"

    def fixed(self, subject: Subject, observed_calls: Sequence[Call]) -> Iterator[Stimulus]:  # noqa: ARG002 - a fixed list
        """Each stimulus once, with arguments that the server's first tool takes: a name that is ignored shows only so."""
        facts = _facts(subject)
        arguments = write(_arguments_of(subject.declaration, facts))
        revision = facts.revision
        hostile = (*_HOSTILE_OF_ONE_REVISION.get(revision, _HOSTILE_OF_HANDSHAKES), *_HOSTILE)
        more = (*hostile, *_ENDS) if facts.http is None else (*_over_http(facts.http, revision), *hostile)
        more = (*_of_tasks(subject), *more)
        unsaid = _UNSAID.get(revision, ())
        for name in (*_OF_SERVERS, *_OF_ONE_REVISION.get(revision, _OF_OLDER), *more):
            if name not in unsaid:
                yield _stimulus(subject, self.name, name, arguments)


def _over_http(opening: HttpAnswer, revision: Revision) -> tuple[str, ...]:
    """The stimuli of the transport; HTTP with SSE has one."""
    return ("http-origin",) if opening.is_sse else _OVER_HTTP[revision]


def _facts(subject: Subject) -> McpTool:
    facts = subject.declaration.facts
    assert isinstance(facts, McpTool)
    return facts


def _support(subject: Subject) -> str | None:
    """How a tool can be called as a task, in the revision that has tasks in its core."""
    return task_support(subject.declaration) if has_tasks(subject.declaration) else None


def _of_tasks(subject: Subject) -> tuple[str, ...]:
    """The stimuli about tasks: the first tool of a server stands for all, since an SDK does the same for each."""
    support = _support(subject)
    if support is None:
        return ()
    is_able = members(capabilities(subject.declaration).get("tasks")).get("cancel") is not None
    cancelled = ("cancelled-task",) if is_able and support in _AS_TASK else ()
    return (*cancelled, "unknown-task")


def _arguments_of(declaration: Declaration, facts: McpTool) -> dict[str, Any]:
    """The simplest arguments of the server's first tool; none where there are none."""
    entry = json.loads(facts.definition)
    function = json.dumps({"parameters": entry.get("inputSchema") if isinstance(entry, dict) else None})
    schema, _ = usable_schema(replace(declaration, schema=SchemaReading("returned", function)))
    return (Arguments(schema).minimal() if schema is not None else None) or {}


def _stimulus(subject: Subject, probe: str, name: str, arguments: str) -> Stimulus:
    return plan(subject, probe, Change(Kind.DISTURBED, number=1), arguments, disturbance=stimulus(name))


WIRE: Final = WireProbe()
SERVER: Final = ServerProbe()
