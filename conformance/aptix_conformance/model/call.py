"""One call of a tool, and everything that could be seen of it, as immutable records."""

from enum import StrEnum
from typing import Literal

from msgspec import field

from aptix_conformance.model.codec import Record
from aptix_conformance.model.stimulus import Stimulus
from aptix_conformance.model.traits import Facts


class Outcome(StrEnum):
    """How a call ended. Only the first two leave a process that the next call can use."""

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
    """What `execute` returned. The fields after `type_name` are filled where it is the contract's own result.

    That is an InvokeResult, or Amplifier's ToolResult: its payload is the text that an orchestrator makes of the output.
    """

    type_name: str
    is_invoke_result: bool
    successful: bool | None = None
    payload: str | None = None
    """The result text where it is a `str`, else None."""
    payload_type: str = "NoneType"
    errors: tuple[ResultError, ...] = ()
    error_message: str | None = None
    awaited: bool = True
    """Whether `execute` gave something to await; where not, it gave the result itself."""
    unserialisable: str | None = None
    """Why an orchestrator cannot write down the output; None where it can, or where the payload has to be text."""
    input_changed: bool = False
    """Whether the call left its input other than it was given it, where that is an object."""
    facts: Facts | None = None
    """What only results of the tool's system hold."""


class Raised(Record, frozen=True):
    """What a call threw. `category` tells the tool's own exceptions from those that are not its to catch."""

    type_name: str
    message: str
    traceback: str
    category: Literal["exception", "cancelled", "exit", "interrupt", "nothing"] = "exception"
    """`nothing` is JavaScript's null or undefined, which can be thrown too."""


class LogRecord(Record, frozen=True):
    """One call of the admin logger by the tool, or of the logging that its system has instead."""

    method: Literal["add_exception", "add_error", "add_custom_event", "trace", "log"]
    """`log` stands for a record of Python's own logging, the tag being the logger's name."""
    tag: str = ""
    message: str = ""
    level: str = ""
    exception_type: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    pairs_fault: str | None = None
    """Why what was given is not a sequence of pairs of strings; None where it is."""


class Output(Record, frozen=True):
    """What a call wrote to a standard stream: the first part of it, and how many bytes in all."""

    text: str = ""
    total_bytes: int = 0


class Missed(Record, frozen=True):
    """A member of the arguments that the tool asked for and that was not there.

    `path` is that of the object, `names` are those under which the member may stand in it, `default` is what was taken
    in its place, as JSON. `by` says how it is known: it was asked for by `name`, it is a `field` of a class that the
    arguments were taken into, or of a `class` that was named where they were.
    """

    path: str
    names: tuple[str, ...]
    default: str | None = None
    by: Literal["name", "field", "class"] = "name"


class Reading(Record, frozen=True):
    """What a call asked for in its arguments, by paths: `/filters/city`, `/items/*/sku`; the whole is the empty path."""

    read: tuple[str, ...] = ()
    """Members taken by name, those that were not there too."""
    looked_for: tuple[str, ...] = ()
    """Members about which the tool asked whether they are there."""
    whole: tuple[str, ...] = ()
    """Objects that were taken as they are, so that nobody can see what becomes of their members."""
    missed: tuple[Missed, ...] = ()
    named: tuple[str, ...] = ()
    """Names that stand as texts in the tool's code, where another call may use them."""


class Disturbed(Record, frozen=True):
    """What a disturbance did to a call, and what was seen because it was there.

    `reached` says whether its moment came: a call that ends before its third suspension cannot be cancelled
    there. `place` is that moment in words (`catalog.get_all_modes() at list_modes.py:41`). Times in seconds.
    """

    reached: bool
    place: str = ""
    suspensions: tuple[str, ...] = ()
    """Where the tasks of the call were suspended, in order; the first thousand."""
    after: float = 0.0
    """From the moment of disturbance to the end of the call."""
    left_running: tuple[str, ...] = ()
    """Tasks, threads, processes and sockets of the call that outlived it, each in words."""
    blocked: float = 0.0
    """The longest that the event loop was not let go."""
    blocked_at: str = ""
    """The stack at that moment."""
    injected: str = ""
    """The kind of exception that was injected, or what a service gave instead of an answer."""
    retried: bool | None = False
    """Whether the tool did again what was made to fail; None where nobody could see that."""
    given_up: bool = False
    """Whether the host ended the call, since it waited for a service that was made never to answer."""
    changed: tuple[str, ...] = ()
    """What the call changed of what a service had handed out, in words."""
    reading: Reading | None = None
    """What it asked for in its arguments; None where nobody looked."""


class Call(Record, frozen=True):
    """One call: its plan, how it ended, and everything that could be seen of it.

    `elapsed` is in seconds. `incident` says in words how a call ended that did not come back ("exit status
    3", "no answer within 5 s"). `earlier` is how many calls this process had served before.
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
    """None where the stimulus has no disturbance."""

    @property
    def succeeded(self) -> bool:
        """Returned an InvokeResult that says it is successful."""
        return self.outcome is Outcome.RETURNED and self.result is not None and self.result.successful is True

    @property
    def refused(self) -> bool:
        """Returned an InvokeResult that says it failed."""
        return (
            self.outcome is Outcome.RETURNED and self.result is not None and self.result.successful is False
        )
