"""Makes the outside fail beneath a package that the tool's own code calls: a file, an address, a program, a database.

Nobody lists what a package of the tool's environment does. But Python reports, through audit hooks, each file that it is about
to open, each address that it is about to look up or connect to, and each program that it is about to start. Where the
stack shows that the tool's own code called an installed package and that one came to it, it fails as the system makes it
fail. What the package makes of that is its own: it handles the error, raises one of its own, or lets it through. So
no exception reaches the tool that its package could not raise, and a package that has nothing to do with the outside,
which fails by its arguments alone, is left to calls with such arguments.

Not made to fail: what a package needs itself, as the import of a module and files of the installation and of the system;
files beside the tool's own code, which are there whenever the code is; and what stands beneath a call in `fault_modules.toml`, which fails as a whole.
"""

import contextlib
import os
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import Any, Final, NamedTuple

from ...foreign import is_a
from ...frames import is_runner_code
from .fault import Fault
from .kinds import CANARY, OUTSIDE
from .own_code import OwnCode, is_installed, place_of
from .sites import Sites, display_name

MOST_AT_A_PLACE: Final = 3
"""The events beneath one call in the source that may fail; a package that opens a thousand files mostly treats them alike."""

_PATH: Final = f"/srv/{CANARY}/data.db"
_ERRORS: Final[Mapping[str, Callable[[], Exception]]] = {
    **dict.fromkeys(
        ("open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate",
         "os.chmod", "os.link", "os.symlink"),
        lambda: OSError(5, "Input/output error", _PATH),
    ),
    **dict.fromkeys(
        ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
        lambda: socket.gaierror(-3, "Temporary failure in name resolution"),
    ),
    "socket.connect": lambda: ConnectionRefusedError(111, "Connection refused"),
    "subprocess.Popen": lambda: OSError(12, "Cannot allocate memory"),
    "sqlite3.connect": lambda: sys.modules["sqlite3"].OperationalError("unable to open database file"),
}  # fmt: skip
"""What the system raises at each event of CPython's table of audit events."""
_WITHOUT_PATH: Final = ("socket.", "subprocess.")
_OF_THE_SYSTEM: Final = (
    "/proc/",
    "/dev/",
    "/sys/",
    "/etc/",
    "/usr/share/",
    "/usr/lib",
    "/lib/",
    "/lib32/",
    "/lib64/",
)
_CONTRACTS: Final = frozenset({"aptix_harness", "amplifier_core"})

_in_call: ContextVar[bool] = ContextVar("aptix_conformance_fault_in_call", default=False)
"""True in the tasks and the threads (`asyncio.to_thread`) of the call, which have no frame of the tool's code below them."""
_watching: list["_Outside"] = []
_hooked: list[bool] = []


class _Use(NamedTuple):
    """A call of a package that came to the outside: the called function, and the frame of the tool, None where there is none."""

    name: str
    caller: FrameType | None


@contextlib.contextmanager
def watch_outside(fault: Fault, own: OwnCode) -> Iterator[None]:
    """A context in which the outside is watched, and the `fault` happens there. A hook cannot be removed; it is idle outside."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_hook)
    token = _in_call.set(True)
    _watching.append(_Outside(fault, own))
    try:
        yield
    finally:
        _watching.clear()
        _in_call.reset(token)


def _hook(event: str, arguments: Sequence[Any]) -> None:
    if event not in _ERRORS:
        return
    for outside in tuple(_watching):  # the call may end meanwhile, in another thread
        outside.meet(event, arguments, sys._getframe(1))  # noqa: SLF001 - the stack says who came here


class _Outside:
    """The outside during one call."""

    def __init__(self, fault: Fault, own: OwnCode) -> None:
        self._fault = fault
        self._own = own
        self._listed = (Sites("library"), Sites("parser"))
        self._met: Counter[tuple[str, str]] = Counter()

    def meet(self, event: str, arguments: Sequence[Any], frame: FrameType) -> None:
        """One event; raises what the system would raise if it is the one to fail."""
        if not event.startswith(_WITHOUT_PATH) and not self._is_outside(arguments[0]):
            return
        use = self._use(frame)
        if use is None:
            return
        where = place_of(use.caller) if use.caller else ""
        self._met[use.name, where] += 1
        if self._met[use.name, where] > MOST_AT_A_PLACE and not self._fault.reached:
            return
        if self._fault.is_due(use.name, lambda: where):
            self._fault.injected = OUTSIDE
            error = _ERRORS[event]()
            raise error

    def _use(self, frame: FrameType | None) -> _Use | None:
        """The call of a package that a stack shows; None where it shows none, or one that fails as a whole."""
        called = below = None
        while frame is not None and not self._own.holds(frame.f_code):
            file = frame.f_code.co_filename
            if file.startswith("<frozen importlib") or _module(frame).partition(".")[0] in _CONTRACTS:
                return None
            if is_runner_code(frame.f_code):
                if not self._own.caller(frame):
                    frame = None
                    break
            elif is_installed(file):
                called = frame
            below, frame = frame, frame.f_back
        if called is None or below is None or (frame is None and not _in_call.get()):
            return None
        if any(sites.find(_module(below), below.f_code.co_qualname) for sites in self._listed):
            return None
        return _Use(_name(called), frame)

    def _is_outside(self, path: object) -> bool:
        """Whether a path is neither of the tool's code, nor of the installation, nor of the system.

        An open descriptor has none, and a database in memory.
        """
        if not (is_a(path, str, bytes) or hasattr(type(path), "__fspath__")):
            return False
        text = os.fsdecode(path)  # type: ignore[arg-type]
        if not text or ("memory" in text and text.startswith((":memory:", "file:"))):
            return False
        place = os.path.abspath(text)
        library = os.path.join(os.path.dirname(os.__file__), "")
        is_of_the_system = place.startswith((*_OF_THE_SYSTEM, library))
        return not (is_of_the_system or is_installed(place) or self._own.is_beside(place))


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))


def _name(frame: FrameType) -> str:
    """The name of a function of a package, without what lies in it: `jinja2.Environment.get_template()`."""
    owner, _, name = frame.f_code.co_qualname.partition(".<locals>")[0].rpartition(".")
    public = ".".join(part for part in _module(frame).split(".") if not part.startswith("_"))
    return display_name(public, owner, name)
