"""What a user reads of a tool whose real work was never reached."""

import pytest


@pytest.fixture
def project(pytester, tool_source):
    """A tool that asks a service on the network, and says politely that it cannot."""
    source = tool_source("weather")
    known = '"weather": "rain"'
    assert known in source
    asking = '"weather": urllib.request.urlopen("https://weather.example/" + city, timeout=1).read().decode()'
    source = source.replace(known, asking).replace("import json\n", "import json\nimport urllib.request\n")
    pytester.makepyfile(weather_tools=source)
    pytester.makepyprojecttoml('[tool.aptix-conformance]\ntools = ["weather_tools"]\n')
    return pytester


def test_a_refused_network_stands_first_with_the_lines_to_paste(project):
    result = project.runpytest_inprocess(
        "--aptix-conformance", "--aptix-examples", "2", "-p", "no:cacheprovider", "-p", "no:asyncio",
        "-k", "status or RES003 or EXC001",
    )  # fmt: skip
    result.stdout.fnmatch_lines(
        [
            "agent_weather was never seen to work: none of * calls succeeded",
            "*The suite gives a tool no network, and its calls need one*",
            "*weather.example*",
            '*[[]tool.aptix-conformance.tool."weather_tools:WeatherTool"]',
            "*examples = [[]{ city = *",
            "*services = *",
            "incomplete    agent_weather never ran *",
            "note          agent_weather: never seen to work: none of *",
        ]
    )
    result.stdout.no_fnmatch_line("*rules examined*")
