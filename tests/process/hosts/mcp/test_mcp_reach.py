"""What a server reaches of the process that has started it: both run as the same user."""

import json
import sys
from pathlib import Path

import pytest
from tests.process.hosts.mcp.servers import COMMAND, opened
from tests.stimuli import stimulus

from aptix_conformance.targets import Target, ToolSettings

REACH = """
import ctypes, subprocess
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.syscall.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_long, ctypes.c_long]
libc.process_vm_readv.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
SEIZE, DETACH, PIDFD_OPEN, PIDFD_GETFD = 0x4206, 17, 434, 438

def answer_of(result):
    return "works" if result >= 0 else os.strerror(ctypes.get_errno())

def opened(name, flags=os.O_RDONLY):
    try:
        os.close(os.open(f"/proc/{PID}/{name}", flags))
    except OSError as error:
        return error.strerror
    return "works"

def seize():
    found = answer_of(libc.ptrace(SEIZE, PID, None, None))
    libc.ptrace(DETACH, PID, None, None)
    return found

def getfd():
    pid = libc.syscall(PIDFD_OPEN, PID, 0, 0)
    return answer_of(libc.syscall(PIDFD_GETFD, pid, 1, 0))

def read_memory():
    here = (ctypes.c_ulong * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
    there = (ctypes.c_ulong * 2)(8, 8)
    found = libc.process_vm_readv(PID, here, 1, there, 1, 0)
    # The kernel looks at the address, which is none, only where the process may be read.
    return "works" if found >= 0 or ctypes.get_errno() == 14 else os.strerror(ctypes.get_errno())

def reached():
    return {
        "seize": seize(), "getfd": getfd(), "read memory": read_memory(), "mem": opened("mem"),
        "fd": opened("fd/1", os.O_WRONLY), "environ": opened("environ"), "maps": opened("maps"),
    }
"""
PARENT = f"{REACH}\nPID = os.getppid()\ncall = lambda _: {{'content': [{{'type': 'text', 'text': json.dumps(reached())}}]}}"
CHILD = f"""{REACH}
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
PID = child.pid
call = lambda _: {{'content': [{{'type': 'text', 'text': json.dumps(reached())}}]}}
"""
MOVES = """
import tempfile
def call(_):
    os.chdir(tempfile.mkdtemp())
    os.mkdir("a"), os.mkdir("b")
    open("a/file", "x").close()
    os.rename("a/file", "b/file")
    os.kill(os.getppid(), 0)
    return {"content": [{"type": "text", "text": "moved"}]}
"""


def answers(host):
    return json.loads(host.execute(stimulus("valid", "minimal", "{}", None)).result.payload)


def test_a_contained_server_does_not_look_into_its_host(bench):
    found = answers(opened(bench(PARENT)))
    assert set(found) == {"seize", "getfd", "read memory", "mem", "fd", "environ", "maps"}
    assert not [name for name, said in found.items() if said == "works"], found


def test_a_server_looks_into_what_it_has_started_itself(bench):
    found = answers(opened(bench(CHILD)))
    assert set(found.values()) == {"works"}, found


def test_a_contained_server_changes_its_own_limits_and_not_its_hosts(bench):
    changes = """
import resource
def call(_):
    limits = resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (9, limits[1]))
    try:
        resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (9, limits[1]))
        said = "works"
    except OSError as error:
        said = error.strerror
    return {'content': [{'type': 'text', 'text': json.dumps([said, resource.getrlimit(resource.RLIMIT_NOFILE)[0]])}]}
"""
    assert answers(opened(bench(changes))) == ["Operation not permitted", 9]


def test_a_server_moves_its_files_and_asks_whether_its_host_is_there(bench):
    found = opened(bench(MOVES)).execute(stimulus("valid", "minimal", "{}", None))
    assert found.result.payload == "moved"


@pytest.mark.parametrize("side_effects", ["contained", "none"])
def test_the_command_line_of_a_servers_parent_does_not_name_the_suite(bench, side_effects):
    text = "open(f'/proc/{os.getppid()}/cmdline').read()"
    changes = f"call = lambda _: {{'content': [{{'type': 'text', 'text': json.dumps({text})}}]}}"
    target = Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo")
    said = answers(bench(changes).open(target, ToolSettings(side_effects=side_effects)))
    assert said.rstrip("\0") == f"{sys.executable}\0main.py"


def test_a_server_that_is_not_contained_is_not_restricted(bench):
    changes = "call = lambda _: {'content': [{'type': 'text', 'text': open('/proc/self/status').read()}]}"
    target = Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo")
    host = bench(changes).open(target, ToolSettings(side_effects="none"))
    said = host.execute(stimulus("valid", "minimal", "{}", None)).result.payload
    ours = next(
        line for line in Path("/proc/self/status").read_text("utf-8").splitlines() if "NoNewPrivs" in line
    )
    assert ours in said
