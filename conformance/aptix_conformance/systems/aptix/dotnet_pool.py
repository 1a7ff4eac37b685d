"""The hosts for Aptix tools in C#: Mono runs the .NET host, one process for each tool.

`aptix-cs:path/to/Tools.dll#Namespace.Class` is a compiled assembly. `aptix-cs:path/to/folder` is compiled from the sources
there, once in each run.
"""

from pathlib import Path

from aptix_conformance.errors import TargetError
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.systems.aptix.dotnet_build import (
    CATALOGS,
    HOST,
    Mono,
    build_host,
    build_tools,
    find_mono,
)

_ASSEMBLIES = (".dll", ".exe")


class DotnetHostPool(ProgramHostPool):
    """Hosts for Aptix tools in C# (`host.HostPool`); a context manager that closes itself."""

    system = "aptix-cs"

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._mono: Mono | None = None
        self._host: Path | None = None
        self._assemblies: dict[str, Path] = {}

    def command_for(self, module: str) -> tuple[str, ...]:
        """The command that runs the host with Mono.

        Raises:
            TargetError: Mono is not installed; the message says what to install.
            HostError: the host does not compile.
        """
        mono, host = self._built(module)
        return (mono.runtime, str(host / HOST), str(CATALOGS))

    def module_for(self, module: str) -> str:
        """The path of the assembly, compiled first where the module names sources.

        Raises:
            TargetError: the file does not exist, or does not compile.
        """
        if module not in self._assemblies:
            path = self.environment.rootdir / module
            if not path.exists():
                raise TargetError(f"aptix-cs:{module}: there is no {path}: name an assembly, or C# sources")
            if path.suffix not in _ASSEMBLIES:
                mono, host = self._built(module)
                path = build_tools(mono, path, host, self._place / f"tools-{len(self._assemblies) + 1}")
            self._assemblies[module] = path
        return str(self._assemblies[module])

    def _built(self, module: str) -> tuple[Mono, Path]:
        if self._mono is None:
            self._mono = find_mono(f"aptix-cs:{module}")
        if self._host is None:
            self._host = build_host(self._mono, self._place)
        return self._mono, self._host
