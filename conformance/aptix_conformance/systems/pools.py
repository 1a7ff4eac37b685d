"""The hosts of a run for every system: each system's own pool, made when the first of its tools is named."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Self

from aptix_conformance.errors import TargetError
from aptix_conformance.hosts.host import Environment, HostPool, Listing, ToolHost
from aptix_conformance.hosts.inline import InlineHostPool
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.hosts.python_pool import PythonHostPool
from aptix_conformance.systems.amplifier.pool import AmplifierHostPool
from aptix_conformance.systems.aptix.dotnet_pool import DotnetHostPool
from aptix_conformance.systems.art.pool import NodeHostPool
from aptix_conformance.systems.registry import TRAITS
from aptix_conformance.targets.settings import Target, ToolSettings

_POOLS: Final[Mapping[str, Callable[[Environment], HostPool]]] = {
    "aptix": PythonHostPool,
    "amplifier": AmplifierHostPool,
    "aptix-cs": DotnetHostPool,
    "art": NodeHostPool,
    "host": ProgramHostPool,
}


def program_pool(system: str, environment: Environment) -> ProgramHostPool:
    """The pool of a system whose hosts are commands.

    Raises:
        TargetError: its hosts are none.
    """
    pools = {"aptix-cs": DotnetHostPool, "art": NodeHostPool, "host": ProgramHostPool}
    if system not in pools:
        raise TargetError(
            f"the host of the system {system} is no command: write host:COMMAND or an art: or aptix-cs: target"
        )
    return pools[system](replace(environment, systems=TRAITS))


class Systems:
    """All hosts of a run; a context manager that closes itself. With `inline`, Aptix tools run in this process."""

    def __init__(self, environment: Environment, *, inline: bool = False) -> None:
        self.environment = replace(environment, systems=TRAITS)
        self._inline = inline
        self._pools: dict[str, HostPool] = {}

    def list_tools(self, system: str, module: str, settings: ToolSettings) -> Listing:
        """The tools that are found in one place (`interface.HostPool`).

        Raises:
            TargetError: the place does not exist or cannot be loaded.
        """
        return self._pool(system).list_tools(module, settings)

    def open(self, target: Target, settings: ToolSettings) -> ToolHost:
        """A host for one tool (`interface.HostPool`).

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """
        return self._pool(target.system).open(target, settings)

    def close(self) -> None:
        """End every process of the run. Harmless when repeated."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pool(self, system: str) -> HostPool:
        if system not in self._pools:
            make = InlineHostPool if self._inline and system == "aptix" else _POOLS[system]
            self._pools[system] = make(self.environment)
        return self._pools[system]
