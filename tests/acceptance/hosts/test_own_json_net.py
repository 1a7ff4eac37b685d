"""The Json.NET that lies beside a C# tool is the one that it runs with; else the test machine's decides nothing about it."""

import shutil
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.aptix.dotnet_compile import compile_sources
from aptix_conformance.systems.aptix.lent_library import JSON_NET
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

HERE = Path(__file__).parent / "own_json_net"
CITY = Path(__file__).parents[3] / "fixtures" / "csharp" / "conforming" / "city.cs"
BAD_ESCAPE = r'{"city": "\uZZZZ"}'


@pytest.fixture
def call(runtime, tmp_path):
    """Call the tool of a source in a folder of its own, with some arguments."""
    opened = Systems(Environment(tmp_path, (), {}, Limits(timeout=10)))

    def make(source, name, arguments):
        shutil.copy(source, tmp_path)
        target = Target(f"aptix-cs:{source.name}#{name}", "aptix", source.name, name, prefix="aptix-cs")
        host = opened.open(target, ToolSettings(runtime=runtime.name))
        return host.execute(stimulus("malformed", "lenient", arguments, None))

    with opened:
        yield make


@pytest.fixture
def own(runtime, tmp_path):
    """A Json.NET of the project's own, in the tool's folder."""
    library = [f"-out:{tmp_path / JSON_NET}", "-target:library"]
    assert not compile_sources(runtime, library, [], [*(HERE / "library").glob("*.cs")])


@pytest.mark.usefixtures("own")
def test_the_json_net_beside_a_tool_is_the_one_that_it_runs_with(call):
    assert call(HERE / "OwnTool.cs", "Acme.Tools.OwnTool", "{}").result.payload == '"version 99"'


@pytest.mark.usefixtures("own")
def test_what_a_tool_makes_of_its_own_json_net_is_judged(call):
    refused = call(HERE / "OwnTool.cs", "Acme.Tools.OwnTool", BAD_ESCAPE)
    assert refused.raised.type_name == "FormatException"
    assert refused.left_out is None


def test_what_only_the_json_net_of_the_test_machine_decides_is_left_out(call):
    left_out = call(CITY, "Acme.Tools.CityTool", BAD_ESCAPE)
    assert left_out.raised.type_name == "FormatException"
    assert "name yours by `references`" in left_out.left_out
