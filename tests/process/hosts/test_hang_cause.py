"""What a call that does not come back waits for is named where the kernel shows it, and nothing else is."""

from pathlib import Path

import pytest
from tests.bench import Bench

from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import Limits

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/syscall").exists(), reason="the kernel does not show system calls"
)

OF_CHILD = "it waits for the process `{}` that it started"
LOCK = "it waits for a lock or another thread"

CAUSES = {
    "Lock": ("lock = threading.Lock()\nlock.acquire()\nlock.acquire()", LOCK),
    "Queue": ("queue.Queue().get()", LOCK),
    "Thread": (
        "thread = threading.Thread(target=time.sleep, args=(60,))\nthread.start()\nthread.join()",
        LOCK,
    ),
    "Pipe": ("os.write(os.pipe()[1], bytes(1_000_000))", "it waits to write into a full pipe"),
    "FileLock": (
        "held = [open('held', 'w') for _ in range(2)]\nfor each in held: fcntl.flock(each, fcntl.LOCK_EX)",
        "it waits for a lock on a file",
    ),
    "Child": ("subprocess.run(['sleep', '60'])", OF_CHILD.format("sleep")),
    "BusyChild": ("subprocess.run(['sh', '-c', 'while :; do :; done'])", OF_CHILD.format("sh")),
    "Grandchild": ("subprocess.run(['sh', '-c', 'sleep 60; true'])", OF_CHILD.format("sleep")),
    "Output": ("subprocess.run(['sleep', '60'], stdout=subprocess.PIPE)", OF_CHILD.format("sleep")),
    "Outputs": ("subprocess.run(['sleep', '60'], capture_output=True)", OF_CHILD.format("sleep")),
    "ChildAtAPipe": (
        "subprocess.Popen(['yes'], stdout=subprocess.PIPE).wait()",
        OF_CHILD.format("yes") + ", which waits to write into a full pipe",
    ),
    "ChildAtALock": (
        "held = open('held', 'w')\nfcntl.flock(held, fcntl.LOCK_EX)\nsubprocess.run(['flock', 'held', 'true'])",
        OF_CHILD.format("flock") + ", which waits for a lock on a file",
    ),
}
"""Bodies of calls, and what they wait for."""

LOOK_ALIKES = {
    "Sleeps": "time.sleep(60)",
    "Awaits": "await asyncio.sleep(60)",
    "Loops": "while True: pass",
    "Polls": "lock = threading.Lock()\nlock.acquire()\nwhile not lock.acquire(timeout=0.01): pass",
    "PollsAFileLock": """
        held = [open('held', 'w') for _ in range(2)]
        fcntl.flock(held[0], fcntl.LOCK_EX)
        while True:
            try:
                fcntl.flock(held[1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.01)
    """,
    "SleepsBesideAPool": "pool = multiprocessing.get_context('fork').Pool(2)\ntime.sleep(60)",
    "SleepsBesideAChild": "subprocess.Popen(['sleep', '60'])\ntime.sleep(60)",
    "SleepsBesideAWaitingThread": """
        child = subprocess.Popen(['sleep', '60'])
        threading.Thread(target=child.wait).start()
        time.sleep(60)
    """,
    "WaitsForAnyOfTwo": "children = [subprocess.Popen(['sleep', '60']) for _ in range(2)]\nos.wait()",
    "ReadsAPipeOfItsOwn": "ends = os.pipe()\nsubprocess.Popen(['sleep', '60'])\nos.read(ends[0], 1)",
}
"""Bodies of calls that hang, and look like one of these causes."""


@pytest.fixture(scope="module")
def hanging(module_bench):
    bench: Bench = module_bench(limits=Limits(timeout=0.5, start=10.0))
    bodies = {name: body for name, (body, _) in CAUSES.items()} | LOOK_ALIKES
    bodies["StartsAndWaits"] = """
        global old
        if old is None:
            old = subprocess.Popen(['sleep', '60'])
            return InvokeResult.create("{}")
        old.wait()
    """
    tools = (bench.tool(name, body) for name, body in bodies.items())
    bench.write("tools", "import fcntl, multiprocessing, queue, subprocess\nold = None\n" + "".join(tools))
    return bench


@pytest.mark.parametrize("name", CAUSES)
def test_a_call_that_hangs_names_what_it_waits_for(name, hanging):
    made = hanging.call(f"tools:{name}")
    assert (made.outcome, made.incident) == (
        Outcome.TIMED_OUT,
        f"no answer within 0.5 s; {CAUSES[name][1]}",
    )


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_nothing_is_named_that_is_not_sure(name, hanging):
    made = hanging.call(f"tools:{name}")
    assert (made.outcome, made.incident) == (Outcome.TIMED_OUT, "no answer within 0.5 s")


def test_a_child_that_does_not_take_part_in_the_call_is_no_cause(hanging):
    """An earlier call has started it: it may live as long as the tool."""
    host = hanging.open("tools:StartsAndWaits")
    assert host.execute(hanging.plan("{}")).outcome is Outcome.RETURNED
    assert host.execute(hanging.plan("{}")).incident == "no answer within 0.5 s"
