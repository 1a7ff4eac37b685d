"""What a contained tool reaches beyond its files and its network: keys, terminals, uncounted memory, privileges.

Each attack runs as root and as an ordinary user, with namespaces and without.
"""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.bench import HEADER, Bench
from tests.process.hosts.elsewhere import CONDITIONS, NAMES, Answers, Once, Request, can_be, examine_once

from aptix_conformance.hosts import MIB
from aptix_conformance.runners.paths import RUNNERS

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="the attacks use its system call numbers"
)

REFUSED = {
    "add_key": (248, b"user", b"aptix", b"secret", 6, -3),
    "request_key": (249, b"user", b"aptix", None, 0),
    "keyctl": (250, 0, -3, 0),
    "shmget": (29, 0, 4096, 0o1600),
    "shmat": (30, 0, None, 0),
    "semget": (64, 0, 1, 0o1600),
    "msgget": (68, 0, 0o1600),
    "mq_open": (240, b"aptix", 0o102, 0o600, None),
    "io_uring_setup": (425, 4, bytes(120)),
    "userfaultfd": (323, 1),
    "bpf": (321, 0, bytes(128), 128),
    "perf_event_open": (298, bytes(128), 0, -1, -1, 0),
    "mount": (165, b"none", b"/", None, 16384, None),
    "fsopen": (430, b"tmpfs", 0),
    "open_tree": (428, -100, b"/", 1),
    "unshare": (272, 0x10000000),
    "clone with a namespace": (56, 0x10000000 | 17, None, None, None, None),
    "syslog": (103, 10, None, 0),
    "mq_unlink": (241, b"aptix"),
    "modify_ldt": (154, 0, None, 0),
    "chroot": (161, b"/"),
    "setpriority of a group": (141, 1, 0, 0),
    "setpriority of a user": (141, 2, 0, 0),
    "prctl that hides the process": (157, 4, 0, 0, 0, 0),
    "x32 getpid": (0x40000000 + 39,),
}
OF_OTHERS = {
    "prlimit64": (302, "who", 7, 1, None),
    "setpriority": (141, 0, "who", 0),
    "ioprio_set": (251, 1, "who", 0),
    "sched_setaffinity": (203, "who", 128, 1),
    "sched_setscheduler": (144, "who", 3, None),
    "sched_setparam": (142, "who", None),
    "sched_setattr": (314, "who", None, 0),
    "migrate_pages": (256, "who", 0, None, None),
    "move_pages": (279, "who", 0, None, None, None, 0),
}
"""What changes another process, whose number replaces the word. The rest is invalid or changes nothing: the filter answers first."""
NEEDED = {
    "clone": (56, 17, None, None, None, None),
    "getpid": (39,),
    "prctl that shows the process": (157, 4, 1, 0, 0, 0),
    "prctl for a name": (157, 15, b"x", 0, 0, 0),
}
TOOLS = {
    "Calls": f"""
        answers = {{name: attempt(*words) for name, words in {REFUSED | NEEDED!r}.items()}}
        return InvokeResult.create(json.dumps(answers))
    """,
    "Others": f"""
        answers = {{}}
        for who, number in (("the zygote", os.getppid()), ("process 1", 1), ("itself", os.getpid())):
            for name, words in {OF_OTHERS!r}.items():
                words = [number if word == "who" else word for word in words]
                answers[f"{{name}} of {{who}}"] = attempt(*words)
        return InvokeResult.create(json.dumps(answers))
    """,
    "Own": """
        os.sched_setaffinity(0, os.sched_getaffinity(0))
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
        resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
        known = resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE) == resource.getrlimit(resource.RLIMIT_NOFILE)
        # As a C library sets the policy of a thread: Mono asks it to for each.
        known = known and attempt(144, os.getpid(), 0, bytes(4)) == "works"
        return InvokeResult.create(json.dumps([known, attempt(500), attempt(251, 1, 0, 0)]))
    """,
    "Sockets": """
        answers = []
        for family in (40, 38, 17, 31):  # AF_VSOCK, AF_ALG, AF_PACKET, AF_BLUETOOTH
            try:
                socket.socket(family, socket.SOCK_STREAM).close()
                answers.append("works")
            except OSError as error:
                answers.append(errno.errorcode[error.errno])
            answers.append(attempt(53, family, socket.SOCK_STREAM, 0, bytes(8)))
        return InvokeResult.create(json.dumps(answers))
    """,
    "Privileges": """
        kinds = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs")
        def held(text):
            lines = [line for line in text.splitlines() if line.startswith(kinds)]
            return {line.split(":")[0]: int(line.split()[1], 16) for line in lines}
        texts = [AT_IMPORT, status(), subprocess.check_output(["cat", "/proc/self/status"], text=True)]
        return InvokeResult.create(json.dumps([held(text) for text in texts]))
    """,
    "Terminal": """
        try:
            fd = os.open(arguments_json, os.O_RDONLY | os.O_NOCTTY)
        except OSError as error:
            return InvokeResult.create(json.dumps([type(error).__name__]))
        answers = []
        for request, data in ((0x5402, bytes(64)), (0x5412, b"x"), (0x541C, bytes([3])), (0x5414, bytes(8))):
            try:
                fcntl.ioctl(fd, request, data)
                answers.append("works")
            except OSError as error:
                answers.append(type(error).__name__)
        return InvokeResult.create(json.dumps(answers))
    """,
    "Unmapped": """
        size = int(arguments_json)
        KEPT.append(os.memfd_create("x"))
        for number in range(size // 2**20):
            os.write(KEPT[-1], bytes(2**20))
        return InvokeResult.create("kept")
    """,
    "Hidden": """
        libc.prctl(4, 0, 0, 0, 0)
        KEPT.append(os.memfd_create("x"))
        for number in range(int(arguments_json) // 2**20):
            os.write(KEPT[-1], bytes(2**20))
        return InvokeResult.create("kept")
    """,
    "Mapped": """
        KEPT.append(mmap.mmap(make(int(arguments_json)), 0))
        KEPT[-1].write(bytes(int(arguments_json)))
        return InvokeResult.create("kept")
    """,
    "Forgotten": """
        size = int(arguments_json)
        KEPT.append(mmap.mmap(-1, size))
        for start in range(0, size, 2**20):
            KEPT[-1][start : start + 2**20] = bytes(2**20)
            KEPT[-1].madvise(mmap.MADV_DONTNEED, start, 2**20)
        return InvokeResult.create("kept")
    """,
    "Unread": """
        for number in range(int(arguments_json) // 2**20):
            held = os.memfd_create("x")
            os.write(held, bytes(2**20))
            libc.mmap(None, ctypes.c_size_t(2**20), 3, mmap.MAP_SHARED, held, None)  # Python's own keeps the descriptor
            os.close(held)
        return InvokeResult.create("kept")
    """,
    "Apart": """
        def keep():
            libc.unshare(0x400)  # CLONE_FILES: from here on the thread's open files are its own
            held = os.memfd_create("x")
            for number in range(int(arguments_json) // 2**20):
                os.write(held, bytes(2**20))
            done.set()
            threading.Event().wait()
        done = threading.Event()
        threading.Thread(target=keep, daemon=True).start()
        done.wait()
        return InvokeResult.create("kept")
    """,
    "InFlight": """
        KEPT.extend(socket.socketpair())
        for number in range(int(arguments_json) // 2**22):
            held = os.memfd_create("x")
            os.write(held, bytes(2**22))
            socket.send_fds(KEPT[-1], [b"x"], [held])
            os.close(held)
        return InvokeResult.create("kept")
    """,
    "Grows": """
        KEPT.append(os.memfd_create("x"))
        os.write(KEPT[-1], bytes(2**20))
        return InvokeResult.create("kept")
    """,
}
HELPERS = """
import ctypes, errno, fcntl, mmap, resource, socket, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
KEPT = []
def status():
    with open("/proc/self/status") as stream:
        return stream.read()
AT_IMPORT = status()
def attempt(number, *words):
    result = libc.syscall(number, *words)
    if result == 0 and number == 56:
        os._exit(0)
    if result >= 0:
        return "works"
    return errno.errorcode[ctypes.get_errno()]
def make(size):
    held = os.memfd_create("x")
    os.ftruncate(held, size)
    return held
"""
SOURCE = HEADER + HELPERS + "".join(Bench.tool(name, body) for name, body in TOOLS.items())


@pytest.fixture(scope="module")
def terminal() -> Iterator[str]:
    """The path of a terminal that everybody may open for reading."""
    ours, theirs = pty.openpty()
    Path(os.ttyname(theirs)).chmod(0o644)
    yield os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


@pytest.fixture(scope="module", params=CONDITIONS, ids=NAMES)
def answers(request: pytest.FixtureRequest, terminal: str, once: Once) -> tuple[tuple[str, bool], Answers]:
    """What all attacks got, under each condition."""
    if not can_be(request.param):
        pytest.skip("this user cannot start this version or read what the suite needs")
    sizes = [str(120 * MIB), str(200 * MIB)]
    arguments = {name: ["{}"] for name in TOOLS}
    arguments |= {
        "Terminal": [terminal],
        "Unmapped": sizes,
        "Mapped": sizes,
        "Hidden": sizes,
        "Forgotten": sizes,
        "Unread": sizes,
        "Apart": sizes,
        "InFlight": sizes,
        "Grows": ["{}"] * 600,
    }
    return request.param, examine_once(once, request.param, Request(SOURCE, arguments))


def payload(answers: tuple[tuple[str, bool], Answers], name: str) -> object:
    [(outcome, text)] = answers[1][name]["calls"]
    assert outcome == "returned"
    return json.loads(text)


def test_the_conditions_are_those_that_they_are_called(answers):
    (_, namespaces), found = answers
    assert found["Calls"]["containment"] == ("full" if namespaces else "partial")


def test_what_no_tool_needs_of_the_kernel_is_refused(answers):
    assert payload(answers, "Calls") == dict.fromkeys(REFUSED, "EPERM") | dict.fromkeys(NEEDED, "works")


def test_sockets_that_no_namespace_separates_are_refused(answers):
    """With AF_VSOCK, a tool in a virtual machine would speak to its host, from any network namespace. So are pairs."""
    assert payload(answers, "Sockets") == ["EACCES"] * 8


def test_limits_and_scheduling_of_other_processes_are_out_of_reach(answers):
    """Also of the tool's own process by its number: the filter does not know which number is the caller's."""
    names = [f"{name} of {who}" for who in ("the zygote", "process 1", "itself") for name in OF_OTHERS]
    assert payload(answers, "Others") == dict.fromkeys(names, "EPERM")


def test_its_own_limits_and_scheduling_are_the_tools(answers):
    """Those of others can be read. A system call that the suite does not know is one that the kernel does not have."""
    assert payload(answers, "Own") == [True, "ENOSYS", "works"]


LEAVES = """
import ctypes, sys
sys.path.append(sys.argv[1])
from contain import privileges
libc = ctypes.CDLL(None)
libc.syscall(250, 1, None)
libc.syscall(248, b"user", b"aptix-secret", b"secret", 6, -3)
print(libc.syscall(250, 10, -3, b"user", b"aptix-secret", 0) > 0)
privileges.leave_session_keyring()
print(libc.syscall(250, 10, -3, b"user", b"aptix-secret", 0) > 0)
"""


def test_the_session_keyring_is_not_the_users():
    command = [sys.executable, "-I", "-S", "-c", LEAVES, str(RUNNERS)]
    assert subprocess.check_output(command, text=True).split() == ["True", "False"]


def test_no_capability_is_left_at_import_in_calls_and_in_programs(answers):
    (user, namespaces), _ = answers
    for held in payload(answers, "Privileges"):
        assert held.pop("NoNewPrivs") == 1
        # Without namespaces, an ordinary user cannot empty the bounding set, and gets nothing from it.
        assert held.pop("CapBnd") == 0 or (user != "root" and not namespaces)
        assert set(held.values()) == {0}


def test_a_terminal_cannot_be_changed_through_a_descriptor_for_reading(answers):
    assert set(payload(answers, "Terminal")) <= {"PermissionError", "FileNotFoundError"}


@pytest.mark.parametrize("name", ["Unmapped", "Mapped", "Hidden", "Apart", "InFlight"])
def test_memory_of_files_without_a_name_counts_once(answers, name):
    assert answers[1][name]["calls"] == [["returned", "kept"], ["over_memory", None]]


@pytest.mark.parametrize("name", ["Forgotten", "Unread"])
def test_shared_memory_counts_that_no_process_has_in_its_own(answers, name):
    """Only root can see it: an ordinary user has a limit for what processes have in their own, as the threat model states."""
    (user, _), found = answers
    if user != "root":
        pytest.skip("the kernel shows what others map to root only")
    assert found[name]["calls"] == [["returned", "kept"], ["over_memory", None]]


def test_memory_that_grows_in_short_calls_counts(answers):
    outcomes = [outcome for outcome, _ in answers[1]["Grows"]["calls"]]
    assert "over_memory" in outcomes
