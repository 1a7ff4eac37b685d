"""A contained tool writes in its scratch directory, talks to nobody, and sees no more of us than it must."""

import json
import os
import socket
import subprocess
import sys

import pytest

from aptix_conformance.errors import HostError
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
        assert host.containment in {"namespaces", "confined"}
        made = host.execute(bench.plan(json.dumps([str(target), server.getsockname()[1], os.getpid()])))
    assert made.result is not None, made
    seen = json.loads(made.result.payload or "")
    errors = ("PermissionError", "OSError", "BlockingIOError", "ProcessLookupError")
    assert {name: seen[name] for name in REFUSED if seen[name] not in errors} == {}
    assert {name: seen[name] for name in ALLOWED} == ALLOWED
    assert seen["program"] != "0"
    assert target.read_text() == "kept"
    assert not list(tmp_path.glob("*.new"))


def test_harmless_tools_are_not_contained(bench, tmp_path):
    target = tmp_path / "target"
    bench.write("tools", bench.tool("Writes", f"open({str(target)!r}, 'w').write('x')"))
    host = bench.open("tools:Writes", side_effects="none")
    assert host.read_only is None
    assert host.containment == "none"
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
from contain import containment, launcher
def refuse(*_):
    raise OSError(errno.EPERM, "refused")
containment.separate = containment.refuse_sockets = containment.confine = refuse
containment.limit = lambda *_: None
print(launcher.contain(".", 1, 1)["fault"])
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
from contain import containment
containment.refuse_sockets()
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
