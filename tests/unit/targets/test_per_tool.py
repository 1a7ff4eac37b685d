"""Which tables are about which tool."""

from dataclasses import replace

import pytest

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Settings, ToolSettings, settings_for, settings_from, unmatched

SPEC = "my_pkg.tools:WeatherTool"


@pytest.mark.parametrize("key", ["agent_weather", SPEC, f"aptix:{SPEC}", "my_pkg.tools", "my_pkg"])
def test_a_table_is_found_by_name_class_module_and_package(key):
    settings = Settings(specs=OURS.specs, tool={key: ToolSettings(timeout=1.0)})
    assert settings_for(settings, "agent_weather", SPEC).timeout == 1.0


@pytest.mark.parametrize(
    "key", ["Agent_Weather", "my_pkg.tools:Other", "my_pkg.tool", "tools", "my_pkg.tools.more"]
)
def test_a_table_about_something_else_is_not(key):
    settings = Settings(specs=OURS.specs, tool={key: ToolSettings(timeout=1.0)})
    assert settings_for(settings, "agent_weather", SPEC) == ToolSettings()


def test_a_name_is_not_looked_for_before_it_is_known():
    settings = Settings(specs=OURS.specs, tool={"agent_weather": ToolSettings(timeout=1.0)})
    assert settings_for(settings, None, SPEC).timeout is None


def test_a_module_is_itself_a_spec():
    settings = Settings(
        specs=OURS.specs,
        tool={"my_pkg": ToolSettings(timeout=1.0), "my_pkg.tools": ToolSettings(env={"A": "b"})},
    )
    found = settings_for(settings, None, "my_pkg.tools")
    assert (found.timeout, found.env) == (1.0, {"A": "b"})


def test_the_narrower_table_wins_key_by_key(tmp_path):
    table = {
        "tool": {
            "agent_weather": {"side_effects": "contained", "timeout": 3},
            "my_pkg": {"side_effects": "none", "timeout": 1, "long_running": True},
            "my_pkg.tools": {"timeout": 2, "env": {"A": "b"}},
        }
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


def test_two_tables_of_its_own_are_one_too_many():
    settings = Settings(specs=OURS.specs, tool={"agent_weather": ToolSettings(), SPEC: ToolSettings()})
    with pytest.raises(
        ConfigurationError, match=r'tool\.agent_weather\] and .*tool\."my_pkg\.tools:WeatherTool"\] are'
    ):
        settings_for(settings, "agent_weather", SPEC)


def test_a_targets_interpreter_counts_where_no_table_names_one():
    named = Settings(specs=OURS.specs, tool={SPEC: ToolSettings(python="/a/python")})
    assert settings_for(Settings(specs=OURS.specs), None, SPEC, "/b/python").python == "/b/python"
    assert settings_for(named, None, SPEC, "/b/python").python == "/a/python"


def test_a_module_named_like_a_system_has_its_tables_too():
    settings = Settings(specs=OURS.specs, tool={"aptix:host:Tool": ToolSettings(timeout=1.0)})
    assert settings_for(settings, None, "aptix:host:Tool").timeout == 1.0


def test_a_table_about_no_tool_is_noted_with_the_nearest():
    settings = Settings(
        specs=OURS.specs,
        tool=dict.fromkeys(["agent_wether", "agent_weather", "my_pkg", SPEC, "zzz", "\x1b"], ToolSettings()),
    )
    assert unmatched(settings, [("agent_weather", SPEC), (None, "other:Tool")]) == (
        '[tool.aptix-conformance.tool."\\u001b"] is about no tool that was collected',
        "[tool.aptix-conformance.tool.agent_wether] is about no tool that was collected; the nearest is agent_weather",
        "[tool.aptix-conformance.tool.zzz] is about no tool that was collected",
    )


def test_a_hostile_name_matches_its_own_table_only():
    settings = Settings(
        specs=OURS.specs, tool={"../../x": ToolSettings(timeout=1.0), "a b": ToolSettings(timeout=2.0)}
    )
    assert settings_for(settings, "../../x", SPEC).timeout == 1.0
    assert unmatched(settings, [("../../x", SPEC)]) == (
        '[tool.aptix-conformance.tool."a b"] is about no tool that was collected',
    )
