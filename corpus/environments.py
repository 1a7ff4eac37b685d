"""An environment for each server, from its lock file: hashes are checked, and no code of a package runs while it is installed.

Python packages come as wheels only, npm packages without their scripts. Programs to compare are pinned without a lock file.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from corpus.servers import Server


def write_lock(server: Server, folder: Path) -> None:
    """Resolve what a server needs, with hashes, into its lock file; `folder` is for temporary files."""
    server.lock.parent.mkdir(exist_ok=True)
    if server.is_python:
        name, version = server.requirement
        wanted = folder / f"{server.name}.in"
        wanted.write_text("\n".join([f"{name}=={version}", *server.constraints]), encoding="utf-8")
        options = [
            "--no-config",
            "--generate-hashes",
            "--only-binary",
            ":all:",
            "--no-annotate",
            "--no-header",
            "--quiet",
        ]
        _run([_uv(), "pip", "compile", *options, "--python", sys.executable, "-o", server.lock, wanted])
        return
    place = _project(server, folder / f"{server.name}-lock")
    _run(["npm", "install", "--package-lock-only", "--omit-lockfile-registry-resolved", *_QUIET], place)
    shutil.copy(place / "package-lock.json", server.lock)


def install(server: Server, folder: Path) -> Path:
    """Install a server in a folder of its own below `folder`, unless that was done from the same lock file; gives its folder."""
    return made_once(folder / server.name, server.lock.read_bytes(), lambda place: _from_lock(server, place))


def made_once(place: Path, wanted: bytes, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills, unless it did so for the same `wanted`; gives the folder."""
    mark = place / "installed.lock"
    if not mark.exists() or mark.read_bytes() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        make(place)
        mark.write_bytes(wanted)
    return place


def install_from_pypi(packages: Sequence[str], place: Path, python: str = sys.executable) -> None:
    """Make an environment in `place` with the pinned packages, and what the registry has today of what they need."""
    _run([python, "-m", "venv", "--without-pip", place])
    _run([*_PIP, place / "bin" / "python", "install", *packages])


def install_from_npm(packages: Sequence[str], place: Path) -> None:
    """Install the pinned packages in `place`, and what the registry has today of what they need."""
    (place / "package.json").write_text('{"private": true}', encoding="utf-8")
    _run(["npm", "install", *_QUIET, *packages], place)


def _from_lock(server: Server, place: Path) -> None:
    if server.is_python:
        _run([sys.executable, "-m", "venv", "--without-pip", place / "venv"])
        _run([*_PIP, place / "venv" / "bin" / "python", *_FROM_A_LOCK, server.lock])
        return
    _project(server, place)
    shutil.copy(server.lock, place / "package-lock.json")
    _run(["npm", "ci", *_QUIET], place)


_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python")
_FROM_A_LOCK = ("install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r")
_QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def _project(server: Server, place: Path) -> Path:
    """An npm project that needs the server and nothing else."""
    name, version = server.requirement
    project: dict[str, Any] = {"name": "corpus", "private": True, "dependencies": {name: version}}
    if server.overrides:
        project["overrides"] = dict(server.overrides)
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text(json.dumps(project), encoding="utf-8")
    return place


def _uv() -> str:
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        raise FileNotFoundError("uv is not installed: pip install --editable '.[install]'")
    return found


def _run(command: list[str | Path], folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, "NO_COLOR": "1"})
