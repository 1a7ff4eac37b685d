"""The zygote: an interpreter that imports a package's modules once, and forks one process per tool.

A tool may be hostile and patch any module. So everything needed here is imported before the tool, the tool gets a new
copy of `json`, and the runners leave `sys.modules`.
"""

import asyncio
import contextlib
import gc
import importlib
import inspect
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, NoReturn

from ..contain import landlock, privileges, root
from ..contain.arguments import SHOWN, hide_arguments
from ..contain.copying import copy_contents
from .channel import Channel
from .codes import CANNOT_FORK, EXIT_BROKEN, TARGET_FAULT, VERSION
from .contract import contract, counting_token, wear_name
from .detection_attempts import watch_looks
from .errors import TargetFault
from .foreign import attempt, format_error, safe_str
from .harness_finder import provide_harness
from .loading import import_by_name
from .logger import RecordingLogger
from .measurement import Measurement
from .missing_packages import watch_imports
from .server import MakeDisturbance, Setup, ToolServer
from .subject import System
from .tool_factory import ToolFactory
from .tool_listing import list_tools
from .variables import supply

_SHARED: Final = ("/dev/shm", "/tmp", "/var/tmp")  # noqa: S108 - private ones
_exit: Final = os._exit
_freeze: Final = gc.freeze
_Socket: Final = socket.socket


class Zygote:
    """Answers one request at a time."""

    def __init__(self, control: socket.socket) -> None:
        self._channel = Channel(control)
        self._spawned: set[int] = set()
        self._settings: dict[str, Any] = {}
        self._home = self._imported = ""
        self._shared: list[str] = []
        self._examined: set[str] = set()
        self._measurement = Measurement()
        self._setup = Setup("", self._measurement.save, {}, {})
        self._handlers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "tools/list": self._list,
            "spawn": lambda params: {"pid": self._spawn(params)},
            "reap": lambda params: {"status": self._reap(params["pid"])},
            "shutdown": self._shut_down,
        }

    def serve(self) -> NoReturn:
        """Serve until the other side closes the channel or sends `shutdown`. Then end all child processes."""
        while (messages := self._channel.receive_with_fds()) is not None:
            for message in messages:
                try:
                    members = {"result": self._dispatch(message["method"], message["params"])}
                except TargetFault as fault:
                    members = {"error": {"code": TARGET_FAULT, "message": safe_str(fault)}}
                except BlockingIOError as error:
                    members = {"error": {"code": CANNOT_FORK, "message": format_error(error)}}
                self._channel.send({"id": message["id"], **members})
                if message["method"] == "shutdown":
                    self._end()
        self._end()

    def _dispatch(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method not in self._handlers:
            raise TargetFault(f"there is no method {method!r}")
        return self._handlers[method](params)

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Load once what all tools' processes need, before any tool is imported."""
        self._settings = params
        self._home = self._imported = params["home"]
        # Two rules hold at once, and the launcher's has only the private ones; none may contain other tools' directories.
        home = os.path.realpath(self._home)
        self._shared = [
            place for place in _SHARED if os.path.isdir(place) and not home.startswith(f"{place}/")
        ]
        with contextlib.suppress(OSError, AttributeError):
            privileges.adopt_orphans()
        disturbances = _load_disturbances() if params["disturbances"] else {}
        system = _load_system(params.get("system", "aptix"))
        patches = params["patches"]
        if patches.get("clock") or "FAKETIME" in os.environ:
            from . import shift_clock  # noqa: PLC0415 - rarely needed

            shift_clock.shift(0 if "FAKETIME" in os.environ else patches["clock"])
        if patches.get("files"):
            from . import file_times  # noqa: PLC0415 - as above

            file_times.shift(patches["files"])
        sys.path[:] = [*params["sys_path"], *([] if params["replace_path"] else sys.path)]
        provide_harness(params["harness"])
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
        if params["coverage"] is not None:
            self._measurement.start(params["coverage"], params["rootdir"])
        counting_token()
        wear_name(RecordingLogger, contract().LoggingAdminLogger)
        self._setup = Setup(params["rootdir"], self._measurement.save, disturbances, load_sentinels(), system)
        inspect.signature(type("Warm", (), {}))
        asyncio.new_event_loop().close()
        _leave_no_runner_to_the_tool()
        watch_looks()
        watch_imports(params["rootdir"])
        if "variables" in patches:
            supplied = supply(patches["variables"], params["rootdir"], self._examined)
            self._setup = self._setup._replace(supplied=supplied)
        return {"protocol": VERSION, "coverage": self._measurement.is_on}

    def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        if self._imported != self._home and not os.path.lexists(self._home):
            os.rename(self._imported, self._home)
            self._imported = self._home
        _enter(self._imported)
        self._examined.add(params["module"].partition(".")[0])
        if self._setup.system is not None:
            return self._setup.system.prepare(params["module"], self._setup.root)
        return list_tools(import_by_name(params["module"]))

    def _shut_down(self, _: dict[str, Any]) -> dict[str, Any]:
        self._measurement.save()
        return {}

    def _spawn(self, params: dict[str, Any]) -> int:
        fds, self._channel.fds = self._channel.fds, []
        try:
            if _threads() > 1:
                raise BlockingIOError("the imported modules have started threads")
            if _holds_files_below(self._imported):
                raise BlockingIOError("the imported modules hold files open in the working directory")
            for stream in (sys.stdout, sys.stderr):
                attempt(stream.flush)
            if params["scratch"] == self._imported:
                self._make_room()
            _freeze()  # the fork's collector would copy every page of what was imported
            pid = os.fork()
            if pid == 0:
                try:
                    self._become_tool(params["scratch"], *fds)
                finally:
                    _exit(EXIT_BROKEN)
        finally:
            for fd in fds:
                os.close(fd)
        self._spawned.add(pid)
        return pid

    def _make_room(self) -> None:
        """Rename the directory of the imports, so that a tool's process can have its path.

        The files that an import left there are copied for each process: paths that modules computed on import then
        lead to files that the process may write.
        """
        place = f"{self._home}-{os.urandom(8).hex()}"
        os.rename(self._home, place)
        self._imported = place

    def _become_tool(self, scratch: str, channel: int, stdout: int, stderr: int) -> NoReturn:
        os.setsid()
        with contextlib.suppress(OSError, AttributeError):
            privileges.die_with_parent()
            privileges.adopt_orphans()
        null = os.open(os.devnull, os.O_RDONLY)
        for fd, place in ((null, 0), (stdout, 1), (stderr, 2)):
            os.dup2(fd, place)
            os.close(fd)
        # Descriptors of imported modules stay open, because such modules work in production too.
        self._channel.socket.close()
        server = Channel(_Socket(fileno=channel))
        try:
            os.mkdir(scratch, 0o700)
            copy_contents(self._imported, scratch)
        except OSError as error:
            _refuse(server, f"its working directory could not be made: {format_error(error)}")
        _enter(scratch)
        if self._settings["contained"]:
            own = [scratch, *self._settings["shared"], *self._shared]
            landlock.confine(
                own, root.readable(self._settings["readable"]), tcp=self._settings.get("loopback", False)
            )
        ToolServer(server, self._setup).serve()

    def _reap(self, pid: int) -> int:
        """Wait for a process that has ended, and for orphans that have ended."""
        _, status = os.waitpid(pid, 0)
        self._spawned.discard(pid)
        for orphan in _children():
            if orphan not in self._spawned:
                with contextlib.suppress(OSError):
                    os.waitpid(orphan, os.WNOHANG)
        return os.waitstatus_to_exitcode(status)

    def _end(self) -> NoReturn:
        while below := _children() or sorted(self._spawned):
            for pid in below:
                self._spawned.discard(pid)
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        _exit(0)


def _enter(scratch: str) -> None:
    """Use a scratch directory as working directory, home and directory for temporary files."""
    os.chdir(scratch)
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    if "tempfile" in sys.modules:
        sys.modules["tempfile"].tempdir = None  # type: ignore[attr-defined]


def _refuse(channel: Channel, why: str) -> NoReturn:
    """Answer every request by saying why there is no tool."""
    while (messages := channel.receive_with_fds()) is not None:
        for message in messages:
            channel.send({"id": message["id"], "error": {"code": TARGET_FAULT, "message": why}})
    _exit(0)


def _holds_files_below(place: str) -> bool:
    """Whether a descriptor of this process belongs to a file in a directory: a fork would have the file of another."""
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{fd}").startswith(f"{place}/"):
                return True
    return False


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:
            return [int(pid) for pid in stream.read().split()]
    except OSError:
        return []


def _load_disturbances() -> Mapping[str, MakeDisturbance]:
    from . import disturb  # noqa: PLC0415 - slow to import, and not every zygote needs it

    return disturb.BY_KIND


def _load_system(name: str) -> System | None:
    """The loader of a system that has its own module or package here; None for Aptix."""
    if name == "aptix":
        return None
    system: System = importlib.import_module(f".{name.replace('-', '_')}", __package__).System()
    return system


def load_sentinels() -> dict[str, ToolFactory]:
    """The sentinels by kind. `aptix_harness` must be importable."""
    from .sentinel_tools import BY_KIND  # noqa: PLC0415 - needs aptix_harness

    return {kind: ToolFactory(cls, {}) for kind, cls in BY_KIND.items()}


def _leave_json_to_the_tool() -> None:
    """Give the tool its own copy of `json`, so that its patches do not affect the runner's."""
    for name in [name for name in sys.modules if name == "json" or name.startswith("json.")]:
        del sys.modules[name]


def _leave_main_to_the_tool() -> None:
    """Make `__main__` an empty module."""
    sys.modules["__main__"] = ModuleType("__main__")


def _leave_no_runner_to_the_tool() -> None:
    """Remove the runners from `sys.modules`. From now on, none of them can import another."""
    package = __name__.partition(".")[0]
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]


def main(control: str) -> NoReturn:
    """Run a zygote. `control` is the descriptor number of the control socket."""
    _leave_json_to_the_tool()
    _leave_main_to_the_tool()
    sys.argv[:], sys.orig_argv[:] = [SHOWN], [sys.executable, SHOWN]
    hide_arguments()
    Zygote(socket.socket(fileno=int(control))).serve()
