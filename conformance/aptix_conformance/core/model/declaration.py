"""What a tool declares, read without a call, as immutable records.

Text is exactly as the tool gave it. It may contain lone surrogates, NULs and control characters: write it as ASCII
JSON, and escape it before a person reads it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import field

from aptix_conformance.core.model.codec import Json, Record
from aptix_conformance.core.model.traits import NO_OWN_RULES, UNKNOWN, Draft, Facts, OwnRules, SystemTraits

TargetKind = Literal["tool", "server"]
"""What a target is: one tool, or the server that offers tools, without any of them."""


class Constant(Record, frozen=True):
    """How a class declares one of the contract's constants.

    `kind` says what the class (or a base class) has under that name. Only `plain`, a plain value, is a constant.
    `metaclass` is a value that is in no dictionary of the class, `static` is a C# field that is not const.
    """

    name: str
    kind: Literal[
        "plain", "missing", "property", "descriptor", "annotation", "instance", "metaclass", "static"
    ]
    value: str | None = None
    """The value if it is a `str`, else None."""
    type_name: str = ""
    """The name of the value's type; `str` for a correct constant."""
    inherited_from: str | None = None


class Parameter(Record, frozen=True):
    """One parameter of a constructor or a method, except `self` and `cls`."""

    name: str
    kind: Literal["positional", "keyword", "var_positional", "var_keyword"]
    required: bool
    annotation: str = ""
    """The annotation as source text; empty if there is none."""


class Member(Record, frozen=True):
    """A member of the tool interface, as the class defines it.

    `value` and `value_type` come from a property that was read from an instance; `error` says why the reading failed.
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
    """A class into which the tool seems to parse its arguments; its name occurs in the tool's code."""

    name: str
    public: bool


if TYPE_CHECKING:
    Traits = SystemTraits
else:
    Traits = Any  # msgspec need not read it: it is never on the wire


class Declaration(Record, frozen=True):
    """Everything that a tool declares, read in one process.

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
    """A second reading, directly after the first, in the same process."""
    name: Member
    is_tool_fully_executed_on_server: Member
    execute: Member
    constructor: tuple[Parameter, ...]
    construction_error: str | None
    """Why no instance could be created: a parameter without a configured service, or what was raised."""
    missing_services: tuple[str, ...] = ()
    """Required constructor parameters that have no factory in the configuration."""
    arguments_classes: tuple[ArgumentsClass, ...] = ()
    bases: tuple[str, ...] = ()
    """The names of its base classes, nearest first, except those that every class has."""
    source: str = ""
    """`file:line` of the class; the file is relative to the root directory if it is inside."""
    kind: TargetKind = "tool"
    """What was read. A server has no schema and no usage text; its system's `facts` say what it declares."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """What differed in the process that read it, described for people: hash seed, time zone, clock."""
    facts: Facts | None = None
    """The parts of a declaration that only its system has."""
    traits: Traits = UNKNOWN
    """The system whose contracts apply to the tool. Members that the system does not have are `missing`; members that it
    names differently are in the fields with the same meaning."""

    @property
    def system(self) -> str:
        """The system's name."""
        return self.traits.name

    @property
    def own_rules(self) -> OwnRules:
        """The rules of the tool's own contract that go before shared rules; none where it has no such contract."""
        return self.traits.own_rules.get(self.tool_name.value or "", NO_OWN_RULES)

    def undeclared_draft(self, schema: Mapping[str, Any]) -> Draft | None:
        """The draft by which a schema of the tool without `$schema` is read; None for 2020-12."""
        own = self.facts.undeclared_draft(schema) if self.facts else None
        return own or self.traits.undeclared_draft

    @property
    def edition(self) -> str:
        """The edition that it asks to be judged by; empty where it asks for none."""
        return self.facts.edition() if self.facts else ""
