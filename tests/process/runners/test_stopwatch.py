"""The watchdog of a cancelled call: it finds what blocks the event loop, and sleeps while nothing runs."""

import threading
import time
from pathlib import Path

import pytest

from aptix_conformance.runners.python.clock import Clock
from aptix_conformance.runners.python.disturb.cancel.stopwatch import Watchdog

LIMIT = 0.01
PAUSE = 0.05
"""Seconds, in which a thread that looks eight times in each `LIMIT` runs forty times."""


@pytest.fixture
def watchdog():
    clock = Clock()
    made = Watchdog(clock, LIMIT, lambda frame: frame.f_code.co_name)
    made.start()
    yield made
    made.stop()
    clock.close()


def times_run():
    """How many times its thread has been given a processor, as the kernel counts."""
    thread = next(each for each in threading.enumerate() if each.name == "aptix-watchdog")
    return Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text(encoding="ascii").split()[2]


def sleeps():
    before = times_run()
    time.sleep(PAUSE)
    return times_run() == before


def test_it_sleeps_while_no_step_is_made(watchdog):
    """On a busy machine it would wait for a processor each time, and that is taken off the time of the call."""
    assert any(sleeps() for _ in range(20))
    watchdog.leave(watchdog.enter())
    assert any(sleeps() for _ in range(20))


def test_it_wakes_for_a_step_that_blocks(watchdog):
    """However long it has slept."""
    assert any(sleeps() for _ in range(20))
    outer = watchdog.enter()
    while not watchdog._sample[1]:
        time.sleep(LIMIT)
    watchdog.leave(outer)
    assert watchdog.longest > LIMIT / 2
    assert watchdog.stack == "test_it_wakes_for_a_step_that_blocks"
