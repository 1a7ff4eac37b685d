"""A time limit counts the tool's own time: a machine that others keep busy ends no call, and a busy tool ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.aptix.dotnet_runtimes import find_runtime
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

SECONDS = 0.5
_WORK = f"end = time.thread_time() + {SECONDS / 2}\nwhile time.thread_time() < end: pass"
_BY_A_CHILD = f"""
import subprocess
subprocess.run([sys.executable, "-I", "-S", "-c", {("import time" + chr(10) + _WORK)!r}])
return InvokeResult.create("{{}}")
"""
_NODE = f"""
export class Tool {{
  schema = {{ name: 'tool', description: 'Does it.', inputSchema: {{ type: 'object', properties: {{}} }} }};
  async execute(input, context) {{
    const used = () => process.cpuUsage().user + process.cpuUsage().system;
    const end = used() + {SECONDS * 1e6:.0f};
    while (used() < end);
    return {{ callId: context.callId, toolName: 'tool', status: 'success' }};
  }}
}}
"""
_DOTNET = Path(__file__).parent / "dotnet_tools"
_EIGHT_CHILDREN = """
import subprocess
children = [subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) for _ in range(8)]
for child in children: child.wait()
"""


@pytest.fixture(scope="module")
def bench(module_bench):
    bench = module_bench(limits=Limits(timeout=SECONDS, start=30.0))
    tools = {
        "Computes": _WORK + '\nreturn InvokeResult.create("{}")',
        "HasAChildCompute": _BY_A_CHILD,
        "KeepsEightChildrenBusy": _EIGHT_CHILDREN,
        "Sleeps": "time.sleep(60)",
        "ClosesAndComputes": "os.closerange(3, 4096)\n" + _WORK + "\nos._exit(3)",
    }
    bench.write("busy", "".join(bench.tool(name, body) for name, body in tools.items()))
    return bench


@pytest.fixture
def neighbours():
    """Four busy processes for each processor, so that others get a fifth of it."""
    words = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    running = [subprocess.Popen(words) for _ in range(4 * len(os.sched_getaffinity(0)))]
    yield
    for process in running:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("neighbours")
@pytest.mark.parametrize("name", ["Computes", "HasAChildCompute"])
def test_a_call_that_waits_for_a_processor_has_time(bench, name):
    """By the clock it takes longer than the limit; by its own time, about half of it."""
    call = bench.call(f"busy:{name}")
    assert call.outcome is Outcome.RETURNED
    assert SECONDS / 2 <= call.elapsed + 0.01 < SECONDS


@pytest.mark.usefixtures("neighbours")
def test_a_process_that_ends_slowly_still_has_its_exit_status(bench):
    """Between the end of its channel and its own, it computes half of what is allowed; by the clock, more than that."""
    call = bench.call("busy:ClosesAndComputes")
    assert (call.outcome, call.incident) == (Outcome.CRASHED, "exit status 3")


@pytest.mark.usefixtures("neighbours")
def test_a_call_of_a_node_tool_that_waits_for_a_processor_has_time(tmp_path):
    """As for a tool in Python."""
    if shutil.which("node") is None:
        pytest.skip("there is no Node.js on PATH")
    (tmp_path / "busy.mjs").write_text(_NODE, encoding="utf-8")
    with Systems(Environment(tmp_path, (), limits=Limits(timeout=2 * SECONDS, start=60.0))) as systems:
        host = systems.open(Target("art:./busy.mjs#Tool", "art", "./busy.mjs", "Tool"), ToolSettings())
        call = host.execute(stimulus("test", "generated", "{}", {}))
    assert call.outcome is Outcome.RETURNED
    # Node.js counts what its threads compute at the same time; the call lasts as long as the longest of them.
    assert SECONDS / 2 <= call.elapsed + 0.01 < 2 * SECONDS


@pytest.mark.usefixtures("neighbours")
@pytest.mark.parametrize("runtime", ["coreclr", "mono"])
def test_a_call_of_a_dotnet_tool_that_waits_for_a_processor_has_time(runtime):
    """As for a tool in Python, though another thread than the first computes."""
    try:
        find_runtime("a C# tool", runtime)
    except TargetError as error:
        pytest.skip(str(error))
    name = "Aptix.Tests.ComputingTool"
    with Systems(Environment(_DOTNET, (), limits=Limits(timeout=2 * SECONDS, start=60.0))) as systems:
        target = Target(f"aptix-cs:.#{name}", "aptix", ".", name, prefix="aptix-cs")
        host = systems.open(target, ToolSettings(runtime=runtime))
        call = host.execute(stimulus("test", "generated", "{}", None))
    assert call.outcome is Outcome.RETURNED
    assert call.elapsed < 2 * SECONDS


@pytest.mark.parametrize("name", ["Sleeps", "KeepsEightChildrenBusy"])
def test_a_call_that_does_not_end_has_no_more_time(bench, name):
    """Neither a sleep nor its own children that wait for one another give a tool more time than the limit by the clock."""
    assert bench.call(f"busy:{name}").outcome is Outcome.TIMED_OUT
