"""What is known of a run's progress, and the line that says so: seldom enough, inside of its space, and gone in the end."""

import dataclasses

import pytest

from aptix_conformance.app.run.progress import (
    LIVE,
    PLAIN,
    LineBelow,
    PlainLines,
    RunProgress,
    Tick,
    ToolProgress,
    about,
)


@pytest.fixture
def now():
    """The time, which the test sets."""
    return [0.0]


@pytest.fixture
def ticks(now):
    """Makes the progress of a tool, and the list of its ticks."""

    def make(pace=LIVE):
        heard = []
        return ToolProgress("agent_weather", pace, heard.append, clock=lambda: now[0]), heard

    return make


@pytest.fixture
def run(now):
    """A run of four tools."""
    found = RunProgress(clock=lambda: now[0])
    found.expect(["a", "b"])
    found.expect(["a", "b", "c", "d"])
    found.begin()
    return found


def tick(tool="a", seconds=10.0):
    return Tick(tool, "cancel", 1234, seconds)


def test_a_quick_tool_has_no_tick(ticks, now):
    tool, heard = ticks()
    tool("valid", 1, "")
    now[0] = 0.9
    tool("valid", 100, "")
    assert heard == []


def test_a_slow_tool_has_its_step_its_calls_and_its_seconds(ticks, now):
    tool, heard = ticks()
    tool("declaration", 0, "")
    tool("valid", 1, "")
    now[0] = 12.0
    tool("cancel", 1234, "")
    assert heard == [Tick("agent_weather", "cancel", 1234, 12.0)]


def test_on_a_terminal_there_are_at_most_four_ticks_a_second(ticks, now):
    tool, heard = ticks()
    for hundredth in range(100):
        now[0] = 1.0 + hundredth / 100
        tool("valid", hundredth, "")
    assert len(heard) == 4


def test_in_a_log_there_is_a_tick_after_half_a_minute_and_then_one_a_minute(ticks, now):
    tool, heard = ticks(PLAIN)
    for second in range(151):
        now[0] = float(second)
        tool("valid", second, "")
    assert [each.seconds for each in heard] == [30.0, 90.0, 150.0]


@pytest.mark.parametrize(("pace", "at"), [(LIVE, 0.5), (PLAIN, 5.0)])
def test_the_first_rule_that_is_seen_broken_makes_a_tick_out_of_turn(pace, at, ticks, now):
    tool, heard = ticks(pace)
    for tenth in range(1, 100):
        now[0] = tenth / 10
        tool("valid", tenth, "ARG005" if tenth >= 5 else "")
    assert [each.seconds for each in heard if each.is_finding] == [at]
    regular = [each.seconds for each in heard if not each.is_finding]
    assert regular[:1] == ([1.0] if pace is LIVE else [])
    assert {each.broken for each in heard if each.seconds >= at} == {"ARG005"}


def test_what_is_seen_broken_when_a_tick_is_due_is_in_that_tick(ticks, now):
    tool, heard = ticks(PLAIN)
    for second in (4.0, 30.0, 31.0, 90.0):
        now[0] = second
        tool("valid", 1, "ARG005")
    assert [(each.seconds, each.is_finding) for each in heard] == [(30.0, False), (90.0, False)]


def test_the_line_of_a_finding_names_its_tool_and_later_ones_the_tool_that_takes_longest(run):
    found = dataclasses.replace(tick("b"), broken="ARG005", is_finding=True)
    run.hear("a", tick("a", 20.0))
    run.hear("b", found)
    assert run.line(found).startswith("b: cancel, 1,234 calls, 10 s; ARG005 was seen broken; and 1 more")
    assert run.line().startswith("a: cancel, 1,234 calls, 20 s; and 1 more")
    assert run.has_finding


def after(now, *seconds, most=None, tools=10):
    """A run of tools of which the first were finished after these seconds each."""
    run = RunProgress(clock=lambda: now[0], **({} if most is None else {"most": lambda: most}))
    run.expect(map(str, range(tools)))
    run.begin()
    for number, each in enumerate(seconds):
        now[0] += each
        run.finish(str(number))
    return run


def test_the_line_has_the_tool_the_step_the_calls_and_the_time_left_for_the_run(now):
    run = after(now, 10.0, 10.0, 10.0)
    run.hear("a", tick())
    assert run.line() == "a: cancel, 1,234 calls, 10 s; tool 4 of 10; about 70 s left"


@pytest.mark.parametrize("seconds", [(), (10.0,), (10.0, 10.0), (1.0, 10.0, 10.0), (10.0, 10.0, 600.0)])
def test_where_too_few_tools_are_finished_or_they_differ_too_much_the_time_left_is_not_said(now, seconds):
    run = after(now, *seconds)
    run.hear("a", tick())
    assert run.seconds_left is None
    assert "left" not in run.line()


@pytest.mark.parametrize("order", [(5, 19, 8), (19, 8, 5), (8, 5, 19, 12, 7, 9), (0.1, 20, 0.1, 20, 0.1, 20)])
def test_while_others_are_like_the_finished_ones_the_time_left_is_within_a_factor_of_two(now, order):
    run = after(now, *order)
    pace = sum(order) / len(order)
    others = len(run.tools) - len(order)
    assert 0.5 <= run.seconds_left / (others * pace) <= 2.0


def test_a_tool_that_takes_longer_than_the_others_leaves_the_time_unsaid(now):
    run = after(now, 10.0, 10.0, 10.0, tools=6)
    now[0] += 10.0
    assert run.seconds_left == pytest.approx(20.0)
    now[0] += 20.0
    assert run.seconds_left is None


def test_of_the_last_tools_the_time_left_is_not_said(now):
    assert after(now, 10.0, 10.0, 10.0, tools=5).seconds_left is None


def test_tools_that_are_examined_at_the_same_time_are_counted(run):
    run.hear("a", tick("a", 9.0))
    run.hear("b", tick("b", 10.0))
    assert run.line() == "b: cancel, 1,234 calls, 10 s; and 1 more beside it; tool 1 of 4"


def test_a_server_is_counted_apart_from_its_tools(run):
    run.expect(["s", "t"], servers=["s", "t"])
    run.finish("s")
    run.hear("a", tick())
    assert run.line().endswith("tool 1 of 4")
    run.finish("a")
    run.hear("t", tick())
    assert run.line().endswith("server 2 of 2")


def test_a_late_tick_of_a_finished_tool_counts_no_more(run):
    run.finish("a")
    run.hear("a", tick())
    assert run.line() == ""


def test_the_deadline_of_the_run_bounds_the_time_left(now):
    assert after(now, 10.0, 10.0, 10.0, most=7.0).seconds_left == 7.0


def test_a_run_of_one_tool_does_not_count_tools(now):
    run = RunProgress(clock=lambda: now[0])
    run.expect(["a"])
    run.begin()
    run.hear("a", tick())
    assert run.line() == "a: cancel, 1,234 calls, 10 s"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.1, "1 s"), (89.6, "90 s"), (150, "2 min"), (3_599, "60 min"), (3_900, "1 h 5 min")],
)
def test_a_duration_is_rough(seconds, words):
    assert about(seconds) == f"about {words}"


def test_a_hostile_name_moves_no_cursor(run):
    run.hear("a", tick("\x1b[2Jx"))
    assert "\x1b" not in run.line()


def test_the_line_stays_inside_of_the_terminal_below_the_cursor():
    written = []
    LineBelow(written.append, lambda: 11).show("0123456789abc")
    assert written == ["\x1bD\x1bM\x1b7\x1b[B\r0123456789\x1b[K\x1b8"]


def test_the_line_is_erased_once():
    written = []
    line = LineBelow(written.append, lambda: 80)
    line.clear()
    line.show("x")
    line.clear()
    line.clear()
    assert written[1:] == ["\x1b7\x1b[B\r\x1b[K\x1b8"]


def test_a_log_has_whole_lines_and_keeps_them():
    written = []
    log = PlainLines(written.append)
    log.show("agent_weather: valid")
    log.clear()
    assert written == ["examining     agent_weather: valid"]
