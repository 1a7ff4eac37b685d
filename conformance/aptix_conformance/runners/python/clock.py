"""Time that does not pass while a thread waits for a processor, so that the load of the machine decides nothing."""

import asyncio
import contextlib
import os
import time
from typing import Any, Final

_now: Final = time.perf_counter


class Clock:
    """Counts seconds of its thread, without the time in which the thread waited for a processor."""

    def __init__(self) -> None:
        self._fd = -1
        with contextlib.suppress(OSError):
            self._fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def now(self) -> float:
        """The time by this clock."""
        try:
            return _now() - int(os.pread(self._fd, 64, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return _now()

    def close(self) -> None:
        """Close the descriptor."""
        with contextlib.suppress(OSError):
            os.close(self._fd)
        self._fd = -1


async def ends_within(call: "asyncio.Future[Any]", seconds: float) -> bool:
    """Whether a call ends within some seconds of this thread's own time. Returns as soon as it ends."""
    clock = Clock()
    until = clock.now() + seconds
    while not call.done() and (remaining := until - clock.now()) > 0:
        await asyncio.wait({call}, timeout=remaining)
    clock.close()
    return call.done()
