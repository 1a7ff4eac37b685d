"""The rows of DESIGN.md's table: what is measured, beside whom, and the figures that come of it."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Final

from benchmarks.environments import PROGRAMS, Environments
from benchmarks.figures import Figure
from benchmarks.measuring import Cost, alternating, by_itself, of_process, per_second, seconds

BARE: Final = ("-q", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured. `repetitions` are of pytest's start, `tools` the numbers of generated tools."""

    calls: int = 1_000
    rounds: int = 5
    repetitions: int = 40
    tools: tuple[int, ...] = (10, 100, 1_000)
    examples: int = 5


FULL: Final = Sizes()
QUICK: Final = Sizes(calls=300, rounds=2, repetitions=10, tools=(5, 20))


def valid(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """A schema-valid example: drawn, sent to the tool's own process, judged by every rule."""
    ours, wsgi, asgi = alternating(
        sizes.rounds,
        lambda seed: by_itself(environments.ours, "ours_calls.py", "valid", sizes.calls, seed),
        lambda seed: by_itself(environments.peers, "schemathesis_calls.py", "wsgi", sizes.calls, seed),
        lambda seed: by_itself(environments.peers, "schemathesis_calls.py", "asgi", sizes.calls, seed),
    )
    unit = "calls/s"
    yield Figure(
        "valid", "ours", unit, *per_second(ours), goal=1_000, better="more", peer="Schemathesis WSGI"
    )
    yield Figure("valid", "Schemathesis WSGI", unit, *per_second(wsgi), better="more")
    yield Figure("valid", "Schemathesis ASGI", unit, *per_second(asgi), better="more")


def malformed(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """A malformed example, likewise; nobody else makes one, so it stands beside the drawing of a text alone."""
    ours, text = alternating(
        sizes.rounds,
        lambda seed: by_itself(environments.ours, "ours_calls.py", "malformed", sizes.calls, seed),
        lambda seed: by_itself(environments.peers, "text_alone.py", "text", sizes.calls, seed),
    )
    unit = "calls/s"
    yield Figure(
        "malformed", "ours", unit, *per_second(ours), goal=2_500, better="more", peer="st.text() alone"
    )
    yield Figure("malformed", "st.text() alone", unit, *per_second(text), better="more")


def cold(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """One small tool, every rule, default examples: a whole pytest process, from its start to the report."""
    langchain = ("-p", "no:benchmark", "-o", "python_files=*.py", "-o", f"pythonpath={PROGRAMS}")
    files = {name: _program(name) for name in ("measure_tool.py", "measures.py")}
    with _project('tools = ["measure_tool"]', files) as folder:
        run = _pytest(environments.ours, folder, "--aptix-conformance", "--aptix-report", "report.json")
        peer = _pytest(
            environments.peers, folder, *langchain, "--rootdir", folder, PROGRAMS / "langchain_unit_tests.py"
        )
        alternating(1, run, peer)  # writes the bytecode
        ours, theirs = alternating(sizes.rounds, run, peer)
    yield Figure("cold", "ours", "s", *seconds(ours), goal=2.0, peer="langchain-tests")
    yield Figure("cold", "langchain-tests", "s", *seconds(theirs), note="6 static tests")


def many(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """The cost of a tool where there are many, and the memory of the pytest process."""
    costs: dict[int, Cost] = {}
    for count in sizes.tools:
        with _project('tools = ["generated"]', _generated(count)) as folder:
            few = ("--aptix-examples", str(sizes.examples), "-p", "peak_memory")
            cost = _pytest(environments.ours, folder, "--aptix-conformance", *few)(0)
            costs[count] = Cost(cost.wall, cost.cpu, count)
            memory = int((folder / "peak_memory.txt").read_text(encoding="ascii")) / 1024
        note = f"{sizes.examples} examples a probe"
        yield Figure("many", f"{count:,} tools", "s/tool", *seconds([costs[count]]), note=note)
        yield Figure("many", f"{count:,} tools, peak memory", "MiB", memory, goal=500)
    least, most = min(costs), max(costs)
    first, last = costs[least], costs[most]
    growth = (last.cpu / most) / (first.cpu / least)
    yield Figure("many", f"a tool of {most:,} to one of {least:,}", "times", growth, goal=1.15)


def idle(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """What pytest's start costs more with the plugin installed and not switched on: nothing to collect."""
    without = ("-p", "no:aptix_conformance")
    alone = (*without, "-p", "no:syrupy", "-p", "no:hypothesispytest")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_nothing.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
        runs = [_pytest(environments.ours, folder, *options) for options in ((), without, alone)]
        alternating(1, *runs)
        there, not_there, bare = alternating(sizes.repetitions, *runs)
    yield Figure("idle", "ours", "ms", *_more(there, not_there), goal=10)
    yield Figure(
        "idle", "with the plugins of its dependencies", "ms", *_more(there, bare), note="Hypothesis, syrupy"
    )


ROWS: Final[Mapping[str, Callable[[Environments, Sizes], Iterator[Figure]]]] = MappingProxyType(
    {row.__name__: row for row in (valid, malformed, cold, many, idle)}
)
"""Every row by its name."""


def _pytest(python: Path, folder: Path, *options: str | Path) -> Callable[[int], Cost]:
    return lambda _: of_process([python, "-m", "pytest", *BARE, *options], folder)


def _more(costs: list[Cost], fewer: list[Cost]) -> tuple[float, float]:
    """Milliseconds by which the runs of one round differ: the median, by the clock and of the processor."""
    pairs = list(zip(costs, fewer, strict=True))
    return (
        1000 * median(one.wall - other.wall for one, other in pairs),
        1000 * median(one.cpu - other.cpu for one, other in pairs),
    )


@contextmanager
def _project(configuration: str, files: Mapping[str, str]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="aptix-benchmark-") as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text(
            f"[tool.aptix-conformance]\n{configuration}\n", encoding="utf-8"
        )
        for path, text in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        yield folder


def _generated(count: int) -> dict[str, str]:
    """A package of so many tools, each in a module of its own and alike but for its name."""
    tool = _program("measure_tool.py")
    modules = {
        f"generated/tool_{number:05}.py": tool.replace("benchmark_measure", f"benchmark_{number:05}")
        for number in range(count)
    }
    own = {name: _program(name) for name in ("measures.py", "peak_memory.py")}
    return {"generated/__init__.py": "", **own, **modules}


def _program(name: str) -> str:
    return (PROGRAMS / name).read_text(encoding="utf-8")
