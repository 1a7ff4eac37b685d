"""One call in a process of its own, made while other work goes on.

A call that did not come back gets as long as a client waits when it is repeated. That wait begins when the call is first seen to
hang, so that it does not come on top of everything else. A thread waits for it; nothing is judged in that thread.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field

from aptix_conformance.core.errors import ConformanceError
from aptix_conformance.core.model import Call, Stimulus
from aptix_conformance.hosts.tool_process import ToolProcess


@dataclass(slots=True)
class CallAhead:
    """The first call of a process, with `timeout` seconds of own time. `take` or `stop` ends the thread that waits for it."""

    process: ToolProcess
    plan: Stimulus
    timeout: float
    _thread: ThreadPoolExecutor = field(init=False)
    _call: "Future[Call]" = field(init=False)

    def __post_init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        execute: Callable[..., Call] = self.process.execute
        self._call = self._thread.submit(execute, self.plan, self.timeout)

    def take(self) -> Call:
        """The call, when it has come back or its time is over.

        Raises:
            HostError, SetupError: as `ToolProcess.execute`.
        """
        try:
            wait([self._call])
        except BaseException:
            self.process.kill()  # an interrupt, which must not wait for the call
            raise
        finally:
            self._thread.shutdown()
        return self._call.result()

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        try:
            with suppress(ConformanceError):
                self.take()
        finally:
            self.process.abandon()
