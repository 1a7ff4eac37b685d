"""From specs to targets, without importing a tool."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from aptix_conformance.core.errors import ConfigurationError, ConformanceError, HostError, TargetError
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Settings, SourcedSpec, TargetFailure, ToolSettings
from aptix_conformance.targets import discover as discover_each


@dataclass(frozen=True)
class Listing:
    tools: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)


MODULES = {
    "pkg": Listing(
        ("pkg.a:One", "pkg.b:Two"), ("pkg.b:Odd has no TOOL_NAME",), {"pkg.c": "ImportError: no x"}
    ),
    "pkg.a": Listing(("pkg.a:One",)),
    "empty": Listing((), ("empty:Almost has no execute",)),
    "host": Listing(("host:Tool",)),
    "./bare.py": Listing(("",)),
    "nameless": Listing(("nameless:",)),
    "stranger": Listing(("stranger.a:One", "trusted.tools:Tool", "x.stranger.a:Two", "strangers:Three")),
}


def list_tools(_system, module, settings):
    if module == "broken":
        raise HostError("no process could be started")
    if module == "elsewhere" and settings.python is None:
        raise TargetError("elsewhere cannot be imported")
    if module == "elsewhere":
        return Listing(("elsewhere:Tool",))
    if module not in MODULES:
        raise TargetError(f"no module {module}")
    return MODULES[module]


def each(list_one):
    """Lists several places by listing one after the other."""

    def attempt(place):
        try:
            return list_one(*place)
        except ConformanceError as error:
            return error

    return lambda places: [attempt(place) for place in places]


def discover(sources, list_one, settings):
    return discover_each(sources, each(list_one), settings)


def sourced(*specs, origin="--aptix-tools"):
    return [SourcedSpec(spec, origin) for spec in specs]


def specs(discovery):
    return [target.spec for target in discovery.targets]


def test_a_class_is_a_target_without_asking_a_host():
    found = discover(
        sourced("pkg.a:One"), lambda *_: pytest.fail("a host was asked"), Settings(specs=OURS.specs)
    )
    (target,) = found.targets
    assert (target.spec, target.system, target.module, target.qualname) == (
        "pkg.a:One",
        "aptix",
        "pkg.a",
        "One",
    )
    assert target.origin == "--aptix-tools"


def test_a_module_is_all_its_tools():
    found = discover(sourced("pkg"), list_tools, Settings(specs=OURS.specs))
    assert specs(found) == ["pkg.a:One", "pkg.b:Two"]
    assert found.failures == (TargetFailure("pkg.c", "--aptix-tools", "ImportError: no x"),)
    assert found.notes == ("pkg.b:Odd has no TOOL_NAME",)


def test_sources_add_up_and_the_same_class_is_one_target():
    both = [*sourced("pkg.a:One", "aptix:pkg.a:One"), *sourced("pkg", "pkg.a", origin="pyproject.toml")]
    found = discover(both, list_tools, Settings(specs=OURS.specs))
    assert specs(found) == ["pkg.a:One", "pkg.b:Two"]
    assert [target.origin for target in found.targets] == ["--aptix-tools", "pyproject.toml"]


def test_the_order_is_the_same_whatever_the_order_of_the_sources():
    names = ["z:Z", "pkg", "empty", "a:A", "missing", "host"]
    reference = discover(sourced(*names), list_tools, Settings(specs=OURS.specs))
    assert specs(reference) == sorted(specs(reference))
    for seed in range(5):
        shuffled = random.Random(seed).sample(names, len(names))
        assert discover(sourced(*shuffled), list_tools, Settings(specs=OURS.specs)) == reference


def test_one_bad_spec_does_not_keep_the_others_out():
    found = discover(
        sourced("tools.py", "missing", "broken", "empty", "art:./x", "pkg.a"),
        list_tools,
        Settings(specs=OURS.specs),
    )
    assert specs(found) == ["pkg.a:One"]
    messages = {failure.spec: failure.message for failure in found.failures}
    assert list(messages) == ["art:./x", "broken", "empty", "missing", "tools.py"]
    assert messages["art:./x"] == "no module ./x"
    assert messages["broken"] == "no process could be started"
    assert messages["empty"].startswith(
        "`empty` was imported and defines no tool; empty:Almost has no execute; a tool"
    )
    assert messages["missing"] == "no module missing"
    assert "path of a file" in messages["tools.py"]


def test_a_module_is_listed_once_and_with_its_own_settings():
    asked = []

    def spy(system, module, settings):
        asked.append((system, module, settings.timeout))
        return list_tools(system, module, settings)

    discover(
        sourced("pkg", "pkg", "aptix:pkg"),
        spy,
        Settings(specs=OURS.specs, tools=("pkg",), tool={"pkg": ToolSettings(timeout=2.0)}),
    )
    assert asked == [("aptix", "pkg", 2.0)]


def test_a_package_cannot_list_tools_of_another():
    """What comes from a tool's own process must not bring another package's tools into the run."""
    found = discover(sourced("stranger"), list_tools, Settings(specs=OURS.specs))
    assert specs(found) == ["stranger.a:One"]
    (failure,) = found.failures
    assert failure.message == "stranger lists `trusted.tools:Tool`, which is not in it"


def test_a_module_named_like_a_system_keeps_its_full_spec():
    assert specs(discover(sourced("host"), list_tools, Settings(specs=OURS.specs))) == ["aptix:host:Tool"]


@pytest.mark.parametrize("spec", ["elsewhere", "elsewhere:Tool"])
def test_an_interpreter_given_by_a_tools_name_is_found_for_its_module(spec):
    settings = Settings(
        specs=OURS.specs, tools=("elsewhere",), tool={"agent_weather": ToolSettings(python="/other/python")}
    )
    (target,) = discover(sourced(spec), list_tools, settings).targets
    assert (target.spec, target.python) == ("elsewhere:Tool", "/other/python")


@pytest.mark.parametrize(
    ("key", "tools"),
    [("agent_weather", ()), ("agent_weather", ("pkg",)), ("pkg.a:One", ("pkg",)), ("elsewhere", ())],
)
def test_an_interpreter_of_another_tool_is_not_tried_for_a_module_that_the_project_does_not_list(key, tools):
    settings = Settings(specs=OURS.specs, tools=tools, tool={key: ToolSettings(python="/other/python")})
    (failure,) = discover(sourced("elsewhere"), list_tools, settings).failures
    assert failure.message == "elsewhere cannot be imported"


def test_an_interpreter_given_by_a_tools_spec_is_found_for_its_module():
    settings = Settings(specs=OURS.specs, tool={"elsewhere:Tool": ToolSettings(python="/other/python")})
    (target,) = discover(sourced("elsewhere"), list_tools, settings).targets
    assert target.python == "/other/python"


def test_an_interpreter_is_not_tried_where_the_module_needs_none():
    settings = Settings(
        specs=OURS.specs, tools=("pkg",), tool={"agent_weather": ToolSettings(python="/other/python")}
    )
    (target,) = discover(sourced("pkg.a"), list_tools, settings).targets
    assert target.python is None


def test_the_first_failure_counts_where_no_interpreter_helps():
    settings = Settings(
        specs=OURS.specs, tools=("missing",), tool={"agent_weather": ToolSettings(python="/other/python")}
    )
    (failure,) = discover(sourced("missing"), list_tools, settings).failures
    assert failure.message == "no module missing"


def test_two_tables_for_one_target_are_an_error_of_the_run():
    settings = Settings(
        specs=OURS.specs, tool={"pkg.a:One": ToolSettings(), "aptix:pkg.a:One": ToolSettings()}
    )
    with pytest.raises(ConfigurationError, match="same tool"):
        discover(sourced("pkg.a:One"), list_tools, settings)


def test_a_place_whose_tools_have_no_name_is_one_target_where_places_are_no_modules():
    """An Amplifier module that registers nothing is examined as far as it goes."""
    found = discover(sourced("amplifier:./bare.py"), list_tools, Settings(specs=OURS.specs))
    assert (specs(found), found.failures) == (["amplifier:./bare.py"], ())
    odd = discover(sourced("nameless"), list_tools, Settings(specs=OURS.specs))
    assert (specs(odd), len(odd.failures)) == ([], 1)
