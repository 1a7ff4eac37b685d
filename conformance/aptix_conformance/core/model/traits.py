"""The traits of a system: how its tools are called, and which records only it has.

A system is a folder in `systems/`. Lower layers (hosts, probes, rules) never import one: each declaration carries the
system's traits as data.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from aptix_conformance.core.model.codec import Record

Draft = Literal["draft-04", "draft-06", "draft-07"]
"""A draft of JSON Schema before 2020-12."""

Given = Literal["unchecked", "text", "context", "token"]
"""What a tool receives in addition to parsed arguments: the arguments' text, a context, a cancellation token. `unchecked`: the
arguments are not validated, so that values that its schema forbids reach it."""

Context = dict[str, Any]
FreshContext = Callable[[int, str, str, str, str | None], Context]
"""Makes a complete context from seed, tool, probe, label and arguments; equal inputs give equal contexts."""
ChangeContext = Callable[[Context], Context | None]


@dataclass(frozen=True, slots=True)
class DeclaredExample:
    """An example call in a tool's declaration: its number from 1, its arguments, and its output if there is one."""

    number: int
    arguments: Mapping[str, Any]
    output: Any = None
    has_output: bool = False


class Facts(Record, frozen=True):
    """The parts of a declaration or result that only one system has. Each system defines its own subclasses.

    In the host protocol they are in the member that has the system's name.
    """

    def examples(self) -> tuple[DeclaredExample, ...]:
        """The examples that a declaration holds."""
        return ()

    def edition(self) -> str:
        """The edition that a declaration asks to be judged by; empty where the system's or the user's choice decides."""
        return ""

    def undeclared_draft(self, schema: Mapping[str, Any]) -> Draft | None:  # noqa: ARG002 - for subclasses
        """The draft by which a schema without `$schema` is read; None where the system's traits decide."""
        return None

    def breaks_by_itself(self, rule: str, cause: str) -> str:  # noqa: ARG002 - for subclasses
        """The library below the tool that breaks a rule for every tool on it, as `NAME VERSION`; empty where none is known to."""
        return ""

    def if_slower(self, seconds: float) -> "tuple[Facts, ...]":  # noqa: ARG002 - for subclasses
        """The facts of a result with the times that they may have, where processes waited so long for a processor; first the likeliest."""
        return (self,)

    def unsent_surrogates(self) -> str:
        """Why this tool gets no arguments with half of a character; empty where it may, as far as its system's traits allow it."""
        return ""

    def copies_exceptions(self) -> bool:
        """Whether this tool's framework reads the text of exceptions, where its system's traits do not say that each does."""
        return False

    def texts(self) -> tuple[str, ...]:
        """Its long texts, for an estimate of its size in memory."""
        return ()

    def texts_beside_payload(self) -> tuple[str, ...]:
        """Where else than in its payload a result shows the caller something, as texts; escaped as in JSON."""
        return ()

    def may_be_unmarked_failure(self) -> bool:
        """Whether a result that is no failure by its form may report one: nothing but the tool marks it as one."""
        return False

    def may_name_directories(self) -> bool:
        """Whether the contract hides only paths of the installation: a result may name the tool's directory and the caller's files."""
        return False

    def own_directory(self) -> str:
        """The directory of the author that the tool works in, if it may be named; empty where the suite made one."""
        return ""

    def is_libraries_refusal(self) -> bool:
        """Whether a library below the tool wrote the whole text of a failure, so that nothing shows why the tool failed."""
        return False

    def may_be_plain_text(self) -> bool:
        """Whether a payload need not be JSON: its contract lets it be any text."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts that calls of a system's tools are given.

    `missing` makes incomplete contexts, by the name of what is absent (`none`, `empty`, `without-user`). Those in `bare` are
    tried with other arguments too. `identified` replaces each identifier by one text.
    """

    fresh: FreshContext
    missing: Mapping[str, ChangeContext]
    bare: tuple[str, ...]
    identified: Callable[[Context, str], Context]


@dataclass(frozen=True, slots=True)
class OwnRules:
    """The rules of a tool's own contract that report what shared rules report of other tools: their codes, empty where there is none.

    `required`: that no argument is required. `constraint`: a broken constraint on its one text. `failure_payload`: a payload
    in a failed result. `identifiers`: a result without the context's identifiers. `equal_answers`: equal calls with different
    answers. `silent_service`: a cancelled call that waits for a service.
    """

    required: str = ""
    constraint: str = ""
    failure_payload: str = ""
    identifiers: str = ""
    equal_answers: str = ""
    silent_service: str = ""


NO_OWN_RULES: Final = OwnRules()


@dataclass(frozen=True, slots=True, eq=False)
class SystemTraits:
    """A system as hosts, probes and rules see it.

    `undisturbed` maps a kind of disturbance to the reason why it is impossible in this system; its absence is then
    expected. `undeclared_draft` is the draft of a schema that names none, None for 2020-12. `schema_source` names, for
    messages, where the author writes the schema. `no_instance` starts the message that no instance could be created.
    `unsent_surrogates` is why no tool gets arguments with half of a character, empty where it may.
    `unsent_documents` is why no tool gets documents on which parsers differ, empty where it may.
    `copies_exceptions`: its contract copies the text of exceptions into results, so a tool may rely on there being one.
    `has_servers`: tools are offered by a server, which is declared and judged beside them.
    `null_is_absent`: the contract wants null for an optional argument taken as if it were left out.
    `grades_conversions`: the contract forbids conversions of arguments by what they lose; one without loss has a rule of the system's own.
    `own_rules` names the tools that have a contract of their own, by TOOL_NAME, with the rules of it that go before shared ones.
    `has_tasks`: a call can be cancelled as a task, also where it has no token.
    `patience` is how many seconds a call that did not come back in time gets when it is repeated, where the contract names no time.
    `nesting` is how many levels deep arguments that may contain anything are nested.
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
    copies_exceptions: bool = False
    null_is_absent: bool = False
    grades_conversions: bool = False
    unsent_surrogates: str = ""
    unsent_documents: str = ""
    has_servers: bool = False
    own_rules: Mapping[str, OwnRules] = field(default_factory=dict)
    has_tasks: bool = True
    patience: float | None = None
    nesting: int = 600


UNKNOWN: Final = SystemTraits("")
"""A system about which nothing is known."""
