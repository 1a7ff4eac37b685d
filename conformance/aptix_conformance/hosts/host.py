"""What every host offers its probes, whatever the language of the tools that it runs.

A pool belongs to a run. It lists the tools of a module and opens hosts; a host stands for one tool under test
in a process of its own, and makes a fresh process by itself when the last one is gone.

A third party's host or pool subclasses `ToolHost` or `HostPool`. What a host need not be able to do has a default
there, and what is added later has one too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

import msgspec

from aptix_conformance.errors import HostError
from aptix_conformance.model import Call, Declaration, Stimulus, SystemTraits
from aptix_conformance.model.codec import Record
from aptix_conformance.model.verdict import Containment
from aptix_conformance.targets.settings import Target, ToolSettings

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may take before it is ended: seconds, bytes of resident memory, bytes of output."""

    timeout: float = 5.0
    memory: int = 1024 * MIB
    output: int = 32 * MIB
    kept_output: int = 4096
    """How many bytes of each stream an observation keeps."""
    start: float = 30.0
    """Seconds that an interpreter may take to start and import a tool."""
    processes: int = 64
    """How many may live at once for one tool; of threads, and of processes that nobody reaps, 16 times as many."""
    scratch: int = 256 * MIB
    """Bytes that the scratch directories of one package's tools may hold together, where that can be bounded."""


@dataclass(frozen=True, slots=True)
class CoverageSettings:
    """How the parent measures coverage, so that a host can do the same."""

    data_file: str
    source: tuple[str, ...] | None
    include: tuple[str, ...] | None
    omit: tuple[str, ...] | None
    branch: bool
    config_file: str | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """What a host sees of the process that started it, and nothing else."""

    rootdir: Path
    sys_path: tuple[str, ...]
    canaries: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that look like secrets, to be found again where they must not be."""
    limits: Limits = field(default_factory=Limits)
    coverage: CoverageSettings | None = None
    systems: tuple[SystemTraits, ...] = ()
    """The systems whose tools can be read; a declaration that names none is of the first."""


class Listing(Record, frozen=True):
    """The tools that a module or a package with its modules defines, each as `module:qualname`, sorted."""

    tools: tuple[str, ...]
    passed_over: tuple[str, ...] = ()
    """Sentences: classes that look like tools and are not taken, each with the reason."""
    failures: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Modules of a package that could not be imported, each with what went wrong."""


class ToolHost(Protocol):
    """One tool under test."""

    @property
    def read_only(self) -> str | None:
        """Why no call may be made, with what would allow it; None where calls may be made."""
        return None

    @property
    def containment(self) -> Containment | None:
        """What holds the tool's process; None where that is not known."""
        return None

    @property
    def disturbances(self) -> frozenset[str]:
        """The kinds of disturbance that this host can make, as its protocol names them.

        Besides, `restart` where it has `describe_again`, and `together` where it has `execute_together`.
        """
        return frozenset()

    def describe(self) -> Declaration:
        """Read the declaration in the current process.

        Raises:
            TargetError: the tool is gone: the process ended while the declaration was read.
            HostError: no process could be started.
        """

    def describe_again(
        self, conditions: Mapping[str, str], then: Sequence[Mapping[str, str]] = ()
    ) -> Declaration:
        """Read the declaration where `conditions` hold (`hosts/conditions.py`), which it then carries.

        In a fresh interpreter; with the single condition `threads`, in the current process from two threads. `then`
        are conditions that will be asked for next: what they need can start meanwhile.

        Raises:
            TargetError: the tool cannot be loaded or read under these conditions.
            HostError: no process could be started, or this host cannot do it.
        """
        raise HostError("its host cannot read the declaration under other conditions")

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """Make one call; whatever the tool does comes back as an observation.

        Raises:
            HostError: no process could be started to make it in.
        """

    def execute_together(self, plans: Sequence[Stimulus], timeout: float | None = None) -> tuple[Call, ...]:
        """Make several calls at the same time in one process, in one event loop; the calls in the plans' order.

        Where the process does not come back, none of them does. What was printed belongs to the first. `timeout` is for
        all of them, three times that of one call where it is None.

        Raises:
            HostError: no process could be started to make them in, or this host cannot do it.
        """
        raise HostError("its host makes one call at a time")

    def check_sentinels(self, *, last: bool = False) -> str | None:
        """Call the suite's own tools in the tool's process (`hosts/sentinels.py`): what is wrong, None where nothing is.

        With `last` the one that hangs too, which costs the process.

        Raises:
            HostError: no process could be started to make the calls in.
        """
        return None

    def reset(self) -> None:
        """End the current process, so that the next call is the first of a fresh one."""

    def close(self) -> None:
        """End the process and everything that it started, and remove its scratch directory."""


class Hosts(Protocol):
    """All hosts of a run: `systems.pools.Systems`, or the pool of one system."""

    def open(self, target: Target, settings: ToolSettings) -> ToolHost:
        """A host for one tool.

        Raises:
            TargetError: the module cannot be imported, or has no such class, or that is no tool.
            HostError: no process could be started.
        """

    def close(self) -> None:
        """End every process of the run."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class HostPool(Hosts, Protocol):
    """All hosts of a run for the tools of one system."""

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """The tools that a module defines; for a package, those of all its modules.

        Raises:
            TargetError: the module named does not exist, or importing it fails, hangs or ends the process.
        """
