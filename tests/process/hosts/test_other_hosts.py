"""Further hosts of a Python tool: their processes share nothing, so that their calls may be made at the same time."""

import threading

import psutil
import pytest
from tests.bench import Bench

COUNTS = """
    asyncio.kept = [*getattr(asyncio, "kept", []), 1]
    with open("calls", "a") as file:
        file.write("x")
    with open("calls") as file:
        return InvokeResult.create(f'{{"memory": {len(asyncio.kept)}, "file": {len(file.read())}}}')
"""
MEETS = """
    await asyncio.sleep(0.3)
    return InvokeResult.create(arguments_json)
"""
LOOPS = """
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    return InvokeResult.create("1")
"""


def payloads(host, times):
    return [host.execute(Bench.plan()).result.payload for _ in range(times)]


def test_another_host_has_its_own_memory_and_files(bench):
    """What the calls of one leave is not seen by those of another, and by those of the same after a reset neither."""
    bench.write("counts", bench.tool("Counts", COUNTS))
    host = bench.open("counts:Counts")
    one, other = host.another(1), host.another(2)
    seen = ['{"memory": 1, "file": 1}', '{"memory": 2, "file": 2}']
    assert payloads(host, 2) == payloads(one, 2) == payloads(other, 2) == seen
    one.reset()
    assert payloads(one, 1) == seen[:1]
    assert payloads(host, 1) == ['{"memory": 3, "file": 3}']
    assert host.containment == one.containment


def test_hosts_make_calls_at_the_same_time_in_threads(bench):
    """Each is used by one thread; every call comes back as it does alone."""
    bench.write("meets", bench.tool("Meets", MEETS))
    host = bench.open("meets:Meets")
    found = {}

    def work(number):
        other = host.another(number)
        found[number] = [other.execute(Bench.plan(f'{{"n": {number}}}')) for _ in range(3)]
        other.reset()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: {call.result.payload for call in calls} for number, calls in found.items()} == {
        number: {f'{{"n": {number}}}'} for number in range(1, 6)
    }
    assert {call.earlier for calls in found.values() for call in calls} == {0, 1, 2}


def test_further_processes_end_with_their_hosts(bench):
    """An interpreter of the first further host stays for the next tool; those of others end."""
    bench.write("meets", bench.tool("Meets", MEETS))
    host = bench.open("meets:Meets")
    before = set(psutil.Process().children(recursive=True))
    first = host.another(1)
    first.close()
    kept = set(psutil.Process().children(recursive=True)) - before
    others = [host.another(number) for number in (2, 3)]
    assert set(psutil.Process().children(recursive=True)) - before - kept
    for other in others:
        other.close()
        other.close()
    assert kept
    assert set(psutil.Process().children(recursive=True)) - before == kept
    assert host.another(2).execute(Bench.plan()).succeeded


@pytest.mark.parametrize(
    ("settings", "has"), [({}, True), ({"side_effects": "none"}, False), ({"directory": "."}, False)]
)
def test_what_may_share_something_outside_has_no_other_host(bench, settings, has):
    """A tool that is not contained, or works in its author's folder, is examined by one process at a time."""
    bench.write("meets", bench.tool("Meets", MEETS))
    if "directory" in settings:
        settings = {"directory": str(bench.place)}
    assert bench.open("meets:Meets", **settings).has_others is has


def test_a_host_counts_what_its_processes_compute(bench):
    """A tool that waits computes little of the time that its calls take, and one that loops all of it."""
    bench.write("meets", bench.tool("Meets", MEETS) + bench.tool("Loops", LOOPS))
    waits, works = bench.open("meets:Meets"), bench.open("meets:Loops")
    slept, _ = (host.execute(Bench.plan()).elapsed for host in (waits, works))
    assert waits.computed < slept / 2
    assert works.computed >= 0.19  # the main thread's figures are those of the kernel's ticks
