"""The disturbance `cancel`: a call is cancelled at one moment that is counted and not timed.

Its moments, with options behind them (`token:3;within=2;block=0.5`):

    watch            never: the call is only watched, so that one knows how often it is suspended
    before           the token, before the call
    token:K          the token, at the K-th suspension of any task of the call
    delay:SECONDS    the token, so long after the call began
    task:K           the task of the call itself, at the K-th suspension

A task of the call is one that was made in its context: the context variable below goes along with whatever the
tool starts, so that children of `gather` and `TaskGroup` are seen too. Each one's coroutine is wrapped, and every
value that it yields to the event loop is one suspension. The cancelling is a callback of the loop, which runs
before the suspended task can go on.

Injected services that answer at once would never let a tool wait. Their async methods give way once before they
begin, and hold their answer back for a moment where the call is cancelled just there.

Times leave out what the machine took away: how long the thread stood ready to run and got no processor (Linux
counts that), so that load is not taken for a slow tool.
"""

import asyncio
import contextlib
import contextvars
import functools
import gc
import inspect
import sys
import types
from collections.abc import Callable, Coroutine, Generator, Mapping
from typing import Any, Final

from ...disturbance import Disturbance
from . import places, stopwatch, surroundings

MOST_SUSPENSIONS: Final = 1_000
"""Suspensions of one call that are kept by name."""
HOLD: Final = 0.1
"""Seconds that a service holds its answer back where the token is cancelled while it is waited for."""

_MOST_LEFT: Final = 20  # things left running that are told
_SWALLOWS_IN_WAIT_FOR: Final = sys.version_info < (3, 12)


_Task: Final = asyncio.Task
_Server: Final = asyncio.Server
_mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_call: Final[contextvars.ContextVar[Any]] = contextvars.ContextVar("aptix_call", default=None)


def make(what: str, cls: type, source: Any) -> "Cancelling":
    """The disturbance `cancel:WHAT` of a call of a tool's class, whose token `source` cancels.

    Raises:
        ValueError: `what` is none of the moments above.
    """
    moment, *options = what.split(";")
    kind, _, detail = moment.partition(":")
    if kind not in ("watch", "before", "token", "delay", "task"):
        raise ValueError(f"a call cannot be cancelled at {what!r}")
    number = int(detail) if kind in ("token", "task") else 0
    delay = float(detail) if kind == "delay" else 0.0
    limits = {name: float(value) for name, _, value in (option.partition("=") for option in options)}
    return Cancelling(kind, number, delay, limits, places.Places(cls), source)


class Cancelling(Disturbance):
    """One call, watched and cancelled."""

    def __init__(
        self,
        kind: str,
        number: int,
        delay: float,
        limits: Mapping[str, float],
        where: Any,
        source: Any,
    ) -> None:
        self._kind = kind
        self._number = number
        self._delay = delay
        self._grace = limits.get("within", 1.0)
        self._places = where
        self._source = source
        self._clock = stopwatch.Clock()
        self._watchdog = stopwatch.Watchdog(self._clock, limits.get("block", 1.0), places.stack_of)
        self._loop: Any = None
        self._task: Any = None
        self._main: Any = None
        self._tasks: list[Any] = []
        self._over = False
        self._count = 0
        self._suspensions: list[str] = []
        self._struck: float | None = None
        self._ended = 0.0
        self._place = ""
        self._pausing = False
        self._holding = False
        self._may_be_swallowed = False
        self._exit: BaseException | None = None
        self._left: list[str] = []
        self._lost: list[Any] = []

    # ---- the seam

    def wrap_service(self, name: str, service: object) -> object:  # noqa: ARG002 - the seam
        """The service itself, its async methods made to give way before they begin."""
        with contextlib.suppress(
            Exception
        ):  # a class that cannot be derived from: the service stays as it is
            kind = _pausing(type(service))  # type: ignore[arg-type]  # types hash, whatever their objects do
            if kind is not None:
                object.__setattr__(service, "__class__", kind)
        return service

    async def run(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        """See `Disturbance`: the call is a task of its own, so that it can be cancelled alone."""
        self._loop = loop = asyncio.get_running_loop()
        before = surroundings.Surroundings()
        context = contextvars.copy_context()
        context.run(_call.set, self)
        former = loop.get_task_factory()
        mine = functools.partial(self._make_task, former)
        loop.set_task_factory(mine)
        self._watchdog.start()
        began = self._clock.now()
        if self._kind == "before":
            self._place = "before the call"
            self._cancel_token()
        if self._kind in ("watch", "before"):
            self._struck = began
        self._main = self._begin(start)
        self._task = _Task(_Watched(self._main, self), loop=loop, context=context)
        self._task.add_done_callback(self._end)
        timer = loop.call_later(self._delay, self._strike) if self._kind == "delay" else None
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            self._task.cancel()
            raise
        finally:
            self._over = True
            if timer is not None:
                timer.cancel()
            if loop.get_task_factory() is mine:
                loop.set_task_factory(former)
            self._watchdog.stop()
        self._left = await self._settle(before)
        self._clock.close()
        if self._exit is not None:
            raise self._exit
        given: tuple[Any, bool] = self._task.result()
        return given

    def seen(self) -> dict[str, Any]:
        """The members of `Disturbed`."""
        # Before Python 3.12, wait_for gives the answer and drops the cancellation where both come at once.
        raced = self._may_be_swallowed and not self._task.cancelled() and self._task.exception() is None
        return {
            "reached": self._struck is not None and not raced,
            "place": self._place,
            "suspensions": self._suspensions,
            "after": max(0.0, self._ended - self._struck) if self._struck is not None else 0.0,
            "left_running": self._left,
            "blocked": self._watchdog.longest,
            "blocked_at": self._watchdog.stack,
        }

    # ---- the call and its tasks

    async def _begin(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        try:
            given = start()
            awaited = inspect.isawaitable(given)
            return (await given if awaited else given), awaited
        except (SystemExit, KeyboardInterrupt) as error:
            self._exit = error  # out of a task it would end the event loop
            return None, True

    def _make_task(self, former: Any, loop: Any, coroutine: Any, **options: Any) -> Any:
        if _call.get() is self and not self._over:
            coroutine = _Watched(coroutine, self)
        task = (
            _Task(coroutine, loop=loop, **options) if former is None else former(loop, coroutine, **options)
        )
        if _call.get() is self:
            self._tasks.append(task)
        return task

    def _end(self, _task: object) -> None:
        self._over = True
        self._ended = self._clock.now()

    def step(self, advance: Callable[..., Any], coroutine: Any, *args: Any) -> Any:
        """Let one of the call's tasks run until it is suspended, and count that."""
        if self._over:
            return advance(*args)
        outer = self._watchdog.enter()
        try:
            yielded = advance(*args)
        finally:
            self._watchdog.leave(outer)
        self._count += 1
        aimed = self._kind in ("token", "task") and self._count == self._number
        if aimed or self._count <= MOST_SUSPENSIONS:
            place = self._places.of(coroutine)
            if self._count <= MOST_SUSPENSIONS:
                self._suspensions.append(place)
        if aimed:
            self._place = place
            self._holding = self._pausing
            self._loop.call_soon(self._strike)
        self._pausing = False
        return yielded

    def _strike(self) -> None:
        """Cancel, unless the call has ended since its moment came."""
        if self._task.done():
            return
        self._struck = self._clock.now()
        if self._kind == "task":
            frames = list(places.frames_of(self._main))
            self._may_be_swallowed = _SWALLOWS_IN_WAIT_FOR and any(
                frame.f_code.co_name == "wait_for" for frame in frames
            )
            self._lost = [server for frame in frames if (server := _unborn_server(frame)) is not None]
            self._task.cancel()
            return
        if self._kind == "delay":
            self._place = f"after {self._delay:g} s"
        self._cancel_token()

    def _cancel_token(self) -> None:
        with contextlib.suppress(Exception):  # what the tool's callbacks raise, who cancels has to bear
            self._source.cancel()

    async def pause(self) -> None:
        """What a service does before it begins: give way, and longer where the call is cancelled just here."""
        self._pausing = True
        await _give_way()
        if self._holding:
            self._holding = False
            await asyncio.sleep(HOLD)

    async def _settle(self, before: Any) -> list[str]:
        """What is still running of the call; whatever is about to end is given the time to."""
        for server in self._lost:
            server.close()
        until = self._clock.now() + self._grace
        wait, collected = 0.001, False
        while left := [*self._unfinished(), *surroundings.Surroundings().beyond(before)]:
            if not collected:
                collected = True
                gc.collect()  # a socket that nobody holds any more may be kept by a cycle
            elif self._clock.now() >= until:
                break
            await asyncio.sleep(wait)
            wait = min(wait * 2, 0.05)
        return left[:_MOST_LEFT]

    def _unfinished(self) -> list[str]:
        self._tasks = [task for task in self._tasks if not task.done()]
        told = []
        for task in self._tasks:
            coroutine = task.get_coro()
            name = getattr(coroutine, "__qualname__", "") or task.get_name()
            told.append(f"the task {name} at {self._places.of(coroutine)}")
        return told


def _unborn_server(frame: Any) -> Any:
    """The server that asyncio has opened in a frame and not yet given back: cancelled there, it is nobody's to close."""
    if frame.f_code.co_name not in ("create_server", "create_unix_server"):
        return None
    server = frame.f_locals.get("server")
    return server if type(server) is _Server else None


class _Watched(Coroutine[Any, Any, Any]):
    """A coroutine that tells its call of every step; in all else it is the one inside."""

    def __init__(self, inner: Any, of: Cancelling) -> None:
        self.aptix_inner = inner
        self._of = of

    def send(self, value: Any) -> Any:
        return self._of.step(self.aptix_inner.send, self.aptix_inner, value)

    def throw(self, *error: Any) -> Any:
        return self._of.step(self.aptix_inner.throw, self.aptix_inner, *error)

    def close(self) -> None:
        self.aptix_inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.aptix_inner.__await__()  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.aptix_inner, name)


# ---- services that make one wait


@types.coroutine
def _give_way() -> Generator[None, None, None]:
    yield


@functools.lru_cache(maxsize=64)
def _pausing(kind: type) -> type | None:
    """A class like `kind` whose public async methods pause; None where it has none."""
    found: dict[str, Any] = {}
    for base in reversed(_mro_of(kind)):
        for name, value in vars(base).items():
            public = not name.startswith("_") or name == "__aenter__"
            if (
                public
                and type(value) is types.FunctionType
                and value.__code__.co_flags & inspect.CO_COROUTINE
            ):
                found[name] = _paused(value)
            else:
                found.pop(name, None)
    if not found or getattr(kind, "aptix_pauses", False):
        return None
    body = found | {"__slots__": (), "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind)(kind.__name__, (kind,), body | {"aptix_pauses": True})


def _paused(method: Any) -> Any:
    @functools.wraps(method)
    async def paused(*args: Any, **more: Any) -> Any:
        call = _call.get()
        if call is not None:
            await call.pause()
        return await method(*args, **more)

    return paused
