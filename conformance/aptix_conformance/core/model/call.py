"""One call of a tool and everything observed, as immutable records."""

from enum import StrEnum
from typing import Literal

from msgspec import field

from aptix_conformance.core.model.codec import Record
from aptix_conformance.core.model.stimulus import Stimulus
from aptix_conformance.core.model.traits import Facts


class Outcome(StrEnum):
    """How a call ended. Only after `returned` and `raised` can the process serve another call."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    OVER_MEMORY = "over_memory"
    OVER_OUTPUT = "over_output"
    OVER_PROCESSES = "over_processes"
    NOT_CONSTRUCTED = "not_constructed"


INCIDENTS = frozenset(
    {
        Outcome.TIMED_OUT,
        Outcome.CRASHED,
        Outcome.OVER_MEMORY,
        Outcome.OVER_OUTPUT,
        Outcome.OVER_PROCESSES,
    }
)


class ResultError(Record, frozen=True):
    """One error of a result, as text."""

    message: str | None
    code: str | None = None
    details: str | None = None


class Result(Record, frozen=True):
    """What `execute` returned. The fields after `is_invoke_result` are set only if it has the contract's result type.

    That type is InvokeResult, or Amplifier's ToolResult: its payload is the text that an orchestrator makes of the output.
    """

    type_name: str
    is_invoke_result: bool
    successful: bool | None = None
    payload: str | None = None
    """The result text if it is a `str`, else None."""
    payload_type: str = "NoneType"
    errors: tuple[ResultError, ...] = ()
    error_message: str | None = None
    """What the model sees of a failure, as one text; in some systems it is the output where no error has a message."""
    texts: tuple[str, ...] = ()
    """Every text in a failed result, at any depth: metadata, details, the causes of an exception."""
    awaited: bool = True
    """Whether `execute` returned an awaitable; if not, it returned the result itself."""
    unserialisable: str | None = None
    """Why an orchestrator cannot serialise the output; None if it can, or if the payload has to be text."""
    input_changed: bool = False
    """Whether the call changed its input object."""
    facts: Facts | None = None
    """The parts of a result that only this system has."""


class Raised(Record, frozen=True):
    """What a call threw. `category` separates the tool's own exceptions from those that it must not catch."""

    type_name: str
    message: str
    traceback: str
    category: Literal["exception", "cancelled", "exit", "interrupt", "nothing"] = "exception"
    """`nothing` is a thrown null or undefined in JavaScript."""


class LogRecord(Record, frozen=True):
    """One call of the admin logger by the tool, or of its system's own logging."""

    method: Literal["add_exception", "add_error", "add_custom_event", "trace", "log", "event"]
    """`log` is a record of Python's `logging`; its tag is the logger's name. The tag of an `event` is the event's name."""
    tag: str = ""
    message: str = ""
    level: str = ""
    exception_type: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    pairs_fault: str | None = None
    """Why the argument is not a sequence of pairs of strings; None if it is one."""


class Output(Record, frozen=True):
    """What a call wrote to a standard stream: its first part, and the total number of bytes."""

    text: str = ""
    total_bytes: int = 0


class Missed(Record, frozen=True):
    """A member of the arguments that the tool asked for and that was missing.

    `path` is the object's path. `names` are the names that the member may have there. `default` is the value used
    instead, as JSON. `by` says how the suite knows: the tool asked by `name`, the member is a `field` of a class into
    which the arguments were parsed, or a field of a `class` that is named where they were parsed.
    """

    path: str
    names: tuple[str, ...]
    default: str | None = None
    by: Literal["name", "field", "class"] = "name"


class Reading(Record, frozen=True):
    """What a call read from its arguments, as paths: `/filters/city`, `/items/*/sku`; the root is the empty path."""

    read: tuple[str, ...] = ()
    """Members read by name, including missing ones."""
    looked_for: tuple[str, ...] = ()
    """Members whose presence the tool checked."""
    whole: tuple[str, ...] = ()
    """Objects that were read as a whole: how their members are used is not visible."""
    missed: tuple[Missed, ...] = ()
    named: tuple[str, ...] = ()
    """Names that occur as strings in the tool's code; another call may use them."""


class Disturbed(Record, frozen=True):
    """The effect of a disturbance on a call, and what the host observed during it. Times are in seconds.

    `reached` says whether the disturbance took place: a call that ends before its third suspension cannot be
    cancelled there. `place` says where, for people (`catalog.get_all_modes() at list_modes.py:41`).
    """

    reached: bool
    place: str = ""
    suspensions: tuple[str, ...] = ()
    """Where the tasks of the call were suspended, in order; at most 1,000."""
    after: float = 0.0
    """Time from the disturbance to the end of the call."""
    left_running: tuple[str, ...] = ()
    """Tasks, threads, processes and sockets that the call leaked, each described for people."""
    kept_running: tuple[str, ...] = ()
    """Those of them that the instance of the tool holds: it may need them as long as it lives."""
    blocked: float = 0.0
    """The longest time for which the call blocked the event loop."""
    blocked_at: str = ""
    """The stack during that block."""
    at_child: tuple[int, ...] = ()
    """The numbers of the suspensions, from 1, at which a child process that the call had started existed."""
    token_passed: bool = False
    """Whether the tool passed its token to a service or a library."""
    injected: str = ""
    """The kind of exception that was injected, or what a service returned instead of an answer."""
    undocumented: bool = False
    """Whether the function that failed is not documented to raise what was injected."""
    retried: bool | None = False
    """Whether the tool retried the failed operation; None if that could not be observed."""
    given_up: bool = False
    """Whether the host ended the call because it waited for a service that never answers."""
    changed: tuple[str, ...] = ()
    """What the call changed in objects that a service returned, described for people."""
    reading: Reading | None = None
    """What it read from its arguments; None if the host did not watch."""


class Call(Record, frozen=True):
    """One call: its stimulus, its outcome, and everything observed.

    `elapsed` is the least of its own time, in seconds; with `waited`, it is the most. `incident` describes the end of a call that did not return ("exit status 3", "no answer
    within 5 s"). `earlier` is the number of calls that the process had served before.
    """

    plan: Stimulus
    outcome: Outcome
    elapsed: float
    result: Result | None = None
    raised: Raised | None = None
    logs: tuple[LogRecord, ...] = ()
    stdout: Output = field(default_factory=Output)
    stderr: Output = field(default_factory=Output)
    token_consultations: int = 0
    incident: str | None = None
    earlier: int = 0
    disturbed: Disturbed | None = None
    """None if the stimulus has no disturbance."""
    network: tuple[str, ...] = ()
    """The hosts that it tried to reach, as `host:port`, and the paths of UNIX sockets, where the host notices that."""
    looks: tuple[str, ...] = ()
    """What its process looked at up to now that tells an examination from production, where the host notices that."""
    left_changed: tuple[str, ...] | None = None
    """What the call changed in its process and left changed, as phrases; None where the host does not notice that."""
    descriptors: tuple[int, int] | None = None
    """How many file descriptors its process, or its processes, had open right before the call and right after it; None where the host
    does not count them."""
    held: tuple[tuple[str, int, int], ...] = ()
    """What its process, or its processes, held right before the call and right after it, by kind: `memory` in KiB, `temporary files`,
    `child processes` and `threads` by number; without what the host does not count."""
    outside: tuple[str, ...] | None = None
    """What the call made, changed or removed of what was planted beside the folder to which its tool is confined, as paths; None where the host did
    not look."""
    inside: tuple[str, ...] | None = None
    """What the call made, changed or removed in that folder, as paths; None where the host did not look."""
    files: tuple[tuple[str, str], ...] | None = None
    """The files that the calls of its process had changed by its end, as paths with their texts, in which dates and times are zeros; None
    where the host did not look, or there were too many."""
    asked: tuple[str, ...] = ()
    """The requests to services that a recording answered, each with its URL. Only the suite sets it, never a host."""
    unrecorded: tuple[str, ...] = ()
    """The requests to services that the recording has no answer for. Such a call shows that a rule may be broken, and never that it is
    kept. Only the suite sets it, never a host."""
    left_out: str | None = None
    """Why the call shows nothing of the tool, as a clause that names what decided instead; no rule judges it then. Only the
    suite sets it, never a host."""
    waited: float = 0.0
    """Seconds in which some thread of its processes waited for a processor. The tool may have slept meanwhile, which is its own time."""
    overdue: bool = False
    """Whether it may have taken longer than it is allowed: by the clock it did, and by the least of its own time it did not."""
    apart: int = 0
    """The number of the batch in whose own processes it was made; 0 for a call of the usual process. Only the suite sets it."""

    @property
    def longest(self) -> float:
        """The most of its own time in seconds: the time by the clock."""
        return self.elapsed + self.waited

    @property
    def may_have_come_back(self) -> bool:
        """Whether it was ended by the clock alone: by the least of its own time it had not taken what it is allowed."""
        return self.overdue and self.outcome is Outcome.TIMED_OUT

    @property
    def longest_block(self) -> float:
        """The most seconds for which it may have blocked the event loop.

        A loop that is blocked does nothing while its thread waits for a processor, so a host measures that well. Only a block as long
        as the least of the whole call was cut to it.
        """
        if self.disturbed is None:
            return 0.0
        blocked = self.disturbed.blocked
        return blocked if blocked < self.elapsed else max(blocked, self.longest)

    @property
    def succeeded(self) -> bool:
        """Whether the call returned a result of the contract's type that reports success."""
        return self.outcome is Outcome.RETURNED and self.result is not None and self.result.successful is True

    @property
    def refused(self) -> bool:
        """Whether the call returned a result of the contract's type that reports a failure."""
        return (
            self.outcome is Outcome.RETURNED and self.result is not None and self.result.successful is False
        )
