"""What starts the processes of tools for their hosts: the pool of a system."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from aptix_conformance.core.model import Declaration
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.targets.settings import Target, ToolSettings


class Starter(Protocol):
    """Starts processes for tools: the pool of a system."""

    @property
    def ends_gracefully(self) -> bool:
        """Whether a process is asked to shut down before it is killed, because its tools must clean up."""

    @property
    def environment(self) -> Environment:
        """All that a host gets from the process that starts it."""

    def start(self, target: Target, settings: ToolSettings) -> tuple[ToolProcess, Held]:
        """A new process for a tool, and its containment.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """

    def forget_files(self, settings: ToolSettings) -> None:
        """Remove the copy of the files that settings name, which no process needs any longer."""

    @property
    def has_hash_seeds(self) -> bool:
        """Whether `start_under` can change the order of a tool's sets."""

    def starts_under_conditions(self, target: Target, settings: ToolSettings) -> bool:
        """Whether `start_under` works for a tool."""

    def start_under(
        self, target: Target, settings: ToolSettings, conditions: Mapping[str, str]
    ) -> tuple[ToolProcess, Mapping[str, str]]:
        """A new process for a tool under some conditions, and those that hold.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started, or none of this runtime has such a condition.
        """

    def describe_again(
        self,
        target: Target,
        settings: ToolSettings,
        conditions: Mapping[str, str],
        then: Sequence[Mapping[str, str]] = (),
    ) -> Declaration:
        """The declaration of a tool, read by a fresh process under `conditions`.

        Raises:
            TargetError: the tool cannot be loaded or read under these conditions.
            HostError: no process could be started.
        """
