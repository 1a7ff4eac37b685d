"""The hosts for Aptix tools in C#: CoreCLR or Mono runs the .NET host, one process for each tool.

`aptix-cs:path/to/Tools.dll#Namespace.Class` is a compiled assembly, `aptix-cs:path/to/Tools.csproj` the newest assembly that
this project was built into. `aptix-cs:path/to/folder` is compiled from the sources there, once in each run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import pathsep
from pathlib import Path

from aptix_conformance.core.errors import TargetError, UncompiledError
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.host import Environment, Surroundings
from aptix_conformance.hosts.places import Place, named
from aptix_conformance.hosts.process_host import ProcessToolHost
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.systems.aptix.dotnet_build import (
    CATALOGS,
    RUNTIME_CONFIG,
    DotnetHost,
    build_host,
    build_tools,
)
from aptix_conformance.systems.aptix.dotnet_packages import DEPENDENCIES, packages_named
from aptix_conformance.systems.aptix.dotnet_project import Project, read_project
from aptix_conformance.systems.aptix.dotnet_runtimes import DotnetRuntime, find_runtime, packages_folder
from aptix_conformance.systems.aptix.lent_library import JSON_NET, HostWithLentLibrary
from aptix_conformance.targets.settings import Target, ToolSettings


@dataclass(frozen=True, slots=True)
class Loaded:
    """The programs for the tools of a target: a runtime with its host, the tools' assembly, and assemblies that go with it.

    `more` is the assembly of sources that the project adds to a compiled one; None for none. `lends_json_net` says that
    the project brings no Json.NET, so that the system's was put beside its tools.
    """

    runtime: DotnetRuntime
    host: DotnetHost
    assembly: Path
    references: tuple[Path, ...]
    more: Path | None = None
    lends_json_net: bool = False

    @property
    def dependencies(self) -> Path | None:
        """The file by which CoreCLR finds the packages that the tools were built with; None where there is none."""
        file = self.assembly.with_suffix(DEPENDENCIES)
        return file if self.runtime.frameworks and file.is_file() else None


class DotnetHostPool(ProgramHostPool):
    """Hosts for Aptix tools in C# (`host.HostPool`); a context manager that closes itself."""

    system = "aptix-cs"
    obeys_moved_clock = True

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._hosts_by_runtime: dict[str | None, tuple[DotnetRuntime, DotnetHost]] = {}
        self._loaded: dict[tuple[object, ...], Loaded] = {}
        self._uncompiled: dict[tuple[object, ...], str] = {}
        """Why sources do not compile, so that no compiler is started for them again."""

    def command_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:
        """The command that runs the host.

        Raises:
            TargetError: no runtime is installed, or the target names nothing; the message says what to do.
            HostError: the host does not compile.
        """
        loaded = self._load(module, settings)
        words = [loaded.runtime.program, *_core_clr_options(loaded), str(loaded.host.program), str(CATALOGS)]
        options = {
            "--references": pathsep.join(map(str, loaded.references)),
            "--more": str(loaded.more or ""),
            "--execute": settings.execute or "",
            "--adapter": settings.adapter or "",
        }
        return (*words, *(word for name, value in options.items() if value for word in (name, value)))

    def module_for(self, module: str, settings: ToolSettings) -> str:
        """The path of the assembly, compiled first where the module names sources.

        Raises:
            TargetError: the file does not exist, or does not compile.
        """
        return str(self._load(module, settings).assembly)

    def variables_for(self, module: str, settings: ToolSettings) -> Mapping[str, str]:
        """The variables that the runtime needs."""
        return self._load(module, settings).host.variables

    def visible_for(self, module: str, settings: ToolSettings) -> Sequence[Place]:
        """The folders of the tools' assembly, of the runtime's libraries and of the packages."""
        loaded = self._load(module, settings)
        folders = {path.parent for path in (loaded.assembly, *loaded.references)}
        libs = [named(str(folder), self.environment.rootdir) for folder in sorted(folders)]
        own = [loaded.host.program.parent, *(framework.folder for framework in loaded.runtime.frameworks)]
        places = [*super().visible_for(module, settings), *libs, *map(Place, map(str, (RUNNERS, *own)))]
        packages = packages_named(loaded.dependencies) if loaded.dependencies else ()
        places += [Place(str(package.folder)) for package in packages]
        return [each for place in places for each in readable_paths.directory(*place)]

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:  # noqa: ARG002 - the interface's
        """See `host.HostPool`: what is compiled for a run is in another place each time."""
        return None

    def open(self, target: Target, settings: ToolSettings) -> ProcessToolHost:
        """See `host.HostPool`."""
        if not self._load(target.module, settings).lends_json_net:
            return super().open(target, settings)
        host = HostWithLentLibrary(self, target, settings)
        self._hosts.append(host)
        return host

    def _load(self, module: str, settings: ToolSettings) -> Loaded:
        key = (module, settings.runtime, settings.references, settings.sources)
        if key in self._uncompiled:
            raise TargetError(self._uncompiled[key])
        if key not in self._loaded:
            try:
                self._loaded[key] = self._build(module, settings)
            except UncompiledError as error:
                self._uncompiled[key] = str(error)
                raise
        return self._loaded[key]

    def _build(self, module: str, settings: ToolSettings) -> Loaded:
        project = read_project(module, self.environment.rootdir, settings)
        runtime, host = self._host(module, settings.runtime)
        if project.assembly is not None and not project.sources:
            return Loaded(runtime, host, project.assembly, project.references)
        refers = _compile_time(project, runtime)
        folder = self._place / f"tools-{len(self._loaded) + len(self._uncompiled) + 1}"
        assembly = folder / f"{project.path.stem or 'tools'}.{'testing' if project.assembly else 'tools'}.dll"
        try:
            build_tools(runtime, host, project.sources, refers, assembly)
        except UncompiledError as fault:
            raise UncompiledError(f"aptix-cs:{module} {fault}{_advice(project)}") from fault
        if project.assembly is not None:
            return Loaded(runtime, host, project.assembly, project.references, assembly)
        lends = not any(path.name == JSON_NET for path in refers)
        return Loaded(runtime, host, assembly, project.references, lends_json_net=lends)

    def _host(self, module: str, name: str | None) -> tuple[DotnetRuntime, DotnetHost]:
        if name not in self._hosts_by_runtime:
            runtime = find_runtime(f"aptix-cs:{module}", name)
            self._hosts_by_runtime[name] = runtime, build_host(runtime, self._place)
        return self._hosts_by_runtime[name]


def _core_clr_options(loaded: Loaded) -> list[str]:
    """The options by which CoreCLR runs the host with the dependencies that the tools' project was built with."""
    if not loaded.runtime.frameworks:
        return []
    words = ["exec", "--runtimeconfig", str(loaded.host.program.parent / RUNTIME_CONFIG)]
    if loaded.dependencies:
        words += ["--depsfile", str(loaded.dependencies)]
        packages = packages_folder()
        words += ["--additionalprobingpath", str(packages)] if packages else []
    return words


def _compile_time(project: Project, runtime: DotnetRuntime) -> list[Path]:
    """The assemblies to compile against, one of each name: those that are named go before those that lie beside."""
    known = {path.name for framework in runtime.frameworks for path in framework.folder.glob("*.dll")}
    own = [project.assembly] if project.assembly else []
    by_name: dict[str, Path] = {}
    for path in (*own, *project.references, *project.beside):
        if path.name not in known:
            by_name.setdefault(path.name, path)
    return list(by_name.values())


def _advice(project: Project) -> str:
    """A further suggestion where sources do not compile."""
    if project.assembly is not None:
        return "; these are the `sources` of the settings"
    folder = project.path if project.path.is_dir() else project.path.parent
    named = next(iter(sorted(folder.glob("*.csproj"))), None)
    what = (
        f"{named} and name it: aptix-cs:{named.name}"
        if named
        else "the project with its own SDK and name what it makes: aptix-cs:bin/Release/net8.0/MyTools.dll"
    )
    return f"; where the code is newer than the compiler, dotnet build {what}; `references` names assemblies that lie elsewhere"
