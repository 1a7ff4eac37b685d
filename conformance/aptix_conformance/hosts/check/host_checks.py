"""Checks a host itself, because every verdict on its tools depends on it.

Each check starts a new process, so that one failure does not hide another. A check of a capability that the host does
not claim is skipped, and the result says so.
"""

import contextlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model import SystemTraits
from aptix_conformance.hosts import protocol
from aptix_conformance.hosts.check.peer import (
    PATIENCE,
    NoAnswerError,
    Peer,
    ProtocolViolation,
    abbreviate,
)
from aptix_conformance.hosts.program import Program

LARGE: Final = 4 * 1024 * 1024
"""Characters of a large argument."""
ODD_TEXT: Final = 'a"b\\c\u0000\u001f\u007f\u00e9\u2028\u2029\ufeff\U0001f600\ud800 \udfff/'
"""Characters that need escapes, or that hosts often lose."""
UNKNOWN_TOOL: Final = "no_tool_of_this_name_7c1f"
_KINDS: Final = ("returns", "refuses", "raises", "hangs", "prints", "waits")
_HANDLES: Final[Mapping[str, int]] = {kind: 2**40 + place for place, kind in enumerate(("tool", *_KINDS))}
_SILENCE: Final = 0.3
"""Seconds during which a host must send nothing without a request."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The host to check.

    `start` starts a process of it; `root`, `module` and `tool` go into `initialize`. Where `tool` is None, the first
    tool that the host lists is loaded.
    """

    start: Callable[[], Program]
    root: str
    module: str = ""
    tool: str | None = None
    patience: float = PATIENCE
    """Timeout of an answer, in seconds."""
    systems: tuple[SystemTraits, ...] = ()
    """The systems to which the host's tools may belong."""

    def peer(self) -> Peer:
        """A new process of the host."""
        return Peer(self.start, self.patience, self.systems)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check. `words` says what was wrong, or which capability is not claimed."""

    name: str
    demand: str
    outcome: Literal["kept", "broken", "not claimed"]
    words: str = ""


class _NotClaimedError(Exception):
    """The host does not claim the capability that a check needs."""


def check_host(subject: Subject, only: Collection[str] = ()) -> Iterator[Checked]:
    """Run every check, or those named in `only`, and yield the results.

    Where the first check gets no answer at all, the others are left out: each would wait for the same answer.
    """
    is_first = True
    for check in CHECKS:
        name, demand = check.__name__.removeprefix("_").replace("_", "-"), (check.__doc__ or "").strip()
        if only and name not in only:
            continue
        try:
            with subject.peer() as peer:
                check(_Session(subject, peer))
        except _NotClaimedError as error:
            yield Checked(name, demand, "not claimed", str(error))
        except (ProtocolViolation, HostError) as error:
            is_silent = is_first and isinstance(error, NoAnswerError)
            left_out = "; the other checks are left out: each needs an answer" if is_silent else ""
            yield Checked(name, demand, "broken", f"{error}{left_out}")
            if is_silent:
                return
        else:
            yield Checked(name, demand, "kept")
        is_first = False


class _Session:
    """A peer, its subject and the capabilities that it claims."""

    def __init__(self, subject: Subject, peer: Peer) -> None:
        self.subject = subject
        self.peer = peer
        self.capabilities: frozenset[str] = frozenset()

    def load_params(self, tool: str | None) -> dict[str, Any]:
        """The params of `initialize`, for one tool or for listing."""
        params: dict[str, Any] = {
            "protocol": protocol.VERSION,
            "root": self.subject.root,
            "module": self.subject.module,
        }
        if tool is not None:
            handles = {str(number): kind for kind, number in _HANDLES.items()}
            params |= {"qualname": tool, "services": {}, "handles": handles}
        return params

    def load(self, capability: str | None = None) -> None:
        """Initialize the host with its tool. Raises _NotClaimedError where it does not claim `capability`."""
        tool = self.subject.tool or self.first_tool()
        answer = self.peer.ask("initialize", self.load_params(tool))
        self.capabilities = frozenset(answer["capabilities"])
        if capability is not None and capability not in self.capabilities:
            raise _NotClaimedError(f"it does not claim {capability!r}")

    def first_tool(self) -> str:
        """The first tool that the host lists."""
        with self.subject.peer() as other:
            other.ask("initialize", self.load_params(None))
            tools: list[str] = other.ask("tools/list")["tools"]
        if not tools:
            raise ProtocolViolation("it lists no tool: add one, or name one with --tool")
        return min(tools)

    def call(self, kind: str, arguments: str = "{}") -> dict[str, Any]:
        """The params of a call of a sentinel, or of the tool."""
        return {"handle": _HANDLES[kind], "arguments": arguments, "context": None}

    def sentinel(self, kind: str, arguments: str) -> dict[str, Any]:
        """Call a sentinel and return the answer."""
        answer: dict[str, Any] = self.peer.ask("tools/execute", self.call(kind, arguments))
        return answer


# A check is named after its function, and demands what its docstring says.


def _silent_until_asked(session: _Session) -> None:
    """A host sends nothing before the first request."""
    if not session.peer.is_silent(_SILENCE):
        raise ProtocolViolation(f"it sent {abbreviate(session.peer.message())} before any request")
    session.load()


def _initializes(session: _Session) -> None:
    """`initialize` names the version, the host and its capabilities."""
    session.load()


def _reads_in_pieces(session: _Session) -> None:
    """A request may arrive in any number of pieces."""
    session.load()
    number, line = session.peer.request("tools/describe", {})
    session.peer.send_apart(line, 8)
    session.peer.answer_to(number, "tools/describe")


def _reads_several_at_once(session: _Session) -> None:
    """Several requests may arrive in one piece; each is answered once, under its own id."""
    session.load()
    requests = [session.peer.request("tools/describe", {}) for _ in range(3)]
    session.peer.send(b"".join(line for _, line in requests))
    waiting = dict.fromkeys((number for number, _ in requests), "tools/describe")
    while waiting:
        del waiting[session.peer.answer(waiting)["id"]]
    if not session.peer.is_silent(_SILENCE):
        session.peer.answer({})


def _refuses_unknown_methods(session: _Session) -> None:
    """An unknown method gives error -32601, and the host continues."""
    session.load()
    _expect_error(session, "tools/undo", {}, protocol_code=-32601)
    session.peer.ask("tools/describe")


def _refuses_unknown_tools(session: _Session) -> None:
    """An unknown tool gives error -32001, with a sentence for its author."""
    _expect_error(
        session, "initialize", session.load_params(UNKNOWN_TOOL), protocol_code=protocol.TARGET_FAULT
    )


def _lists_its_tools(session: _Session) -> None:
    """`tools/list` names tools, each of which can be loaded."""
    session.peer.ask("initialize", session.load_params(None))
    tools = session.peer.ask("tools/list")["tools"]
    for tool in tools[:10]:
        with session.subject.peer() as other:
            other.ask("initialize", session.load_params(tool))


def _describes_its_tool(session: _Session) -> None:
    """`tools/describe` gives a complete declaration, the same each time."""
    session.load()
    first, second = session.peer.ask("tools/describe"), session.peer.ask("tools/describe")
    if first != second:
        names = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
        raise ProtocolViolation(f"two readings in a row differ in {', '.join(names)}")


def _returns_what_a_tool_returns(session: _Session) -> None:
    """The sentinel `returns` succeeds with its arguments and logs them."""
    session.load()
    _expect_returned(session, '{"x":"1"}')
    _expect_logged(session, '{"x":"1"}')


def _tells_failure(session: _Session) -> None:
    """The sentinel `refuses` fails with its arguments as the message."""
    session.load()
    answer = session.sentinel("refuses", '{"x":"2"}')
    result = answer.get("result") or {}
    messages = [error.get("message") for error in result.get("errors", ())]
    if result.get("successful") is not False or '{"x":"2"}' not in messages:
        raise ProtocolViolation(f"it answered {abbreviate(answer)}")


def _tells_exceptions(session: _Session) -> None:
    """The sentinel `raises` throws ValueError with its arguments as the message."""
    session.load()
    answer = session.sentinel("raises", '{"x":"3"}')
    raised = answer.get("raised") or {}
    if (raised.get("type_name"), raised.get("message")) != ("ValueError", '{"x":"3"}'):
        raise ProtocolViolation(f"it answered {abbreviate(answer)}")


def _keeps_odd_characters(session: _Session) -> None:
    """Every character comes back unchanged, also lone surrogates and NUL."""
    session.load()
    _expect_returned(session, json.dumps({"x": ODD_TEXT}, ensure_ascii=True, separators=(",", ":")))


def _carries_large_messages(session: _Session) -> None:
    """A message of four million characters arrives, and so does its answer."""
    session.load()
    _expect_returned(session, json.dumps({"x": "x" * LARGE}, separators=(",", ":")))


def _keeps_output_apart(session: _Session) -> None:
    """What a tool prints arrives on standard output before the answer, and nothing else does."""
    session.load()
    before = "".join(session.peer.printed())
    session.sentinel("prints", '{"x":"printed"}')
    out, error = session.peer.printed()
    if before or error or out.strip() != '{"x":"printed"}':
        raise ProtocolViolation(
            f"when the answer came, standard output and error contained {abbreviate(before + out + error)}"
        )


def _serves_while_a_call_waits(session: _Session) -> None:
    """A call that does not return does not block other calls."""
    session.load("together")
    _, hanging = session.peer.request("tools/execute", session.call("hangs"))
    session.peer.send(hanging)
    _expect_returned(session, '{"x":"4"}')


def _answers_calls_made_together(session: _Session) -> None:
    """`tools/execute_together` answers every call, in the order of the request."""
    session.load("together")
    calls = [{"arguments": "{}", "context": None} for _ in range(50)]
    answers = session.peer.ask("tools/execute_together", {"calls": calls})["answers"]
    if len(answers) != len(calls):
        raise ProtocolViolation(f"{len(calls)} calls got {len(answers)} answers")


def _cancels(session: _Session) -> None:
    """`$/cancel` cancels the token of the call that it names, and the call is answered. An unknown id is ignored."""
    session.load("cancel")
    number, line = session.peer.request("tools/execute", session.call("waits", '{"x":"5"}'))
    session.peer.send(line)
    session.peer.notify("$/cancel", {"id": number + 1})
    if not session.peer.is_silent(_SILENCE):
        raise ProtocolViolation(
            f"it answered {abbreviate(session.peer.message())} before the call was cancelled"
        )
    session.peer.notify("$/cancel", {"id": number})
    answer = session.peer.answer_to(number, "tools/execute")
    if (answer.get("result") or {}).get("outcome") != "returned":
        raise ProtocolViolation(f"the cancelled call was answered by {abbreviate(answer)}")


def _ends_when_it_is_told(session: _Session) -> None:
    """`shutdown` is answered, and the process ends with status 0."""
    session.load()
    session.peer.ask("shutdown")
    status = session.peer.exit_status()
    if status != 0:
        raise ProtocolViolation("it did not end" if status is None else f"it ended with status {status}")


def _ends_when_nobody_listens(session: _Session) -> None:
    """The process ends when the channel is closed."""
    session.load()
    session.peer.hang_up()
    if session.peer.exit_status() is None:
        raise ProtocolViolation("it did not end after the channel was closed")


def _starts_again_the_same(session: _Session) -> None:
    """After a process is killed during a call, a new process declares the same tool."""
    session.load()
    with session.subject.peer() as other:
        again = _Session(session.subject, other)
        again.load()
        first = other.ask("tools/describe")
        _, hanging = other.request("tools/execute", again.call("hangs"))
        other.send(hanging)
    if session.peer.ask("tools/describe") != first:
        raise ProtocolViolation("two processes describe the same tool differently")


CHECKS: Final = (
    _silent_until_asked,
    _initializes,
    _reads_in_pieces,
    _reads_several_at_once,
    _refuses_unknown_methods,
    _refuses_unknown_tools,
    _lists_its_tools,
    _describes_its_tool,
    _returns_what_a_tool_returns,
    _tells_failure,
    _tells_exceptions,
    _keeps_odd_characters,
    _carries_large_messages,
    _keeps_output_apart,
    _serves_while_a_call_waits,
    _answers_calls_made_together,
    _cancels,
    _ends_when_it_is_told,
    _ends_when_nobody_listens,
    _starts_again_the_same,
)


def _expect_error(session: _Session, method: str, params: dict[str, Any], protocol_code: int) -> None:
    number, line = session.peer.request(method, params)
    session.peer.send(line)
    answer = session.peer.answer({number: method})
    code = (answer.get("error") or {}).get("code")
    if code != protocol_code:
        raise ProtocolViolation(f"it answered {abbreviate(answer)}, but error {protocol_code} was expected")


def _expect_returned(session: _Session, arguments: str) -> None:
    answer = session.sentinel("returns", arguments)
    result = answer.get("result") or {}
    with contextlib.suppress(ValueError):
        if result.get("successful") is True and json.loads(result.get("payload") or "") == json.loads(
            arguments
        ):
            return
    raise ProtocolViolation(f"the sentinel `returns` gave {abbreviate(answer)} for {abbreviate(arguments)}")


def _expect_logged(session: _Session, arguments: str) -> None:
    records = [event["params"]["record"] for event in session.peer.notifications if event["method"] == "log"]
    if not any(record.get("message") == arguments for record in records):
        raise ProtocolViolation("no log record of the sentinel `returns` arrived before its answer")
