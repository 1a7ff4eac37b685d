"""The interpreters that are measured: one with this checkout installed, one with the peers.

Two, because langchain-tests asks for an older syrupy than the suite does; and an installed checkout, not an
editable one, because that is what a user has: Hypothesis reads the sources of modules outside site-packages.
"""

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
TOOLBOX = CHECKOUT / "reference_tools" / "mcp-toolbox" / "toolbox"
PROGRAMS = Path(__file__).with_name("programs")


@dataclass(frozen=True)
class Environments:
    """Both environments below one folder, made when they are first asked for; `here` measures this interpreter."""

    folder: Path
    here: bool = False

    @cached_property
    def ours(self) -> Path:
        """Python with the suite."""
        return Path(sys.executable) if self.here else self._made("ours", [str(CHECKOUT)])

    @cached_property
    def peers(self) -> Path:
        """Python with the peers, as the dependency group `bench` of pyproject.toml names them."""
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
        return self._made("peers", project["dependency-groups"]["bench"])

    def _made(self, name: str, requirements: list[str]) -> Path:
        python = self.folder / name / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", self.folder / name], check=True)
        install: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--upgrade",
        ]
        print(f"installing {name}: {' '.join(requirements)}", file=sys.stderr)
        subprocess.run([*install, *requirements], check=True)
        return python


def forget_rewritten(python: Path) -> None:
    """Delete the bytecode that pytest wrote of modules whose assertions it rewrote; pip's own stays."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    for path in Path(found.stdout.strip()).rglob("*-pytest-*.pyc"):
        path.unlink()


def clean(python: str) -> dict[str, str]:
    """The environment variables that are set, without those that change how an interpreter starts.

    Bytecode is written, as on a user's machine. This interpreter keeps its path.
    """
    kept = {"PYTHONPATH"} if python == sys.executable else set[str]()
    return {
        name: value
        for name, value in os.environ.items()
        if name in kept or not name.startswith(("PYTHON", "PYTEST"))
    }
