"""What was seen of a tool: immutable records of one thing each, JSON-serialisable, so that they replay.

Two matter. A `Declaration` is what can be read off a tool without calling it. A `Call` is one call: the plan
that a probe made for it, and what then happened. Hosts make them, probes ask for them, rules judge them;
this module knows none of the three.

Text is as the tool gave it and may hold lone surrogates, NULs and control characters: write it as ASCII
JSON, and escape it before showing it to a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from aptix_conformance.records import Json

# ---- what a tool declares


@dataclass(frozen=True, slots=True)
class Constant:
    """How a class declares one of the contract's constants.

    `kind` says what stands in the class (or a base) under that name: `plain` is a plain value, everything
    else is not a constant; `metaclass` is a value that the class's own dictionaries do not hold, `static` a field of C# that
    is no const.
    """

    name: str
    kind: Literal[
        "plain", "missing", "property", "descriptor", "annotation", "instance", "metaclass", "static"
    ]
    value: str | None = None
    """The value where it is a `str`, else None."""
    type_name: str = ""
    """The type of the value, `str` for a well-made constant."""
    inherited_from: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a constructor or a method, `self` and `cls` left out."""

    name: str
    kind: Literal["positional", "keyword", "var_positional", "var_keyword"]
    required: bool
    annotation: str = ""
    """The annotation as source text, empty where there is none."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the tool interface as the class has it.

    `value` and `value_type` are what a property gave when it was read from an instance; `error` is what
    went wrong in reading it.
    """

    name: str
    kind: Literal["missing", "property", "attribute", "method", "static_method", "class_method"]
    is_async: bool = False
    parameters: tuple[Parameter, ...] = ()
    value: Json = None
    value_type: str = ""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SchemaReading:
    """One reading of the schema: `text` is the JSON as emitted, in the tool's own order of keys."""

    outcome: Literal["returned", "raised", "not_json", "not_callable"]
    text: str | None = None
    error: str | None = None
    """What was raised, or why the value has no JSON form."""


@dataclass(frozen=True, slots=True)
class ArgumentsClass:
    """A class into which the tool seems to read its arguments, found by its name in the tool's own code."""

    name: str
    public: bool


@dataclass(frozen=True, slots=True)
class Oddity:
    """A value of JavaScript that JSON has no form for, or another: what it is, and where.

    `place` is a path such as `output.rows[3].total`, empty for the whole. `what` is a word: `undefined`, `NaN`,
    `-Infinity`, `-0`, `BigInt`, `function`, `symbol`, `cycle`, `hole`, `getter`, `toJSON`, `proxy`, `lone surrogate`,
    `too deep`, `too many`, or `class NAME` for an instance of a class.
    """

    place: str
    what: str


@dataclass(frozen=True, slots=True)
class Compilation:
    """What the validator of the tool's own project made of one of its schemas: `fault` is why it took it for none."""

    validator: str
    """Name and version, as `ajv 8.17.1`."""
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class ArtTool:
    """What an ART tool declares besides, as its host read it.

    `schema` is the JSON text of the whole schema, as `JSON.stringify` gives it.
    """

    exported: Literal["class", "instance", "factory"]
    schema: SchemaReading
    oddities: tuple[Oddity, ...] = ()
    """Those in the schema."""
    neighbours: tuple[str, ...] = ()
    """The names of the other tools that its module exports, as they stand in their schemas."""
    input_compiled: Compilation | None = None
    """None where its project has no validator, or where there is no schema to compile."""
    output_compiled: Compilation | None = None


@dataclass(frozen=True, slots=True)
class ArtResult:
    """What an ART tool's `execute` resolved to, audited before it was serialised.

    `kind` is what it is at all: `object` for a plain object or an instance of a class, else the name of a type.
    `text` is its JSON text, as `JSON.stringify` gives it; None where that throws, for `fault`.
    """

    kind: str
    text: str | None = None
    fault: str | None = None
    oddities: tuple[Oddity, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A line of a distribution's entry points."""

    group: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Registration:
    """One call of the coordinator's `mount` by a module; `key` is None where it had none to give."""

    point: str
    key: str | None
    type_name: str
    again: bool = False
    """The same object was registered there under the same key before."""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AmplifierMount:
    """How an Amplifier module was mounted, and one of the tools that it registered.

    `where` is what the target names. `function` says what stands in the place of mount. `key` is the one that the
    tool was registered under, None where nothing was.
    """

    where: str
    function: Literal["async", "plain", "class", "other", "missing"]
    parameters: tuple[Parameter, ...]
    returned: Literal["tool", "cleanup", "mapping", "nothing", "other", "not_awaitable", "raised"]
    detail: str
    """The type of what it returned, or what it raised."""
    key: str | None
    registrations: tuple[Registration, ...]
    entry_points: tuple[EntryPoint, ...]
    """Those that name the module, of every group."""
    events: tuple[str, ...]
    """What it contributes to `observability.events`."""
    events_fault: str | None
    """Why a contribution is not a list of names."""
    input_schema: SchemaReading
    get_schema: SchemaReading
    config_unread: tuple[str, ...] = ()
    """Keys of the configuration at which the module has not looked by the time of this reading."""
    config_changed: tuple[str, ...] = ()
    """Keys of the configuration that it changed, added or took away."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """All that a tool declares, read in one process.

    `when` is `start` for the first reading, `after_calls` for one made in a process that has run calls,
    `restarted` for one made in a fresh interpreter under `conditions`, and `threads` for one whose two readings of
    the schema were made by two threads at once.
    """

    class_name: str
    module: str
    when: Literal["start", "after_calls", "restarted", "threads"]
    tool_name: Constant
    usage_text: Constant
    get_schema: Member
    schema: SchemaReading
    schema_again: SchemaReading
    """A second reading, at once, in the same process."""
    name: Member
    is_tool_fully_executed_on_server: Member
    execute: Member
    constructor: tuple[Parameter, ...]
    construction_error: str | None
    """Why no instance could be made: a parameter for which no service is configured, or what was raised."""
    missing_services: tuple[str, ...] = ()
    """Required constructor parameters for which the configuration names no factory."""
    arguments_classes: tuple[ArgumentsClass, ...] = ()
    bases: tuple[str, ...] = ()
    """The names of the classes that it inherits from, nearest first, without those of every class."""
    source: str = ""
    """`file:line` of the class, relative to the root directory where it lies below it."""
    system: Literal["aptix", "amplifier", "art"] = "aptix"
    """Whose contracts the tool is under; for another system than Aptix, the members that it does not have are
    `missing`, and what it calls them stands in those that mean the same."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """What was different where it was read, in words: the hash seed, the time zone, the clock."""
    amplifier: AmplifierMount | None = None
    """What only an Amplifier tool has."""
    art: ArtTool | None = None
    """What it declares besides, where the system is ART."""


# ---- what a probe plans and what then happened


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


@dataclass(frozen=True, slots=True)
class CallPlan:
    """One call as a probe wants it made: everything that replaying it needs.

    `label` says what was done, by kind: `example:1`, `generated`, `minimal`, `corpus:truncated-object`,
    `mutation`, `missing:name`, `type:count:string`, `null:left`, `context:none`. `demand` is what the
    contract asks of the result whatever the tool does: `refused` (a failed result), `accepted` (a
    successful one), or `either`. `disturbance` is `nothing`, or `KIND:WHAT` as the host's disturbance of that
    kind reads it.
    """

    probe: str
    label: str
    arguments: str | None
    context: Mapping[str, Any] | None
    demand: Literal["refused", "accepted", "either"] = "either"
    disturbance: str = "nothing"
    expected: str | None = None
    """What the author says that the payload holds, as JSON; None where nothing was said."""

    @property
    def kind(self) -> str:
        """The label's first part: what sort of thing was done."""
        return self.label.partition(":")[0]


@dataclass(frozen=True, slots=True)
class ResultError:
    """One error of a result, as text."""

    message: str | None
    code: str | None = None
    details: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
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
    art: ArtResult | None = None
    """The whole of it, where the tool is one of ART's."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What a call threw. `category` tells the tool's own exceptions from those that are not its to catch."""

    type_name: str
    message: str
    traceback: str
    category: Literal["exception", "cancelled", "exit", "interrupt", "nothing"] = "exception"
    """`nothing` is JavaScript's null or undefined, which can be thrown too."""


@dataclass(frozen=True, slots=True)
class LogRecord:
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


@dataclass(frozen=True, slots=True)
class Output:
    """What a call wrote to a standard stream: the first part of it, and how many bytes in all."""

    text: str = ""
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Missed:
    """A member of the arguments that the tool asked for and that was not there.

    `path` is that of the object, `names` are those under which the member may stand in it, `default` is what was taken
    in its place, as JSON. `by` says how it is known: it was asked for by `name`, it is a `field` of a class that the
    arguments were taken into, or of a `class` that was named where they were.
    """

    path: str
    names: tuple[str, ...]
    default: str | None = None
    by: Literal["name", "field", "class"] = "name"


@dataclass(frozen=True, slots=True)
class Reading:
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


@dataclass(frozen=True, slots=True)
class Disturbed:
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


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its plan, how it ended, and everything that could be seen of it.

    `elapsed` is in seconds. `incident` says in words how a call ended that did not come back ("exit status
    3", "no answer within 5 s"). `earlier` is how many calls this process had served before.
    """

    plan: CallPlan
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
    """None where the plan's disturbance is `nothing`."""

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


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Something that a probe set out to examine and could not, in words a person can act on.

    `thinner` says that a part was examined and only fewer of the drawn calls were made: rules that saw
    nothing then saw nothing because there was nothing to see. `by_nature` says that the tool has no more that could
    be examined, so that nobody need act: the report holds it, the terminal does not show it.
    """

    probe: str
    reason: str
    thinner: bool = False
    by_nature: bool = False


Observation = Declaration | Call


@dataclass(frozen=True, slots=True)
class Exploration:
    """Everything that was seen of one tool, in the order in which it was seen."""

    declarations: tuple[Declaration, ...] = ()
    calls: tuple[Call, ...] = ()
    shortfalls: tuple[Shortfall, ...] = ()
    sentinels: int = 0
    """How often the host was proved by calls of the suite's own in the tool's process."""
    tampering: tuple[str, ...] = ()
    """What was wrong with those calls, each a sentence."""
