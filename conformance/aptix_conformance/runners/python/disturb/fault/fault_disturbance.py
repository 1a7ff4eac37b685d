"""The disturbance `fault`: makes one dependency of a call fail once.

In `AREA:N:KIND`, the area says what may fail: `service` (uses of injected services), `library` (calls from the
tool's own code into modules that do I/O or write documents, and the outside beneath other installed packages) or `parser` (the same into modules that read them). The
N-th use, counted from 1 within the call, fails. After a third colon: further modules that count as `library`,
separated by commas.

A kind is an exception (`EXCEPTIONS`), or for a parser `own`: the exception that the called module really raises. A
service may also return a wrong value (`INSTEAD`). No use fails while the tool handles an exception, because that would
be two faults. No use fails in the tool's constructor, which runs before the call. An exception's kind after `lasting-` fails each
later use of the same target, too: an outage that does not end before the call.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from typing import Any, Final

from ...clock import ends_within
from ...disturbance import Disturbance, Start, finish
from .fault import Fault
from .hooks import watch_calls
from .kinds import AREAS, EXCEPTIONS, INSTEAD, LASTING
from .outside import watch_outside
from .own_code import OwnCode
from .proxies import Proxies
from .sites import Sites

PATIENCE: Final = 1.0
"""Seconds that a call may take after its token is cancelled while a service never answers."""


class FaultDisturbance(Disturbance):
    """A call with one fault."""

    def __init__(self, fault: Fault, source: Any) -> None:
        self._fault = fault
        self._fault.token = source.token
        self._source = source
        self._since = 0.0
        self._after = 0.0
        self._given_up = False

    async def run(self, start: Start) -> tuple[Any, bool]:
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

    def disturbed(self) -> dict[str, Any]:
        """See `Disturbance`."""
        return {
            "reached": self._fault.reached,
            "place": self._fault.place,
            "injected": self._fault.injected,
            "undocumented": self._fault.undocumented,
            "after": self._after,
            "retried": self._fault.retried,
            "given_up": self._given_up,
            "token_passed": self._fault.token_passed,
        }

    def _hook(self) -> contextlib.AbstractContextManager[object]:
        """A context that watches the uses during the call."""
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def _watching(self) -> Iterator[None]:
        self._fault.armed = True
        try:
            with self._hook():
                yield
        finally:
            self._fault.armed = False

    async def _cancel(self, call: "asyncio.Task[Any]") -> None:
        """Cancel the token of a call that waits without end, and finally the call itself."""
        self._since = time.monotonic()
        with contextlib.suppress(Exception):  # an exception of the tool's callback
            self._source.cancel()
        self._given_up = not await ends_within(call, PATIENCE)
        self._after = time.monotonic() - self._since
        if self._given_up:
            call.cancel()


class ServiceFault(FaultDisturbance):
    """A fault in an injected service, which a proxy makes (`proxies.py`)."""

    def __init__(self, fault: Fault, source: Any, own: OwnCode) -> None:
        super().__init__(fault, source)
        self._proxies = Proxies(fault, own.caller)

    def wrap_service(self, name: str, service: object) -> object:
        """See `Disturbance`."""
        return self._proxies.wrap_service(name, service)


class LibraryFault(FaultDisturbance):
    """A fault in a call from the tool's own code into a library, which a hook makes (`hooks.py`, `outside.py`)."""

    def __init__(self, fault: Fault, source: Any, own: OwnCode, sites: Sites) -> None:
        super().__init__(fault, source)
        self._own = own
        self._sites = sites

    @contextlib.contextmanager
    def _hook(self) -> Iterator[None]:
        with contextlib.ExitStack() as hooks:
            if self._sites.area == "library":
                hooks.enter_context(watch_outside(self._fault, self._own))
            hooks.enter_context(watch_calls(self._fault, self._own, self._sites))
            yield


def make(what: str, cls: type, source: Any) -> FaultDisturbance:
    """The disturbance `AREA:N:KIND[:MODULES]` for a tool.

    Raises:
        ValueError: `what` does not have this form.
    """
    area, number, kind, *rest = [*what.split(":"), "", ""][: 4 if what.count(":") > 2 else 3]  # noqa: PLR2004
    known = {*EXCEPTIONS, *(INSTEAD if area == "service" else ("own",) if area == "parser" else ())}
    known |= {f"{LASTING}{each}" for each in known - {*INSTEAD}}
    if area not in AREAS or kind not in known or not number.isdecimal() or number == "0":
        raise ValueError(f"{what!r} is not a fault: use AREA:N:KIND, with an area of {', '.join(AREAS)}")
    fault, own = Fault(int(number), kind), OwnCode(cls)
    if area == "service":
        return ServiceFault(fault, source, own)
    modules = tuple(name for name in "".join(rest).split(",") if name)
    return LibraryFault(fault, source, own, Sites(area, modules))
