"""Which .NET runtime runs C# tools, and which compiler compiles for it.

CoreCLR goes first, because it is what current projects run on: the newest version that `dotnet` on PATH has, else that of
the package `dotnetcore2`. Mono is the fallback. A project chooses by the key `runtime`.

CoreCLR needs no SDK: Mono's `mcs` compiles against the assemblies of the shared framework. Where there is an SDK, its own
compiler is used, which knows the newest C#.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from aptix_conformance.core.errors import TargetError

RuntimeName = Literal["coreclr", "mono"]

MONO_PACKAGES: Final = ("mono-mcs", "mono-runtime", "libnewtonsoft-json5.0-cil")
"""The Debian packages that Mono needs."""
INSTALL: Final = f"install a .NET SDK, or Mono: apt-get install {' '.join(MONO_PACKAGES)}"
_INSTALL_COMPILER: Final = "install a .NET SDK, or Mono's compiler: apt-get install mono-mcs"
_INSTALL_CORECLR: Final = (
    "install a .NET runtime with `dotnet` on PATH, or an old one with: pip install dotnetcore2"
)
_MCS: Final = "mcs of Mono (C# 6 and parts of 7)"
_CORE: Final = "Microsoft.NETCore.App"
_ASP_NET: Final = "Microsoft.AspNetCore.App"
_MONO: Final = re.compile(r"version (\d+(?:\.\d+)+)")
_LISTED: Final = re.compile(r"(Microsoft\.[A-Za-z]+\.App) (\d+\.\d+\.\d+)\S* \[(.+)\]")
_PATIENCE: Final = 30.0
"""Seconds that `dotnet` may take to list its runtimes."""
_BESIDE: Final = ("host", "store", "additionalDeps")
"""Folders beside the `dotnet` of CoreCLR: what starts it, and where it looks for assemblies that are in no framework."""
_MONO_PLACES: Final = ("/usr/lib/mono", "/etc/mono")
"""Mono's libraries and its settings; what is lent to all programs is in its `gac`."""
_JSON_NET: Final = (
    "/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll",
    "/usr/lib/cli/Newtonsoft.Json-*/Newtonsoft.Json.dll",
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C# compiler: the words of its command, and the name that messages give it."""

    words: tuple[str, ...]
    name: str

    @property
    def is_old(self) -> bool:
        """Whether it is Mono's, which does not know the C# of today."""
        return self.name == _MCS

    @property
    def file(self) -> Path:
        """The compiler's own file."""
        return Path(self.words[-1])


@dataclass(frozen=True, slots=True)
class Framework:
    """A shared framework of CoreCLR: its name, its version and the folder of its assemblies."""

    name: str
    version: str
    folder: Path


@dataclass(frozen=True, slots=True)
class DotnetRuntime:
    """A runtime with a compiler for it. `frameworks` is empty for Mono; the first of CoreCLR's holds its core library."""

    name: RuntimeName
    program: str
    compiler: Compiler
    frameworks: tuple[Framework, ...] = ()

    @property
    def spoken(self) -> str:
        """The runtime with its version, for messages."""
        return f".NET {self.frameworks[0].version}" if self.frameworks else "Mono"


def find_runtime(target: str, named: str | None = None) -> DotnetRuntime:
    """The runtime for a target: the one that the project wants, else CoreCLR, else Mono.

    Raises:
        TargetError: it is not installed, or there is no compiler; one line says what to install.
    """
    if named == "mono":
        return _mono(target, f"apt-get install {' '.join(MONO_PACKAGES)}")
    compiler_missing = None
    for program, frameworks in _installed():
        compiler = _compiler(program)
        if compiler is not None:
            return DotnetRuntime("coreclr", program, compiler, frameworks)
        compiler_missing = program
    if named == "coreclr":
        fix = _INSTALL_COMPILER if compiler_missing else _INSTALL_CORECLR
        what = "a C# compiler" if compiler_missing else "CoreCLR"
        raise TargetError(f'{target} needs {what} (runtime = "coreclr"): {fix}')
    return _mono(target, INSTALL)


def dotnet_version(named: str | None) -> tuple[str, tuple[str, ...]]:
    """The runtime of tools in C#, with its version, and what it is (`systems.profile.Runtime.version`).

    That is its program, its libraries and settings, the folders in which it looks for further assemblies, the compiler, and
    the Json.NET that is lent.

    Raises:
        TargetError: as `find_runtime`.
    """
    runtime = find_runtime("a tool in C#", named)
    code = tuple(str(path) for path in _code_of(runtime) if path.exists())
    if runtime.frameworks:
        return runtime.spoken, code
    try:
        output = subprocess.run(  # noqa: S603 - the user's own Mono
            [runtime.program, "--version"], capture_output=True, text=True, timeout=_PATIENCE, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return runtime.spoken, code
    version = _MONO.search(output)
    return (f"{runtime.spoken} {version[1]}" if version else runtime.spoken), code


def _code_of(runtime: DotnetRuntime) -> Iterator[Path]:
    program = Path(os.path.realpath(runtime.program))
    yield program
    yield from (each.folder for each in runtime.frameworks)
    yield from (program.parent / name for name in _BESIDE if runtime.frameworks)
    if len(runtime.compiler.words) > 1:
        yield runtime.compiler.file.parent
    else:  # a script that runs what Mono has
        yield from map(Path, _MONO_PLACES)
    if (library := json_net()) is not None:
        yield library


def json_net() -> Path | None:
    """The Json.NET that comes with the system, None where there is none."""
    root = Path("/")
    return next((path for pattern in _JSON_NET for path in sorted(root.glob(pattern[1:]))), None)


def packages_folder() -> Path | None:
    """The user's folder of NuGet packages, None where there is none."""
    named = os.environ.get("NUGET_PACKAGES")
    folder = Path(named) if named else Path.home() / ".nuget" / "packages"
    return folder if folder.is_dir() else None


def _mono(target: str, fix: str) -> DotnetRuntime:
    runtime, compiler = shutil.which("mono"), shutil.which("mcs")
    if runtime is None or compiler is None or json_net() is None:
        raise TargetError(f"{target} needs .NET, or Mono with its compiler and Json.NET: {fix}")
    return DotnetRuntime("mono", runtime, Compiler((compiler,), _MCS))


def _installed() -> Iterator[tuple[str, tuple[Framework, ...]]]:
    """Each `dotnet` with its newest frameworks."""
    for path in _programs():
        listed = _frameworks(path)
        core = max((each for each in listed if each.name == _CORE), key=_order, default=None)
        if core is None:
            continue
        same = [each for each in listed if each.name == _ASP_NET and _order(each)[0] == _order(core)[0]]
        program = core.folder.parents[2] / "dotnet"  # the one on PATH may be a script of a version manager
        yield str(program if program.is_file() else path), (core, *sorted(same, key=_order)[-1:])


def _programs() -> Iterator[str]:
    root = os.environ.get("DOTNET_ROOT")
    for path in (root and shutil.which("dotnet", path=root), shutil.which("dotnet")):
        if path:
            yield path
    package = importlib.util.find_spec("dotnetcore2")
    if package is not None and package.origin is not None:
        path = shutil.which("dotnet", path=str(Path(package.origin).parent / "bin"))
        if path:
            yield path


def _frameworks(program: str) -> list[Framework]:
    try:
        output = subprocess.run(  # noqa: S603 - the user's own .NET
            [program, "--list-runtimes"], capture_output=True, text=True, timeout=_PATIENCE, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [
        Framework(name, version, Path(folder) / version)
        for name, version, folder in _LISTED.findall(output)
        if (Path(folder) / version).is_dir()
    ]


def _order(framework: Framework) -> tuple[int, ...]:
    return tuple(map(int, framework.version.split(".")))


def _compiler(dotnet: str) -> Compiler | None:
    """The newest compiler among those of the SDKs, else Mono's."""
    sdks = []
    for path in Path(dotnet).resolve().parent.glob("sdk/*/Roslyn/bincore/csc.dll"):
        with contextlib.suppress(ValueError):
            version = path.parents[2].name
            sdks.append((tuple(map(int, version.partition("-")[0].split("."))), path, version))
    if sdks:
        _, path, version = max(sdks)
        return Compiler((dotnet, "exec", str(path)), f"csc of .NET SDK {version}")
    mcs = shutil.which("mcs")
    return Compiler((mcs,), _MCS) if mcs else None
