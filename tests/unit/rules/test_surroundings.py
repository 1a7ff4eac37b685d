"""RES023: what another zone, locale or hash seed changes in a result, and what they may change."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration, OtherHashSeed
from aptix_conformance.stimuli.probes.other_conditions import EAST, GERMAN, LATER, WEST

SENT = json.dumps({"name": "Ada"})
RULE = b.RULES["RES023"]


def made(payload, conditions=None, number=1):
    if conditions is None:
        return b.call(f"same:A:{number}", SENT, "repeat", result=b.success(payload))
    seen = b.call(f"same:any:{number}", SENT, "conditions", result=b.success(payload))
    return b.replace(seen, plan=b.replace(seen.plan, disturbance=conditions))


def found(calls, **declared):
    exploration = Exploration((b.declaration(**declared),), calls)
    return [finding.message for finding in RULE.findings(exploration)] if RULE.when(exploration) else []


def in_zones(west, east, later=None, usual=None, west_again=None):
    usual = usual or [west, west]
    own = [*[made(west, WEST), made(west if west_again is None else west_again, WEST, 2)]]
    own += [made(east, EAST), made(east, EAST, 2)]
    own += [made(west if later is None else later, LATER)]
    return found([*(made(each, number=n) for n, each in enumerate(usual, 1)), *own])


@pytest.mark.parametrize(
    ("west", "east"),
    [
        ({"due": "2024-02-29"}, {"due": "2024-03-01"}),
        ({"due_time": 1709191800}, {"due_time": 1709107200}),
        ({"day": "Thursday"}, {"day": "Friday"}),
        ({"days": 2}, {"days": 1}),
    ],
)
def test_what_moves_between_zones_is_found(west, east):
    (message,) = in_zones(west, east)
    assert "with the time zone Pacific/Marquesas" in message
    assert str(next(iter(east.values()))) in message


@pytest.mark.parametrize(
    ("west", "east"),
    [
        ({"at": "2024-02-29T14:30:00-09:30"}, {"at": "2024-03-01T09:00:00+09:00"}),
        ({"at": "2024-02-29 14:30", "zone": "Pacific/Marquesas"}, {"at": "2024-03-01 14:00", "zone": "Asia/Tokyo"}),
        ({"hour": 3, "offset": -570}, {"hour": 2, "offset": 540}),
        ({"zone": "MART"}, {"zone": "JAPANESE"}),
        ({"due": "2024-03-01"}, {"due": "2024-03-01"}),
    ],
    ids=["an offset", "a zone", "an offset in minutes", "words", "equal"],
)  # fmt: skip
def test_what_says_its_zone_is_not(west, east):
    assert in_zones(west, east) == []


def test_the_present_is_not():
    """Another clock changes it, and a second call may."""
    one, other = {"today": "2026-11-27"}, {"today": "2026-11-28"}
    assert in_zones(one, other, later={"today": "2028-03-08"}) == []
    assert in_zones(one, other, west_again=other) == []
    assert in_zones(one, other, usual=[one, other]) == []


def test_without_the_call_with_another_clock_nothing_is_found():
    one, other = {"due": "2024-02-29"}, {"due": "2024-03-01"}
    zones = [made(one, WEST), made(one, WEST, 2), made(other, EAST), made(other, EAST, 2)]
    left_out = b.replace(made(one, LATER), left_out="the clock could not be moved")
    assert found([made(one), made(one, number=2), *zones]) == []
    assert found([made(one), made(one, number=2), *zones, left_out]) == []


def in_german(usual, german, again=None):
    own = [made(german, GERMAN), made(german if again is None else again, GERMAN, 2)]
    return found([made(usual), made(usual, number=2), *own])


@pytest.mark.parametrize(
    ("usual", "german"),
    [
        ({"total": "1,234.5"}, {"total": "1.234,5"}),
        ({"on": "3/1/2024, 3:04:05 PM"}, {"on": "1.3.2024, 15:04:05"}),
        ({"on": "March 1, 2024"}, {"on": "1. März 2024"}),
        ({"said": "12.5 km"}, {"said": "12,5 km"}),
        ({"doubled": 3.0}, {"doubled": 30}),
        ({"half": -0.625}, {"half": -625}),
    ],
)
def test_what_is_written_in_another_way_with_another_locale_is_found(usual, german):
    (message,) = in_german(usual, german)
    assert "with the locale de_DE.UTF-8" in message


@pytest.mark.parametrize(
    ("usual", "german"),
    [
        ({"said": "3 files"}, {"said": "3 Dateien"}),
        ({"at": "13:44, 1.5 km"}, {"at": "13:45, 1.5 km"}),
        ({"total": 1234.5}, {"total": 1234.5}),
        ({"total": "1,234.5"}, {"total": "1,235.5"}),
        ({"days": 3}, {"days": 31}),
        ({"days": 0}, {"days": 1}),
    ],
    ids=["a translation", "a minute later", "a number", "another number", "more days", "none and one"],
)
def test_another_text_is_not(usual, german):
    assert in_german(usual, german) == []


def test_a_format_by_chance_is_not():
    assert in_german({"total": "1,234.5"}, {"total": "1.234,5"}, again={"total": "1,234.5"}) == []


def in_order(usage):
    calls = [
        b.call("example:1", SENT, "valid", result=b.success({"found": ["EUR", "USD"]})),
        *(made({"found": ["EUR", "USD"]}, number=n) for n in (1, 2)),
    ]
    for number in (1, 2):
        seen = b.call(f"same:seed:{number}", SENT, "hash-seed", result=b.success({"found": ["USD", "EUR"]}))
        calls.append(b.replace(seen, plan=b.replace(seen.plan, disturbance=OtherHashSeed("1"))))
    return found(calls, usage=usage)


def test_the_order_of_a_set_is_found_where_nothing_is_claimed():
    (message,) = in_order("Lists currencies.")
    assert "in another order in another process" in message


def test_where_the_tool_says_that_it_only_reads_it_is_of_another_rule():
    assert in_order("Read-only and idempotent.") == []
