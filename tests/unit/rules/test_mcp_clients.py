"""SCH037 and SCH038: what clients take from a server, at the edge of each limit."""

import pytest
from tests.unit.rules import mcp_builders as m

from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=())}
MODERN = {
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "weather-of-the-north-sea", "version": "1"}}
}


def named(server, tool):
    opening = {"serverInfo": {"name": server, "version": "1"}, "capabilities": {"tools": {}}}
    return m.declared(opening=opening, name=tool)


def listing(number, **facts):
    return m.declared(names=tuple(f"tool_{each}" for each in range(number)), **facts)


@pytest.mark.parametrize(
    ("number", "limits"),
    [
        (41, ["Trae (2025-08-13) 40"]),
        (81, ["40", "Cursor (2025-09-02) 80"]),
        (101, ["40", "80", "Antigravity (2026-05-01) 100"]),
        (129, ["40", "80", "100", "OpenAI (2025-10-12) and GitHub Copilot (2026-06-21) 128"]),
        (513, ["40", "80", "100", "128", "Gemini (2026-04-15) 512"]),
    ],
)
def test_each_limit_that_is_exceeded_is_named(number, limits):
    (found,) = RULES["SCH037"].findings(listing(number))
    said = found.message
    shown = said.removesuffix(".").partition(": ")[2].split(", ")
    assert f"lists {number} tools" in said
    assert [one.endswith(limit) for one, limit in zip(shown, limits, strict=True)] == [True] * len(limits)


def test_forty_tools_are_taken_and_one_that_is_listed_twice_counts_once():
    for declaration in (listing(40), m.declared(names=("weather",) * 41)):
        assert list(RULES["SCH037"].findings(declaration)) == []


def test_a_list_that_was_not_read_to_its_end_is_not_judged():
    assert not RULES["SCH037"].when(listing(100, list_fault="never ends", list_breach="end"))


@pytest.mark.parametrize(
    ("server", "tool", "causes"),
    [
        ("s" * 20, "t" * 37, []),
        ("s" * 20, "t" * 38, ["name-beside-server-of-64"]),
        ("s" * 20, "t" * 39, ["name-beside-server-of-64"]),
        ("s" * 20, "t" * 40, ["name-beside-server-of-60", "name-beside-server-of-64"]),
        ("s" * 19 + " ", "t" * 40, []),
        ("", "t" * 58, []),
    ],
)
def test_a_name_is_measured_as_each_client_writes_it(server, tool, causes):
    found = list(RULES["SCH038"].findings(named(server, tool)))
    assert [each.cause for each in found] == causes
    assert not any(each.defers_to for each in found)


def test_the_newest_revision_names_the_server_in_its_meta():
    declaration = m.declared(opening=MODERN, name="t" * 40)
    (found, _) = RULES["SCH038"].findings(declaration)
    assert found.message.startswith("weather-of-the-north-sea-ttt")


def test_a_name_that_is_too_long_beside_any_server_is_left_to_its_rule():
    assert {each.defers_to for each in RULES["SCH038"].findings(named("s" * 20, "t" * 59))} == {"SCH030"}
