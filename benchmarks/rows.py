"""The rows of DESIGN.md's table: what is measured, beside whom, and the figures that come of it."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, Final

from benchmarks.environments import PROGRAMS, TOOLBOX, Environments, forget_rewritten
from benchmarks.figures import Figure
from benchmarks.measuring import Cost, alternating, by_itself, of_process, of_tree, per_second, seconds

BARE: Final = ("-q", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured. `repetitions` are of pytest's start, `tools` the numbers of generated tools."""

    calls: int = 1_000
    rounds: int = 5
    repetitions: int = 40
    tools: tuple[int, ...] = (10, 100, 1_000)
    examples: int = 5
    schemas: int = 1_000
    servers: int = 3


FULL: Final = Sizes()
QUICK: Final = Sizes(calls=300, rounds=2, repetitions=10, tools=(5, 20), schemas=100, servers=1)


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


def stdio(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """Calls of an MCP tool over stdio, one after the other, beside the official client."""
    ours, client = alternating(
        sizes.rounds,
        lambda _: by_itself(environments.ours, "mcp_calls.py", sizes.calls),
        lambda _: by_itself(environments.peers, "mcp_client_calls.py", sizes.calls),
    )
    yield Figure("stdio", "ours", "calls/s", *per_second(ours), better="more", peer="client of mcp")
    yield Figure("stdio", "client of mcp", "calls/s", *per_second(client), better="more")


def cold(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """One small tool, every rule, default examples: a whole pytest process, from its start to the report."""
    langchain = ("-p", "no:benchmark", "-o", "python_files=*.py", "-o", f"pythonpath={PROGRAMS}")
    files = {name: _program(name) for name in ("measure_tool.py", "measures.py")}
    with _project('tools = ["measure_tool"]', files) as folder:
        run = _pytest(environments.ours, folder, "--aptix-conformance", "--aptix-report", "report.json")
        alone = (
            "-c",
            folder / "pyproject.toml",
            "--rootdir",
            folder,
        )  # the checkout's settings are not the peer's
        peer = _pytest(environments.peers, folder, *langchain, *alone, PROGRAMS / "langchain_unit_tests.py")
        alternating(1, run, peer)  # writes the bytecode
        ours, theirs = alternating(sizes.rounds, run, peer)
    yield Figure("cold", "ours", "s", *seconds(ours), goal=2.0, peer="langchain-tests")
    yield Figure("cold", "langchain-tests", "s", *seconds(theirs), note="6 static tests")


def uncached(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """The run of `cold` where no bytecode can be written and pytest has written none, as in a fresh container."""
    python = environments.ours
    files = {name: _program(name) for name in ("measure_tool.py", "measures.py")}
    with _project('tools = ["measure_tool"]', files) as folder:
        warm = _pytest(python, folder, "--aptix-conformance")
        bare = _pytest(python, folder, "--aptix-conformance", PYTHONDONTWRITEBYTECODE="1")
        costs: list[tuple[Cost, Cost]] = []
        for number in range(sizes.rounds):
            forget_rewritten(python)
            without = bare(number)
            warm(number)  # writes the bytecode
            costs.append((without, warm(number)))
    without, cached = (seconds(some) for some in zip(*costs, strict=True))
    yield Figure("uncached", "without caches", "s", *without, peer="with caches")
    yield Figure("uncached", "with caches", "s", *cached)
    yield Figure("uncached", "without to with caches", "times", without[1] / cached[1], goal=1.15)


def help(environments: Environments, sizes: Sizes) -> Iterator[Figure]:  # noqa: A001 - a row is named as its function
    """`aptix-conformance --help`, beside an interpreter that starts and imports argparse."""
    python = environments.ours
    with tempfile.TemporaryDirectory() as name:
        runs = [
            lambda _, words=words: of_process([python, *words], Path(name))
            for words in (("-m", "aptix_conformance", "--help"), ("-c", "import argparse"))
        ]
        alternating(1, *runs)
        ours, argparse = alternating(sizes.repetitions, *runs)
    yield Figure("help", "ours", "s", *seconds(ours), goal=0.3, peer="import argparse")
    yield Figure("help", "import argparse", "s", *seconds(argparse))


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


def contained(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """The cost of a tool in its containment, beside the same run with `side_effects = "none"`: processes, limits, no containment."""
    count = min(sizes.tools)
    run_options = ("--aptix-conformance", "--aptix-examples", str(sizes.examples))
    files = _generated(count)
    with (
        _project('tools = ["generated"]', files) as inside,
        _project(
            'tools = ["generated"]\n[tool.aptix-conformance.tool.generated]\nside_effects = "none"', files
        ) as outside,
    ):
        runs = [_pytest(environments.ours, folder, *run_options) for folder in (inside, outside)]
        alternating(1, *runs)  # writes the bytecode
        held, free = alternating(sizes.rounds, *runs)
    per_tool = [seconds([Cost(cost.wall, cost.cpu, count) for cost in costs]) for costs in (held, free)]
    yield Figure(
        "contained", "contained", "s/tool", *per_tool[0], peer="not contained", note=f"{count} tools"
    )
    yield Figure("contained", "not contained", "s/tool", *per_tool[1])
    # By the clock: what ends with its PID namespace adds no processor time to the process that waits for it.
    ratio, by = per_tool[0][0] / per_tool[1][0], "by the clock"
    yield Figure("contained", "contained to not contained", "times", ratio, goal=1.2, note=by)


def server(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """A whole MCP server with 20 tools in its containment: a pytest process, from its start to its end, with default examples."""
    command = [environments.ours, "-m", "pytest", *BARE, "--aptix-conformance"]
    with _project(
        'tools = ["mcp:python whole_server.py"]', {"whole_server.py": _program("whole_server.py")}
    ) as folder:
        shutil.copytree(TOOLBOX, folder / "toolbox")
        costs = [of_tree(command, folder, "whole_server.py") for _ in range(sizes.servers)]
    ours, theirs = (seconds(some) for some in zip(*costs, strict=True))
    yield Figure("server", "20 tools", "s", *ours, goal=60.0, note="without what the server itself used")
    yield Figure("server", "the server itself", "s", *theirs)


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


def changes(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """`schema diff` on many tools, a quarter each identical, with another description, with more arguments, with fewer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side in ("old", "new"):
            text = json.dumps(_schemas(sizes.schemas, is_new=side == "new"))
            (folder / f"{side}.json").write_text(text, encoding="utf-8")
        command = [environments.ours, "-m", "schema_changes", "old.json", "new.json"]
        program = (PROGRAMS / "schema_changes.py").read_text(encoding="utf-8")
        (folder / "schema_changes.py").write_text(program, encoding="utf-8")
        (costs,) = alternating(sizes.rounds, lambda _: of_process(command, folder))
    note = "from the start of the process to its end; half of what differs has a witness"
    yield Figure("changes", f"{sizes.schemas:,} tools compared", "s", *seconds(costs), goal=5.0, note=note)


def html(environments: Environments, sizes: Sizes) -> Iterator[Figure]:
    """The HTML report on many tools and every rule: making it, opening it in Chromium, its size and its elements."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = (PROGRAMS / "large_report.py").read_text(encoding="utf-8")
        (folder / "large_report.py").write_text(program, encoding="utf-8")
        of_process([environments.ours, "large_report.py", str(sizes.schemas), "report.json"], folder)
        command = [
            environments.ours,
            "-m",
            "aptix_conformance",
            "report",
            "html",
            "report.json",
            "-o",
            "report.html",
        ]
        made = of_process(command, folder)
        page = folder / "report.html"
        (opened,) = alternating(sizes.rounds, lambda _: by_itself(environments.peers, "open_page.py", page))
        size = page.stat().st_size / 1_000_000
    what = f"{sizes.schemas:,} tools"
    opening = [Cost(cost.wall, cost.cpu) for cost in opened]
    yield Figure(
        "html", f"{what} opened", "s", *seconds(opening), goal=3.0, note="to the first frame with the matrix"
    )
    yield Figure("html", f"{what}, elements", "elements", max(cost.count for cost in opened), goal=10_000)
    yield Figure("html", f"{what}, file", "MB", size, goal=8)
    yield Figure("html", f"{what}, made from its JSON", "s", *seconds([made]))


ROWS: Final[Mapping[str, Callable[[Environments, Sizes], Iterator[Figure]]]] = MappingProxyType(
    {
        row.__name__: row
        for row in (
            valid,
            malformed,
            stdio,
            cold,
            uncached,
            help,
            many,
            contained,
            server,
            idle,
            changes,
            html,
        )
    }
)
"""Every row by its name."""


def _pytest(python: Path, folder: Path, *options: str | Path, **variables: str) -> Callable[[int], Cost]:
    return lambda _: of_process([python, "-m", "pytest", *BARE, *options], folder, variables)


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
    """A package of so many tools, each in a module of its own and alike except for its name."""
    tool = _program("measure_tool.py")
    modules = {
        f"generated/tool_{number:05}.py": tool.replace("benchmark_measure", f"benchmark_{number:05}")
        for number in range(count)
    }
    own = {name: _program(name) for name in ("measures.py", "peak_memory.py")}
    return {"generated/__init__.py": "", **own, **modules}


_GROWS: Final = 2
_UNITS: Final = (*[["C", "F", "K"]] * 3, ["C", "F"])


def _schemas(count: int, *, is_new: bool) -> list[dict[str, Any]]:
    """So many function schemas of eight arguments; of each four the new ones are changed in three ways."""
    return [_schema(number, number % 4 if is_new else 0) for number in range(count)]


def _schema(number: int, change: int) -> dict[str, Any]:
    words = "what it is, anew" if change == 1 else "what it is"
    properties: dict[str, Any] = {
        "city": {"type": "string", "minLength": 1, "description": words},
        "unit": {"type": "string", "enum": _UNITS[change], "description": words},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": words},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 40}, "description": words},
        "day": {"type": "string", "format": "date", "description": words},
        "place": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": words},
        "filter": {
            "type": "object",
            "properties": {
                "from": {"type": "string"},
                "to": {"type": "string"},
                "exact": {"type": "boolean"},
            },
            "required": ["from"],
        },
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$", "description": words},
    }
    if change == _GROWS:
        properties["note"] = {"type": "string", "description": words}
    parameters = {"type": "object", "properties": properties, "required": ["city", "unit"]}
    return {"type": "function", "name": f"tool_{number}", "description": words, "parameters": parameters}


def _program(name: str) -> str:
    return (PROGRAMS / name).read_text(encoding="utf-8")
