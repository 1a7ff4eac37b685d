"""Which tables are about which tool, and how far a table counts that a stranger's tool can claim by its name."""

import datetime as dt
import tomllib
from dataclasses import fields, replace

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import (
    Example,
    Settings,
    ToolSettings,
    Waiver,
    granted_by_name,
    settings_for,
    settings_from,
    unmatched,
)
from aptix_conformance.targets.per_tool import near_place, table_of

SPEC = "my_pkg.tools:WeatherTool"

GRANTS = {
    "arguments": {"city": {"maxLength": 3}},
    "services": {"catalog": "a:b"},
    "config": {"root": "notes"},
    "env": {"A": "b"},
    "files": "/testdata",
    "confined_to": "notes",
    "reads": ("/srv/models",),
    "side_effects": "none",
    "command": ("python", "server.py"),
    "directory": "/a/folder",
    "variables": ("NOTES_TOKEN",),
    "url": "http://127.0.0.1:8000/mcp",
    "headers": {"Authorization": "Bearer ${TOKEN}"},
    "network": (("api.example.com", 443),),
    "recording": "/recordings/weather.yaml",
    "cancel_grace": 9.0,
    "block_limit": 9.0,
    "timeout": 9.0,
    "python": "/a/python",
    "references": ("/a.dll",),
    "sources": ("/a.cs",),
    "runtime": "mono",
    "execute": "Run",
    "adapter": "A:B",
    "waivers": (Waiver("ARG002", "us", "none", dt.date(2999, 1, 1)),),
}
"""Settings that give a tool something, or make its examination milder."""

DEMANDS = {
    "examples": (Example({"city": "Oslo"}),),
    "fault_modules": ("my_pkg.db",),
    "idempotent": True,
    "long_running": True,
    "side_effects": "destructive",
}
"""Settings that make an examination stricter."""


def settings(tables, *tools):
    made = {key: ToolSettings(**said, given=frozenset(said)) for key, said in tables.items()}
    return Settings(specs=OURS.specs, tools=tools, tool=made)


@pytest.mark.parametrize("key", [SPEC, f"aptix:{SPEC}", "my_pkg.tools", "aptix:my_pkg.tools", "aptix:my_pkg"])
def test_a_table_is_found_by_class_module_and_package_whoever_names_the_target(key):
    found = settings_for(settings({key: GRANTS}), "agent_weather", SPEC)
    assert (found.timeout, found.env, found.withheld) == (9.0, {"A": "b"}, ())


@pytest.mark.parametrize("key", ["agent_weather", "my_pkg"])
@pytest.mark.parametrize("listed", [SPEC, "my_pkg.tools", "my_pkg"])
def test_a_table_is_found_by_name_where_the_project_lists_the_target(key, listed):
    found = settings_for(settings({key: GRANTS}, listed), "agent_weather", SPEC)
    assert (found.timeout, found.env, found.withheld) == (9.0, {"A": "b"}, ())


@pytest.mark.parametrize(
    "key", ["Agent_Weather", "my_pkg.tools:Other", "my_pkg.tool", "tools", "my_pkg.tools.more"]
)
def test_a_table_about_something_else_is_not(key):
    assert settings_for(settings({key: GRANTS}, "my_pkg"), "agent_weather", SPEC) == ToolSettings()


def test_every_setting_is_known_as_a_grant_or_as_a_demand():
    """A new setting is a grant until somebody says that it only makes an examination stricter."""
    known = {field.name for field in fields(ToolSettings)} - {"given", "places", "strangers", "withheld"}
    assert known == GRANTS.keys() | DEMANDS.keys()


@pytest.mark.parametrize("field", GRANTS)
@pytest.mark.parametrize("listed", [(), ("other_pkg",), ("my_pkg.tools:Other",)])
def test_a_claimed_name_grants_nothing(field, listed):
    stranger = settings({"agent_weather": {field: GRANTS[field]}}, *listed)
    found = settings_for(stranger, "agent_weather", SPEC)
    assert replace(found, withheld=()) == ToolSettings()
    (said,) = found.withheld
    key = {"waivers": "waive", "directory": "cwd"}.get(field, field)
    assert said == (
        f"{key} under [tool.aptix-conformance.tool.agent_weather] do not count: `tools` of [tool.aptix-conformance] "
        f"does not list {SPEC}; list it, or use its spec as the key"
    )


@pytest.mark.parametrize("field", DEMANDS)
def test_a_name_is_enough_for_what_makes_an_examination_stricter(field):
    found = settings_for(settings({"agent_weather": {field: DEMANDS[field]}}), "agent_weather", SPEC)
    assert getattr(found, field) == DEMANDS[field]
    assert found.withheld == ()


@pytest.mark.parametrize("field", ["idempotent", "long_running"])
def test_a_claimed_name_does_not_take_back_a_demand(field):
    tables = {"my_pkg.tools": {field: True}, "agent_weather": {field: False}}
    found = settings_for(settings(tables), "agent_weather", SPEC)
    assert getattr(found, field) is True
    assert len(found.withheld) == 1


def test_a_table_that_both_grants_and_demands_counts_in_part():
    table = {"examples": DEMANDS["examples"], "env": {"A": "b"}, "side_effects": "none"}
    found = settings_for(settings({"agent_weather": table}), "agent_weather", SPEC)
    assert (found.examples, found.env, found.side_effects) == (DEMANDS["examples"], {}, "contained")
    assert found.withheld[0].startswith(
        "env, side_effects under [tool.aptix-conformance.tool.agent_weather] "
    )


def test_of_two_tools_with_one_name_neither_gets_what_is_bound_to_it():
    both = settings({"agent_weather": GRANTS}, "my_pkg", "other_pkg")
    for spec in (SPEC, "other_pkg:Tool"):
        found = settings_for(both, "agent_weather", spec, shared={"agent_weather"})
        assert replace(found, withheld=()) == ToolSettings()
        assert f'several tools have this name; for this one, use the key "{spec}"' in found.withheld[0]


def test_a_table_of_its_own_spec_goes_before_one_of_its_name():
    tables = {SPEC: {"timeout": 2.0}, "agent_weather": {"timeout": 3.0, "env": {"A": "b"}}}
    found = settings_for(settings(tables, "my_pkg"), "agent_weather", SPEC)
    assert (found.timeout, found.env) == (2.0, {"A": "b"})


@pytest.mark.parametrize("claimed", [SPEC, f"aptix:{SPEC}", "my_pkg.tools", "aptix:my_pkg", "host:/bin/sh"])
def test_a_tool_that_is_called_like_a_spec_gets_nothing(claimed):
    """Also where the project lists its target: the key means somebody else's."""
    listed = settings({claimed: GRANTS}, "stranger")
    assert settings_for(listed, claimed, "stranger:Tool") == ToolSettings()


@pytest.mark.parametrize("tools", [(), ("trusted_pkg",)])
def test_a_module_that_is_called_like_a_trusted_tool_gets_nothing(tools):
    found = settings_for(settings({"agent_weather": GRANTS}, *tools), "harmless", "agent_weather:Tool")
    assert replace(found, withheld=()) == ToolSettings()
    assert found.withheld


def test_a_tool_that_is_called_like_a_trusted_module_gets_nothing():
    found = settings_for(settings({"trusted": GRANTS}, "trusted", "stranger"), "trusted", "stranger:Tool")
    assert found == ToolSettings()


def test_a_name_is_not_looked_for_before_it_is_known():
    assert settings_for(settings({"agent_weather": GRANTS}, "my_pkg"), None, SPEC).timeout is None


def test_whether_a_name_grants_something_is_known():
    tables = settings({"agent_weather": GRANTS, "agent_news": DEMANDS, SPEC: GRANTS}, "my_pkg")
    asked = ("agent_weather", "agent_news", SPEC, "other")
    assert [granted_by_name(tables, name) for name in asked] == [True, False, False, False]


def test_a_module_is_itself_a_spec():
    tables = {"my_pkg": {"timeout": 1.0}, "my_pkg.tools": {"env": {"A": "b"}}}
    found = settings_for(settings(tables, "my_pkg"), None, "my_pkg.tools")
    assert (found.timeout, found.env) == (1.0, {"A": "b"})


def test_the_narrower_table_wins_key_by_key(tmp_path):
    table = {
        "tools": ["my_pkg"],
        "tool": {
            "agent_weather": {"side_effects": "contained", "timeout": 3},
            "my_pkg": {"side_effects": "none", "timeout": 1, "long_running": True},
            "my_pkg.tools": {"timeout": 2, "env": {"A": "b"}},
        },
    }
    found = settings_for(
        replace(settings_from(table, "pyproject.toml", tmp_path, ()), specs=OURS.specs), "agent_weather", SPEC
    )
    assert (found.side_effects, found.timeout, found.long_running, found.env) == (
        "contained",
        3.0,
        True,
        {"A": "b"},
    )
    assert found.given == {"side_effects", "timeout", "long_running", "env"}


def test_one_spec_written_in_two_ways_is_one_table_too_many():
    with pytest.raises(
        ConfigurationError, match=r'tool\."my_pkg\.tools:WeatherTool"\] and .*tool\."aptix:my_pkg.* are'
    ):
        settings_for(settings({SPEC: {}, f"aptix:{SPEC}": {}}), "agent_weather", SPEC)


def test_a_targets_interpreter_counts_where_no_table_names_one():
    named = settings({SPEC: {"python": "/a/python"}})
    assert settings_for(settings({}), None, SPEC, "/b/python").python == "/b/python"
    assert settings_for(named, None, SPEC, "/b/python").python == "/a/python"


@pytest.mark.parametrize("key", ["aptix:host:Tool", "aptix:host"])
def test_a_module_named_like_a_system_has_its_tables_too(key):
    assert settings_for(settings({key: {"timeout": 1.0}}), None, "aptix:host:Tool").timeout == 1.0


def test_a_table_about_no_tool_is_noted_with_the_nearest():
    keys = ["agent_wether", "agent_weather", "my_pkg", SPEC, "zzz", "\x1b"]
    assert unmatched(
        settings({key: {} for key in keys}), [("agent_weather", SPEC), (None, "other:Tool")]
    ) == (
        '[tool.aptix-conformance.tool."\\U0000001b"] is about no tool that was collected',
        "[tool.aptix-conformance.tool.agent_wether] is about no tool that was collected; the nearest is agent_weather",
        "[tool.aptix-conformance.tool.zzz] is about no tool that was collected",
    )


def test_a_table_of_a_target_that_did_not_load_is_not_noted():
    tables = settings({"mcp:notes": {}, "agent_wether": {}, "mcp:other": {}})
    (note,) = unmatched(tables, [("agent_weather", SPEC)], ["mcp:notes"])
    assert note.startswith('[tool.aptix-conformance.tool."mcp:other"] is about no tool')


def test_a_table_with_a_name_that_reads_as_a_spec_is_noted_with_the_key_to_use():
    (note,) = unmatched(settings({"notes.search": {}}), [("notes.search", SPEC)])
    assert note.endswith(f': it is read as a target spec; the tool of this name has the key "{SPEC}"')


def test_a_hostile_name_matches_its_own_table_only():
    tables = settings({"../../x": {"timeout": 1.0}, "a b": {"timeout": 2.0}}, "my_pkg")
    assert settings_for(tables, "../../x", SPEC).timeout == 1.0
    assert unmatched(tables, [("../../x", SPEC)]) == (
        '[tool.aptix-conformance.tool."a b"] is about no tool that was collected',
    )


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("mcp:notse", " (did you mean mcp:notes?)"),
        ("mcp:notse#add", " (did you mean mcp:notes?)"),
        ("mcp:notes", ""),
        ("mcp:notes#add", ""),
        ("mcp:calendar", ""),
        ("mcp:python notes.py", ""),
        ("mcp:weathr", ""),
        ("not a spec", ""),
    ],
)
def test_a_spec_that_is_like_the_name_of_a_table_with_a_server_is_met_with_a_hint(spec, hint):
    tables = settings(
        {
            "mcp:notes": {"command": ("notes",)},
            "mcp:python notes2.py": {"command": ("notes",)},
            "mcp:weather": {"timeout": 1.0},
            "notse": {"url": "http://127.0.0.1/"},
        }
    )
    assert near_place(tables, spec) == hint


@pytest.mark.parametrize(
    "key",
    [
        "agent_weather",
        "mcp:python server.py#get weather",
        "50%",
        "my.tool",
        'the "best" tool',
        "it's",
        "back\\slash",
        "",
        "größe",
        "\U0001f600",
        "a\nb\x7f\U000e0001",
    ],
)
def test_the_head_of_a_table_is_toml_for_any_key(key):
    (table,) = tomllib.loads(table_of(key))["tool"]["aptix-conformance"]["tool"].items()
    assert table == (key, {})
    assert "\n" not in table_of(key)


def test_a_key_is_quoted_only_where_it_needs_to_be():
    assert table_of("agent-weather_2") == "[tool.aptix-conformance.tool.agent-weather_2]"
    assert table_of("a.b") == '[tool.aptix-conformance.tool."a.b"]'
