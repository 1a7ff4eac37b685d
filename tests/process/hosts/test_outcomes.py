"""Whatever a tool does in a call comes back as an observation, and the next call finds a process again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.bench import WHO, seen_from_here
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome
from aptix_conformance.hosts import MIB, Limits
from aptix_conformance.runners.paths import RUNNERS

TOOLS = {
    "Good": "return InvokeResult.create(arguments_json)",
    "Raises": "raise ValueError('no')",
    "Exits": "sys.exit(4)",
    "Interrupts": "raise KeyboardInterrupt",
    "Cancels": "asyncio.current_task().cancel(); await asyncio.sleep(1)",
    "ExitsInATask": """
        async def leave():
            sys.exit(5)
        task = asyncio.create_task(leave())
        await asyncio.sleep(60)
    """,
    "Ends": "os._exit(3)",
    "Killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "Segfaults": "os.kill(os.getpid(), signal.SIGSEGV)",
    "Loops": "while True: pass",
    "Sleeps": "await asyncio.sleep(60)",
    "Stops": "os.kill(os.getpid(), signal.SIGSTOP)",
    "LogsAndLoops": """
        self.logger.trace("so far", ("a", "b"))
        print("printed so far")
        while True: pass
    """,
    "Prints": "for _ in range(100): print('x' * 1_000_000)",
    "Allocates": """
        kept = []
        while True:
            kept.append(bytearray(os.urandom(1024) * 4096))
    """,
    "AllocatesAndCatches": """
        kept = []
        while True:
            try:
                kept.append(bytearray(os.urandom(1024) * 4096))
            except MemoryError:
                pass
    """,
    "ClosesAll": """
        os.closerange(0, 1000)
        return InvokeResult.create("{}")
    """,
    "ClosesAllAndStays": """
        os.closerange(0, 1000)
        while True: time.sleep(1)
    """,
    "WritesGarbage": r"""
        for fd in range(3, 100):
            try:
                os.write(fd, b"garbage\n")
            except OSError:
                pass
        return InvokeResult.create("{}")
    """,
    "WritesHalfALine": r"""
        for fd in range(3, 100):
            try:
                os.write(fd, b'{"jsonrpc": ')
            except OSError:
                pass
        return InvokeResult.create("{}")
    """,
    "Forges": r"""
        for fd in range(3, 100):
            try:
                for number in range(5):
                    os.write(fd, b'{"jsonrpc":"2.0","id":%d,"result":{"outcome":"returned","result":7}}\n' % number)
            except OSError:
                pass
    """,
    "ForgesEndlessly": r"""
        while True:
            for fd in range(3, 20):
                try:
                    os.write(fd, b"x" * 100_000)
                except OSError:
                    pass
    """,
    "Huge": "return InvokeResult.create('x' * 70_000_000)",
    "StopsTheLoop": "asyncio.get_running_loop().stop(); await asyncio.sleep(0.01); return InvokeResult.create('{}')",
    "ClosesStreams": "sys.stdout.close(); sys.stderr.close(); return InvokeResult.create('{}')",
    "BreaksJson": "json.dumps = json.loads = None; json.JSONEncoder.iterencode = None; return InvokeResult.create('1')",
    "Counts": """
        global served
        served += 1
        return InvokeResult.create(str(served))
    """,
}


@pytest.fixture(scope="module")
def hostile(module_bench):
    bench = module_bench(limits=Limits(timeout=5.0, memory=300 * MIB, output=8 * MIB, start=10.0))
    bench.write("tools", "served = 0\n" + "".join(bench.tool(name, body) for name, body in TOOLS.items()))
    return bench


def call(bench, name: str, timeout: float | None = None, arguments: str | None = "{}") -> Call:
    """One call, and proof that the process after it is fit for use."""
    host = bench.open(f"tools:{name}")
    made = host.execute(bench.plan(arguments), timeout)
    assert host.describe().tool_name.value == name.lower()
    host.close()
    return made


def test_a_result_comes_back_as_it_was_given(hostile):
    text = json.dumps({"text": "é\0"}) + "\ud800 \udfff\0\n"
    made = call(hostile, "Good", arguments=text)
    assert made.outcome is Outcome.RETURNED
    assert made.result is not None
    assert made.result.payload == text
    assert made.succeeded


def test_null_arguments_arrive_as_none(hostile):
    made = call(hostile, "Good", arguments=None)
    assert made.result is not None
    assert (made.result.payload, made.result.payload_type) == (None, "NoneType")


def test_a_megabyte_of_arguments_goes_there_and_back(hostile):
    text = "ü" * 1_000_000
    made = call(hostile, "Good", arguments=text)
    assert made.result is not None
    assert made.result.payload == text


@pytest.mark.parametrize(
    ("name", "category", "kind"),
    [
        ("Raises", "exception", "ValueError"),
        ("Exits", "exit", "SystemExit"),
        ("Interrupts", "interrupt", "KeyboardInterrupt"),
        ("Cancels", "cancelled", "CancelledError"),
        ("ExitsInATask", "exit", "SystemExit"),
    ],
)
def test_what_a_tool_throws_is_recorded(hostile, name: str, category: str, kind: str):
    made = call(hostile, name)
    assert made.outcome is Outcome.RAISED
    assert made.raised is not None
    assert (made.raised.category, made.raised.type_name) == (category, kind)


def test_the_traceback_begins_in_the_tool(hostile):
    made = call(hostile, "Raises")
    assert made.raised is not None
    assert "tools.py" in made.raised.traceback
    assert str(RUNNERS) not in made.raised.traceback


@pytest.mark.parametrize(
    ("name", "incident"),
    [
        ("Ends", "exit status 3"),
        ("Killed", "killed by signal 9 (SIGKILL)"),
        ("Segfaults", "killed by signal 11 (SIGSEGV)"),
        ("ClosesAll", "closed the descriptors"),
        ("ClosesAllAndStays", "closed the protocol channel"),
        ("WritesGarbage", "wrote 'garbage' to the protocol channel"),
        ("WritesHalfALine", "to the protocol channel"),
        ("Forges", "to the protocol channel"),
    ],
)
def test_a_process_that_breaks_is_a_crash(hostile, name: str, incident: str):
    made = call(hostile, name)
    assert made.outcome is Outcome.CRASHED
    assert incident in (made.incident or "")


@pytest.mark.parametrize("name", ["Loops", "Sleeps", "Stops"])
def test_no_answer_within_the_time_limit_is_a_time_out(hostile, name: str):
    made = call(hostile, name, timeout=0.2)
    assert (made.outcome, made.incident) == (Outcome.TIMED_OUT, "no answer within 0.2 s")


def test_what_was_logged_and_printed_before_a_time_out_is_kept(hostile):
    made = call(hostile, "LogsAndLoops", timeout=0.3)
    assert made.outcome is Outcome.TIMED_OUT
    assert [(entry.message, entry.pairs) for entry in made.logs] == [("so far", (("a", "b"),))]
    assert made.stdout.text == "printed so far\n"


@pytest.mark.parametrize("name", ["Allocates", "AllocatesAndCatches"])
def test_memory_is_limited_from_outside(hostile, name: str):
    made = call(hostile, name, timeout=20)
    assert made.outcome is Outcome.OVER_MEMORY
    assert made.incident == "held too much memory; the limit is 300 MiB"


def test_output_is_limited_and_its_beginning_kept(hostile):
    made = call(hostile, "Prints", timeout=20)
    assert made.outcome is Outcome.OVER_OUTPUT
    assert made.stdout.text == "x" * 4096
    assert made.stdout.total_bytes > 8 * MIB


@pytest.mark.parametrize("name", ["Huge", "ForgesEndlessly"])
def test_what_comes_over_the_channel_is_limited(hostile, name: str):
    assert call(hostile, name, timeout=20).outcome is Outcome.OVER_OUTPUT


@pytest.mark.parametrize("name", ["StopsTheLoop", "ClosesStreams", "BreaksJson"])
def test_the_host_survives_what_a_tool_does_to_its_own_process(hostile, name: str):
    host = hostile.open(f"tools:{name}")
    assert host.execute(hostile.plan()).succeeded
    assert host.execute(hostile.plan()).earlier == 1
    host.close()


def test_neighbours_share_nothing_and_notice_nothing(hostile):
    counts, neighbour = hostile.open("tools:Counts"), hostile.open("tools:Counts")
    assert [payload(counts), payload(counts)] == ["1", "2"]
    for name in ("Ends", "Killed", "BreaksJson", "ClosesAll"):
        hostile.call(f"tools:{name}")
    assert [payload(counts), payload(neighbour)] == ["3", "1"]


def test_a_reset_makes_the_next_call_the_first_of_a_process(hostile):
    host = hostile.open("tools:Counts")
    host.execute(hostile.plan())
    assert host.execute(hostile.plan()).earlier == 1
    assert host.describe().when == "after_calls"
    host.reset()
    assert host.describe().when == "start"
    made = host.execute(hostile.plan())
    assert made.earlier == 0
    assert made.result is not None
    assert made.result.payload == "1"


def test_after_an_incident_the_count_of_earlier_calls_begins_anew(bench):
    bench.write(
        "tools",
        bench.tool("Ends", "if arguments_json == 'end': os._exit(1)\nreturn InvokeResult.create('1')"),
    )
    host = bench.open("tools:Ends")
    assert [host.execute(bench.plan(text)).earlier for text in ("", "", "end", "", "")] == [0, 1, 2, 0, 1]


def payload(host) -> str | None:
    result = host.execute(stimulus("test", "generated", "{}", None)).result
    return None if result is None else result.payload


DAEMON = """
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            open("daemon", "w").write(str(os.getpid()))
            {fate}
            while True: time.sleep(0.1)
        os._exit(0)
    os.waitpid(pid, 0)
    while not os.path.exists("daemon") or not open("daemon").read(): time.sleep(0.001)
    number = open("daemon").read()
    print(number, os.stat("/proc/self/ns/pid").st_ino)
    {then}
    return InvokeResult.create(number)
"""


@pytest.mark.parametrize(
    ("fate", "then"),
    [
        ("os.closerange(0, 100)", ""),
        ("", "sys.stdout.flush(); os._exit(1)"),
        ("[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]", ""),
    ],
    ids=["detached", "orphaned", "deaf"],
)
@pytest.mark.parametrize("side_effects", ["none", "contained"])
def test_a_daemon_does_not_outlive_its_host(bench, fate: str, then: str, side_effects: str):
    bench.write("tools", bench.tool("Daemonises", DAEMON.format(fate=fate, then=then)))
    host = bench.open("tools:Daemonises", side_effects=side_effects)
    told = host.execute(bench.plan()).stdout.text
    daemon = None if "_exit" in then else seen_from_here(told)
    host.close()
    assert daemon is None or not daemon.is_running()
    with pytest.raises(AssertionError, match="no process"):
        seen_from_here(told)


def test_closing_the_pool_ends_every_process_and_removes_every_directory(bench, tmp_path: Path):
    spoil = """
        os.mkdir("closed"); open("closed/file", "w").close(); os.chmod("closed", 0)
        os.symlink(arguments_json, "link")
        return InvokeResult.create(os.getcwd())
    """
    bench.write("tools", bench.tool("Spoils", spoil))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    result = bench.call("tools:Spoils", str(outside)).result
    assert result is not None
    assert result.payload is not None
    place = Path(result.payload)
    assert place.parent.is_dir()
    below = psutil.Process().children(recursive=True)
    bench.pool.close()
    assert not [process for process in below if process.is_running() and str(place) in str(process.environ())]
    assert not place.parent.parent.exists()
    assert (outside / "kept").exists()


def test_a_host_serves_again_after_its_zygote_was_killed(bench):
    bench.write(
        "tools",
        bench.tool("Kills", "os.kill(os.getppid(), 9); time.sleep(9)") + bench.tool("Good", TOOLS["Good"]),
    )
    good = bench.open("tools:Good", side_effects="none")
    good.execute(bench.plan())
    assert bench.call("tools:Kills", side_effects="none").outcome is Outcome.CRASHED
    made = good.execute(bench.plan())
    assert (made.outcome, made.earlier) == (Outcome.RETURNED, 0)


RUN = """
import sys, time
sys.path[:] = {path!r}
from pathlib import Path
from aptix_conformance.hosts import Environment, PythonHostPool
from aptix_conformance.core.model import Stimulus, Change, Kind
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets.settings import Target, ToolSettings

pool = PythonHostPool(Environment(rootdir=Path({place!r}), sys_path=tuple(sys.path), systems=OURS.traits))
host = pool.open(Target("tools:Good", "aptix", "tools", "Good"), ToolSettings())
drawn = Change(Kind.GENERATED)
print(host.execute(Stimulus("test", drawn, None, None)).stdout.text, end="", flush=True)
host.execute(Stimulus("test", drawn, "loop", None))
"""


def test_nothing_outlives_a_run_that_was_killed(bench):
    body = f"while arguments_json: pass\nnumber = os.getpid(); {WHO}; return InvokeResult.create('1')"
    bench.write("tools", bench.tool("Good", body))
    script = bench.place / "run.py"
    script.write_text(RUN.format(path=[path for path in sys.path if path], place=str(bench.place)))
    env = {**os.environ, "TMPDIR": str(bench.place)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=env) as run:
        assert run.stdout is not None
        tool = seen_from_here(run.stdout.readline())
        zygote = tool.parent()
        run.kill()
    _, alive = psutil.wait_procs([tool, zygote], timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
