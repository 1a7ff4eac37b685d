"""The hosts of a run for MCP servers over stdio: the runner `mcp` is the process, a server is its child."""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from aptix_conformance.errors import SlowTargetError, TargetError
from aptix_conformance.hosts import visible
from aptix_conformance.hosts.host import Environment, Listing
from aptix_conformance.hosts.launched import Held
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.runners.paths import START
from aptix_conformance.systems.mcp.commands import resolve
from aptix_conformance.targets.settings import Target, ToolSettings

_REVISION: Final = "revision:"
"""How the host says, among its capabilities, in which revision it opened the server."""


_OLDER: Final = "@"
"""What the name of a server in an older revision begins with (`runners/mcp/program.py`)."""


class McpPool(ProgramHostPool):
    """Hosts for MCP servers (`host.HostPool`); a context manager that closes itself.

    A place is the server's command, or the name of a table of the configuration that has the key `command`.
    """

    system = "mcp"

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._revisions: dict[tuple[str, ...], str] = {}

    def command_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:  # noqa: ARG002 - one command for all
        """The command of the host. The server's is in the member `module` of `initialize`."""
        return (sys.executable, "-I", "-S", str(START), "mcp.program", "-")

    def server_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:
        """The command of the server, with what is installed in place of `uvx` and `npx`.

        Raises:
            TargetError: it cannot be found, or is not a command.
        """
        if settings.command:
            words = settings.command
        else:
            try:
                words = tuple(shlex.split(module))
            except ValueError as error:
                raise TargetError(f"mcp:{module} is not a valid command: {error}") from error
        return resolve(words, f"mcp:{module}", self.environment.rootdir)

    def module_for(self, module: str, settings: ToolSettings) -> str:
        """The server as JSON: its command, the directory that it starts in, and its revision where that is known.

        Raises:
            TargetError: as `server_for`, or the directory does not exist.
        """
        words = self.server_for(module, settings)
        root = self.environment.rootdir
        directory = root / settings.directory
        if not directory.is_dir():
            raise TargetError(f"mcp:{module}: there is no directory {directory}")
        known = self._revisions.get(words)
        return json.dumps(
            {"name": f"mcp:{module}", "command": words, "directory": str(directory), "revision": known}
        )

    def visible_for(self, module: str, settings: ToolSettings) -> Sequence[str]:
        """The server's program and what its words name, and the suite's runners."""
        words, root = self.server_for(module, settings), self.environment.rootdir
        named = [path for word in words[1:] for path in _beside(word)]
        found = [*visible.python(sys.executable, ()), *self._needed(words, {}), *named]
        directory = visible.directory(settings.directory) if settings.directory else []
        return [*found, *directory, *visible.node(str(root.absolute()))]

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """See `host.HostPool`."""
        with _named(module):
            return super().list_tools(module, settings)

    def _start(
        self, target: Target, settings: ToolSettings, env: Mapping[str, str]
    ) -> tuple[ToolProcess, Held]:
        with _named(target.module):
            process, held = super()._start(target, settings, env)
        words = self.server_for(target.module, settings)
        for claim in process.capabilities:
            if claim.startswith(_REVISION) and not target.qualname.startswith(_OLDER):
                self._revisions[words] = claim.removeprefix(_REVISION)
        return process, held


@contextmanager
def _named(module: str) -> Iterator[None]:
    """Put the server's name before an error that does not begin with it."""
    try:
        yield
    except SlowTargetError:
        raise
    except TargetError as error:
        name = f"mcp:{module}"
        raise TargetError(str(error) if str(error).startswith(name) else f"{name}: {error}") from error


def _beside(word: str) -> list[str]:
    """What a script in JavaScript reads: the packages around it."""
    path = os.path.realpath(word)
    return visible.node(str(Path(path).parent)) if word.startswith("/") and Path(path).is_file() else []
