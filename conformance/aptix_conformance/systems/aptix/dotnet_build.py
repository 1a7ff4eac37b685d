"""Builds the .NET host for a runtime, and assemblies from the C# sources of tools.

The host is compiled once for each version of its sources, of the runtime, of the compiler and of its options, into the user's
cache directory: `$XDG_CACHE_HOME/aptix-conformance/dotnet-HASH`, or `~/.cache/…`; where that cannot be written, into the
temporary directory of the run. Tools are compiled into the temporary directory of the run.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import HostError, UncompiledError
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.systems.aptix.dotnet_compile import OPTIONS, compile_sources
from aptix_conformance.systems.aptix.dotnet_runtimes import DotnetRuntime, json_net
from aptix_conformance.systems.aptix.dotnet_syntax import newer_syntax

CONTRACT: Final = "Aptix.Contract.dll"
HOST: Final = "aptix-dotnet-host"
RUNTIME_CONFIG: Final = f"{HOST}.runtimeconfig.json"
PERMISSIONS: Final = "System.Security.Permissions.dll"
CATALOGS: Final = RUNNERS / "mode_catalogs"

_SOURCES: Final = RUNNERS / "dotnet"
_VARIABLES: Final = "variables.json"
"""The file beside a host that holds the environment variables with which its runtime starts."""
_PATIENCE: Final = 60.0
"""Seconds that the host may take to say its version."""
_CORECLR: Final = {
    name: value
    for prefix in ("DOTNET_", "COMPlus_")  # the second is what versions before 6 read
    for name, value in (
        (f"{prefix}EnableDiagnostics", "0"),  # no debugger's socket in the temporary directory
        (
            f"{prefix}EnableWriteXorExecute",
            "0",
        ),  # it makes files too large for RLIMIT_FSIZE, and starts slowly
        (f"{prefix}TC_QuickJitForLoops", "1"),  # before .NET 7 half of a start goes into code that runs once
        (f"{prefix}gcServer", "0"),  # a heap for each processor looks like a leak
    )
} | {"DOTNET_ROLL_FORWARD": "LatestMajor", "DOTNET_NOLOGO": "1"}
_PUBLIC_KEY: Final = bytes.fromhex("0024000004800000940000000602000000240000525341310004000001000100")
"""The beginning of every public key of 1024 bits in an assembly."""
_PUBLIC_KEY_BYTES: Final = 160
_INVARIANT: Final = {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}


@dataclass(frozen=True, slots=True)
class DotnetHost:
    """A compiled host: its program, and the variables that its runtime needs."""

    program: Path
    variables: Mapping[str, str]

    @property
    def contract(self) -> Path:
        """The assembly of the contract's types; apart from the program, because a project may have its own of that name."""
        return self.program.parent / "contract" / CONTRACT

    @property
    def permissions(self) -> Path:
        """The assembly that the Json.NET of the system needs on CoreCLR."""
        return self.program.parent / "permissions" / PERMISSIONS


def build_host(runtime: DotnetRuntime, spare: Path) -> DotnetHost:
    """The compiled host for a runtime; `spare` is a directory of the run's own.

    Raises:
        HostError: it does not compile, or does not start.
    """
    folder = _cache() / f"dotnet-{_fingerprint(runtime)}"
    if not (folder / _VARIABLES).is_file():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
        except OSError:
            folder = spare / f"{runtime.name}-host"
            draft = Path(tempfile.mkdtemp(prefix=".making-", dir=spare))
        try:
            _compile_host(runtime, draft)
            variables = _variables(runtime, draft)
            (draft / _VARIABLES).write_text(json.dumps(variables), encoding="utf-8")
            with contextlib.suppress(OSError):  # another run has put it there meanwhile
                draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    variables = json.loads((folder / _VARIABLES).read_text(encoding="utf-8"))
    return DotnetHost(folder / _program(runtime), variables)


def build_tools(
    runtime: DotnetRuntime, host: DotnetHost, files: Sequence[Path], references: Sequence[Path], dll: Path
) -> None:
    """Compile `files` into the assembly `dll`, whose folder is new, and copy the references beside it.

    Json.NET and the contract's types can be used without a reference to them.

    Raises:
        UncompiledError: they do not compile; the message is the compiler's, and names the compiler that can.
    """
    dll.parent.mkdir(parents=True)
    names = {path.name for path in references}
    supplied = [] if CONTRACT in names else [host.contract]
    library = json_net() if "Newtonsoft.Json.dll" not in names else None
    supplied += [library] if library else []
    refers = [*references, *supplied]
    for path in (*refers, *([host.permissions] if library and runtime.frameworks else [])):
        shutil.copy(path, dll.parent)
    errors = compile_sources(runtime, ["-target:library", f"-out:{dll}"], refers, files)
    if errors is not None:
        newer = newer_syntax(files) if runtime.compiler.is_old else ""
        knows = f". It does not know {newer}; the compiler of the .NET SDK 8 does, and is taken where `dotnet` is on PATH"
        raise UncompiledError(
            f"does not compile with {runtime.compiler.name}: {errors}{knows if newer else ''}"
        )


def _program(runtime: DotnetRuntime) -> str:
    return HOST + (".dll" if runtime.frameworks else ".exe")


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "aptix-conformance"


def _fingerprint(runtime: DotnetRuntime) -> str:
    """The digest of a build of the host: of its sources, the runtime, the compiler and its options."""
    digest = hashlib.sha256("\0".join((*OPTIONS, *sorted(_CORECLR), runtime.name)).encode())
    for framework in runtime.frameworks:
        digest.update(f"{framework.folder}\0".encode())
    for file in (runtime.compiler.file, *sorted(_SOURCES.rglob("*.cs"))):
        digest.update(f"{file.name}\0".encode())
        digest.update(file.read_bytes() if file.suffix == ".cs" else str(file.stat().st_mtime_ns).encode())
    return digest.hexdigest()[:24]


def _compile_host(runtime: DotnetRuntime, out: Path) -> None:
    steps: list[tuple[Path, list[str], tuple[str, ...]]] = [
        (out / "contract" / CONTRACT, ["-target:library"], ("contract",)),
        (out / _program(runtime), ["-target:exe"], ("contract", "host")),
    ]
    if runtime.frameworks:
        signed = ["-target:library", "-delaysign+", f"-keyfile:{_public_key(runtime, out)}"]
        steps.append((out / "permissions" / PERMISSIONS, signed, ("permissions",)))
    for assembly, options, folders in steps:
        assembly.parent.mkdir(exist_ok=True)
        files = [file for folder in folders for file in sorted((_SOURCES / folder).glob("*.cs"))]
        errors = compile_sources(runtime, [*options, f"-out:{assembly}"], (), files)
        if errors is not None:
            raise HostError(f"the .NET host does not compile with {runtime.compiler.name}: {errors}")
    if runtime.frameworks:
        frameworks = [{"name": each.name, "version": each.version} for each in runtime.frameworks]
        config = {"frameworks": frameworks, "rollForward": "LatestMajor"}
        (out / RUNTIME_CONFIG).write_text(json.dumps({"runtimeOptions": config}), encoding="utf-8")


def _public_key(runtime: DotnetRuntime, out: Path) -> Path:
    """A file with the public key of the framework's own libraries: a reference is met only by an assembly of that key."""
    data = (runtime.frameworks[0].folder / "System.Text.Json.dll").read_bytes()
    start = max(data.find(_PUBLIC_KEY), 0)
    key_file = out / "public.key"
    key_file.write_bytes(data[start : start + _PUBLIC_KEY_BYTES])
    return key_file


def _variables(runtime: DotnetRuntime, out: Path) -> dict[str, str]:
    """The variables with which the runtime starts: on a system without the ICU that it wants, without cultures.

    Raises:
        HostError: it does not start.
    """
    if not runtime.frameworks:
        return {}
    output = ""
    for more in ({}, *_other_icu(), _INVARIANT):
        variables = {**_CORECLR, **more}
        try:
            done = subprocess.run(  # noqa: S603 - our own host
                [runtime.program, str(out / _program(runtime)), "--version"],
                env={"PATH": os.defpath, "HOME": str(out), "LANG": "C.UTF-8", **variables},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HostError(f"the .NET host does not start with {runtime.program}: {error}") from error
        if done.returncode == 0:
            return variables
        output = " ".join((done.stdout + done.stderr).split())[:400]
    raise HostError(f"the .NET host does not start with {runtime.program}: {output}")


def _other_icu() -> list[dict[str, str]]:
    """A setting for each ICU of the system that is newer than the ones an old runtime looks for."""
    versions = {path.name.removeprefix("libicuuc.so.") for path in Path("/usr/lib").glob("*/libicuuc.so.*.*")}
    return [{"CLR_ICU_VERSION_OVERRIDE": version} for version in sorted(versions, reverse=True)]
