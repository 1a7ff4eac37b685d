"""The own time of a family of processes: what is counted as a wait for a processor, and what is not."""

from contextlib import closing
from types import SimpleNamespace

import pytest

from aptix_conformance.hosts.own_time import Deadline, Stopwatch, ThreadClock, ThreadFigures, is_measured

MILLION = 1_000_000


class Thread:
    """A thread with figures that the test sets, in milliseconds."""

    tid = 7

    def __init__(self, ran=0, waited=0):
        self.ran, self.waited = ran, waited

    def read(self):
        return (self.ran * MILLION, self.waited * MILLION)


@pytest.fixture
def clock():
    return [0.0]


def stopwatch(clock, main, processors=2):
    return Stopwatch(main, lambda: clock[0], processors)


def figures(**threads):
    """Threads by name, each as milliseconds that it ran and waited."""
    return [
        (sum(map(ord, name)), (ran * MILLION, waited * MILLION)) for name, (ran, waited) in threads.items()
    ]


def test_what_the_main_thread_waited_is_no_time_of_its_own(clock):
    main = Thread(ran=100, waited=900)
    watch = stopwatch(clock, main)
    clock[0], main.ran, main.waited = 4.0, 600, 4_400
    assert watch.own == pytest.approx(0.5)
    assert watch.wall == pytest.approx(4.0)


@pytest.mark.parametrize(("limit", "hard"), [(0.25, 40.0), (5.0, 40.0), (10.0, 80.0)])
def test_a_process_that_gets_no_processor_has_eight_times_its_limit_and_forty_seconds_at_least(
    clock, limit, hard
):
    """A short limit is no longer than a busy machine may take to let the process run once."""
    main = Thread()
    deadline = Deadline(limit, main, lambda: clock[0])
    clock[0] = hard - 0.1
    main.waited = clock[0] * 1_000
    assert not deadline.is_over(list)
    assert deadline.remaining == pytest.approx(0.1)
    clock[0] = hard
    main.waited = clock[0] * 1_000
    assert deadline.is_over(list)


def is_over_after(clock, seconds, ran):
    """Whether a wait of 5 s, of 60 s where the family is idle, is over after some seconds in which its thread ran."""
    main = Thread()
    deadline = Deadline(5.0, main, lambda: clock[0], idle_limit=60.0)
    clock[0], main.ran = 5.0, 0
    assert not deadline.is_over(list)
    assert deadline.remaining == pytest.approx(5.0), "what it does is looked at again"
    clock[0], main.ran = seconds, ran * 1_000
    return deadline.is_over(list), deadline.limit


def test_a_family_that_waits_for_something_may_take_the_longer_limit(clock):
    assert is_over_after(clock, 59.9, ran=1) == (False, 60.0)


def test_a_family_that_waits_without_end_is_over(clock):
    assert is_over_after(clock, 60.0, ran=1) == (True, 60.0)


def test_a_family_that_computes_has_the_usual_limit(clock):
    assert is_over_after(clock, 10.0, ran=4) == (True, 5.0)


def test_where_nothing_counts_what_a_family_computes_it_has_the_usual_limit(clock):
    main = SimpleNamespace(tid=1, read=lambda: None)
    deadline = Deadline(5.0, main, lambda: clock[0], idle_limit=60.0)
    clock[0] = 5.0
    assert deadline.is_over(list)


def test_a_sleep_is_time_of_its_own(clock):
    """It hangs, however busy the machine is."""
    watch = stopwatch(clock, Thread())
    clock[0] = 5.0
    assert watch.own == pytest.approx(5.0)


def test_a_child_that_waits_is_counted_from_its_start(clock):
    watch = stopwatch(clock, Thread())
    watch.sample(figures(old=(50, 3_000)))
    clock[0] = 1.0
    watch.sample(figures(old=(50, 3_000), child=(10, 400)))
    assert watch.own == pytest.approx(0.6)


def test_waits_at_the_same_time_never_exceed_the_clock(clock):
    watch = stopwatch(clock, Thread())
    watch.sample([])
    clock[0] = 1.0
    watch.sample(figures(a=(0, 900), b=(0, 900), c=(0, 900)))
    assert watch.own == pytest.approx(0.0)


def test_a_family_that_keeps_every_processor_busy_waits_for_itself(clock):
    """Eight children on two processors that nobody else uses: the tool's time passes as the clock's does."""
    watch = stopwatch(clock, Thread())
    watch.sample([])
    clock[0] = 1.0
    watch.sample(figures(**{f"{number}": (250, 750) for number in range(8)}))
    assert watch.own == pytest.approx(1.0)


def test_a_family_is_not_charged_for_what_others_took_of_the_processors(clock):
    """Two children had a quarter of each processor and waited for the rest, both at once."""
    watch = stopwatch(clock, Thread())
    watch.sample([])
    clock[0] = 1.0
    watch.sample(figures(a=(250, 750), b=(250, 750)))
    assert watch.own == pytest.approx(0.25)


def test_the_waits_of_other_threads_take_nothing_from_what_one_thread_ran(clock):
    """The main thread computed for 0.6 s, while two others waited for a processor."""
    main = Thread()
    watch = stopwatch(clock, main)
    watch.sample([])
    clock[0], main.ran = 1.0, 600
    watch.sample(figures(a=(0, 900), b=(0, 900)))
    assert watch.own == pytest.approx(0.6)


def test_threads_are_read_less_often_where_reading_takes_long(clock):
    watch = stopwatch(clock, Thread())

    def slow():
        clock[0] += 0.1
        yield from figures(a=(0, 0))

    watch.sample(slow())
    watch.sample(pytest.fail("read") for _ in range(1))
    clock[0] = 1.5
    watch.sample(figures(a=(0, 200)))
    assert watch.own == pytest.approx(1.3)


def test_a_thread_that_has_ended_has_no_figures():
    gone = ThreadFigures(2**22 + 1)
    assert gone.read() is None
    gone.close()


def test_the_clock_of_a_thread_never_goes_back(monkeypatch):
    """The kernel counts a wait when it is over; the clock has counted it by then."""
    assert is_measured()
    waited = iter([0, 5_000 * MILLION, 0])
    monkeypatch.setattr(ThreadFigures, "read", lambda _: (0, next(waited)))
    with closing(ThreadClock()) as clock:
        first, second, third = clock(), clock(), clock()
    assert first == second < third
