"""Disturbance `fault`: one thing that a call depends on breaks, once.

`AREA:N:KIND`, where the area says what may break: `service` (uses of injected services), `library` (calls from the
tool's own code into modules that do I/O or write documents) or `parser` (the same into modules that read them). The
N-th of these, counted from 1 within the call, is the one. After a third colon, modules that count as `library` too,
separated by commas.

A kind is an exception (`EXCEPTIONS`), or for a parser `own`: what the module that is called really raises. A service
may also give something instead of an answer (`INSTEAD`). Nothing breaks while the tool handles an exception: that would
be two faults. Nor does anything break in the tool's constructor, which runs before the call.
"""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any, Final

from ...disturbance import Disturbance, finish
from ...frames import FOLDER
from . import libraries, services

CANARY: Final = "cnry5e1f00d5ba5eba11"
"""`canaries.DEPENDENCY_MARK`, which cannot be imported here."""

PATIENCE: Final = 1.0
"""Seconds that a call may go on after its token was cancelled while it waits for a service that never answers."""

AREAS: Final = ("service", "library", "parser")
_ERRNO_EIO: Final = 5


class UnforeseenError(Exception):
    """An exception of a type that no tool can know."""


class UnprintableError(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError(f"{CANARY}: this cannot be shown")


EXCEPTIONS: Final[Mapping[str, Callable[[], Exception]]] = {
    "unknown": lambda: UnforeseenError(f"cannot log in to db-7.internal as admin with {CANARY}"),
    "key_error": lambda: KeyError(CANARY),
    "os_error": lambda: OSError(_ERRNO_EIO, "Input/output error", f"/srv/{CANARY}/data.db"),
    "timeout": lambda: TimeoutError(f"no answer from {CANARY}.internal"),
    "exception_group": lambda: ExceptionGroup(
        f"{CANARY}: 2 of 2 failed", [UnforeseenError(CANARY), OSError(CANARY)]
    ),
    "unprintable": UnprintableError,
}
INSTEAD: Final = ("gives_none", "gives_wrong_type", "never_answers")
"""What a service may give instead of an answer."""


class Unexpected:
    """A value of a type that nobody has heard of."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a value of another type"


class Fault:
    """What is to break, and what became of it.

    Attributes:
        armed: whether uses are counted now.
        reached: whether the use that was to fail was made.
        place: that use in words, `catalog.get_all_modes() at list_modes.py:41`.
        injected: the kind, once it was done; what needs no awaiting cannot hang.
        retried: whether the same was used again afterwards; None where nobody could see that.
        hung: called when a service was asked that never answers.
    """

    def __init__(self, number: int, kind: str) -> None:
        self.armed = False
        self.reached = False
        self.place = ""
        self.injected = ""
        self.retried: bool | None = False
        self.hung: Callable[[], None] = lambda: None
        self._number = number
        self._kind = kind
        self._count = 0
        self._target = ""

    def comes(self, target: str, caller: Callable[[], str]) -> bool:
        """Count one use of `target`; whether it is the one that is to fail."""
        if not self.armed or sys.exc_info()[0] is not None:
            return False
        if self.reached:
            self.retried = self.retried or target == self._target
            return False
        self._count += 1
        if self._count != self._number:
            return False
        self.reached, self._target = True, target
        where = caller()
        self.place = f"{target} at {where}" if where else target
        return True

    def exception(self, own: Callable[[], Exception] | None = None) -> Exception:
        """The exception to be raised; `own` makes what a library itself raises.

        Raises:
            LookupError: the kind is no exception, or `own` is needed and not there.
        """
        make = own if self._kind == "own" else EXCEPTIONS.get(self._kind)
        if make is None:
            raise LookupError(self._kind)
        self.injected = self._kind
        return make()

    def instead(self) -> object:
        """What a use that is to fail gives; the exception that it raises is raised here."""
        if self._kind in EXCEPTIONS:
            raise self.exception()
        self.injected = self._kind
        return None if self._kind == "gives_none" else Unexpected()

    @property
    def raises(self) -> bool:
        """Whether what fails raises, as against giving something else than it should."""
        return self._kind not in INSTEAD

    @property
    def hangs(self) -> bool:
        """Whether what fails never answers."""
        return self._kind == "never_answers"

    async def instead_of_awaiting(self) -> object:
        """As `instead`, for what is awaited: only that can wait without end."""
        if not self.hangs:
            return self.instead()
        self.injected = self._kind
        self.hung()
        return await asyncio.get_running_loop().create_future()


class OwnCode:
    """Which code is the tool's own: its top-level package, and what lies below the folder that holds that.

    Installed packages and the standard library are not, nor is the suite. Of an installed tool only its own package
    is.
    """

    def __init__(self, cls: type) -> None:
        harness = sys.modules.get("aptix_harness")
        self._not_own = (
            FOLDER,
            _folder(os.__file__),
            _folder(getattr(harness, "__file__", None) or FOLDER),
        )
        self._homes = tuple({home for base in type.mro(cls) for home in self._homes_of(base)})
        self._known: dict[str, bool] = {}

    def holds(self, code: CodeType) -> bool:
        """Whether a code object is the tool's own."""
        file = code.co_filename
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._is_own(file)
        return known

    def caller(self, frame: FrameType | None) -> str:
        """`file.py:line` of the nearest frame, from this one up, that is the tool's own; empty where none is."""
        while frame is not None:
            if self.holds(frame.f_code):
                return place_of(frame)
            frame = frame.f_back
        return ""

    def _is_own(self, file: str) -> bool:
        return any(
            file.startswith(home) and not _is_installed(file[len(home) :]) for home in self._homes
        ) and not file.startswith(self._not_own)

    def _homes_of(self, cls: type) -> list[str]:
        top = str(type.__dict__["__module__"].__get__(cls)).partition(".")[0]
        module: Any = sys.modules.get(top)
        if module is None or top == "aptix_harness":
            return []
        packages = [os.path.join(str(path), "") for path in getattr(module, "__path__", None) or ()]
        file = getattr(module, "__file__", None)
        found = packages or ([file] if isinstance(file, str) else [])
        return [
            path if _is_installed(path) else _folder(path.rstrip(os.sep))
            for path in found
            if not path.startswith(self._not_own)
        ]


def place_of(frame: FrameType) -> str:
    """`file.py:line` of where a frame is."""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def _folder(path: str) -> str:
    return os.path.join(os.path.dirname(path), "")


def _is_installed(path: str) -> bool:
    return f"{os.sep}site-packages{os.sep}" in f"{os.sep}{path}" or f"{os.sep}dist-packages{os.sep}" in path


class FaultDisturbance(Disturbance):
    """A call with one fault."""

    def __init__(self, fault: Fault, source: Any) -> None:
        self._fault = fault
        self._source = source
        self._since = 0.0
        self._after = 0.0
        self._given_up = False

    async def run(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        """See `Disturbance`."""
        if not self._fault.hangs:
            with self._watching():
                return await finish(start)
        loop = asyncio.get_running_loop()
        hung = loop.create_future()
        self._fault.hung = lambda: None if hung.done() else hung.set_result(None)
        with self._watching():
            call = loop.create_task(finish(start))
            await asyncio.wait({call, hung}, return_when=asyncio.FIRST_COMPLETED)
            hung.cancel()
            if not call.done():
                await self._cancel(call)
            return await call

    def seen(self) -> dict[str, Any]:
        """See `Disturbance`."""
        return {
            "reached": self._fault.reached,
            "place": self._fault.place,
            "injected": self._fault.injected,
            "after": self._after,
            "retried": self._fault.retried,
            "given_up": self._given_up,
        }

    def _hook(self) -> contextlib.AbstractContextManager[object]:
        """What sees the uses while the call runs."""
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def _watching(self) -> Any:
        self._fault.armed = True
        try:
            with self._hook():
                yield
        finally:
            self._fault.armed = False

    async def _cancel(self, call: "asyncio.Task[Any]") -> None:
        """Cancel the token of a call that waits for what never comes, and at last the call itself."""
        self._since = time.monotonic()
        with contextlib.suppress(Exception):  # what a tool's own callback raises
            self._source.cancel()
        done, _ = await asyncio.wait({call}, timeout=PATIENCE)
        self._after = time.monotonic() - self._since
        if not done:
            self._given_up = True
            call.cancel()


class ServiceFault(FaultDisturbance):
    """Injected services stand behind proxies (`services.py`)."""

    def __init__(self, fault: Fault, source: Any, own: OwnCode) -> None:
        super().__init__(fault, source)
        self._proxies = services.Proxies(fault, own.caller)

    def wrap_service(self, name: str, service: object) -> object:
        """See `Disturbance`."""
        return self._proxies.wrap_service(name, service)


class LibraryFault(FaultDisturbance):
    """Calls of the tool's own code are looked at as they are made (`libraries.py`)."""

    def __init__(self, fault: Fault, source: Any, own: OwnCode, sites: Any) -> None:
        super().__init__(fault, source)
        self._own = own
        self._sites = sites

    def _hook(self) -> contextlib.AbstractContextManager[object]:
        hook: contextlib.AbstractContextManager[object] = libraries.hook(self._fault, self._own, self._sites)
        return hook


def make(what: str, cls: type, source: Any) -> FaultDisturbance:
    """The disturbance `AREA:N:KIND[:MODULES]` for a tool.

    Raises:
        ValueError: `what` is not of that form.
    """
    area, number, kind, *rest = [*what.split(":"), "", ""][: 4 if what.count(":") > 2 else 3]  # noqa: PLR2004
    known = {*EXCEPTIONS, *(INSTEAD if area == "service" else ("own",) if area == "parser" else ())}
    if area not in AREAS or kind not in known or not number.isdecimal() or number == "0":
        raise ValueError(f"{what!r} is no fault: AREA:N:KIND, with an area of {', '.join(AREAS)}")
    fault, own = Fault(int(number), kind), OwnCode(cls)
    if area == "service":
        return ServiceFault(fault, source, own)
    modules = tuple(name for name in "".join(rest).split(",") if name)
    return LibraryFault(fault, source, own, libraries.Sites(area, modules))
