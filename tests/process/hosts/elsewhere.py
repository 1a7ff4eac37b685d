"""Examines tools as another user or without namespaces, as many containers have it.

`python -m tests.process.hosts.elsewhere` reads a `Request` as JSON from its standard input and writes its answers.
"""

import ctypes
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
from tests.stimuli import stimulus

from aptix_conformance.core.errors import ContainmentError
from aptix_conformance.hosts import MIB, Environment, Limits, PythonHostPool
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets.settings import Target, ToolSettings

NOBODY: Final = 65534
CHECKOUT: Final = Path(__file__).parents[3]
_UNSHARE: Final = {"x86_64": 272, "aarch64": 97}
_USERS: Final = ("root", "nobody") if os.getuid() == 0 else ("user",)
CONDITIONS: Final = [(user, namespaces) for user in _USERS for namespaces in (True, False)]
"""Whom this machine can run a tool as, each with and without namespaces."""
NAMES: Final = [f"{user}-{'namespaces' if namespaces else 'plain'}" for user, namespaces in CONDITIONS]

Answers = dict[str, dict[str, Any]]
"""By tool: the level of its `containment` with its `reasons`, and `calls`, of each its outcome and the payload of its result;
or `refused`, why it was not started."""

Once = Callable[[str, Callable[[Path], object]], Path]
"""The fixture `once`."""


@dataclass(frozen=True)
class Request:
    """The source of a module `tools`, and for each of its classes the arguments of the calls, in their order."""

    source: str
    arguments: dict[str, list[str]]
    settings: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """Further files of the project, by relative path."""
    at_home: bool = False
    """Whether the project's directory is the user's home directory."""
    least: str = "none"
    """The containment that is required."""


def examine(condition: tuple[str, bool], request: Request) -> Answers:
    """What the calls give under a condition."""
    done = run_python(
        condition, ["-m", "tests.process.hosts.elsewhere"], CHECKOUT, input=json.dumps(asdict(request))
    )
    assert done.returncode == 0, done.stderr
    found: Answers = json.loads(done.stdout)
    return found


def examine_once(once: Once, condition: tuple[str, bool], request: Request) -> Answers:
    """The same, once for all workers of a run of tests; `once` is the fixture. Requests with the same tools are the same."""
    tools = "-".join(sorted(request.arguments))
    place = once(
        f"{NAMES[CONDITIONS.index(condition)]}-{tools}",
        lambda folder: (folder / "answers.json").write_text(json.dumps(examine(condition, request))),
    )
    found: Answers = json.loads((place / "answers.json").read_text())
    return found


def run_python(
    condition: tuple[str, bool], words: Sequence[str], folder: Path, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run Python under a condition, with the modules that this process finds; `options` are those of `subprocess.run`."""
    user, namespaces = condition
    python, env = sys.executable, {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    someone: dict[str, Any] = {}
    if user == "nobody":  # who may not be able to enter the directories of this interpreter
        python, env["PYTHONPATH"] = f"/usr/bin/python3.{sys.version_info.minor}", os.pathsep.join(sys.path)
        someone = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return subprocess.run(
        [python, *words],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=None if namespaces else _refuse_namespaces,
        cwd=folder,
        env=env,
        **someone,
        **options,
    )


def can_be(condition: tuple[str, bool]) -> bool:
    """Whether this machine has an interpreter for the user of a condition, who may read what the suite needs."""
    python = Path(f"/usr/bin/python3.{sys.version_info.minor}")
    needed = [RUNNERS, Path(__file__), Path(msgspec.__file__)]
    return condition[0] != "nobody" or (python.exists() and all(_is_open_to_all(path) for path in needed))


def _is_open_to_all(path: Path) -> bool:
    """Whether every user can enter each directory above a path."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.resolve().parents)


def _refuse_namespaces() -> None:
    """Make `unshare` fail for this process and its children, as the default profile of Docker does."""
    number = _UNSHARE[os.uname().machine]
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50001), (6, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    if libc.prctl(22, 2, struct.pack("@HP", len(steps), ctypes.addressof(buffer)), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def _calls(pool: PythonHostPool, name: str, request: Request) -> dict[str, Any]:
    target = Target(f"tools:{name}", "aptix", "tools", name)
    try:
        host = pool.open(target, ToolSettings(**request.settings))
    except ContainmentError as error:
        return {"refused": str(error)}
    made = [host.execute(stimulus("test", "generated", text, None)) for text in request.arguments[name]]
    calls = [(call.outcome.value, call.result.payload if call.result else None) for call in made]
    return {"containment": host.containment.level, "reasons": host.containment.reasons, "calls": calls}


def main() -> None:
    """Answer the request on the standard input."""
    request = Request(**json.load(sys.stdin))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"tools.py": request.source, **request.files}.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(text, encoding="utf-8")
        if request.at_home:
            os.environ["HOME"] = folder
        limits = Limits(timeout=20.0, start=30.0, memory=256 * MIB)
        environment = Environment(
            Path(folder),
            (folder, *sys.path),
            limits=limits,
            systems=OURS.traits,
            least_containment=request.least,
        )
        with PythonHostPool(environment) as pool:
            json.dump({name: _calls(pool, name, request) for name in request.arguments}, sys.stdout)


if __name__ == "__main__":
    main()
