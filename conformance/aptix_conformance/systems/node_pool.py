"""The hosts of a run for tools in JavaScript and TypeScript: Node.js runs `node/host.mjs`, one tool each."""

from collections.abc import Sequence
from typing import Final

from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.places import Place, named
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.systems.node import find_node
from aptix_conformance.targets.settings import ToolSettings

_HOST: Final = RUNNERS / "node" / "host.mjs"


class NodeHostPool(ProgramHostPool):
    """Hosts for tools in JavaScript (`host.HostPool`); a context manager that closes itself. A system's pool names its `system`."""

    def command_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:  # noqa: ARG002 - one command for all
        """The command: Node.js with the host script.

        Raises:
            TargetError: there is no Node.js on PATH, or only an older one.
        """
        program = find_node(f"{self.system}:{module}").program
        # With the flag, the host can ask how the tool's project resolves a package, in place of its own folder.
        return (program, "--experimental-import-meta-resolve", str(_HOST), self.system)

    def module_for(self, module: str, settings: ToolSettings) -> str:  # noqa: ARG002 - as it is written
        """The file or package."""
        return module

    def visible_for(self, module: str, settings: ToolSettings) -> Sequence[Place]:
        """The packages around the tool's file, and the suite's host."""
        root = self.environment.rootdir
        file = root / module
        own = readable_paths.directory(*named(str(file.parent), root)) if file.is_file() else []
        packages = readable_paths.node(str((file.parent if own else root).absolute()))
        return [*super().visible_for(module, settings), Place(str(RUNNERS)), *own, *packages]
