"""RES021 on what equal calls leave open: a growth to the end is found, and nothing that levels off."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration

RULE = b.RULES["RES021"]


def made(*counts, arguments='{"name": "Ada"}', first=1, **changes):
    """Equal calls in one process, by how many descriptors were open before and after each."""
    return [
        b.call(f"generated:{number}", arguments, earlier=number, descriptors=pair, **changes)
        for number, pair in enumerate(counts, start=first)
    ]


def found(*calls):
    exploration = Exploration((b.declaration(),), tuple(calls))
    return RULE.check(exploration) if RULE.when(exploration) else None


def growing(count, start=10):
    return [(start + number, start + number + 1) for number in range(count)]


def test_equal_calls_that_each_leave_one_open_are_found_with_the_figures():
    calls = made((10, 10), *growing(9))
    finding = found(*calls)
    assert (
        finding.message
        == "Each of the last 9 equal calls left file descriptors open: there were 10 before them, and 19 then."
    )
    assert finding.call is calls[-1]


def test_calls_between_them_that_leave_nothing_or_that_were_refused_change_nothing():
    calls = made(*growing(8))
    between = made(*((each, each) for each, _ in growing(8)), arguments='{"name": "Bob"}')
    refused = made(*((each, each) for each, _ in growing(8)), result=b.failure())
    assert found(*(call for three in zip(calls, between, refused, strict=True) for call in three))


def test_each_process_is_judged_by_itself():
    leaking, fresh = made((0, 1), *growing(9), first=0), made((10, 10), (10, 10), first=0)
    assert found(*leaking, *fresh)
    assert found(*(b.replace(call, apart=2) for call in leaking), *fresh)
    halves = made(*growing(6), first=0), made(*growing(6), first=0)
    assert not found(*halves[0], *halves[1])


def test_five_calls_are_too_few_to_be_judged():
    assert not RULE.when(Exploration((b.declaration(),), tuple(made(*growing(5)))))


@pytest.mark.parametrize(
    "calls",
    [
        [*made(*growing(5)), *made((16, 16), first=6)],
        made(*growing(20), (30, 30)),
        made(*((10, 11) for _ in range(20))),
        made(*((20 - number, 21 - number) for number in range(20))),
        [made(pair, arguments=json.dumps({"name": str(place)}))[0] for place, pair in enumerate(growing(20))],
        made(*growing(9), result=b.failure()),
    ],
    ids=[
        "too few",
        "a pool levels off",
        "closed a little later",
        "fewer and fewer",
        "a cache by arguments",
        "refused",
    ],
)
def test_what_is_no_steady_growth_of_equal_calls_is_not(calls):
    assert not found(*made(*((1, 1) for _ in range(6)), arguments="{}"), *calls)


def test_calls_at_the_same_time_and_disturbed_ones_are_not_judged():
    together = [
        b.call(f"together:8:equal-{number}", probe="repeat", earlier=number, descriptors=pair)
        for number, pair in enumerate(growing(8), start=1)
    ]
    assert not RULE.when(Exploration((b.declaration(),), tuple(together)))


def test_a_host_that_counts_nothing_is_not_judged():
    assert not RULE.when(Exploration((b.declaration(),), (b.call(earlier=3),) * 9))


@pytest.mark.parametrize(
    ("name", "usage", "applies"),
    [
        ("testing_greeter", b.USAGE, True),
        ("open_database", b.USAGE, False),
        ("startServer", b.USAGE, False),
        ("testing_greeter", "Purpose:\n- Subscribes to a feed.\n", False),
    ],
)
def test_a_tool_that_opens_things_for_later_calls_is_left_alone(name, usage, applies):
    assert (RULE.applies(b.declaration(name=name, usage=usage)) is None) is applies
