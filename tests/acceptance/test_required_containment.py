"""`--aptix-containment` on the command line, with pytest-xdist and without, for tools of every system."""

import json
import shutil
import sys

import pytest
from tests.process.hosts.elsewhere import CHECKOUT, CONDITIONS, can_be, run_python

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.aptix.dotnet_runtimes import find_runtime

WITHOUT = next(condition for condition in CONDITIONS if not condition[1])
WITH = next(condition for condition in CONDITIONS if condition[1])
SPECS = {
    "python": "weather",
    "node": "art:./unit_converter.mjs",
    "csharp": "aptix-cs:.",
    "mcp": f"mcp:{sys.executable} lengths.py",
    "host": f"host:{sys.executable} word_count_host.py",
}
SOURCES = {
    "python": ["tests/tools/weather.py"],
    "node": ["reference_tools/art/unit_converter.mjs", "reference_tools/art/package.json"],
    "csharp": [f"reference_tools/dotnet/{name}.cs" for name in ("PingPongTool", "Arguments", "Number")],
    "mcp": ["fixtures/mcp/conforming/lengths.py", "fixtures/mcp/serving.py"],
    "host": ["docs/examples/word_count.py", "docs/examples/word_count_host.py"],
}
WORKERS = {"one process": ("-p", "no:xdist"), "xdist": ("-n", "1")}


def can_run(system):
    """Whether this machine has what the tools of a system need."""
    if system == "node":
        return shutil.which("node") is not None
    try:
        return system != "csharp" or bool(find_runtime("a C# tool", None))
    except TargetError:
        return False


@pytest.fixture(params=SPECS)
def project(tmp_path, request):
    """A folder with one tool of a system, which is read and not called: that is enough to contain it."""
    if not can_run(request.param):
        pytest.skip("this machine has no runtime for it")
    return write(tmp_path, [request.param])


@pytest.fixture
def all_systems(tmp_path):
    """A folder with a tool of each system that this machine can run."""
    return write(tmp_path, filter(can_run, SPECS))


def write(place, systems):
    specs = []
    for system in systems:
        specs.append(SPECS[system])
        for name in SOURCES[system]:
            shutil.copy(CHECKOUT / name, place)
    (place / "pyproject.toml").write_text(
        f"[tool.aptix-conformance]\ntools = {json.dumps(specs)}\n", encoding="utf-8"
    )
    return place


def examined(condition, project, level, workers):
    """A run of pytest that requires a level, and each tool's level in its report; None where it has no report."""
    if not can_be(condition):
        pytest.skip("this user cannot start this version or read what the suite needs")
    rules = "SCH001 or ART001 or MCP001"  # they need no call and no restart
    options = ("-k", rules, "--aptix-report=report.json")
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--aptix-conformance", *options, *workers]
    done = run_python(condition, [*words, f"--aptix-containment={level}"], project)
    report = project / "report.json"
    if not report.exists():
        return done, None
    tools = json.loads(report.read_text(encoding="utf-8"))["tools"]
    return done, {tool["tool"]: tool["containment_reached"]["level"] for tool in tools}


@pytest.mark.parametrize("workers", WORKERS.values(), ids=WORKERS)
def test_full_is_refused_where_there_are_no_namespaces(project, workers):
    done, _ = examined(WITHOUT, project, "full", workers)
    said = done.stdout + done.stderr
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, said
    assert "is partial (no namespaces (unshare: Operation not permitted)" in said
    assert "and this run requires full" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("workers", WORKERS.values(), ids=WORKERS)
def test_partial_is_enough_where_partial_is_required(all_systems, workers):
    done, levels = examined(WITHOUT, all_systems, "partial", workers)
    assert levels == dict.fromkeys(levels, "partial"), done.stdout
    assert len(levels) == sum(map(can_run, SPECS))
    assert "requires" not in done.stdout


def test_full_is_reached_where_there_are_namespaces(all_systems):
    done, levels = examined(WITH, all_systems, "full", WORKERS["xdist"])
    assert levels == dict.fromkeys(levels, "full"), done.stdout
    assert len(levels) == sum(map(can_run, SPECS))
