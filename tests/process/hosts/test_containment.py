"""A contained tool writes in its scratch directory, talks to nobody, and sees no more of us than it must."""

import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from aptix_conformance.core.errors import HostError
from aptix_conformance.hosts.nursery import Nursery
from aptix_conformance.hosts.required_containment import SWITCHED_OFF
from aptix_conformance.runners.paths import RUNNERS

TRIES = """
    import ctypes
    def attempt(action):
        try:
            return repr(action())
        except BaseException as error:
            return type(error).__name__
    import multiprocessing, subprocess, tempfile
    target, port, parent = json.loads(arguments_json)
    return InvokeResult.create(json.dumps({
        "write": attempt(lambda: open(target, "w")),
        "new": attempt(lambda: open(target + ".new", "w")),
        "delete": attempt(lambda: os.remove(target)),
        "truncate": attempt(lambda: os.truncate(target, 0)),
        "mode": attempt(lambda: os.chmod(target, 0)),
        "times": attempt(lambda: os.utime(target)),
        "program": attempt(lambda: subprocess.run(["rm", "-f", target], capture_output=True).returncode),
        "connect": attempt(lambda: socket.create_connection(("127.0.0.1", port), 1)),
        "udp": attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))),
        "zygote": attempt(lambda: os.kill(os.getppid(), 0)),
        "parent": attempt(lambda: os.kill(parent, 0)),
        "cousin": attempt(lambda: open("../written", "w")),
        "scratch": attempt(lambda: open("here", "w").write("x")),
        "home": attempt(lambda: open(os.path.expanduser("~/home"), "w").write("x")),
        "temporary": attempt(lambda: tempfile.TemporaryFile().write(b"x")),
        "null": attempt(lambda: open(os.devnull, "w").write("x")),
        "lock": attempt(lambda: type(multiprocessing.Lock()).__name__),
        "pair": attempt(lambda: len(socket.socketpair())),
        "input": attempt(lambda: sys.stdin.read()),
    }))
"""
REFUSED = [
    "write",
    "new",
    "delete",
    "truncate",
    "mode",
    "times",
    "connect",
    "udp",
    "zygote",
    "parent",
    "cousin",
]
ALLOWED = {
    "scratch": "1",
    "home": "1",
    "temporary": "1",
    "null": "1",
    "lock": "'Lock'",
    "pair": "2",
    "input": "''",
}


def test_writes_network_and_signals_are_refused_and_what_is_needed_works(bench, tmp_path):
    target = tmp_path / "target"
    target.write_text("kept")
    bench.write("tools", "import tempfile; tempfile.gettempdir()\n" + bench.tool("Tries", TRIES))
    with socket.create_server(("127.0.0.1", 0)) as server:
        host = bench.open("tools:Tries")
        assert host.read_only is None
        assert host.containment.level in {"full", "partial"}
        made = host.execute(bench.plan(json.dumps([str(target), server.getsockname()[1], os.getpid()])))
    assert made.result is not None, made
    seen = json.loads(made.result.payload or "")
    errors = ("PermissionError", "OSError", "BlockingIOError", "ProcessLookupError", "FileNotFoundError")
    weaker = {} if host.containment.level == "full" else {"mode": "None", "times": "None"}
    assert {name: seen[name] for name in REFUSED if seen[name] not in errors} == weaker
    allowed = ALLOWED | ({"lock": "PermissionError"} if weaker else {})
    assert {name: seen[name] for name in ALLOWED} == allowed
    target.chmod(0o600)
    assert target.read_text() == "kept"
    assert not list(tmp_path.glob("*.new"))


def test_harmless_tools_are_not_contained(bench, tmp_path):
    target = tmp_path / "target"
    bench.write("tools", bench.tool("Writes", f"open({str(target)!r}, 'w').write('x')"))
    host = bench.open("tools:Writes", side_effects="none")
    assert host.read_only is None
    assert host.containment == SWITCHED_OFF
    host.execute(bench.plan())
    assert target.read_text() == "x"


def test_destructive_tools_are_only_read(bench):
    bench.write("tools", bench.tool("Destroys", "os._exit(1)"))
    host = bench.open("tools:Destroys", side_effects="destructive")
    assert 'side_effects = "destructive"' in (host.read_only or "")
    assert host.describe().tool_name.value == "destroys"
    with pytest.raises(HostError, match="must not be called"):
        host.execute(bench.plan())


def test_importing_is_contained_too(bench, tmp_path):
    target = tmp_path / "target"
    source = f"try:\n    open({str(target)!r}, 'w')\nexcept OSError:\n    refused = 'yes'\n"
    bench.write("tools", source + bench.tool("Good", "return InvokeResult.create(refused)"))
    assert bench.call("tools:Good").result.payload == "yes"
    assert not target.exists()


@pytest.mark.parametrize("forked", [True, False])
def test_variables_that_the_dynamic_linker_reads_do_nothing_outside(bench, tmp_path, monkeypatch, forked):
    """LD_PRELOAD is one: the launcher runs before anything is contained. LD_DEBUG makes the linker write a file."""
    if not forked:
        monkeypatch.setattr(Nursery, "fork", lambda *_: None)
    bench.write("tools", bench.tool("Linked", "return InvokeResult.create(os.environ['LD_DEBUG'])"))
    env = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(tmp_path / "written")}
    assert bench.call("tools:Linked", env=env).result.payload == "files"
    assert not list(tmp_path.glob("written*"))


@pytest.mark.parametrize("side_effects", ["none", "contained"])
def test_the_environment_holds_what_is_configured_and_nothing_else(make_bench, side_effects):
    bench = make_bench(canaries={"AWS_SECRET_ACCESS_KEY": "canary"})
    body = "return InvokeResult.create(json.dumps([dict(os.environ), os.getcwd(), sys.argv]))"
    bench.write("tools", bench.tool("Looks", body))
    made = bench.call("tools:Looks", env={"REGION": "test"}, side_effects=side_effects)
    environ, here, argv = json.loads(made.result.payload)
    assert environ == {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "HOME": here,
        "TMPDIR": here,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_SECRET_ACCESS_KEY": "canary",
        "REGION": "test",
    }
    assert len(argv) == 1


NEITHER = """
import errno, sys
sys.path.append(sys.argv[1])
from contain import landlock, launcher, namespaces, privileges, seccomp
def refuse(*_, **__):
    raise OSError(errno.EPERM, "refused")
namespaces.separate = seccomp.refuse_system_calls = landlock.confine = refuse
privileges.limit = lambda *_: None
launcher.make_home = lambda *_: None
config = {"scratch": ".", "bytes": 1, "tasks": 1, "visible": [], "hidden": []}
print(launcher.contain(config, None, [])["fault"])
"""


def test_what_cannot_be_had_is_said():
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", NEITHER, str(RUNNERS)], capture_output=True, text=True, check=True
    ).stdout
    assert "the network cannot be shut off (refused; refused) and writes cannot be confined (refused)" in told


def test_the_seccomp_filter_alone_shuts_off_the_network():
    code = """
import socket, sys
sys.path.append(sys.argv[1])
from contain import seccomp
seccomp.refuse_system_calls(own_network=False)
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, socket.AF_NETLINK):
    try:
        socket.socket(family, socket.SOCK_RAW if family > 10 else socket.SOCK_DGRAM)
    except PermissionError:
        print("refused")
print(len(socket.socketpair()), socket.socket(socket.AF_UNIX).family == socket.AF_UNIX)
"""
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(RUNNERS)], capture_output=True, text=True, check=True
    )
    assert told.stdout == "refused\n" * 4 + "2 True\n"


@pytest.fixture
def with_mounts(bench):
    """A machine that allows namespaces: without them, only the scratch directory can be written to."""
    bench.write("looks", bench.tool("Looks", "return InvokeResult.create('{}')"))
    if bench.open("looks:Looks").containment.level != "full":
        pytest.skip("this machine refuses namespaces")
    return bench


FIXED = """
    import multiprocessing
    found = []
    for place in ("/var/tmp", "/dev/shm"):
        found.append(os.path.exists(f"{place}/app.lock"))
        with open(f"{place}/app.lock", "x") as stream:
            stream.write("mine")
    return InvokeResult.create(json.dumps(found))
"""


@pytest.mark.parametrize("header", ["", "os.makedirs('/var/tmp/app')\n"], ids=["forked", "fresh_interpreter"])
def test_a_tool_may_write_to_the_directories_for_temporary_files(with_mounts, header):
    """They are its own: the user's are not written to, and the next process finds nothing of this one."""
    bench = with_mounts
    bench.write("tools", header + bench.tool("Fixed", FIXED))
    host = bench.open("tools:Fixed")
    for _ in range(2):
        assert host.execute(bench.plan()).result.payload == "[false, false]"
        host.reset()
    assert not Path("/var/tmp/app.lock").exists()
    assert not Path("/dev/shm/app.lock").exists()


def test_a_directory_for_temporary_files_has_an_end(with_mounts):
    body = """
        try:
            with open("/var/tmp/large", "wb") as stream:
                for _ in range(100): stream.write(bytes(2**20))
        except OSError as error:
            return InvokeResult.create(error.strerror)
    """
    with_mounts.write("tools", with_mounts.tool("Fills", body))
    assert with_mounts.call("tools:Fills").result.payload == "No space left on device"


WIDENS = """
    import ctypes, struct
    libc = ctypes.CDLL(None, use_errno=True)
    target = arguments_json
    def clear(place):
        data = struct.pack("=QQQQ", 0, 1, 0, 0)
        return libc.syscall(442, -100, place.encode(), 0x8000, data, 32)
    answers = [clear("/"), clear("/var/tmp"), clear(os.path.dirname(target))]
    answers += [libc.umount2(b"/var/tmp", 2), libc.unshare(0x10000000 | 0x20000) and -1]
    answers += [clear("/"), clear(os.path.dirname(target)), libc.umount2(b"/var/tmp", 2)]
    try:
        open(target, "w")
    except OSError as error:
        answers.append(type(error).__name__)
    with open("/proc/self/status") as stream:
        bounding = [line.split()[1] for line in stream if line.startswith("CapEff")]
    return InvokeResult.create(json.dumps([answers, bounding]))
"""


@pytest.fixture
def old_entry():
    """A file that lay in /var/tmp before the tool started."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    (folder / "target").write_text("kept")
    yield folder / "target"
    (folder / "target").unlink()
    folder.rmdir()


def test_what_lay_in_a_directory_for_temporary_files_stays_read_only(with_mounts, old_entry):
    """Also for root: it has no capabilities left to make a mount writable, and a new user namespace gives it none."""
    target = old_entry
    with_mounts.write("tools", with_mounts.tool("Widens", WIDENS))
    answers, _ = json.loads(with_mounts.call("tools:Widens", str(target)).result.payload)
    assert answers[:4] == [-1] * 4
    assert answers[5:8] == [-1] * 3
    assert answers[8] in ("OSError", "PermissionError", "FileNotFoundError")
    assert target.read_text() == "kept"


def test_a_run_whose_temporary_directory_is_in_shared_memory_is_contained(make_bench, tmp_path, monkeypatch):
    """A private /dev/shm would hide the scratch directory."""
    place = tempfile.mkdtemp(dir="/dev/shm")
    monkeypatch.setattr(tempfile, "tempdir", place)
    bench = make_bench()
    bench.write(
        "tools", bench.tool("Here", "open('here', 'x').close()\nreturn InvokeResult.create(os.getcwd())")
    )
    try:
        host = bench.open("tools:Here")
        made = host.execute(bench.plan())
        assert host.containment.level in {"full", "partial"}
        assert made.result.payload.startswith(place)
    finally:
        bench.pool.close()
        Path(place).rmdir()


LOCKS = """
    import fcntl
    stream = open(arguments_json)
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    sys.kept = stream
    return InvokeResult.create("locked")
"""


def test_a_lock_that_a_tool_takes_on_a_file_of_its_project_binds_nobody_else(bench):
    """Neither of the two kinds of locks."""
    bench.write("tools", bench.tool("Locks", LOCKS))
    data = bench.place / "data.db"
    data.write_text("x", encoding="utf-8")
    host = bench.open("tools:Locks")
    if host.containment.level != "full":
        pytest.skip("without namespaces the tool has the files themselves")
    assert host.execute(bench.plan(str(data))).result.payload == "locked"
    with data.open("r+", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
