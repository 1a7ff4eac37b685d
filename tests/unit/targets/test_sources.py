"""Entry points as a source of targets, and the message for a run without any."""

import sys

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.targets import (
    distributions_with_tools,
    entry_point_specs,
    nothing_found,
)

ENTRY_POINTS = """[aptix.tools]
weather = my_pkg.tools:WeatherTool
spaced = my_pkg.tools : Other [extra]
all = my_pkg
bad = not a spec at all

[other.group]
x = never_seen:X
"""

EXAMPLE = "my_pkg.tools:WeatherTool"


def install(folder, name):
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text(ENTRY_POINTS)


def test_entry_points_are_read_and_not_loaded(tmp_path, monkeypatch):
    install(tmp_path, "weather-tools")
    (tmp_path / "my_pkg.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    specs = [spec for spec in entry_point_specs(True) if "weather-tools" in spec.origin]
    assert [spec.text for spec in specs] == [
        "my_pkg",
        "not a spec at all",
        "my_pkg.tools:Other",
        "my_pkg.tools:WeatherTool",
    ]
    assert specs[0].origin == "the entry point all of weather-tools (group aptix.tools)"
    assert "my_pkg" not in sys.modules


def test_only_the_distributions_that_the_project_names_are_asked(tmp_path, monkeypatch):
    """A dependency must not add tools, or code that runs, to a project's examination."""
    install(tmp_path, "weather-tools")
    install(tmp_path, "Other.Tools")
    monkeypatch.syspath_prepend(tmp_path)
    assert entry_point_specs(False) == ()
    assert {spec.origin.partition(" of ")[2] for spec in entry_point_specs(("other_tools",))} == {
        "Other.Tools (group aptix.tools)"
    }
    assert {"Other.Tools", "weather-tools"} <= set(distributions_with_tools())


def test_a_named_distribution_without_tools_is_an_error():
    """Else a wrong name would look as if nothing were there to examine."""
    with pytest.raises(ConfigurationError, match="no distribution wether-tools is installed"):
        entry_point_specs(("wether-tools",))


def test_a_run_without_tools_is_told_whose_entry_points_it_could_ask_for(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    text = nothing_found(tmp_path / "pyproject.toml", EXAMPLE, unasked=("weather-tools",))
    assert "(there is no such file)" not in text
    assert "installed distributions offer tools (weather-tools): `entry_points = true` examines them" in text


def test_a_run_without_tools_is_told_where_tools_were_looked_for(tmp_path):
    text = nothing_found(tmp_path / "pyproject.toml", EXAMPLE)
    assert text.splitlines() == [
        "no tool was found; looked at:",
        "  --aptix-tools: nothing",
        f"  [tool.aptix-conformance] tools of {tmp_path}/pyproject.toml (there is no such file): nothing",
        "  entry points of the group aptix.tools, where the project asks for them: nothing",
        "  the hook pytest_aptix_tools: nothing",
        "name one: pytest --aptix-conformance --aptix-tools my_pkg.tools:WeatherTool",
    ]
