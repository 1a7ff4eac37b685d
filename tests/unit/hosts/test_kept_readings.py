"""Readings that one process made of several tools: each tool takes them once."""

import pytest

from aptix_conformance.core.errors import UnlistedError
from aptix_conformance.hosts.kept_readings import KeptReadings, following
from aptix_conformance.targets import ToolSettings

KEY = ("python server.py", ToolSettings(), {"hash seed": "1"})


def test_a_reading_is_taken_once_and_the_oldest_first():
    kept = KeptReadings()
    kept.keep(KEY, {"a": "first", "b": "first"}, "held")
    kept.keep(KEY, {"a": "second"}, "held")
    assert [kept.take(KEY, "a") for _ in range(3)] == [("first", "held"), ("second", "held"), None]


@pytest.mark.parametrize(
    "other",
    [
        ("python other.py", *KEY[1:]),
        (KEY[0], ToolSettings(timeout=1.0), KEY[2]),
        (*KEY[:2], {"hash seed": "2"}),
    ],
    ids=["module", "settings", "conditions"],
)
def test_a_reading_of_another_process_is_not_taken(other):
    kept = KeptReadings()
    kept.keep(other, {"a": "read"}, "held")
    assert kept.take(KEY, "a") is None


def test_a_tool_that_the_process_does_not_list_is_said_to_be_unlisted_once():
    kept = KeptReadings()
    kept.keep(KEY, {"a": UnlistedError("the server lists no tool 'a'")}, "held")
    with pytest.raises(UnlistedError, match="lists no tool 'a'"):
        kept.take(KEY, "a")
    assert kept.take(KEY, "a") is None


def test_few_processes_are_remembered():
    kept = KeptReadings()
    for number in range(30):
        kept.keep(KEY, {f"t{number}": "read"}, "held")
    assert [kept.take(KEY, f"t{number}") is None for number in (0, 5, 6, 29)] == [True, True, False, False]


def test_the_others_begin_with_the_one_after_the_tool():
    assert following("b", ["d", "a", "b", "c"]) == ["c", "d", "a"]
    assert following("", ["b", "a"]) == ["a", "b"]
