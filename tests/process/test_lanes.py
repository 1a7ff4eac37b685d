"""Requests that take long are waited for at the same time; nothing waits for them that need not."""

import contextlib
import os
import select
import signal
import time
from collections import deque

import pytest

from aptix_conformance.app.run import lanes
from aptix_conformance.app.run.lanes import Job, Lanes
from aptix_conformance.app.run.worker import StoppedError, Worker
from aptix_conformance.core.errors import HungImportError, TargetError
from aptix_conformance.targets import ToolSettings

IMPORTED = []


def serve(request, _notify, _limit):
    """`request` is what to do: a name with its arguments."""
    name, *arguments = request
    if name == "wait":
        IMPORTED.append(os.read(arguments[0], 1))
    elif name == "release":
        os.write(arguments[0], b"x" * arguments[1])
    elif name == "say":
        os.write(arguments[0], str(os.getpid()).encode())
        os.read(arguments[1], 1)
    elif name == "needs" and not IMPORTED:
        raise TargetError("nothing was imported before")
    elif name == "hang":
        raise HungImportError(f"hung in {os.getpid()}")
    return os.getpid()


@pytest.fixture
def found(monkeypatch):
    """Gives the answers by number."""
    monkeypatch.setattr(lanes, "PATIENCE", 0.0)
    first = Worker(serve, lambda: None)

    def answers(*requests, seconds=30.0):
        """`requests` are what to do, each with the place that it imports."""
        waiting = deque(
            Job(request, ("", place, ToolSettings()), number)
            for number, (place, request) in enumerate(requests)
        )
        made = Lanes(first, time.monotonic() + seconds)
        return {asked.number: answer for asked, answer in made.answers(waiting)}

    yield answers
    first.close()


def test_requests_that_wait_do_so_at_the_same_time_and_their_workers_end(found):
    """The last request releases the others: one after another, they would wait for ever."""
    reader, writer = os.pipe()
    waits = [(f"place {number}", ("wait", reader)) for number in range(3)]
    answers = found(*waits, ("last", ("release", writer, 3)))
    os.close(reader)
    os.close(writer)
    assert len(set(answers.values())) == 4
    after = found(("place", ("pid",)))[0]
    assert [pid for pid in answers.values() if os.path.exists(f"/proc/{pid}")] == [after]  # noqa: PTH110


def test_what_fails_beside_others_is_asked_again_alone(found):
    """As it would have been, had the slow import before it been a fast one."""
    reader, writer = os.pipe()
    answers = found(("slow", ("wait", reader)), ("needs slow", ("needs",)), ("last", ("release", writer, 1)))
    os.close(reader)
    os.close(writer)
    assert answers[1] == answers[0] != answers[2]


def test_what_hangs_is_imported_once(found):
    answers = found(("place", ("hang",)), ("other", ("pid",)), ("place", ("hang",)))
    assert isinstance(answers[0], HungImportError)
    assert answers[2] is answers[0]


def test_after_the_deadline_nothing_is_begun(found):
    answers = found(("place", ("pid",)), ("other", ("pid",)), seconds=-1.0)
    assert [str(answers[number]) for number in range(2)] == ["its time was over"] * 2
    assert {type(each) for each in answers.values()} == {StoppedError}


def test_a_worker_that_waits_for_a_tool_ends_when_the_suite_is_killed():
    """It would notice the end of the suite only once the tool has answered."""
    reader, writer = os.pipe()
    blocked, _keeps_it_open = os.pipe()
    suite = os.fork()
    if suite == 0:
        worker = Worker(serve, lambda: None)
        worker.begin(("say", writer, blocked), {})
        signal.pause()
    pid = int(os.read(reader, 16))
    end = os.pidfd_open(pid)
    os.kill(suite, signal.SIGKILL)
    os.waitpid(suite, 0)
    poll = select.poll()
    poll.register(end, select.POLLIN)
    try:
        assert poll.poll(10_000)
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(end, signal.SIGKILL)
