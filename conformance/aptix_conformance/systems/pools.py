"""The hosts of a run for all systems: one pool for each runtime, created with its first tool."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts.host import Environment, HostPool, Hosts, Listing, Surroundings, ToolHost
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.systems.registry import OURS, SystemRegistry
from aptix_conformance.targets.settings import Target, ToolSettings


def program_pool(prefix: str, environment: Environment, systems: SystemRegistry) -> ProgramHostPool:
    """The pool of a runtime whose hosts are commands.

    Raises:
        TargetError: its hosts are not commands.
    """
    pool = systems.runtime(prefix).open_pool(replace(environment, systems=systems.traits))
    if isinstance(pool, ProgramHostPool):
        return pool
    pool.close()
    raise TargetError(
        f"the host of the system {prefix} is no command: write host:COMMAND or an art: or aptix-cs: target"
    )


class Systems(Hosts):
    """All hosts of a run; a context manager that closes itself. With `inline`, tools run in this process where they can."""

    def __init__(
        self, environment: Environment, *, inline: bool = False, systems: SystemRegistry = OURS
    ) -> None:
        self.environment = replace(environment, systems=systems.traits)
        self._systems = systems
        self._inline = inline
        self._pools: dict[str, HostPool] = {}

    def list_tools(self, prefix: str, module: str, settings: ToolSettings) -> Listing:
        """The tools that are found in one place (`HostPool`); `prefix` is that of its target spec.

        Raises:
            TargetError: the place does not exist or cannot be loaded.
        """
        return self._pool_for(prefix, settings).list_tools(module, settings)

    def list_module(self, prefix: str, module: str, settings: ToolSettings) -> Listing | Mapping[str, Any]:
        """As `list_tools`, or what one module of a package defines (`HostPool`)."""
        return self._pool_for(prefix, settings).list_module(module, settings)

    def open(self, target: Target, settings: ToolSettings) -> ToolHost:
        """A host for one tool (`HostPool`).

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """
        return self._pool_for(target.spelling, settings).open(target, settings)

    def read(self, target: Target, settings: ToolSettings) -> tuple[Declaration, Containment | None]:
        """See `Hosts`."""
        return self._pool_for(target.spelling, settings).read(target, settings)

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:
        """See `HostPool`.

        Raises:
            TargetError: as there, or the settings ask for what its runtime cannot do.
        """
        return self._pool_for(target.spelling, settings).surroundings(target, settings)

    def close(self) -> None:
        """End every process of the run. Harmless when repeated."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()

    def _pool_for(self, prefix: str, settings: ToolSettings) -> HostPool:
        """The pool of a runtime, where it can do what the settings ask for."""
        pool = self._pool(prefix)
        is_recorded = pool.replays and bool(settings.recording or self.environment.capture)
        if settings.recording and not settings.network:
            raise TargetError(
                f"{settings.places.get('recording', 'the key recording')} needs the hosts that were recorded; add "
                '`network = ["api.example.com:443"]`'
            )
        if settings.recording and settings.side_effects == "none":
            raise TargetError(
                f"{settings.places.get('recording', 'the key recording')} is for contained tools: with side_effects = "
                '"none" nothing keeps the tool from the real services; remove one of the two keys'
            )
        if settings.network and not pool.opens_network and not is_recorded:
            raise TargetError(
                f"{settings.places.get('network', 'the key network')} is for servers that the suite starts (mcp:): add a "
                "`recording` (docs/recording.md), or remove it, and give the tool a client by the key `services`"
            )
        return pool

    def _pool(self, prefix: str) -> HostPool:
        if prefix not in self._pools:
            runtime = self._systems.runtime(prefix)
            make = runtime.inline if self._inline and runtime.inline else runtime.open_pool
            self._pools[prefix] = make(self.environment)
        return self._pools[prefix]
