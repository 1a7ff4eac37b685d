"""How a server ends when its client is gone: the disturbances `wire:NAME` after which it and its children have to be gone.

A process counts as left where it still runs some seconds of its own time after its input has ended, so that speed decides nothing.
What is left is killed: nothing of one server may stay beside the next one.
"""

import contextlib
import json
import os
import signal
import time
from typing import Final

from .connection import Connection, StdioConnection
from .family import Family, Processes, Watch, still_running, waited_for_processor
from .opening import Session
from .stimuli import Observed

CUT_MESSAGE: Final = "cut-message"
CLIENT_GONE: Final = "client-gone"
WRAPPER_KILLED: Final = "wrapper-killed"
NAMES: Final = frozenset({CUT_MESSAGE, CLIENT_GONE, WRAPPER_KILLED})
_CUT: Final = b'{"jsonrpc": "2.0", "id": "aptix-cut", "method": "tools/li'
_LAST: Final = 5.0
"""Seconds of their own time that a server, and then its children, may take to end."""
_PAUSE: Final = 0.1
_WRAPPERS: Final = frozenset(
    {
        "sh",
        "bash",
        "dash",
        "ash",
        "zsh",
        "busybox",
        "env",
        "npx",
        "npm",
        "pnpm",
        "yarn",
        "bunx",
        "uv",
        "uvx",
        "pipx",
        "poetry",
    }
)
"""The names of programs that only start another one, as the kernel has them, without what follows: npm calls itself `npm exec`."""
_MOST_NAMED: Final = 10


def apply(name: str, session: Session) -> Observed:
    """Leave the server in one of these ways; the session is over afterwards.

    Raises:
        ServerEndedError: the server ended before.
    """
    connection = session.connection
    assert isinstance(connection, StdioConnection)
    pid = connection.pid
    assert pid is not None
    processes = Family(pid).members()
    if name == WRAPPER_KILLED and not _is_wrapped(pid, processes):
        return Observed(None, [])
    if name == CUT_MESSAGE:
        connection.send_part(_CUT)
    else:
        connection.close_output()
        request = {"jsonrpc": "2.0", "id": "aptix-last", "method": "tools/list", "params": session.params({})}
        connection.send_part(json.dumps(request).encode() + b"\n")
    if name == WRAPPER_KILLED:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    watch = Watch(processes)
    ended = connection.end_input(_LAST)
    left = _left(processes, _LAST if ended else 0.0)
    busy = watch.share(left)
    return Observed(None, [], ended=ended, left=_killed(left), busy=busy)


class CallChildren:
    """The children that a server has when it has served a call, and did not have before."""

    def __init__(self, connection: Connection) -> None:
        """Look at the server before the call; one that is reached by HTTP is not watched."""
        self._connection = connection if isinstance(connection, StdioConnection) else None
        self._before = Family(connection.pid).members() if self._connection else {}

    def left(self) -> tuple[str, ...]:
        """End the server; the names of those that did not end with it. None where it did not end itself."""
        if self._connection is None:
            return ()
        now = Family(self._connection.pid).members()
        children = {key: name for key, name in now.items() if key not in self._before}
        return _killed(_left(children, _LAST)) if children and self._connection.end_gently() else ()


def _is_wrapped(pid: int, processes: Processes) -> bool:
    """Whether the first process only starts the server, which reads the input that the first one was given."""
    name = next((name for (each, _), name in processes.items() if each == pid), "")
    if name.partition(" ")[0] not in _WRAPPERS:
        return False
    own = _input_of(pid)
    return bool(own) and any(_input_of(each) == own for each, _ in processes if each != pid)


def _input_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/fd/0")
    return ""


def _left(processes: Processes, seconds: float) -> Processes:
    """Those that still run after so many seconds of their own time."""
    began = time.monotonic()
    before = {pid: waited_for_processor(pid) for pid, _ in processes}
    while left := still_running(processes):
        waited = max(waited_for_processor(pid) - before[pid] for pid, _ in left)
        if time.monotonic() - began - max(waited, 0.0) >= seconds:
            break
        time.sleep(_PAUSE)
    return left


def _killed(processes: Processes) -> tuple[str, ...]:
    """The names of some processes, after they were killed."""
    for pid, _ in processes:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return tuple(sorted(processes.values())[:_MOST_NAMED])
