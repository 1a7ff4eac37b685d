"""Tools as source text, and pools that run them for real."""

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Stimulus
from aptix_conformance.hosts import Environment, Limits, PythonHostPool, ToolHost
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets.settings import Target, ToolSettings

TOOL = """
class {name}:
    TOOL_NAME = "{tool_name}"
    TOOL_USAGE_METADATA = "Use it in tests."

    def __init__(self, logger):
        self.logger = logger

    @property
    def name(self):
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self):
        return True

    @staticmethod
    def get_schema():
        return {schema}

    async def execute(self, arguments_json, context, cancellation_token):
{body}
"""
HEADER = (
    "import asyncio, json, os, signal, socket, sys, threading, time\nfrom aptix_harness import InvokeResult\n"
)


WHO = "print(number, os.stat('/proc/self/ns/pid').st_ino)"
"""Makes a tool tell `seen_from_here` of which process it speaks: its number there, and the namespace."""


def seen_from_here(told: str) -> psutil.Process:
    """The process, among those below this one, that a tool has named by `WHO`."""
    number, namespace = map(int, told.split())
    for process in psutil.Process().children(recursive=True):
        try:
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace")
            if Path(f"/proc/{process.pid}/ns/pid").stat().st_ino == namespace:
                numbers = next(line for line in status.splitlines() if line.startswith("NSpid:"))
                if int(numbers.split()[-1]) == number:
                    return process
        except OSError:
            continue
    raise AssertionError(f"no process is {told!r}")


class Bench:
    """A directory of modules, and a pool over it."""

    def __init__(self, place: Path, **environment: object) -> None:
        self.place = place
        self.added = 0
        limits = environment.pop("limits", Limits(timeout=5.0, start=5.0))
        path = (str(place), *sys.path)
        self.pool = PythonHostPool(
            Environment(rootdir=place, sys_path=path, limits=limits, systems=OURS.traits, **environment)
        )  # type: ignore[arg-type]

    @staticmethod
    def tool(name: str, body: str, schema: str = "") -> str:
        """The source of a tool whose `execute` is `body`, and whose schema is an expression of Python."""
        lines = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
        plain = f'{{"type": "function", "name": "{name.lower()}"}}'
        return TOOL.format(name=name, tool_name=name.lower(), schema=schema or plain, body=lines)

    @staticmethod
    def plan(arguments: str | None = "{}", context: dict[str, object] | None = None) -> Stimulus:
        return stimulus("test", "generated", arguments, context)

    def write(self, module: str, source: str) -> None:
        file = self.place / (module.replace(".", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEADER + source, encoding="utf-8")

    def add(self, source: str) -> str:
        """Write a module of a name of its own; all of them share a package, and so a zygote."""
        self.added += 1
        (self.place / "pkg").mkdir(exist_ok=True)
        (self.place / "pkg" / f"m{self.added}.py").write_text(source, encoding="utf-8")
        return f"pkg.m{self.added}"

    def open(self, spec: str, **settings: object) -> ToolHost:
        module, _, qualname = spec.partition(":")
        return self.pool.open(Target(spec, "aptix", module, qualname), ToolSettings(**settings))  # type: ignore[arg-type]

    def call(self, spec: str, arguments: str | None = "{}", **settings: object) -> Call:
        return self.open(spec, **settings).execute(self.plan(arguments))


@pytest.fixture(scope="module")
def module_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Bench]]:
    """Makes benches whose processes end with the module's tests."""
    made: list[Bench] = []

    def make(**environment: object) -> Bench:
        made.append(Bench(tmp_path_factory.mktemp("bench"), **environment))
        return made[-1]

    yield make
    for bench in made:
        bench.pool.close()


@pytest.fixture
def make_bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Makes benches whose processes end with the test."""
    made: list[Bench] = []

    def make(**environment: object) -> Bench:
        place = tmp_path / f"bench{len(made)}"
        place.mkdir()
        made.append(Bench(place, **environment))
        return made[-1]

    yield make
    for bench in made:
        bench.pool.close()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
