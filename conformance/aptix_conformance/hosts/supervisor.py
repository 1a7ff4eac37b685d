"""The parent's side of one process: sends a request and waits for the answer.

A wait ends in one of seven ways: the answer; the deadline; the end of the process; too much memory; too many processes;
too much output; or a violation of the protocol. All but the first are an `Ending`, after which the whole process family
is gone. The wait never depends on the process: a hostile process may close its descriptors, pass them to a child, stop
reading, or never stop writing.

The deadline counts the own time of the processes (`own_time.py`), so that a busy machine ends no wait. A limit on the
clock, much longer, is for processes that make each other wait.
"""

import contextlib
import os
import secrets
import selectors
import signal
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.errors import HostError, ProtocolError
from aptix_conformance.core.model import Outcome, Output
from aptix_conformance.core.model.codec import Json
from aptix_conformance.hosts import processes, protocol
from aptix_conformance.hosts.hang_cause import Caller, HangWatch
from aptix_conformance.hosts.host import MIB, Limits
from aptix_conformance.hosts.output_stream import OutputStream
from aptix_conformance.hosts.own_time import Deadline, ThreadFigures, threads_of

_CHUNK: Final = 1 << 16
"""Bytes per read: a larger buffer takes longer to allocate than to read."""
_CHECK_INTERVAL: Final = 0.02
"""Seconds between checks of the memory and the number of processes during a wait."""
_LONGEST_UNCHECKED: Final = 0.1
"""Seconds without such a check after which the end of a request makes one, as requests may all be short."""
_BRIEF: Final = 0.005
"""Seconds of a request after which its end makes a check: what it took since the last one must not depend on the machine's load."""
THREADS_A_PROCESS: Final = 16
"""Threads and unreaped processes that are allowed for each process of the limit."""
_LARGEST_NUMBER: Final = 2**53
"""Exclusive; every JSON reader keeps the integers below it exact."""
_EXIT_GRACE: Final = 0.5
"""Seconds of own time for a process that has closed the channel to end by itself, so that its exit status is known."""
_MOST_EVENTS: Final = 1_000
_EXIT_BROKEN: Final = 117


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended, or why it was killed, instead of answering."""

    outcome: Outcome
    incident: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """The outcome of a request: an answer or an ending, and the events and output meanwhile.

    `elapsed` is the least of the own time of the process and its family, and `waited` what is missing to the time by the clock, both
    in seconds (`own_time.py`). `overdue` says that the limit is between the two.
    """

    answer: protocol.Answer | None
    ending: Ending | None
    events: tuple[protocol.Event, ...]
    stdout: Output
    stderr: Output
    elapsed: float
    waited: float = 0.0
    overdue: bool = False


class Supervised:
    """A process that speaks the host protocol on `channel`. Owns the channel and both streams.

    `end` is called once: it ends the process and all that it started, and returns the exit status, or None where it is
    unknown. `members` returns the PIDs of the process and of all that belongs to it, with orphans.

    `waited` is the time, in seconds, in which the process and its family waited for a processor during all requests, and
    `computed` that in which they ran on one; where nothing counts that, it is all of the time.
    `received` is the number of bytes that came in answer to the last request.
    `caller` is the process that makes the calls, for the cause of a hang; None where it is not known.

    The id of each request is a new random number that cannot be guessed. So an answer with this id comes from a process
    that has read the request.
    """

    def __init__(
        self,
        name: str,
        pid: int,
        channel: socket.socket,
        streams: tuple[int, int],
        end: Callable[[], int | None],
        limits: Limits,
        members: Callable[[], list[int]] | None = None,
    ) -> None:
        self.name = name
        self.pid = pid
        self.ended = False
        self.waited = self.computed = 0.0
        self._channel = channel
        self._stdout, self._stderr = (OutputStream(fd, limits.kept_output) for fd in streams)
        self._end = end
        self._members = members or (lambda: processes.family([pid]))
        self._limits = limits
        self._number = 0
        self._outgoing = memoryview(b"")
        self._next_check = 0.0
        self._least_shared = processes.machine_shared_memory()
        self._began = self._last_check = time.perf_counter()
        self.received = 0
        self.caller: Caller | None = None
        self._watch: HangWatch | None = None
        self._buffer = protocol.LineBuffer()
        self._pidfd = processes.open_pidfd(pid)
        self._main = ThreadFigures(pid)
        channel.setblocking(False)  # noqa: FBT003 - its only parameter
        self._selector = selectors.DefaultSelector()
        self._selector.register(channel, selectors.EVENT_READ)
        self._selector.register(self._stdout.fd, selectors.EVENT_READ, self._stdout)
        self._selector.register(self._stderr.fd, selectors.EVENT_READ, self._stderr)
        if self._pidfd is not None:
            self._selector.register(self._pidfd, selectors.EVENT_READ)

    def exchange(
        self,
        method: str,
        params: Json,
        timeout: float,
        fds: Sequence[int] = (),
        *,
        idle_timeout: float = 0.0,
        is_call: bool = False,
    ) -> Exchange:
        """Send a request and wait up to `timeout` seconds of own time, up to `idle_timeout` while the process hardly computes.

        `fds` are descriptors to pass with it. Of a call, `is_call`, that does not come back, the ending tells the cause.
        """
        deadline = Deadline(timeout, self._main, idle_limit=idle_timeout)
        self._number = secrets.randbelow(_LARGEST_NUMBER)
        self.received = 0
        self._watch = HangWatch(self.caller) if is_call and self.caller else None
        events: list[protocol.Event] = []
        result = self._request(protocol.request(self._number, method, params), deadline, fds, events)
        if isinstance(result, Ending):
            if result.outcome is Outcome.TIMED_OUT:
                message = f"no answer within {deadline.limit:g} s"
                cause = self._watch.cause() if self._watch else ""
                result = Ending(Outcome.TIMED_OUT, f"{message}; {cause}" if cause else message)
            own, wall = deadline.stopwatch.own, deadline.stopwatch.wall
            self.close()
        else:
            # All that was written before the answer is in the pipes by now; one read takes it all.
            self._stdout.read()
            self._stderr.read()
            own, wall = deadline.stopwatch.own, deadline.stopwatch.wall
        waited, limit = wall - own, deadline.limit
        self.waited += waited
        computed = deadline.stopwatch.computed
        self.computed += own if computed is None else computed
        answer, ending = (None, result) if isinstance(result, Ending) else (result, None)
        output = (self._stdout.take(), self._stderr.take())
        return Exchange(answer, ending, tuple(events), *output, own, waited, overdue=own < limit <= wall)

    def time_process(self, pid: int) -> None:
        """Time this process, which does the work, where the process of the constructor only waits for it."""
        self._main.close()
        self._main = ThreadFigures(pid)

    def kill(self) -> None:
        """Kill the process while another thread waits for its answer, which then is that it ended."""
        if self._pidfd is not None and not self.ended:
            with contextlib.suppress(
                OSError
            ):  # it has ended, and the other thread may have closed the descriptor
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> int | None:
        """End the process and close all descriptors. Returns the exit status. Harmless when repeated."""
        if self.ended:
            return None
        self.ended = True
        status = self._end()
        for stream in (self._stdout, self._stderr):
            stream.read()
            os.close(stream.fd)
        self._selector.close()
        self._channel.close()
        self._main.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
        return status

    def _request(
        self, line: bytes, deadline: Deadline, fds: Sequence[int], events: list[protocol.Event]
    ) -> protocol.Answer | Ending:
        try:
            try:
                result = self._send_and_wait(line, deadline, fds, events)
                return result if isinstance(result, Ending) else self._exceeded_after_answer() or result
            except (ConnectionError, EOFError):
                return self._channel_closed(events)
        except ProtocolError as error:
            return Ending(Outcome.CRASHED, str(error).removeprefix(self.name).strip())

    def _send_and_wait(
        self, line: bytes, deadline: Deadline, fds: Sequence[int], events: list[protocol.Event]
    ) -> protocol.Answer | Ending:
        self._began = time.perf_counter()
        self._next_check = self._began + _CHECK_INTERVAL
        self._send(memoryview(line), fds)
        while True:
            has_ended = False
            wait = min(self._next_check - time.perf_counter(), deadline.remaining)
            for key, _ in self._selector.select(max(0.0, wait)):
                if key.fileobj is self._channel:
                    answer = self._serve_channel(events)
                    if answer is not None:
                        return answer
                elif isinstance(key.data, OutputStream):
                    self._collect(key.data)
                else:
                    has_ended = True
            if has_ended:
                return self._read_rest(events)
            ending = self._exceeded_limit(deadline)
            if ending is not None:
                return ending

    def _exceeded_after_answer(self) -> Ending | None:
        """The ending of a process that holds too much after its answer, else None. After a brief request it looks now and then only."""
        now = time.perf_counter()
        if self.ended or now < min(self._last_check + _LONGEST_UNCHECKED, self._began + _BRIEF):
            return None
        self._last_check = now
        return self._exceeded_resource(self._members())

    def _exceeded_limit(self, deadline: Deadline) -> Ending | None:
        if self._stdout.total + self._stderr.total > self._limits.output:
            incident = f"wrote more than {self._limits.output // MIB} MiB to its standard streams"
            return Ending(Outcome.OVER_OUTPUT, incident)
        if self.received > protocol.LONGEST_LINE:
            incident = f"sent more than {protocol.LONGEST_LINE // MIB} MiB of results and log records"
            return Ending(Outcome.OVER_OUTPUT, incident)
        if deadline.is_over(self._members):
            return Ending(Outcome.TIMED_OUT, "")
        if time.perf_counter() >= self._next_check:
            pids = self._members()
            deadline.stopwatch.sample(threads_of(pids))
            if self._watch and deadline.is_half_over:
                self._watch.look()
            ending = self._exceeded_resource(pids)
            self._last_check = time.perf_counter()
            self._next_check = self._last_check + _CHECK_INTERVAL
            return ending
        return None

    def _exceeded_resource(self, pids: Sequence[int]) -> Ending | None:
        """The ending of a process whose family has too many processes or threads, or too much memory, else None."""
        # The exact figure differs from run to run, but reports must not. So the text has only the limit.
        count, most = processes.census(pids), self._limits.processes
        if count.living > most:
            return Ending(Outcome.OVER_PROCESSES, f"had more than {most} processes at once")
        if count.threads > most * THREADS_A_PROCESS:
            incident = f"had more than {most * THREADS_A_PROCESS} threads and unreaped processes at once"
            return Ending(Outcome.OVER_PROCESSES, incident)
        return self._exceeded_memory(pids, count.resident)

    def _exceeded_memory(self, pids: Sequence[int], resident: int) -> Ending | None:
        memory, anonymous = self._limits.memory, processes.anonymous_file_bytes(pids)
        shared = processes.machine_shared_memory()
        self._least_shared = min(self._least_shared, shared)
        if resident + shared - self._least_shared > memory:  # it may be this family's
            anonymous = processes.anonymous_file_bytes(pids, mapped=True)
        if resident + anonymous > memory and processes.held_bytes(pids, anonymous) > memory:
            return self._over_memory()
        if shared - self._least_shared > memory and processes.has_files_in_flight(pids):
            # No process has them: whose they are shows when this family has ended.
            self.close()
            if shared - processes.machine_shared_memory() < memory / 2:
                raise HostError(
                    f"{self.name}: the shared memory of this machine grew while the tool had sent files that nobody received, so "
                    "nothing tells whose it is: examine the tool again while the machine does less"
                )
            return self._over_memory()
        return None

    def _over_memory(self) -> Ending:
        return Ending(
            Outcome.OVER_MEMORY, f"held too much memory; the limit is {self._limits.memory // MIB} MiB"
        )

    def _collect(self, stream: OutputStream) -> None:
        if not stream.read():
            self._selector.unregister(stream.fd)

    def _serve_channel(self, events: list[protocol.Event]) -> protocol.Answer | None:
        """Write the rest of the request, and read once. Returns the answer once it is complete."""
        if self._outgoing:
            self._send(self._outgoing)
        return self._receive(events)

    def _send(self, outgoing: memoryview, fds: Sequence[int] = ()) -> None:
        """Write what the channel takes now, and keep the rest for when it is writable again."""
        try:
            sent = socket.send_fds(self._channel, [outgoing], fds) if fds else self._channel.send(outgoing)
        except BlockingIOError:
            sent = 0
        was_watching, self._outgoing = bool(self._outgoing), outgoing[sent:]
        if bool(self._outgoing) != was_watching:
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            self._selector.modify(self._channel, both if self._outgoing else selectors.EVENT_READ)

    def _receive(self, events: list[protocol.Event]) -> protocol.Answer | None:
        """Read once. Returns the answer once it is complete.

        Raises:
            EOFError: the other side has closed the channel.
        """
        try:
            data = self._channel.recv(_CHUNK)
        except BlockingIOError:
            return None
        if not data:
            raise EOFError
        self.received += len(data)
        self._buffer.feed(data)
        return self._read_lines(events)

    def _read_lines(self, events: list[protocol.Event]) -> protocol.Answer | None:
        """The answer, if it has come. A process that has said why it is about to end gives none: its end is awaited."""
        while (line := self._buffer.line()) is not None:
            message = protocol.read(line, self.name)
            if isinstance(message, protocol.Event):
                if len(events) < _MOST_EVENTS:
                    events.append(message)
            elif message.id == self._number:
                if not any(event.method == protocol.INCIDENT for event in events):
                    return message
            else:
                where = f"{self.name} wrote {protocol.show(line)} to the protocol channel"
                raise ProtocolError(f"{where}: no request has that id")
        return None

    def _read_rest(self, events: list[protocol.Event]) -> protocol.Answer | Ending:
        """The process has ended, but the channel may still contain an answer. Its children may go on writing."""
        with contextlib.suppress(BlockingIOError, EOFError, ConnectionError):
            while self.received <= protocol.LONGEST_LINE and (data := self._channel.recv(_CHUNK)):
                self.received += len(data)
                self._buffer.feed(data)
        answer = self._read_lines(events)
        return answer or self._crash()

    def _channel_closed(self, events: list[protocol.Event]) -> protocol.Answer | Ending:
        """The channel is closed: the process is ending, or it closed the channel itself."""
        deadline = Deadline(_EXIT_GRACE, self._main)
        while not processes.has_ended(self.pid, self._pidfd, deadline.remaining):
            if deadline.is_over(self._members):
                return Ending(Outcome.CRASHED, "closed the protocol channel")
        return self._read_rest(events)

    def _crash(self) -> Ending:
        status = self.close()
        if status == _EXIT_BROKEN:
            return Ending(Outcome.CRASHED, "closed the descriptors or the event loop of its own process")
        return Ending(Outcome.CRASHED, processes.describe_exit(status))
