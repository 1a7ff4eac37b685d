"""Forks launchers, so that each process of a tool needs no interpreter of its own to be contained by.

The suite runs it once as `python -I -S start.py contain.nursery FD`. It has imported what launchers and the host of MCP servers need,
and runs no code of a tool. It says first, by a line, whether it can serve: `yes`, or `no` where there are no PID namespaces. FD is a
stream socket. A request on it is a byte with five descriptors: the launcher's end of the channel, its standard input, output and
error, and a file with a JSON object: `config` (what `launcher.main` takes), `env` (the whole environment of its command), `place` (the
working directory) and `control` (the number under which the launcher has its end of the channel). The answer is a line with the
PID, or with an error. The process is a child of the suite, as one that the suite started itself.

Only the launcher reads its file: what one tool is given is never in the memory with which the launchers of others begin.
"""

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import socket
import sys
import traceback
from typing import Any, Final, NoReturn

from ..mcp import server_host  # noqa: F401 - so that no launcher has to import it
from . import launcher, namespaces
from .kernel import check

_CLONE: Final = {"x86_64": 56, "aarch64": 220}
"""The number of the system call by machine: `os.fork` makes no child of another process."""
_CLONE_PARENT: Final = 0x8000
_DESCRIPTORS: Final = 5
_MOST_DESCRIPTORS: Final = 4096


def main(argument: str) -> None:
    """Fork a launcher for each request, until the suite closes its end."""
    with socket.socket(fileno=int(argument)) as suite:
        number = _CLONE.get(os.uname().machine)
        if number is None or not namespaces.can_have_pids():
            suite.sendall(b"no\n")
            return
        suite.sendall(b"yes\n")
        gc.freeze()
        while descriptors := _request(suite):
            try:
                pid = _fork_sibling(number)
            except OSError as error:
                answer = str(error)
            else:
                if pid == 0:
                    suite.close()
                    _launch(*descriptors)
                answer = str(pid)
            for descriptor in descriptors:
                os.close(descriptor)
            suite.sendall(answer.encode() + b"\n")


def _request(suite: socket.socket) -> list[int]:
    """The descriptors of the next request; none where there is no other."""
    with contextlib.suppress(ConnectionError):
        return socket.recv_fds(suite, 1, _DESCRIPTORS)[1]
    return []


def _fork_sibling(number: int) -> int:
    """As `os.fork`, but the new process is a child of this one's parent.

    The C library does not know of it, and keeps the thread's old number there. A launcher forks before it does anything else.

    Raises:
        OSError: the kernel refused.
    """
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    # Unlike `ctypes.CDLL`, this keeps the lock of the interpreter, which a fork keeps too.
    result = int(ctypes.PyDLL(None, use_errno=True).syscall(ctypes.c_long(number), _CLONE_PARENT, 0, 0, 0, 0))
    if result == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return check("clone", result)


def _launch(channel: int, stdin: int, stdout: int, stderr: int, request_descriptor: int) -> NoReturn:
    """Become what `subprocess.Popen` would have started: a launcher, and then what it starts."""
    status = 1
    try:
        with os.fdopen(request_descriptor, "rb") as file:
            file.seek(0)  # the suite wrote it, and the descriptor is one with its own
            request: dict[str, Any] = json.load(file)
        control = request["control"]
        *standard, ours = _apart([stdin, stdout, stderr, channel], control)
        for number, descriptor in enumerate(standard):
            os.dup2(descriptor, number)
        os.dup2(ours, control)
        os.closerange(3, control)
        os.closerange(control + 1, _MOST_DESCRIPTORS)
        os.setsid()
        os.chdir(request["place"])
        launcher.main(request["config"], request["env"])
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else status
    except Exception:  # noqa: BLE001 - it is printed and gives a status, as at the end of any interpreter
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _apart(descriptors: list[int], control: int) -> list[int]:
    """The descriptors under numbers that nothing else takes."""
    return [fcntl.fcntl(descriptor, fcntl.F_DUPFD, max(control, 2) + 1) for descriptor in descriptors]
