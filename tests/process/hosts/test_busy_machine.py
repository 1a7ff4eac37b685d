"""A time limit counts the tool's own time: a machine that others keep busy ends no call, and a busy tool ends."""

import os
import subprocess
import sys

import pytest

from aptix_conformance.hosts import Limits
from aptix_conformance.model import Outcome

SECONDS = 0.5
_WORK = f"end = time.thread_time() + {SECONDS / 2}\nwhile time.thread_time() < end: pass"
_BY_A_CHILD = f"""
import subprocess
subprocess.run([sys.executable, "-I", "-S", "-c", {("import time" + chr(10) + _WORK)!r}])
return InvokeResult.create("{{}}")
"""
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


@pytest.mark.parametrize("name", ["Sleeps", "KeepsEightChildrenBusy"])
def test_a_call_that_does_not_end_has_no_more_time(bench, name):
    """Its own children that wait for one another give a tool no more than eight times the limit, by the clock."""
    assert bench.call(f"busy:{name}").outcome is Outcome.TIMED_OUT
