"""What can be read off a tool without calling it, as immutable records.

Text is as the tool gave it and may hold lone surrogates, NULs and control characters: write it as ASCII JSON, and
escape it before a person reads it.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import field

from aptix_conformance.model.codec import Json, Record


class Constant(Record, frozen=True):
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


class Parameter(Record, frozen=True):
    """One parameter of a constructor or a method, `self` and `cls` left out."""

    name: str
    kind: Literal["positional", "keyword", "var_positional", "var_keyword"]
    required: bool
    annotation: str = ""
    """The annotation as source text, empty where there is none."""


class Member(Record, frozen=True):
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


class SchemaReading(Record, frozen=True):
    """One reading of the schema: `text` is the JSON as emitted, in the tool's own order of keys."""

    outcome: Literal["returned", "raised", "not_json", "not_callable"]
    text: str | None = None
    error: str | None = None
    """What was raised, or why the value has no JSON form."""


class ArgumentsClass(Record, frozen=True):
    """A class into which the tool seems to read its arguments, found by its name in the tool's own code."""

    name: str
    public: bool


class Oddity(Record, frozen=True):
    """A value of JavaScript that JSON has no form for, or another: what it is, and where.

    `place` is a path such as `output.rows[3].total`, empty for the whole. `what` is a word: `undefined`, `NaN`,
    `-Infinity`, `-0`, `BigInt`, `function`, `symbol`, `cycle`, `hole`, `getter`, `toJSON`, `proxy`, `lone surrogate`,
    `too deep`, `too many`, or `class NAME` for an instance of a class.
    """

    place: str
    what: str


class Compilation(Record, frozen=True):
    """What the validator of the tool's own project made of one of its schemas: `fault` is why it took it for none."""

    validator: str
    """Name and version, as `ajv 8.17.1`."""
    fault: str | None = None


class ArtTool(Record, frozen=True):
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


class ArtResult(Record, frozen=True):
    """What an ART tool's `execute` resolved to, audited before it was serialised.

    `kind` is what it is at all: `object` for a plain object or an instance of a class, else the name of a type.
    `text` is its JSON text, as `JSON.stringify` gives it; None where that throws, for `fault`.
    """

    kind: str
    text: str | None = None
    fault: str | None = None
    oddities: tuple[Oddity, ...] = ()


class EntryPoint(Record, frozen=True):
    """A line of a distribution's entry points."""

    group: str
    name: str
    value: str


class Registration(Record, frozen=True):
    """One call of the coordinator's `mount` by a module; `key` is None where it had none to give."""

    point: str
    key: str | None
    type_name: str
    again: bool = False
    """The same object was registered there under the same key before."""
    error: str | None = None


class AmplifierMount(Record, frozen=True):
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


class Declaration(Record, frozen=True):
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
