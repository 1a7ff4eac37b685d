"""A worker answers, and what it cannot answer in time costs the worker and nothing else."""

import mmap
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aptix_conformance.app.run.worker import Notify, StoppedError, Worker
from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model.traits import SystemTraits
from aptix_conformance.examine.step_limit import StepLimit
from aptix_conformance.hosts import MIB

SYSTEM = SystemTraits("a system")


def _hold(megabytes: int) -> None:
    kept = bytearray(megabytes * MIB)
    time.sleep(600)
    del kept


def _unreachable_by_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGVTALRM})
    while True:
        pass


def _fail(error: Exception) -> None:
    raise error


STEPS: dict[str, Callable[[], object]] = {
    "backtrack": lambda: re.match(r"(a|aa)+$", "a" * 200 + "b"),
    "hold": lambda: _hold(150),
    "exit": lambda: os._exit(3),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "uninterruptible": _unreachable_by_signals,
}
PLAIN: dict[str, Callable[[], object]] = {
    "pid": os.getpid,
    "system": lambda: SYSTEM,
    "unknown target": lambda: _fail(TargetError("there is no such tool")),
    "fault": lambda: _fail(ZeroDivisionError()),
    "too long": lambda: "x" * (33 * MIB),
    "wait": lambda: time.sleep(600),
}


def serve(request: Any, notify: Notify, limit: StepLimit) -> Any:
    notify("first", 1, "")
    notify("second", 2, "ARG001")
    if request in PLAIN:
        return PLAIN[request]()
    with limit.step(request):
        return STEPS[request]()


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(serve, lambda: None, [SYSTEM], memory=120 * MIB, seconds=0.1)
    yield made
    made.close()


def ask(worker: Worker, request: str, seconds: float = 600, **excluded: str) -> Any:
    return worker.ask(request, excluded, lambda *_: None, time.monotonic() + seconds)


def test_one_worker_answers_one_request_after_another(worker: Worker) -> None:
    assert ask(worker, "pid") == ask(worker, "pid") != os.getpid()


def test_a_system_arrives_as_itself(worker: Worker) -> None:
    assert ask(worker, "system") is SYSTEM


def test_what_it_says_meanwhile_arrives_in_order(worker: Worker) -> None:
    said = []
    assert worker.ask("system", {}, lambda *step: said.append(step), time.monotonic() + 600) is SYSTEM
    assert said == [("first", 1, ""), ("second", 2, "ARG001")]


def test_an_error_of_the_suite_is_raised_here_and_the_worker_stays(worker: Worker) -> None:
    first = ask(worker, "pid")
    with pytest.raises(TargetError, match="there is no such tool"):
        ask(worker, "unknown target")
    with pytest.raises(HostError, match="ZeroDivisionError"):
        ask(worker, "fault")
    with pytest.raises(HostError, match="than 32 MiB"):
        ask(worker, "too long")
    with pytest.raises(HostError, match=r"than 0\.1 s of processor time"):
        ask(worker, "backtrack")
    assert ask(worker, "pid") == first


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ("hold", "it needed more than 120 MiB of memory"),
        ("uninterruptible", "it took more than 0.3 s of processor time"),
        ("exit", "it ended the process: exit status 3"),
        ("crash", "it ended the process: SIGSEGV"),
    ],
)
def test_a_step_that_cannot_be_stopped_from_inside_costs_the_worker(
    worker: Worker, request_: str, reason: str
) -> None:
    first = ask(worker, "pid")
    with pytest.raises(StoppedError) as caught:
        ask(worker, request_)
    assert (caught.value.step, caught.value.reason) == (request_, reason)
    assert ask(worker, "pid") != first
    assert not os.path.exists(f"/proc/{first}")  # noqa: PTH110
    with pytest.raises(HostError, match="known to be bad"):
        ask(worker, request_, **{request_: "known to be bad"})


def test_a_request_has_a_deadline(worker: Worker) -> None:
    with pytest.raises(StoppedError, match="its time was over"):
        ask(worker, "wait", seconds=0.2)
    assert ask(worker, "pid")


def test_an_interrupted_request_ends_the_worker(worker: Worker) -> None:
    def interrupt(_step: str, _calls: int, _broken: str) -> None:
        raise KeyboardInterrupt

    first = ask(worker, "pid")
    with pytest.raises(KeyboardInterrupt):
        worker.ask("pid", {}, interrupt, time.monotonic() + 600)
    assert ask(worker, "pid") != first


def test_what_this_process_holds_is_not_charged_to_its_worker(worker: Worker) -> None:
    held = bytearray(150 * MIB)
    assert ask(worker, "pid") != os.getpid()
    with pytest.raises(StoppedError, match="it needed more than 120 MiB of memory"):
        ask(worker, "hold")
    assert len(held) == 150 * MIB


def test_what_this_process_shares_gives_its_worker_no_room(worker: Worker) -> None:
    with mmap.mmap(-1, 60 * MIB) as shared:
        shared.write(bytes(60 * MIB))
        with pytest.raises(StoppedError, match="it needed more than 120 MiB of memory"):
            ask(worker, "hold", seconds=60)
