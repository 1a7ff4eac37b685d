"""What a tool may not have without end: processes, threads, space in its scratch directory; and whom it cannot reach.

Every bomb here is bounded by itself, to some hundreds of processes and some seconds: a bound of ours that fails must
not cost the machine.
"""

import json
import os
from pathlib import Path

import psutil
import pytest
from tests.bench import seen_from_here

from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import MIB, Limits
from aptix_conformance.targets.settings import ToolSettings

BOMBS = {
    "Doubles": "for _ in range(8): os.fork()\ntime.sleep(20); os._exit(0)",
    "Daemonises": """
        import ctypes
        ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)  # its orphans are not to come back to it
        for _ in range(100):
            if os.fork() == 0:
                if os.fork() == 0:
                    os.setsid()
                    time.sleep(20)
                os._exit(0)
            os.wait()
        time.sleep(20)
    """,
    "LeavesZombies": """
        for _ in range(150):
            if os.fork() == 0: os._exit(0)
        time.sleep(20)
    """,
    "StartsThreads": """
        for _ in range(400): threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
        time.sleep(20)
    """,
}
TELLS = """
    number = os.getpid()
    print(number, os.stat("/proc/self/ns/pid").st_ino)
    return InvokeResult.create("{}")
"""


@pytest.fixture(scope="module")
def bench(module_bench):
    limits = Limits(timeout=15.0, memory=4096 * MIB, start=10.0, processes=8, scratch=4 * MIB)
    bench = module_bench(limits=limits)
    bombs = "".join(bench.tool(name, body) for name, body in BOMBS.items())
    bench.write("bombs", bombs + bench.tool("Tells", TELLS))
    return bench


@pytest.mark.parametrize("side_effects", ["contained", "none"])
@pytest.mark.parametrize("name", BOMBS)
def test_processes_that_multiply_are_counted_and_ended(bench, name, side_effects):
    """With whatever they have started, and the tools of the package find processes again."""
    neighbour = bench.open("bombs:Tells", side_effects=side_effects)
    told = neighbour.execute(bench.plan()).stdout.text
    process = seen_from_here(told)
    bomb = bench.open(f"bombs:{name}", side_effects=side_effects)
    made = bomb.execute(bench.plan())
    assert made.outcome is Outcome.OVER_PROCESSES
    assert made.incident in (
        "had more than 8 processes at once",
        "had more than 128 threads and unreaped processes at once",
    )
    assert bomb.describe().tool_name.value == name.lower()
    bomb.close()
    assert neighbour.execute(bench.plan()).outcome is Outcome.RETURNED
    neighbour.close()
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_an_import_that_multiplies_is_ended_too(bench):
    """The zygote is bounded like the processes that it forks."""
    bench.write("multiplies", "for _ in range(8): os.fork()\ntime.sleep(20)\nos._exit(0)")
    with pytest.raises(TargetError, match="had more than 8 processes at once"):
        bench.open("multiplies:Tool")


def test_a_tool_with_some_processes_and_threads_is_left_alone(bench):
    """A pool of workers is no bomb."""
    body = """
        import subprocess
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(20) as pool:
            found = [pool.submit(subprocess.run, ["sleep", "0.1"]) for _ in range(5)]
        return InvokeResult.create(str(sum(one.result().returncode for one in found)))
    """
    bench.write("works", bench.tool("Works", body))
    made = bench.call("works:Works")
    assert made.result is not None, made
    assert made.result.payload == "0"


@pytest.fixture
def namespaces(bench):
    """Namespaces, on which what a test shows depends; a machine that refuses them has the weaker bounds alone."""
    host = bench.open("bombs:Tells")
    _, namespace = host.execute(bench.plan()).stdout.text.split()
    host.close()
    if int(namespace) == Path("/proc/self/ns/pid").stat().st_ino:
        pytest.skip("this machine refuses namespaces, so that there is no file system of limited size")


FILLS = """
    import errno, shutil
    held, written = None, 0
    try:
        while written < 64 * 2**20:
            name = f"file{written}"
            held = open(name, "wb")
            if arguments_json == "unlinked": keep.append(held); os.unlink(name)
            held.write(b"x" * 2**20); held.flush()
            written += 2**20
    except OSError as error:
        return InvokeResult.create(json.dumps([written, errno.errorcode[error.errno]]))
"""


@pytest.mark.parametrize("how", ["kept", "unlinked"])
@pytest.mark.usefixtures("namespaces")
def test_a_scratch_directory_has_an_end(bench, how):
    """Also for files that have no name any more; the disk of the user does not notice."""
    bench.write("fills", "keep = []\n" + bench.tool("Fills", FILLS))
    host = bench.open("fills:Fills")
    assert host.read_only is None
    made = host.execute(bench.plan(how))
    assert made.result is not None, made
    written, error = json.loads(made.result.payload)
    assert (written <= 4 * MIB, error) == (True, "ENOSPC")
    host.close()
    again = bench.open("fills:Fills")
    made = again.execute(bench.plan("kept"))
    assert json.loads(made.result.payload)[0] >= 2 * MIB
    again.close()


@pytest.mark.usefixtures("namespaces")
def test_files_and_directories_have_an_end_as_well(bench):
    """Empty ones take memory of the kernel's."""
    body = """
        import errno
        try:
            for number in range(70_000): os.mkdir(str(number))
        except OSError as error:
            return InvokeResult.create(errno.errorcode[error.errno])
    """
    bench.write("litters", bench.tool("Litters", body))
    host = bench.open("litters:Litters")
    assert host.execute(bench.plan()).result.payload == "ENOSPC"
    host.close()


REACHES = """
    import ctypes, errno
    libc = ctypes.CDLL(None, use_errno=True)
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    buffer = ctypes.create_string_buffer(8)
    part = ctypes.byref(Part(ctypes.addressof(buffer), 8))
    target = json.loads(arguments_json)
    def attempt(action):
        try:
            return repr(action())
        except BaseException as error:
            return type(error).__name__
    def call(name, *arguments):
        return errno.errorcode[ctypes.get_errno()] if getattr(libc, name)(*arguments) < 0 else "done"
    found = {}
    for who in (os.getppid(), 1, target["parent"]):
        found[str(who)] = {
            "signal": attempt(lambda: os.kill(who, 0)),
            "ptrace": call("ptrace", 0x4206, who, 0, 0),
            "read": call("process_vm_readv", who, part, 1, part, 1, 0),
            "memory": attempt(lambda: open(f"/proc/{who}/mem", "r+b")),
            "descriptors": attempt(lambda: [open(f"/proc/{who}/fd/{fd}") for fd in os.listdir(f"/proc/{who}/fd")]),
        }
    visible = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return InvokeResult.create(json.dumps([found, len(visible)]))
"""
REFUSALS = {"EPERM", "ESRCH", "PermissionError", "ProcessLookupError", "FileNotFoundError", "OSError"}


@pytest.mark.usefixtures("namespaces")
def test_a_contained_tool_reaches_neither_zygote_nor_parent(bench):
    """No signal, no ptrace, no memory, no descriptors; of all processes it sees those of its package."""
    bench.write("reaches", bench.tool("Reaches", REACHES))
    made = bench.call("reaches:Reaches", json.dumps({"parent": os.getpid()}))
    assert made.result is not None, made
    found, visible = json.loads(made.result.payload)
    assert {what for one in found.values() for what in one.values()} <= REFUSALS, found
    assert visible < 10


SPOILS = """
    path = json.loads(arguments_json)
    def attempt(action):
        try:
            action()
            return "done"
        except OSError as error:
            return type(error).__name__
    here = os.getcwd()
    os.symlink(path, "link")
    os.symlink("/", "root")
    found = [
        attempt(lambda: open("link/kept", "w")),
        attempt(lambda: os.link(path + "/kept", "hard")),
        attempt(lambda: os.rename(here, here + "-old")),
        attempt(lambda: os.rmdir(here)),
        attempt(lambda: os.symlink(path, "../tool-99")),
        attempt(lambda: os.mkdir("../tool-98")),
        attempt(lambda: os.unlink("link/kept")),
        attempt(lambda: os.rename("link/kept", "mine")),
    ]
    for depth in range(1500):
        os.mkdir("deep"); os.chdir("deep")
    return InvokeResult.create(json.dumps(found))
"""


def test_links_and_depth_lead_nowhere(bench, tmp_path):
    """A scratch directory goes with all that is in it, and nothing that it points to."""
    bench.write("spoils", bench.tool("Spoils", SPOILS))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    host = bench.open("spoils:Spoils")
    made = host.execute(bench.plan(json.dumps(str(outside))))
    assert made.result is not None, made
    assert "done" not in json.loads(made.result.payload)
    host.close()
    assert (outside / "kept").read_text() == "kept"


FINDS_HOST = """
    frame = sys._getframe()
    while "Zygote" not in frame.f_globals: frame = frame.f_back
"""


@pytest.mark.parametrize("pid", ["1", "os.getpid()", "os.getppid()", "'1'", "None", "10**30"])
def test_a_zygote_that_names_a_process_which_it_has_not_forked_is_not_believed(make_bench, pid):
    """What is ended is what the kernel says, and never the process of somebody else."""
    bench = make_bench()
    patch = FINDS_HOST + f"    frame.f_globals['Zygote']._spawn = lambda self, params: {pid}\n"
    patch = "def patch():" + patch + "patch()\n"
    bench.write("lies", patch + bench.tool("Tool", "return InvokeResult.create('{}')"))
    for side_effects in ("contained", "none"):
        with pytest.raises(HostError, match="did not fork it"):
            bench.open("lies:Tool", side_effects=side_effects)


LISTS = {
    "nothing": "None",
    "texts": "{'tools': ['x'], 'passed_over': [], 'submodules': []}",
    "numbers": "{'tools': [], 'passed_over': [1], 'submodules': []}",
    "others' modules": "{'tools': [], 'passed_over': [], 'submodules': ['os']}",
}


@pytest.mark.parametrize("listing", LISTS)
def test_a_list_of_tools_that_is_none_is_no_list(make_bench, listing):
    """It is the target that cannot be listed, and not the run."""
    bench = make_bench()
    patch = (
        FINDS_HOST + f"    frame.f_globals['list_tools'].__code__ = (lambda _: {LISTS[listing]}).__code__\n"
    )
    tool = bench.tool("Tool", "return InvokeResult.create('{}')")
    bench.write("lies.first", f"{tool}\ndef patch():{patch}patch()\n")
    bench.write("lies.second", tool)
    with pytest.raises(TargetError, match="sent an invalid list of tools"):
        bench.pool.list_tools("lies.first", ToolSettings())
    assert len(bench.pool.list_tools("lies.second", ToolSettings()).tools) == 1
