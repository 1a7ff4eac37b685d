"""Compiles the .NET host, and tools that are given as C# sources, with Mono's `mcs`.

The host is compiled once for each version of its sources, of the compiler and of its options, into the user's cache directory:
`$XDG_CACHE_HOME/aptix-conformance/dotnet-HASH`, or `~/.cache/…`; where that cannot be written, into the temporary directory
of the run. Tools are compiled into the temporary directory of the run. Compiling runs none of the tools' code.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.errors import HostError, TargetError
from aptix_conformance.runners.paths import RUNNERS

PACKAGES: Final = ("mono-mcs", "mono-runtime", "libnewtonsoft-json5.0-cil")
"""The Debian packages that are needed."""
CONTRACT: Final = "Aptix.Contract.dll"
HOST: Final = "aptix-dotnet-host.exe"
CATALOGS: Final = RUNNERS / "mode_catalogs"

_SOURCES: Final = RUNNERS / "dotnet"
_JSON_NET: Final = (
    "/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll",
    "/usr/lib/cli/Newtonsoft.Json-*/Newtonsoft.Json.dll",
)
_PATIENCE: Final = 120.0
"""Seconds that a compiler may take."""
_OPTIONS: Final = ("-nologo", "-warn:0", "-optimize+", "-langversion:latest", "-codepage:utf8")
"""Options of every compilation. The newest language: AGN-005 itself writes `cancellationToken = default`, which is C# 7.1."""
_MOST_FAULTS: Final = 3
"""The maximum number of compiler messages in an error."""


@dataclass(frozen=True, slots=True)
class Mono:
    """Where Mono and its compiler are."""

    runtime: str
    compiler: str


def find_mono(target: str) -> Mono:
    """Find Mono and its compiler, for a target that needs them.

    Raises:
        TargetError: it is not there, in one line that says what to install.
    """
    runtime, compiler = shutil.which("mono"), shutil.which("mcs")
    if runtime is None or compiler is None or json_net() is None:
        raise TargetError(
            f"{target} needs Mono with its compiler and Json.NET: apt-get install {' '.join(PACKAGES)}"
        )
    return Mono(runtime, compiler)


def json_net() -> Path | None:
    """The Json.NET that comes with the system, None where there is none."""
    root = Path("/")
    return next((path for pattern in _JSON_NET for path in sorted(root.glob(pattern[1:]))), None)


def build_host(mono: Mono, spare: Path) -> Path:
    """The folder that holds the compiled host and the contract's assembly; `spare` is a directory of the run's own.

    Raises:
        HostError: it does not compile.
    """
    found = _cache() / f"dotnet-{_fingerprint(mono)}"
    if not (found / HOST).is_file():
        try:
            found.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            made = Path(tempfile.mkdtemp(prefix=".making-", dir=found.parent))
        except OSError:
            found = spare / "dotnet-host"
            made = Path(tempfile.mkdtemp(prefix=".making-", dir=spare))
        try:
            _compile_host(mono, made)
            with contextlib.suppress(OSError):  # another run has put it there meanwhile
                made.rename(found)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return found


def build_tools(mono: Mono, sources: Path, host: Path, out: Path) -> Path:
    """The assembly compiled from a `.cs` file, or from all those below a folder, into the new folder `out`.

    Assemblies that lie in the folder are referred to, and copied beside it.

    Raises:
        TargetError: there is no source, or it does not compile.
    """
    folder = sources if sources.is_dir() else sources.parent
    files = sorted(sources.rglob("*.cs")) if sources.is_dir() else [sources]
    files = [file for file in files if not {"bin", "obj"} & set(file.relative_to(folder).parts)]
    if not files:
        raise TargetError(
            f"{sources} holds no C# source: name a folder with .cs files, or an assembly (.dll)"
        )
    out.mkdir()
    beside = [path for path in sorted(folder.glob("*.dll")) if path.name != CONTRACT]
    for path in beside:
        shutil.copy(path, out)
    library = next((path for path in beside if path.name == "Newtonsoft.Json.dll"), json_net())
    refers = [host / CONTRACT, *([library] if library else []), *(path for path in beside if path != library)]
    made = out / f"{sources.stem or 'tools'}.tools.dll"
    said = _compile(
        mono, [*_refer(refers), "-r:System.Numerics.dll", "-target:library", f"-out:{made}"], files
    )
    if said is not None:
        raise TargetError(f"{sources} does not compile: {said}")
    return made


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "aptix-conformance"


def _fingerprint(mono: Mono) -> str:
    """What tells one build of the host from another: its sources, the compiler and its options."""
    digest = hashlib.sha256("\0".join(_OPTIONS).encode())
    for file in (Path(mono.compiler), *sorted(_SOURCES.rglob("*.cs"))):
        digest.update(f"{file.name}\0".encode())
        digest.update(file.read_bytes() if file.suffix == ".cs" else str(file.stat().st_mtime_ns).encode())
    return digest.hexdigest()[:24]


def _compile_host(mono: Mono, out: Path) -> None:
    steps: tuple[tuple[list[str], str], ...] = (
        (["-target:library", f"-out:{out / CONTRACT}"], "contract"),
        ([*_refer([out / CONTRACT]), "-target:exe", f"-out:{out / HOST}"], "host"),
    )
    for options, folder in steps:
        said = _compile(mono, options, sorted((_SOURCES / folder).glob("*.cs")))
        if said is not None:
            raise HostError(f"the .NET host does not compile with {mono.compiler}: {said}")


def _refer(assemblies: Sequence[Path]) -> list[str]:
    return [f"-r:{path}" for path in assemblies]


def _compile(mono: Mono, options: Sequence[str], files: Sequence[Path]) -> str | None:
    """Compile `files`; return the first errors as one text, or None if there are none."""
    command = [mono.compiler, *_OPTIONS, *options, *map(str, files)]
    try:
        done = subprocess.run(  # noqa: S603 - the compiler that was looked up, no shell
            command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = (done.stdout + done.stderr).splitlines()
    wrong = [line.strip() for line in lines if ": error " in line] or [
        line.strip() for line in lines if line.strip()
    ]
    return (
        "; ".join(wrong[:_MOST_FAULTS]) or f"{Path(mono.compiler).name} ended with status {done.returncode}"
    )
