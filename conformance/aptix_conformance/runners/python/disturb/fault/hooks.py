"""Watches the calls from a tool's own code into libraries, and makes one of them fail.

From Python 3.12 on, `sys.monitoring` reports each call, with the called object, before it runs. In Python 3.11, a profile
function reports the start of each function that the tool's code calls. It misses a coroutine of a library that is not
awaited at once, and all calls after the fault. Both leave tracing alone, which coverage needs.

An exception from the report is raised at the place of the call, and the call does not run.
"""

import asyncio
import contextlib
import dis
import inspect
import sys
import threading
from collections.abc import Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Final

from ...foreign import is_a, module_of
from .callees import Callee, callee_in_thread, callee_of
from .fault import Fault
from .own_code import OwnCode, place_of
from .sites import Sites

_RESUME: Final = 151  # the opcode in Python 3.11
_CALL_FUNCTION_EX: Final = dis.opmap["CALL_FUNCTION_EX"]


def _is_contract_class(cls: object) -> bool:
    """Whether a class belongs to the contract: pydantic creates Amplifier's results, and is no dependency there."""
    return is_a(cls, type) and str(module_of(cls)).partition(".")[0] == "amplifier_core"


def _constructs_contract_class(frame: FrameType) -> bool:
    code = frame.f_code
    first = (
        frame.f_locals.get(code.co_varnames[0]) if code.co_name == "__init__" and code.co_argcount else None
    )
    return _is_contract_class(type(first))


def _unpacks(code: CodeType, offset: int) -> bool:
    """Whether the call at an offset uses `*` or `**`."""
    return code.co_code[offset] == _CALL_FUNCTION_EX


def watch_calls(fault: Fault, own: OwnCode, sites: Sites) -> contextlib.AbstractContextManager[object]:
    """A context that watches the calls of the tool's `own` code, and makes the `fault` happen."""
    if sys.version_info >= (3, 12):
        return _Monitoring(fault, own, sites)
    else:  # noqa: RET505 - type checkers know only this form
        return _profiling(fault, own, sites)


if sys.version_info >= (3, 12):

    class _Monitoring:
        """The hook for Python 3.12 and later."""

        def __init__(self, fault: Fault, own: OwnCode, sites: Sites) -> None:
            self._fault = fault
            self._own = own
            self._sites = sites
            self._waiting: dict[CodeType, Exception] = {}
            self._tool = next(n for n in (4, 3, 2, 0, 5, 1) if sys.monitoring.get_tool(n) is None)

        def __enter__(self) -> None:
            events = sys.monitoring.events
            sys.monitoring.use_tool_id(self._tool, "aptix-conformance fault")
            sys.monitoring.register_callback(self._tool, events.CALL, self._on_call)
            sys.monitoring.register_callback(self._tool, events.PY_START, self._on_start)
            more = events.NO_EVENTS
            if sys.version_info < (3, 13):
                # Python 3.12 does not report f(**more) where f is written in Python; that it begins is reported. Which
                # of these reports are disabled may have been set for another area of calls, and holds until then.
                more = events.PY_START
                sys.monitoring.restart_events()
            sys.monitoring.set_events(self._tool, events.CALL | more)

        def __exit__(self, *_: object) -> None:
            events = sys.monitoring.events
            for code in self._waiting:
                sys.monitoring.set_local_events(self._tool, code, events.NO_EVENTS)
            sys.monitoring.set_events(self._tool, events.NO_EVENTS)
            for event in (events.CALL, events.PY_START):
                sys.monitoring.register_callback(self._tool, event, None)
            sys.monitoring.free_tool_id(self._tool)

        def _on_call(self, code: CodeType, offset: int, function: object, first: object) -> object:
            if not self._own.holds(code):
                return sys.monitoring.DISABLE
            callee = None if _is_contract_class(function) else callee_in_thread(callee_of(function), first)
            site = self._sites.find(callee.module, callee.qualname) if callee else None
            if callee is None or site is None or (site.unpacking and not _unpacks(code, offset)):
                return None
            where = partial(place_of, sys._getframe(1))  # noqa: SLF001 - the frame that calls
            if not self._fault.is_due(site.name, where):
                return None
            error = self._fault.exception_of(site)
            if callee.starts is None:
                raise error
            # A call of a coroutine function always returns a coroutine; the fault comes when it is awaited.
            self._waiting[callee.starts] = error
            sys.monitoring.set_local_events(self._tool, callee.starts, sys.monitoring.events.PY_START)
            return None

        def _on_start(self, code: CodeType, _offset: int) -> object:
            error = self._waiting.pop(code, None)
            if error is not None:
                sys.monitoring.set_local_events(self._tool, code, sys.monitoring.events.NO_EVENTS)
                raise error
            frame = sys._getframe(1)  # noqa: SLF001 - the frame that begins
            site = self._sites.find(str(frame.f_globals.get("__name__")), code.co_qualname)
            if site is None:
                return sys.monitoring.DISABLE
            caller = frame.f_back
            calls = (
                caller is not None
                and self._own.holds(caller.f_code)
                and _unpacks(caller.f_code, caller.f_lasti)
            )
            calls = calls and not _constructs_contract_class(frame)
            if caller is not None and calls and self._fault.is_due(site.name, partial(place_of, caller)):
                raise self._fault.exception_of(site)
            return None

else:
    from concurrent.futures.thread import _WorkItem

    @contextlib.contextmanager
    def _profiling(fault: Fault, own: OwnCode, sites: Sites) -> Iterator[None]:
        def profile(frame: FrameType, event: str, arg: object) -> None:
            if event == "call":
                caller = frame.f_back
                if caller is None or not own.holds(caller.f_code) or not _is_call(frame):
                    return
                if _constructs_contract_class(frame):
                    return
                module, qualname = _started(frame)
            elif event == "c_call" and own.holds(frame.f_code):
                callee = callee_of(arg)
                if callee is None:
                    return
                caller, module, qualname = frame, callee.module, callee.qualname
            else:
                return
            site = sites.find(module, qualname)
            if site is None or (site.unpacking and not _unpacks(caller.f_code, caller.f_lasti)):
                return
            if fault.is_due(site.name, partial(place_of, caller)):
                fault.retried = None  # the interpreter removes a profile function that raises
                raise fault.exception_of(site)

        def run(item: _WorkItem[object]) -> None:
            sys.setprofile(profile)
            try:
                original_run(item)
            finally:
                sys.setprofile(None)

        # A thread that a pool started for an earlier call keeps the profile function that it began with, so each work item sets its own.
        original_run = _WorkItem.run
        _WorkItem.run = run  # type: ignore[assignment,method-assign,unused-ignore]
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type,unused-ignore]
            _WorkItem.run = original_run  # type: ignore[method-assign,unused-ignore]

    def _started(frame: FrameType) -> tuple[str, str]:
        """The module and the name of the function that begins, or that `asyncio.to_thread` hands to a thread."""
        callee = Callee(str(frame.f_globals.get("__name__")), frame.f_code.co_qualname)
        if frame.f_code is not asyncio.to_thread.__code__:
            return callee[:2]
        handed = callee_in_thread(callee, frame.f_locals.get("func"))
        return handed[:2] if handed else ("", "")

    def _is_call(frame: FrameType) -> bool:
        """Whether a frame is a new call of a function: not a class, a module or a resumed coroutine."""
        code = frame.f_code
        if not code.co_flags & inspect.CO_OPTIMIZED:
            return False
        if not code.co_flags & (inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
            return True
        return frame.f_lasti <= code.co_code[::2].find(_RESUME) * 2
