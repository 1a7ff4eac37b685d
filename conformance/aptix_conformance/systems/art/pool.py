"""The hosts of a run for ART tools, written in JavaScript or TypeScript: Node.js runs `node/host.mjs`, one tool each."""

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Final

from aptix_conformance.errors import TargetError
from aptix_conformance.hosts import visible
from aptix_conformance.hosts.places import Place, named
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.targets.settings import ToolSettings

OLDEST: Final = 20
"""The oldest supported major version of Node.js."""

_HOST: Final = RUNNERS / "node" / "host.mjs"
_ASK: Final = "process.stdout.write(process.versions.node + ' ' + process.execPath)"
_PATIENCE: Final = 30.0
"""Seconds that Node.js may take to say its version, also on a machine that does much else."""


class NodeHostPool(ProgramHostPool):
    """Hosts for ART tools (`host.HostPool`); a context manager that closes itself."""

    system = "art"

    def command_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:  # noqa: ARG002 - one command for all
        """The command: Node.js with the host script.

        Raises:
            TargetError: there is no Node.js on PATH, or only an older one.
        """
        _, program = _node(f"art:{module}")
        # With the flag, the host can ask how the tool's project resolves a package, in place of its own folder.
        return (program, "--experimental-import-meta-resolve", str(_HOST))

    def module_for(self, module: str, settings: ToolSettings) -> str:  # noqa: ARG002 - as it is written
        """The file or package."""
        return module

    def visible_for(self, module: str, settings: ToolSettings) -> Sequence[Place]:
        """The packages around the tool's file, and the suite's host."""
        root = self.environment.rootdir
        file = root / module
        own = visible.directory(*named(str(file.parent), root)) if file.is_file() else []
        around = visible.node(str((file.parent if own else root).absolute()))
        return [*super().visible_for(module, settings), Place(str(RUNNERS)), *own, *around]


def node_version(_wanted: str | None) -> tuple[str, tuple[str, ...]]:
    """The Node.js that runs the tools, with its version, and its program (`Runtime.version`).

    Raises:
        TargetError: there is none on PATH, or only an older one.
    """
    version, program = _node("a tool of ART")
    return f"Node.js {version}", (program,)


def _node(who: str) -> tuple[str, str]:
    """The version of Node.js and the path of its program; `who` needs it."""
    found = shutil.which("node")
    needed = f"{who} needs Node.js {OLDEST} or later"
    if found is None:
        raise TargetError(f"{needed}, and there is no `node` on PATH: install Node.js")
    version, program = _installed(found)
    if not version.partition(".")[0].isdigit() or int(version.partition(".")[0]) < OLDEST:
        raise TargetError(f"{needed}, and {found} is {version or 'none that runs'}: install a later one")
    return version, program


@cache
def _installed(found: str) -> tuple[str, str]:
    """The version of a `node` and the path of the program itself; the version is empty if it does not run.

    `node` on PATH may be a script of a version manager, which needs its home directory or closes descriptors. The
    program itself does neither.
    """
    try:
        said = subprocess.run(  # noqa: S603 - the user's own Node.js
            [found, "-e", _ASK], capture_output=True, text=True, timeout=_PATIENCE, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return "", found
    version, _, program = said.partition(" ")
    return version, program or found
