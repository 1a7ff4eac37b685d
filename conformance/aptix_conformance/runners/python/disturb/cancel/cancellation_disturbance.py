"""Cancels a call at one point, found by counting suspensions and not by time.

A task belongs to the call if it was created in the call's context. Tasks inherit the context variable, so children of
`gather` and `TaskGroup` belong to the call too. Each task's coroutine is wrapped; every value that it yields to the event
loop is one suspension. A callback of the loop cancels, before the suspended task can continue.

Times exclude the time in which the thread was ready but had no processor (Linux counts that), so that load does not make
a tool look slow.
"""

import asyncio
import contextlib
import contextvars
import functools
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...clock import Clock
from ...disturbance import Disturbance, Start, finish
from .current import WatchedCoroutine, current
from .leftovers import Leftovers
from .places import Places, frames_of, stack_of
from .point import CancellationPoint, read_point
from .process_activity import ChildrenOfThread
from .services import wrap_service, yield_once
from .stopwatch import Watchdog

MOST_SUSPENSIONS: Final = 1_000
"""Limit of suspensions of one call that are kept by name."""
MOST_SEARCHED: Final = 100
"""Limit of suspensions of one call at which the token is searched for."""
HOLD: Final = 0.1
"""Seconds that a service delays its answer where the token is cancelled during the wait."""

_Task: Final = asyncio.Task
_SWALLOWS_IN_WAIT_FOR: Final = sys.version_info < (3, 12)


def make(what: str, cls: type, source: Any) -> "CancellationDisturbance":
    """The disturbance `cancel:WHAT` of a call of a tool's class, whose token `source` cancels.

    Raises:
        ValueError: `what` is not a point (`point.CancellationPoint`).
    """
    return CancellationDisturbance(read_point(what), Places(cls), source)


class CancellationDisturbance(Disturbance):
    """One call, watched and cancelled."""

    def __init__(self, point: CancellationPoint, places: Places, source: Any) -> None:
        self._point = point
        self._places = places
        self._source = source
        self._clock = Clock()
        self._watchdog = Watchdog(self._clock, point.block, stack_of)
        self._loop: Any = None
        self._task: Any = None
        self._main: Any = None
        self._leftovers: Any = None
        self._left_running: list[str] = []
        self._kept_running: list[str] = []
        self._instance: object = None
        self._is_over = False
        self._count = 0
        self._children: Any = None
        self._at_child: list[int] = []
        self._is_token_passed = False
        self._suspensions: list[str] = []
        self._cancelled_at: float | None = None
        self._ended_at = 0.0
        self._place = ""
        self._is_pausing = False
        self._is_holding = False
        self._may_be_swallowed = False
        self._exit: BaseException | None = None

    def wrap_service(self, name: str, service: object) -> object:  # noqa: ARG002 - all services are treated alike
        """See `services.wrap_service`."""
        return wrap_service(service)

    def note_instance(self, tool: object) -> None:
        """See `Disturbance`."""
        self._instance = tool

    async def run(self, start: Start) -> tuple[Any, bool]:
        """See `Disturbance`: the call runs in a separate task, so that it alone can be cancelled."""
        self._loop = loop = asyncio.get_running_loop()
        self._leftovers = Leftovers(self._clock, self._point.within, self._places)
        self._children = ChildrenOfThread() if self._point.kind == "watch" else None
        with self._watching():
            self._begin(start)
            timer = loop.call_later(self._point.delay, self._cancel) if self._point.kind == "delay" else None
            try:
                await asyncio.wait({self._task})
            except asyncio.CancelledError:
                self._task.cancel()
                raise
            finally:
                self._is_over = True
                if timer is not None:
                    timer.cancel()
        self._left_running = await self._leftovers.settle()
        self._kept_running = self._leftovers.kept_by(self._instance)
        self._clock.close()
        if self._children is not None:
            self._children.close()
        if self._exit is not None:
            raise self._exit
        result: tuple[Any, bool] = self._task.result()
        return result

    def disturbed(self) -> dict[str, Any]:
        """The members of `Disturbed`."""
        # Before Python 3.12, wait_for returns the answer and loses the cancellation where both come at once.
        raced = self._may_be_swallowed and not self._task.cancelled() and self._task.exception() is None
        since = self._cancelled_at
        return {
            "reached": since is not None and not raced,
            "place": self._place,
            "suspensions": self._suspensions,
            "after": max(0.0, self._ended_at - since) if since is not None else 0.0,
            "left_running": self._left_running,
            "kept_running": self._kept_running,
            "blocked": self._watchdog.longest,
            "blocked_at": self._watchdog.stack,
            "at_child": self._at_child,
            "token_passed": self._is_token_passed,
        }

    # ---- the call and its tasks

    @contextlib.contextmanager
    def _watching(self) -> Iterator[None]:
        """Watch all tasks created meanwhile, and time each step."""
        former = self._loop.get_task_factory()
        mine = functools.partial(self._make_task, former)
        self._loop.set_task_factory(mine)
        self._watchdog.start()
        try:
            yield
        finally:
            if self._loop.get_task_factory() is mine:
                self._loop.set_task_factory(former)
            self._watchdog.stop()

    def _begin(self, start: Start) -> None:
        began = self._clock.now()
        if self._point.kind == "before":
            self._place = "before the call"
            self._cancel_token()
        if self._point.kind in ("watch", "before"):
            self._cancelled_at = began
        context = contextvars.copy_context()
        context.run(current.set, self)
        self._main = self._finish(start)
        self._task = _Task(WatchedCoroutine(self._main, self), loop=self._loop, context=context)
        self._task.add_done_callback(self._end)

    async def _finish(self, start: Start) -> tuple[Any, bool]:
        try:
            return await finish(start)
        except (SystemExit, KeyboardInterrupt) as error:
            self._exit = error  # raised in a task, it would end the event loop
            return None, True

    def _make_task(self, former: Any, loop: Any, coroutine: Any, **options: Any) -> Any:
        is_mine = current.get() is self
        if is_mine and not self._is_over:
            coroutine = WatchedCoroutine(coroutine, self)
        task = (
            _Task(coroutine, loop=loop, **options) if former is None else former(loop, coroutine, **options)
        )
        if is_mine:
            self._leftovers.add_task(task)
        return task

    def _end(self, _task: object) -> None:
        self._is_over = True
        self._ended_at = self._clock.now()

    def step(self, advance: Any, coroutine: Any, *args: Any) -> Any:
        """Run one of the call's tasks until it suspends, and count the suspension."""
        if self._is_over:
            return advance(*args)
        outer = self._watchdog.enter()
        try:
            yielded = advance(*args)
        finally:
            self._watchdog.leave(outer)
        self._count += 1
        is_point = self._point.is_counted and self._count == self._point.number
        is_named = self._count <= MOST_SUSPENSIONS
        place = self._places.of(coroutine) if is_point or is_named else ""
        if is_named:
            self._suspensions.append(place)
            self._observe(coroutine)
        if is_point:
            self._place = place
            self._is_holding = self._is_pausing
            if self._point.hold:
                self._loop.call_later(self._point.hold, self._cancel)
            else:
                self._loop.call_soon(self._cancel)
        self._is_pausing = False
        return yielded

    def _observe(self, coroutine: Any) -> None:
        """Note whether a child process of the call exists, and whether its token is in foreign hands."""
        if self._children is not None and self._children.has_new():
            self._at_child.append(self._count)
        if not self._is_token_passed and self._count <= MOST_SEARCHED:
            self.note_arguments(self._places.foreign_locals(coroutine))

    def note_arguments(self, values: Iterable[object]) -> None:
        """Look for the token of the call among values, and in tuples of them: the arguments of a callee's callee."""
        token = self._source.token
        for value in values:
            if value is token or (type(value) is tuple and any(item is token for item in value)):
                self._is_token_passed = True

    async def pause(self) -> None:
        """Yield before a method of a service begins, and longer where the call is cancelled here."""
        self._is_pausing = True
        await yield_once()
        if self._is_holding:
            self._is_holding = False
            await asyncio.sleep(HOLD)

    # ---- cancelling

    def _cancel(self) -> None:
        """Cancel, unless the call has ended since its point was reached."""
        if self._task.done():
            return
        self._cancelled_at = self._clock.now()
        if self._point.kind == "task":
            self._cancel_task()
            return
        if self._point.kind == "delay":
            self._place = f"after {self._point.delay:g} s"
        self._cancel_token()

    def _cancel_task(self) -> None:
        frames = list(frames_of(self._main))
        names = {frame.f_code.co_name for frame in frames}
        self._may_be_swallowed = _SWALLOWS_IN_WAIT_FOR and "wait_for" in names
        for frame in frames:
            self._leftovers.add_server(frame)
        self._task.cancel()

    def _cancel_token(self) -> None:
        with contextlib.suppress(Exception):  # an exception of the tool's callbacks
            self._source.cancel()
