"""The line of a slow tool: seldom enough, inside of its space, and gone in the end."""

import pytest

from aptix_conformance.plugin.progress import Progress


@pytest.fixture
def progress():
    """A progress line, what it wrote, and its clock, which the test sets."""

    def make(columns=60):
        written, now = [], [0.0]
        return Progress("agent_weather", written.append, columns, clock=lambda: now[0]), written, now

    return make


def test_a_quick_tool_shows_nothing(progress):
    line, written, now = progress()
    line("valid", 1)
    now[0] = 0.9
    line("valid", 100)
    line.close()
    assert written == []


def test_a_slow_tool_shows_its_step_its_calls_and_its_seconds(progress):
    line, written, now = progress()
    now[0] = 12.0
    line("cancel", 1234)
    assert " agent_weather: cancel, 1,234 calls, 12 s" in written[0]


def test_it_is_written_at_most_four_times_a_second(progress):
    line, written, now = progress()
    for tick in range(100):
        now[0] = 1.0 + tick / 100
        line("valid", tick)
    assert len(written) == 4


def test_it_stays_inside_of_the_rest_of_the_line(progress):
    line, written, now = progress(columns=10)
    now[0] = 2.0
    line("valid", 1)
    assert " agent_wea\x1b" in written[0]
    assert "valid" not in written[0]


def test_it_is_erased_in_the_end(progress):
    line, written, now = progress()
    now[0] = 2.0
    line("valid", 1)
    line.close()
    assert written[-1] == "\x1b[K"


def test_a_hostile_name_moves_no_cursor():
    written = []
    line = Progress("\x1b[2Jx", written.append, 60, clock=iter([0.0, 2.0]).__next__)
    line("valid", 1)
    assert "\x1b[2J" not in written[0]
