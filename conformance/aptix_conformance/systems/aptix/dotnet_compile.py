"""Calls a C# compiler and reads what it says. Compiling runs none of the tools' code."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.systems.aptix.dotnet_runtimes import DotnetRuntime

OPTIONS: Final = ("-nologo", "-warn:0", "-optimize+", "-langversion:latest", "-codepage:65001")
"""Options of every compilation. The newest language: AGN-005 itself writes `cancellationToken = default`, which is C# 7.1."""

_PATIENCE: Final = 120.0
"""Seconds that a compiler may take."""
_MOST_FAULTS: Final = 3
"""The maximum number of compiler messages in an error."""
_MONO: Final = ("System.Numerics.dll", "System.Net.Http.dll", "System.Runtime.Serialization.dll")
"""Mono's assemblies that mcs does not refer to by itself."""
_MONO_FOLDER: Final = Path("/usr/lib/mono")
_CRASH: Final = re.compile(r"InternalErrorException: (\S+\.cs\(\d+,\d+\))")
_UNUSABLE: Final = ("System.Runtime.WindowsRuntime",)
"""Beginnings of the names of framework assemblies that refer to what no Linux has, so that mcs stops at them."""


def compile_sources(
    runtime: DotnetRuntime, options: Sequence[str], references: Sequence[Path], files: Sequence[Path]
) -> str | None:
    """Compile `files` for a runtime; return the first errors as one text, or None if there are none."""
    words = [*runtime.compiler.words, *OPTIONS, *options, *_platform(runtime)]
    words += [*(f"-r:{path}" for path in references), *map(str, files)]
    try:
        done = subprocess.run(  # noqa: S603 - the compiler that was looked up, no shell
            words, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        count = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
        return f"the compiler did not end within {_PATIENCE:g} s on {count}; build the project and name its assembly"
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    return (
        _errors(done.stdout + done.stderr) or f"{runtime.compiler.name} ended with status {done.returncode}"
    )


def _errors(output: str) -> str:
    """The first errors of a compiler, or the place where the compiler itself fails; what it said where neither is found."""
    crash = _CRASH.search(output)
    if crash is not None:
        return f"the compiler itself fails at {crash.group(1)}"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if ": error " in line or line.startswith("error ")]
    return "; ".join((errors or lines)[:_MOST_FAULTS])


def _platform(runtime: DotnetRuntime) -> list[str]:
    """The references to the runtime's own assemblies, and the symbol by which sources see which runtime it is."""
    if not runtime.frameworks:
        return [f"-r:{name}" for name in _MONO if any(_MONO_FOLDER.glob(f"4.5*/{name}"))]
    assemblies = [path for framework in runtime.frameworks for path in sorted(framework.folder.glob("*.dll"))]
    return [
        "-noconfig",
        "-nostdlib",
        "-define:NET",
        *(f"-r:{path}" for path in assemblies if not path.name.startswith(_UNUSABLE)),
    ]
