"""The interface between probes and hosts, for tools in any language.

A run has one pool for each system. A pool lists the tools of a module and opens hosts. A host runs one tool under test
in its own process, and starts a new process when the previous one has ended.

A host or pool of a third party subclasses `ToolHost` or `HostPool`. These classes have defaults for optional members, so
that later additions do not break subclasses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

import msgspec

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model import Call, Declaration, Stimulus, SystemTraits
from aptix_conformance.core.model.codec import Record
from aptix_conformance.core.model.containment import Containment, ContainmentLevel
from aptix_conformance.recording import Capture
from aptix_conformance.targets.settings import Target, ToolSettings

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one call: `timeout` in seconds, `memory` in bytes of resident memory, `output` in bytes."""

    timeout: float = 5.0
    memory: int = 1024 * MIB
    output: int = 32 * MIB
    kept_output: int = 4096
    """Bytes of each standard stream that an observation keeps."""
    start: float = 30.0
    """Seconds that an interpreter may take to start and import a tool."""
    processes: int = 64
    """Processes that one tool may have at once; of threads and unreaped processes together, 16 times as many."""
    scratch: int = 256 * MIB
    """Bytes that the scratch directories of one package's tools may hold together, where the machine can limit that."""
    files: int = 64 * MIB
    """Bytes that the files of a tool's author (`files`) may take: a zygote and its tool each have a copy in `scratch`."""


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
    """All that a host gets from the process that starts it."""

    rootdir: Path
    sys_path: tuple[str, ...]
    canaries: Mapping[str, str] = field(default_factory=dict)
    """Fake secrets, as environment variables: a tool that shows one of them leaks its environment."""
    limits: Limits = field(default_factory=Limits)
    coverage: CoverageSettings | None = None
    least_containment: ContainmentLevel = "none"
    """The containment without which no process of a tool is started."""
    hidden: tuple[str, ...] = ()
    """Absolute paths that no tool may see, where the machine can hide them."""
    server_store: Path | None = None
    """The folder of servers that the suite installed; None for the one in `rootdir`."""
    capture: Capture | None = None
    """What records the services of tools, in place of recordings that answer for them; None where nothing is recorded."""
    variables: tuple[str, ...] = ()
    """Variables of the user's environment that a client's file may name for each of its servers."""
    uncalled: tuple[str, ...] = ()
    """The keys of tables in which a project says that a tool is destructive: it is read, and never called, for another tool neither."""
    systems: tuple[SystemTraits, ...] = ()
    """The systems of the tools that can be read. A declaration that names no system belongs to the first."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the processes of a contained tool can read, besides the files of every machine (`SYSTEM`)."""

    visible: tuple[str, ...]
    """Files and directories, as absolute paths."""
    hidden: tuple[str, ...]
    """Paths below these that it cannot see."""
    search: tuple[str, ...] = ()
    """Where its modules are looked for, in this order."""
    given: str = ""
    """A digest of what it is given besides files and settings, such as the values of variables that the settings name."""


class Listing(Record, frozen=True):
    """The tools that a module or a package with its modules defines, each as `module:qualname`, sorted."""

    tools: tuple[str, ...]
    passed_over: tuple[str, ...] = ()
    """One sentence for each class that looks like a tool but is not listed, with the reason."""
    failures: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Modules of a package that could not be imported, each with the reason."""


class ToolHost(Protocol):
    """One tool under test."""

    @property
    def read_only(self) -> str | None:
        """Why no call may be made, and the setting that would allow it. None where calls may be made."""
        return None

    @property
    def containment(self) -> Containment | None:
        """The weakest containment of the tool's processes up to now. None where that is not known."""
        return None

    @property
    def waited(self) -> float:
        """Seconds in which the tool's processes waited for a processor, up to now. 0 where that is not counted."""
        return 0.0

    @property
    def computed(self) -> float:
        """Seconds in which the tool's processes ran on a processor, up to now. 0 where that is not counted."""
        return 0.0

    @property
    def has_others(self) -> bool:
        """Whether `another` works: a process is started in little time, and shares nothing with other ones that a tool can change."""
        return False

    @property
    def disturbances(self) -> frozenset[str]:
        """The kinds of disturbance that this host can make, by their names in the host protocol.

        Also `restart` where `describe_again` works, `together` where `execute_together` works, and `cleanup` where
        `describe_again` takes the condition `cleanup`.
        """
        return frozenset()

    def ask_listing_tools(self) -> tuple[str, ...]:
        """What other tools of the same server answer without arguments that list something. Empty where there are none."""
        return ()

    def describe(self) -> Declaration:
        """Read the declaration in the current process.

        Raises:
            TargetError: the process ended while the declaration was read.
            HostError: no process could be started.
        """

    def describe_again(
        self, conditions: Mapping[str, str], then: Sequence[Mapping[str, str]] = ()
    ) -> Declaration:
        """Read the declaration under `conditions` (`hosts/conditions.py`); the declaration states the actual ones.

        This takes a fresh interpreter. The single condition `threads` means two threads in the current process, and
        `cleanup` that the current process cleans up after the reading and ends. `then`
        are the conditions of the next calls, so that the host can start processes for them in advance.

        Raises:
            TargetError: the tool cannot be loaded or read under these conditions.
            HostError: no process could be started, or this host cannot do it.
        """
        raise HostError("its host cannot read the declaration under other conditions")

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """Make one call. Whatever the tool does, the result is an observation.

        Without `timeout`, in seconds, it may take what `plan.allowance` says.

        Raises:
            HostError: no process could be started.
        """

    def execute_ahead(self, plan: Stimulus, timeout: float) -> None:
        """Begin a call that `execute` will be asked for with this `timeout` after a `reset`. A host may leave that out."""
        return

    def execute_patiently(self, plan: Stimulus, idle_timeout: float) -> Call:
        """Make one call, which may take `idle_timeout` seconds while it hardly computes.

        Raises:
            HostError: no process could be started.
        """
        return self.execute(plan)

    def execute_together(self, plans: Sequence[Stimulus], timeout: float | None = None) -> tuple[Call, ...]:
        """Make several calls at the same time in one event loop of one process. The calls are in the plans' order.

        Where the process does not answer, no call returns. Printed output belongs to the first call. `timeout`, in
        seconds, is for all calls together; None means three times the timeout of one call.

        Raises:
            HostError: no process could be started, or this host cannot do it.
        """
        raise HostError("its host makes one call at a time")

    def check_sentinels(self, *, last: bool = False) -> str | Call | None:
        """Call the suite's own tools in the tool's process (`hosts/sentinels.py`).

        Returns what is wrong with an answer, as a sentence; the call itself where the process ended or hung instead of
        answering, which an earlier call of the tool has caused; else None. With `last`, the sentinel that hangs is called
        too, which ends the process. A host may leave out a check without `last` where there is no process: none has made a call.

        Raises:
            HostError: no process could be started.
        """
        return None

    def reset(self) -> None:
        """End the current process, so that the next call is the first of a new process."""

    def restore_files(self) -> None:
        """Do as `reset` if calls changed the files that the configuration gives the tool (`files`).

        Use it before each call that must not see what earlier calls left.
        """
        return

    def another(self, number: int) -> "ToolHost":
        """A further host of the same tool, `number` from 1. The caller closes it, and may use it in a thread of its own.

        Its processes share nothing with those of this one, nor with those of a host with another number.

        Raises:
            HostError: no process could be started, or this host cannot do it.
        """
        raise HostError("its host has no other one")

    def close(self) -> None:
        """End the process and every process that it started, and remove the scratch directory."""


class Hosts(Protocol):
    """All hosts of a run: `systems.pools.Systems`, or the pool of one system."""

    def open(self, target: Target, settings: ToolSettings) -> ToolHost:
        """A host for one tool.

        Raises:
            TargetError: the module cannot be imported, or has no such class, or the class is not a tool.
            HostError: no process could be started.
        """

    def read(self, target: Target, settings: ToolSettings) -> tuple[Declaration, Containment | None]:
        """Read what a tool declares, in a process that is ended afterwards, and what held that process.

        Raises:
            TargetError: the target cannot be resolved or read.
            HostError: no process could be started.
        """
        host = self.open(target, settings)
        try:
            return host.describe(), host.containment
        finally:
            host.close()

    def close(self) -> None:
        """End every process of the run."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class WrappedHosts(Hosts):
    """Hosts that are wrapped when they are opened."""

    hosts: Hosts
    wrap: Callable[[ToolHost], ToolHost]

    def open(self, target: Target, settings: ToolSettings) -> ToolHost:
        """See `Hosts`."""
        return self.wrap(self.hosts.open(target, settings))

    def close(self) -> None:
        """See `Hosts`."""
        self.hosts.close()


class HostPool(Hosts, Protocol):
    """All hosts of a run for the tools of one system."""

    opens_network: bool = False
    """Whether its processes can be given some hosts to reach (`ToolSettings.network`)."""
    replays: bool = False
    """Whether these hosts can be recorded, and answered from a recording (`ToolSettings.recording`)."""

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """The tools that a module defines; for a package, those of all its modules.

        Raises:
            TargetError: the module does not exist, or its import fails, hangs or ends the process.
        """

    def list_module(self, module: str, settings: ToolSettings) -> Listing | Mapping[str, Any]:
        """As `list_tools`, or what one module of a package defines (`listing.ModuleListing`): the run then asks for the others.

        One that hangs holds up no other one then.
        """
        return self.list_tools(module, settings)

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:
        """What a tool's processes can read; None where that is not known, or is everything. Starts no process.

        Raises:
            TargetError: something that may be a stranger's leads to what the tool may not read.
        """
        return None
