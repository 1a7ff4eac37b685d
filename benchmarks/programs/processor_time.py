"""What some work costs, with the processes below this one."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import psutil

_T = TypeVar("_T")


def timed(work: Callable[[], _T]) -> tuple[_T, dict[str, float]]:
    """What work gives, and its seconds: `wall` by the clock, `cpu` of all processes."""
    started = _now()
    found = work()
    return found, _since(started)


async def timed_by(work: Callable[[], Awaitable[None]]) -> dict[str, float]:
    """The same of a coroutine that gives nothing."""
    started = _now()
    await work()
    return _since(started)


def children_cpu() -> float:
    """Seconds of processor that the processes below this one have used."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(time.user + time.system for time in times)


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time() + children_cpu()


def _since(started: tuple[float, float]) -> dict[str, float]:
    wall, cpu = started
    now_wall, now_cpu = _now()
    return {"wall": now_wall - wall, "cpu": now_cpu - cpu}
