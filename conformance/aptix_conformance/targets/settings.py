"""The settings of a run and of one tool, as validated records."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aptix_conformance.core.model.containment import ContainmentLevel
from aptix_conformance.targets.spec import SpecTable

SideEffects = Literal["none", "contained", "destructive"]
SchemaGate = Literal["any", "breaking", "off"]
EntryPoints = bool | tuple[str, ...]
"""The entry points that name tools: all, none, or those of some distributions, by name."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call that must succeed, and must return `result` if `has_result` is true."""

    arguments: Mapping[str, Any]
    result: Any = None
    has_result: bool = False


@dataclass(frozen=True, slots=True)
class Waiver:
    """A rule that the tool may break until the day `expires`; `owner` is responsible."""

    rule: str
    owner: str
    reason: str
    expires: dt.date
    place: str = field(default="", compare=False)
    """Its place in the configuration, for messages."""
    table: str = ""
    """The spec of the module or package whose table holds it; empty where the table is one tool's own."""

    @property
    def not_needed(self) -> str:
        """That nothing needs it, and what to do."""
        reason = f"every tool under {self.table} keeps it" if self.table else "the tool keeps it"
        return f"the waiver of {self.rule} ({self.owner}) at {self.place} is not needed, {reason}: remove it"


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """The table `[tool.aptix-conformance.tool.NAME]`; times in seconds."""

    examples: tuple[Example, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Argument name to a schema that narrows what is generated for it."""
    services: Mapping[str, str] = field(default_factory=dict)
    """Constructor parameter to `module:factory`."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """What the system gives the tool when it is loaded, such as the configuration of a module that is mounted."""
    env: Mapping[str, str] = field(default_factory=dict)
    files: str | None = None
    """A folder, as an absolute path, whose contents are copied to the tool's working directory."""
    confined_to: str = ""
    """A folder of `files`, as a relative path: the author declares that no call reads or writes outside of it."""
    reads: tuple[str, ...] = ()
    """Files and folders that the tool may read in addition to its own code, as absolute paths."""
    command: tuple[str, ...] = ()
    """The command that starts the tool's server, where its spec is a name and no command."""
    variables: tuple[str, ...] = ()
    """Variables of the user's environment that a client's file may name for that server."""
    directory: str = ""
    """The folder in which that server starts, as an absolute path; empty is the project's root."""
    url: str = ""
    """Where that server answers over HTTP; without a command it is not started by the suite. It may name variables."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that are sent to it with each request. They may name variables."""
    network: tuple[tuple[str, int], ...] = ()
    """Hosts and ports that the tool's server may reach; none else. With `recording`, nothing reaches them but `record`."""
    recording: str = ""
    """The file that answers in place of these hosts, as an absolute path."""
    side_effects: SideEffects = "contained"
    long_running: bool = False
    idempotent: bool = False
    """The author declares that equal calls give equal results."""
    cancel_grace: float = 1.0
    """Seconds that a cancelled call may take to end, including its background work."""
    block_limit: float = 1.0
    """Seconds that a call may block the event loop."""
    fault_modules: tuple[str, ...] = ()
    """Modules whose calls are made to fail, in addition to those that the suite knows to do I/O."""
    timeout: float | None = None
    python: str | None = None
    """The tool's own interpreter, as an absolute path; None is the suite's."""
    references: tuple[str, ...] = ()
    """Compiled libraries that the tool needs in addition to those in its folder: absolute paths, which may have wildcards."""
    sources: tuple[str, ...] = ()
    """Source files to compile with the tool or beside it: absolute paths, which may have wildcards."""
    runtime: str | None = None
    """The runtime that runs the tool, where its system has several; None leaves the choice to the suite."""
    execute: str | None = None
    """The method that production calls, where the tool has several: a name, or a name with the types of parameters."""
    adapter: str | None = None
    """`class:method`, which makes the context that the tool takes of the contract's context."""
    waivers: tuple[Waiver, ...] = ()
    given: frozenset[str] = frozenset()
    """The fields above that the configuration sets explicitly; for merging tables."""
    places: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Field to the dotted key in pyproject.toml that gave it, for messages."""
    strangers: frozenset[str] = frozenset()
    """The fields above that a client's file gave, which another person may have written; of `env`, `env.NAME` for each."""
    withheld: tuple[str, ...] = ()
    """What the configuration says by the tool's name and does not count for it, and why: a sentence for each table."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The table `[tool.aptix-conformance]`."""

    tools: tuple[str, ...] = ()
    entry_points: EntryPoints = False
    edition: str | None = None
    snapshots: str = "snapshots"
    schema_gate: SchemaGate = "any"
    """Which differences from a lock fail."""
    deadline: float | None = None
    """Seconds that a run may take; None where there is no limit."""
    containment: ContainmentLevel = "none"
    """The containment without which no tool is examined."""
    baseline: str | None = None
    """The file of known findings, as an absolute path; None where there is none."""
    server_store: str | None = None
    """The folder of servers that the suite installed, as an absolute path; None for the default."""
    tool: Mapping[str, ToolSettings] = field(default_factory=dict)
    """By the tool's name or its target spec."""
    specs: SpecTable = field(default_factory=SpecTable, compare=False)
    """How target specs are written."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where one tool comes from: `spec` is its full canonical spec.

    `system` is empty if only the tool's declaration names it. `prefix` is the prefix of the spec; it selects the runtime.
    """

    spec: str
    system: str
    module: str
    qualname: str
    origin: str = "--aptix-tools"
    """Which source named it, for messages."""
    python: str | None = None
    """The interpreter that could import the module, where the suite's own could not; an absolute path."""
    prefix: str = ""

    @property
    def spelling(self) -> str:
        """The prefix of the spec, or the system if no prefix is set."""
        return self.prefix or self.system
