"""The numbers of the quick plan are those that show most faults for what they cost."""

from tests.acceptance.matrix.yields import ALWAYS, Choice, chosen_by, faults, needs_of


def row(title, calls, **broken):
    """What was recorded of a tool: its calls, and by rule the numbers of those that broke it."""
    return {"title": title, "calls": calls, "broken": broken}


def fixture(rule, *numbers, calls):
    return row(f"nonconforming/{rule}_does_it", calls, **{rule: list(numbers)})


FREE = [("valid", "minimal", "minimal")] * 60
"""Calls that make room for others: a plan is chosen for a part of all calls."""


def test_a_call_needs_those_of_its_part_before_it():
    calls = [("fault", "disturbed", f"library:{number}:os_error") for number in (1, 2)]
    calls += [("cancel", "disturbed", "cancelled:before"), ("valid", "generated", "generated")]
    assert needs_of(calls) == [
        ("fault", "library:os_error", 1),
        ("fault", "library:os_error", 2),
        ("cancel", "", 1),
        ("valid", "drawn", 1),
    ]


def test_a_call_of_a_group_needs_the_whole_group():
    groups = [(size, number) for size in (2, 3) for number in range(1, size + 1)]
    calls = [("repeat", "together", f"together:8:many-{number}") for _, number in groups]
    assert [need[2] for need in needs_of(calls)] == [2, 2, 5, 5, 5]


def test_a_fault_is_that_of_the_rule_which_its_fixture_is_named_for():
    calls = [("malformed", "root", "root:array")]
    found = list(
        faults(
            [
                fixture("ARG001", 0, calls=calls),
                row("conforming/good", calls),
                fixture("SCH001", None, calls=calls),
            ]
        )
    )
    assert [(fault.rule, fault.free) for fault in found] == [("ARG001", False), ("SCH001", True)]


def test_the_call_that_shows_more_for_its_cost_is_chosen():
    calls = [*FREE, ("malformed", "blank", "blank:null"), *[("cancel", "disturbed", "cancelled:before")] * 9]
    rows = [fixture("ARG001", 60, 69, calls=calls), fixture("ARG002", 60, calls=calls)]
    most = chosen_by(rows).most
    assert most["malformed", "blank:null"] == 1
    assert most.keys() >= ALWAYS.keys()


def test_two_cheap_calls_come_before_a_dear_one_that_shows_both_faults():
    dear = [("reading", "again", f"again:{number}") for number in range(1, 11)]
    calls = [*FREE[:50], ("malformed", "blank", "blank:null"), ("malformed", "blank", "blank:empty"), *dear]
    most = chosen_by([fixture("ARG001", 50, 61, calls=calls), fixture("ARG002", 51, 61, calls=calls)]).most
    assert (most["malformed", "blank:null"], most["malformed", "blank:empty"], most["reading", ""]) == (
        1,
        1,
        0,
    )


def test_no_more_is_chosen_than_there_is_room_for():
    calls = [("reading", "again", f"again:{number}") for number in range(1, 101)]
    rows = [fixture("SCH018", 99, calls=calls), fixture("SCH019", 9, calls=calls)]
    found = chosen_by(rows)
    assert found.most["reading", ""] == 10
    assert found.spent <= 0.2 * found.calls


def test_what_numbers_find_of_other_tools_is_counted_with_what_they_cost_there(capsys):
    calls = [*FREE, ("malformed", "blank", "blank:null"), ("malformed", "blank", "blank:empty")]
    rows = [
        fixture("ARG001", 60, calls=calls),
        fixture("ARG002", 61, calls=calls),
        fixture("ARG003", None, calls=calls),
    ]
    Choice(rows, {("malformed", "blank:null"): 1}).report("these", list(faults(rows)))
    shown = capsys.readouterr().out
    assert "missed: nonconforming/ARG002_does_it" in shown
    assert f"these: 2 of 3 faults, {3 / (3 * 62):.1%} of the calls" in shown
