"""A process of the suite's own, in which all that strangers' tools declare and return is read, drawn from and judged.

It is forked from this process, so it knows all that this one knows. It answers one request after another. This process
watches it, as a host watches a tool: where a step (`examine/step_limit.py`) keeps the processor too long, where it
takes too much memory, or where the time for the request is over, the worker and every process below it are killed, and
`StoppedError` says in which step. The next request gets a new worker.
"""

import contextlib
import faulthandler
import gc
import mmap
import multiprocessing
import os
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from aptix_conformance.app.run import pickling
from aptix_conformance.core.errors import ConformanceError, HostError, ShortageError, own_fault
from aptix_conformance.core.model import SystemTraits
from aptix_conformance.core.model.traits import UNKNOWN
from aptix_conformance.examine.step_limit import SECONDS, SIZE, OutOfTime, StepLimit, running_step
from aptix_conformance.hosts import MIB, processes, scratch
from aptix_conformance.hosts.own_time import Figures, ThreadFigures
from aptix_conformance.hosts.shortages import check_limits
from aptix_conformance.runners.contain.privileges import die_with_parent

MEMORY: Final = 768 * MIB
"""Bytes of resident memory that a worker may hold, in addition to what it inherits."""
_HARD_FACTOR: Final = 3
"""A step is stopped from outside after this many times the processor time that stops it from inside."""
_LONGEST: Final = 32 * MIB
"""Bytes of a request or an answer."""
_CHECK_INTERVAL: Final = 0.1
"""Seconds between two looks at the worker."""
_PATIENCE: Final = 30.0
"""Seconds that a worker may take to end its tools' processes when it is closed."""

T = TypeVar("T")
Notify = Callable[[str, int, str], None]


class Serve(Protocol):
    """The work of a worker: it answers a request, reports its progress, and keeps to the limit of its steps."""

    def __call__(self, request: Any, notify: Notify, limit: StepLimit, /) -> Any:
        """Answer one request.

        Raises:
            ConformanceError: as the request allows; it is raised by `Worker.ask` again.
        """


class StoppedError(HostError):
    """A request was stopped. `step` is the step that ended the worker, empty where none did; `reason` says why, as a clause."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(step, reason)
        self.step = step
        self.reason = reason

    def __str__(self) -> str:
        """The reason, with the step."""
        return f"{self.reason} ({self.step})" if self.step else self.reason


class _ParentGone(BaseException):
    """Nobody waits for the answer any more."""


@dataclass(slots=True, eq=False)
class Worker:
    """A process that answers requests; it is started by the first one. `close` ends it."""

    serve: Serve
    end: Callable[[], None]
    """Called in the worker before it ends."""
    traits: Iterable[SystemTraits] = ()
    """The systems, which are sent by name."""
    memory: int = MEMORY
    seconds: float = SECONDS
    """The processor time of a step, as `StepLimit` counts it."""
    hard_factor: int = _HARD_FACTOR
    channels: list[Connection] = field(default_factory=list)
    """Our ends of the channels of this worker and of those made by `another`: none of them may keep those of the others open."""
    _process: ForkProcess | None = None
    _channel: Connection | None = None
    _shared: mmap.mmap | None = None
    _place: scratch.ScratchPlace | None = None
    _inherited: int = 0
    """Bytes that the worker held when it was made: a copy of what this process holds, but for the files that it has mapped."""
    _watch: "_Watched | None" = None
    _by_name: dict[str, SystemTraits] = field(init=False)

    def __post_init__(self) -> None:
        self._by_name = {system.name: system for system in (UNKNOWN, *self.traits)}

    def another(self) -> "Worker":
        """A further worker of the same kind."""
        return Worker(
            self.serve, self.end, self.traits, self.memory, self.seconds, self.hard_factor, self.channels
        )

    def ask(self, request: Any, excluded: Mapping[str, str], notify: Notify, until: float) -> Any:
        """Let the worker answer a request.

        Args:
            request: what `serve` takes.
            excluded: the steps to leave out, each with the reason.
            notify: called with what `serve` says meanwhile.
            until: when the answer must be there, on the monotonic clock.

        Raises:
            StoppedError: there is no answer.
            ConformanceError: as `serve`.
        """
        self.begin(request, excluded)
        while not (answer := self.answer(notify, until)):
            pass
        return answer[0]

    def begin(self, request: Any, excluded: Mapping[str, str]) -> None:
        """Put a request to the worker; the arguments are those of `ask`, and `answer` takes its answer.

        Raises:
            StoppedError: the worker has ended.
            HostError: the request is too long.
        """
        self._start()
        self._watch = self._watched()
        with self._ending_on_failure():
            self._send((dict(excluded), request))

    def answer(
        self, notify: Notify, until: float, seconds: float = _CHECK_INTERVAL
    ) -> tuple[()] | tuple[Any]:
        """The answer to the request that was begun, alone in a tuple; an empty one where it has not come within `seconds`.

        Raises:
            StoppedError, ConformanceError: as `ask`.
        """
        assert self._watch is not None
        with self._ending_on_failure():
            if self.channel.poll(seconds):
                kind, value = self._receive()
                if kind != "notice":
                    self._watch = None
                else:
                    notify(*value)
            if self._watch is not None:
                self._watch.check(until)
                return ()
        if kind == "error":
            raise value
        return (value,)

    @contextlib.contextmanager
    def _ending_on_failure(self) -> Iterator[None]:
        """End the worker where the body fails: it still works on a request that nobody waits for.

        Raises:
            StoppedError: it has ended.
        """
        try:
            yield
        except (EOFError, OSError):
            step = self._watch.step if self._watch else ""
            raise StoppedError(step, f"it ended the process: {self._kill()}") from None
        except BaseException:
            self._kill()
            raise

    @property
    def channel(self) -> Connection:
        """The connection that is readable when the worker has sent something. Only while there is a worker."""
        assert self._channel is not None
        return self._channel

    def figures(self) -> Figures | None:
        """How long it has run, and waited for a processor; None where there is no worker, or nothing counts that."""
        if self._process is None or self._process.pid is None:
            return None
        with contextlib.closing(ThreadFigures(self._process.pid)) as thread:
            return thread.read()

    def close(self) -> None:
        """Let the worker end every process below it, and end it. Harmless when repeated."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self._send(None)
        self._process.join(0.0 if self._watch else _PATIENCE)  # one that works would not read that
        self._kill()

    def _watched(self) -> "_Watched":
        assert self._process is not None
        assert self._process.pid is not None
        assert self._shared is not None
        seconds = self.seconds * self.hard_factor
        return _Watched(self._process.pid, memoryview(self._shared), self.memory, self._inherited, seconds)

    def _start(self) -> None:
        if self._process is not None:
            return
        check_limits()
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        self._shared = mmap.mmap(-1, SIZE)
        self._place = scratch.ScratchPlace()
        self._channel = theirs
        # For the kernel, the parent ends with the thread that forks; any but the main thread may end long before the others.
        dies = threading.current_thread() is threading.main_thread()
        process = context.Process(target=self._work, args=(ours,), kwargs={"dies": dies}, daemon=True)
        with warnings.catch_warnings():
            # Workers of xdist have threads; the code here uses none of theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        assert process.pid is not None
        self._inherited = processes.census([process.pid]).resident
        theirs.close()
        self._process, self._channel = process, ours
        self.channels.append(ours)

    def _kill(self) -> str:
        """End the worker, and remove what it left; returns how it had ended."""
        process, place = self._process, self._place
        if process is None or place is None or process.pid is None:
            return "it had not begun"
        if process.is_alive():
            processes.kill_parent(process.pid)
        process.join()
        self.channel.close()
        self.channels.remove(self.channel)
        place.remove()
        self._process = self._channel = self._shared = self._place = self._watch = None
        return _exit_words(process.exitcode)

    # ---- both sides

    def _send(self, message: Any) -> None:
        data = pickling.dump(message)
        if len(data) > _LONGEST:
            raise HostError(f"what is known of the tool takes more than {_LONGEST // MIB} MiB")
        self.channel.send_bytes(data)

    def _receive(self) -> Any:
        return pickling.load(self.channel.recv_bytes(), self._by_name)

    # ---- the worker's side

    def _work(self, ours: Connection, *, dies: bool) -> None:
        if dies:
            with contextlib.suppress(OSError):
                die_with_parent()
        for connection in (ours, *self.channels):
            connection.close()  # so that the end of the parent is seen
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # Ctrl-C is for the parent, which then closes this process
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        faulthandler.disable()  # the parent says how this process ended
        gc.freeze()  # what the parent made is no garbage of this process, and to walk it is to copy it
        assert self._place is not None
        assert self._shared is not None
        tempfile.tempdir = str(self._place.path)
        shared = memoryview(self._shared)
        try:
            while (message := self._receive()) is not None:
                excluded, request = message
                limit = StepLimit(shared, excluded, self.seconds)
                limit.start()
                self._answer(request, limit)
        except (EOFError, OSError, _ParentGone):
            pass  # the parent is gone
        finally:
            self.end()

    def _notify(self, step: str, calls: int, broken: str) -> None:
        try:
            self._send(("notice", (step, calls, broken)))
        except OSError:
            raise _ParentGone from None  # no error of the examination, which would go on after one

    def _answer(self, request: Any, limit: StepLimit) -> None:
        try:
            try:
                answer = self.serve(request, self._notify, limit)
            except OSError as error:
                raise own_fault(error) from error  # else it would be taken for the end of the channel
            self._send(("answer", answer))
        except OSError:
            raise
        except ConformanceError as error:
            self._send(("error", ShortageError.behind(error) or error))
        except OutOfTime as over:
            self._send(("error", StoppedError("", str(over))))
        except Exception as error:  # noqa: BLE001 - a fault of the suite is the answer to this request alone
            self._send(("error", own_fault(error)))


def alone(work: Callable[[], T], seconds: float) -> T:
    """Do some work in a worker of its own, and return what it returns.

    Args:
        work: gives something that can be pickled.
        seconds: how long it may take on the clock.

    Raises:
        StoppedError: it took more time, or too much memory, or it ended the worker.
        ConformanceError: as the work.
    """
    worker = Worker(lambda _request, _notify, _limit: work(), lambda: None)
    try:
        result: T = worker.ask(None, {}, lambda *_: None, time.monotonic() + seconds)
        return result
    finally:
        worker.close()


class _Watched:
    """The processor time and the memory of a worker during one request."""

    def __init__(self, pid: int, shared: memoryview, memory: int, inherited: int, seconds: float) -> None:
        self._pid, self._shared = pid, shared
        self._memory, self._inherited, self._seconds = memory, inherited, seconds
        self._number, _ = running_step(self._shared)
        self._since = _processor_seconds(self._pid)
        self._checked = 0.0

    @property
    def step(self) -> str:
        """The step that runs, or that ran when the worker ended; empty for none."""
        return running_step(self._shared)[1]

    def check(self, until: float) -> None:
        """Raise StoppedError where a limit is exceeded."""
        now = time.monotonic()
        if now >= until:
            raise StoppedError(self.step, "its time was over")
        if now - self._checked < _CHECK_INTERVAL:
            return
        self._checked = now
        number, step = running_step(self._shared)
        spent = _processor_seconds(self._pid)
        if number != self._number or not step:
            self._number, self._since = number, spent
        elif spent - self._since > self._seconds:
            raise StoppedError(step, f"it took more than {self._seconds:g} s of processor time")
        if processes.census([self._pid]).resident > self._inherited + self._memory:
            raise StoppedError(self.step, f"it needed more than {self._memory // MIB} MiB of memory")


def _processor_seconds(pid: int) -> float:
    """Seconds that a process has used a processor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _exit_words(status: int | None) -> str:
    if status is not None and status < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-status).name
    return f"exit status {status}"
