"""The tables of a run: they fit the terminal, show the worst first, and leave nothing uncounted."""

import pytest

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Level, Obstacle, VerdictKind
from aptix_conformance.present.reports.tables import MOST_RULES, MOST_TOOLS, rule_table, tool_table
from aptix_conformance.present.reports.terminal import summary_lines


def verdict(rule, kind=VerdictKind.PASS, level=Level.MUST, name="a-rule"):
    return VerdictReport(rule, name, level, (), kind, 1, "because", None)


@pytest.fixture
def make(report):
    """Makes a tool of a name, a status and verdicts."""

    def make_tool(name, status="conforming", *verdicts, **members):
        return replace(
            report.tools[1],
            tool=name,
            target=f"m:{name}",
            status=status,
            verdicts=verdicts,
            shortfalls=(),
            **members,
        )

    return make_tool


def test_the_worst_tools_stand_first_and_the_rest_is_counted(make):
    tools = [make(f"tool_{number:03}") for number in range(297)]
    broken = make("zebra", "nonconforming", verdict("ARG001", VerdictKind.FAIL))
    worse = make("yak", "nonconforming", *(verdict(f"ARG00{n}", VerdictKind.FAIL) for n in range(1, 4)))
    lines = tool_table([*tools, broken, make("wolf", "incomplete"), worse])
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["nonconforming", "yak"],
        ["nonconforming", "zebra"],
        ["incomplete", "wolf"],
        ["conforming", "tool_000"],
    ]
    assert len(lines) == MOST_TOOLS + 2
    assert lines[-1] == "… and 280 tools more: 280 conforming"


def test_broken_tools_that_are_not_shown_are_counted_as_such(make):
    lines = tool_table(
        [*(make(f"a{n}", "nonconforming") for n in range(25)), make("b", "incomplete"), make("c")]
    )
    assert lines[-1] == "… and 7 tools more: 5 nonconforming, 1 incomplete, 1 conforming"


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize("status", ["conforming", "conforming-with-waivers"])
def test_the_tables_fit_the_terminal_whatever_tools_and_rules_are_called(make, width, status):
    long = [
        verdict(f"ACME-NET00{n}", VerdictKind.FAIL, name="a-very-" + "long-" * 20 + "name") for n in range(3)
    ]
    tools = [make("x" * 59 + str(n), status, *long, calls=99_999) for n in range(3)]
    assert max(map(len, tool_table(tools, width))) <= width
    assert max(map(len, rule_table(tools, width))) <= width


def test_a_log_has_whole_names(make):
    name = "a_tool_with_a_long_name_that_people_look_for_in_a_log"
    assert name in tool_table([make(name)])[1]


def test_a_hostile_name_stays_on_its_line(make):
    lines = tool_table([make("a\n\x1b[2Jb\u202e", "incomplete")], 80)
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_a_tool_that_never_worked_shows_no_count_of_rules(make, report):
    from aptix_conformance.core.model.report import UnreachedReport

    unreached = UnreachedReport("it needs a network.", "", "Give it a service.", "")
    line = tool_table([make("owl", "incomplete", verdict("ARG001"), unreached=unreached)])[1]
    assert "never ran" in line
    assert "1/1" not in line
    (note,) = [
        line
        for line in summary_lines([make("owl", "incomplete", verdict("ARG001"), unreached=unreached)])
        if line.startswith("note")
    ]
    assert note == "note          owl: never seen to work: none of 3 calls succeeded (it needs a network)"


def test_rules_are_counted_over_tools_and_musts_stand_first(make):
    tools = [
        make(
            "a",
            "nonconforming",
            verdict("ARG001", VerdictKind.FAIL),
            verdict("LOG003", VerdictKind.FAIL, Level.SHOULD),
        ),
        make(
            "b",
            "nonconforming",
            verdict("ARG001", VerdictKind.INCONCLUSIVE),
            verdict("RES001", VerdictKind.WAIVED),
        ),
        make("c", "conforming", verdict("ARG001"), verdict("USE001", VerdictKind.INCONCLUSIVE, Level.SHOULD)),
    ]
    *rows, note = rule_table(tools)[1:]
    assert [line.split() for line in rows] == [
        ["ARG001", "a-rule", "MUST", "1", "0", "1"],
        ["RES001", "a-rule", "MUST", "0", "1", "0"],
        ["LOG003", "a-rule", "SHOULD", "1", "0", "0"],
    ]
    assert note == "1 MUST rule was not examined for some tool"


def test_a_must_that_was_not_examined_is_counted_and_stands_in_the_whole_table(make):
    tool = make("a", "incomplete", verdict("EXC002", VerdictKind.INCONCLUSIVE))
    assert rule_table([tool]) == ["1 MUST rule was not examined for some tool"]
    assert rule_table([tool], whole=True)[1].split()[-1] == "1"


def left_out(rule):
    return replace(verdict(rule, VerdictKind.INCONCLUSIVE), obstacle=Obstacle.DESELECTED)


@pytest.mark.parametrize(
    ("chosen", "status", "line"),
    [
        ([VerdictKind.PASS], "no verdict", "1 rule selected: passed"),
        ([VerdictKind.PASS] * 2, "no verdict", "2 rules selected: passed"),
        ([VerdictKind.INCONCLUSIVE], "incomplete", "1 rule selected: not examined"),
        ([VerdictKind.FAIL, VerdictKind.PASS], "nonconforming", "2 rules selected: 1 failed, 1 passed"),
        ([VerdictKind.NOT_APPLICABLE], "no verdict", "no rule that was selected applies"),
    ],
)
def test_a_run_of_selected_rules_says_what_became_of_them(make, chosen, status, line):
    verdicts = [verdict(f"ARG00{number}", kind) for number, kind in enumerate(chosen)]
    tool = make(
        "owl",
        "nonconforming" if VerdictKind.FAIL in chosen else "incomplete",
        *verdicts,
        *map(left_out, ("EXC001", "EXC002")),
    )
    lines = summary_lines([tool])
    assert lines[1].startswith(f"{status} ")
    assert any(each.split(";")[0] == line for each in lines)
    assert not any("2 MUST" in each for each in lines)
    assert not any("selected" in each for each in summary_lines([make("owl", "conforming", *verdicts)]))


def test_of_many_broken_rules_the_rest_is_counted(make):
    broken = [verdict(f"ARG{number:03}", VerdictKind.FAIL) for number in range(40)]
    lines = rule_table([make("a", "nonconforming", *broken)])
    assert len(lines) == MOST_RULES + 2
    assert lines[-1] == "… and 25 rules more"
    assert len(rule_table([make("a", "nonconforming", *broken)], whole=True)) == 41


def test_nothing_broken_has_no_table_of_rules(make):
    assert rule_table([make("a", "conforming", verdict("ARG001"))]) == []


def test_three_hundred_tools_take_a_screen_or_two(make):
    advice = verdict("LOG003", VerdictKind.FAIL, Level.SHOULD)
    waived = verdict("RES001", VerdictKind.WAIVED)
    lines = summary_lines(
        [make(f"tool_{n}", "conforming-with-waivers", advice, waived) for n in range(300)], 80
    )
    assert len(lines) <= 75
    assert "note          and 280 lines more like these" in lines
    assert "advice        for 280 tools more" in lines
    assert len(summary_lines([make(f"tool_{n}", "conforming", advice) for n in range(300)], whole=True)) > 600
