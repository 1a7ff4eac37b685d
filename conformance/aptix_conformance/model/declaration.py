"""What can be read off a tool without calling it, as immutable records.

Text is as the tool gave it and may hold lone surrogates, NULs and control characters: write it as ASCII JSON, and
escape it before a person reads it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import field

from aptix_conformance.model.codec import Json, Record
from aptix_conformance.model.traits import UNKNOWN, Facts, SystemTraits


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


if TYPE_CHECKING:
    Traits = SystemTraits
else:
    Traits = Any  # msgspec need not read it: it is never on the wire


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
    conditions: Mapping[str, str] = field(default_factory=dict)
    """What was different where it was read, in words: the hash seed, the time zone, the clock."""
    facts: Facts | None = None
    """What only tools of its system declare."""
    traits: Traits = UNKNOWN
    """The system under whose contracts the tool is. The members that its tools do not have are `missing`, and what it
    calls them stands in those that mean the same."""

    @property
    def system(self) -> str:
        """The system's name."""
        return self.traits.name
