"""A step that takes too long is stopped, whatever it does, and nothing else is."""

import contextlib
import multiprocessing
import re
import time
from collections.abc import Callable

import pytest

from aptix_conformance.examine.step_limit import OutOfTime, StepLimit


def stopped_by(work: Callable[[], object], seconds: float = 0.05) -> str:
    """The reason for which a step with some work is stopped, in a process of its own; empty where it is not."""
    ours, theirs = multiprocessing.Pipe()

    def run() -> None:
        limit = StepLimit(seconds=seconds)
        limit.start()
        try:
            with limit.step("work"):
                work()
        except OutOfTime as over:
            theirs.send(str(over))
        else:
            theirs.send("")

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    try:
        return str(ours.recv())
    finally:
        process.kill()
        process.join()


def backtrack() -> None:
    re.match(r"(a|aa)+$", "a" * 200 + "b")


def loop() -> None:
    while True:
        pass


def swallow() -> None:
    while True:
        with contextlib.suppress(Exception):  # what a rule may do
            loop()


@pytest.mark.parametrize("work", [backtrack, loop, swallow])
def test_a_step_without_end_is_stopped(work: Callable[[], None]) -> None:
    assert stopped_by(work) == "it took more than 0.05 s of processor time"


def test_waiting_takes_no_time() -> None:
    assert stopped_by(lambda: time.sleep(0.3)) == ""


def test_the_time_of_a_step_begins_anew_after_a_step_inside_it() -> None:
    ours, theirs = multiprocessing.Pipe()

    def run() -> None:
        limit = StepLimit(seconds=0.1)
        limit.start()
        with limit.step("outside"):
            for _ in range(40):
                limit.leave(limit.enter("inside"))
                until = time.process_time() + 0.01
                while time.process_time() < until:
                    pass
        theirs.send("done")

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    assert ours.recv() == "done"
    process.join()
