"""What the suite knows of a system beforehand: how its tools are called, and which of their records are its own.

A system is a folder in `systems/`. What lies lower (hosts, probes, rules) never imports one: it finds all that it needs of
the system here, as data, at each declaration.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from aptix_conformance.model.codec import Record

Draft = Literal["draft-04", "draft-06", "draft-07"]
"""A draft of JSON Schema before 2020-12."""

Given = Literal["unchecked", "text", "context", "token"]
"""What a tool is given besides arguments that were read already: their text, a context, a cancellation token; and
whether what it gets is `unchecked`, so that what its schema forbids reaches it."""

Context = dict[str, Any]
FreshContext = Callable[[int, str, str, str, str | None], Context]
"""Makes a whole context from the run's seed, the tool, the probe, the label and the arguments; equal for equal ones."""
ChangeContext = Callable[[Context], Context | None]


@dataclass(frozen=True, slots=True)
class DeclaredExample:
    """A call that a tool's own declaration says it answers: a number from 1 on, arguments, and the output if there is one."""

    number: int
    arguments: Mapping[str, Any]
    output: Any = None
    has_output: bool = False


class Facts(Record, frozen=True):
    """What only the tools of one system declare, or only their results hold. A system has subclasses of its own.

    In the host protocol they stand in the member that has the system's name.
    """

    def examples(self) -> tuple[DeclaredExample, ...]:
        """The examples that a declaration holds."""
        return ()

    def texts(self) -> tuple[str, ...]:
        """Its long texts, from which its size in memory is estimated."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts that calls of a system's tools are given.

    `missing` makes contexts that are not whole, each by what it is without (`none`, `empty`, `without-user`); of those,
    `needed` are tried whatever the time, and `bare` also with other values of the arguments. `identified` puts one text in
    place of each identifier.
    """

    fresh: FreshContext
    missing: Mapping[str, ChangeContext]
    needed: frozenset[str]
    bare: tuple[str, ...]
    identified: Callable[[Context, str], Context]


@dataclass(frozen=True, slots=True, eq=False)
class SystemTraits:
    """A system as hosts, probes and rules see it.

    `undisturbed` says of a kind of disturbance why no tool of the system can be disturbed so: its absence is no gap then.
    `undeclared_draft` is the draft of a schema that names none, None for 2020-12. `schema_source` is where a tool's author
    writes its schema, for messages; `no_instance` begins the reason why there is no tool to call.
    """

    name: str
    given: frozenset[Given] = frozenset()
    contexts: Contexts | None = None
    undisturbed: Mapping[str, str] = field(default_factory=dict)
    undeclared_draft: Draft | None = None
    facts: type[Facts] | None = None
    result_facts: type[Facts] | None = None
    schema_source: str = "the schema"
    no_instance: str = ""


UNKNOWN: Final = SystemTraits("")
"""A system of which nothing is known."""
