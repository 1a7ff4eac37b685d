"""One process of a server reads what all of its tools declare, and says of each what a process of its own would."""

import json

import pytest
from tests.process.hosts.mcp.servers import COMMAND, SETTINGS

from aptix_conformance.core.errors import UnlistedError
from aptix_conformance.core.model import canaries
from aptix_conformance.targets import Target, ToolSettings

SEEDED = {"hash seed": "1"}
PROCESSES = """
said = {"description": os.urandom(8).hex()}
listed["tools"] = [{**TOOL, "name": name, **said} for name in "abc"]
"""
GONE = """
if not os.path.exists("offers-b"):
    del listed["tools"][1]
"""
COUNTED = """
times, secret = [], {"description": os.environ.get("A_TOKEN", "")}
def answer(method, params, old=answer):
    if method == "tools/list":
        times.append(method)
        write({"method": "notifications/message", "params": {"level": "info", "data": len(times)}})
        return {"tools": [{**TOOL, "name": name, "title": str(len(times)), **secret} for name in "ab"]}
    return old(method, params)
"""


def target(tool):
    return Target(f"mcp:{COMMAND}#{tool}", "mcp", COMMAND, tool)


def process_of(declaration):
    return json.loads(declaration.facts.definition)["description"]


def test_one_process_serves_the_first_reading_of_all_and_one_each_restart_of_all_tools(bench):
    pool = bench(PROCESSES)
    first = {process_of(pool.read(target(tool), SETTINGS)[0]) for tool in ("", *"abc")}
    again = {process_of(pool.describe_again(target(tool), SETTINGS, SEEDED)) for tool in "abc"}
    assert (len(first), len(again), len(first | again)) == (1, 1, 2)


def test_a_tool_never_gets_one_process_twice_and_other_settings_have_processes_of_their_own(bench):
    pool, asked = bench(PROCESSES), [*"aabb"]
    found = [process_of(pool.describe_again(target(tool), SETTINGS, {})) for tool in asked]
    assert found[:2] == found[2:]
    for other in ({"timeout": 4.0}, {"env": {"A": "1"}}, {"side_effects": "none"}):
        found += [process_of(pool.describe_again(target(tool), ToolSettings(**other), {})) for tool in "ca"]
    kinds = [found.index(each) for each in found]
    assert kinds == [0, 1, 0, 1, 4, 4, 6, 6, 8, 9], "where calls are not contained, nothing is kept"


def test_of_long_declarations_few_are_kept(bench):
    long = "for tool in listed['tools']: tool['inputSchema'] = {'type': 'object', 'title': 400_000 * 'x'}"
    pool = bench(PROCESSES + long)
    found = [process_of(pool.describe_again(target(tool), SETTINGS, SEEDED)) for tool in "abc"]
    assert [found.index(each) for each in found] == [0, 0, 2]


@pytest.mark.parametrize("first", ["", "a"], ids=["after the server", "after another tool"])
def test_a_shared_process_says_what_one_of_the_tool_alone_says_without_secrets(bench, monkeypatch, first):
    monkeypatch.setenv("ECHO", "a1b2c3d4e5f6")
    settings = ToolSettings(env={"A_TOKEN": "${ECHO}"})
    shared, alone = bench(COUNTED), bench(COUNTED)
    shared.read(target(first), settings)
    found, containment = shared.read(target("b"), settings)
    assert (found, containment) == alone.read(target("b"), settings)
    assert canaries.standing_for("A_TOKEN") in found.facts.definition
    assert "a1b2c3d4e5f6" not in repr(found)


def test_a_tool_that_the_shared_process_does_not_list_is_unlisted_in_it(bench, tmp_path):
    """Else only a tool whose own process, too, does not list it would show that a server lists it by chance."""
    offers, pool = tmp_path / "offers-b", bench(PROCESSES + GONE)
    offers.touch()
    pool.list_tools(COMMAND, SETTINGS)
    offers.unlink()
    assert pool.describe_again(target("a"), SETTINGS, SEEDED).facts.names == ("a", "c")
    offers.touch()
    with pytest.raises(UnlistedError, match=r"^mcp:python server\.py: the server lists no tool 'b'"):
        pool.describe_again(target("b"), SETTINGS, SEEDED)
    assert pool.describe_again(target("b"), SETTINGS, SEEDED).facts.names == ("a", "b", "c")


def test_the_listing_finds_out_the_revision_for_the_readings(bench):
    pool = bench("")
    pool.list_tools(COMMAND, SETTINGS)
    assert json.loads(pool.module_for(COMMAND, SETTINGS))["revision"] == "2025-11-25"
