"""Tools that harm whatever runs them, beside ordinary ones: every verdict is the tool's own."""

import json

import pytest

NEIGHBOURS = ("agent_weather", "agent_climate")

CLIMATE = '''

class ClimateTool(WeatherTool):
    """The same again, under a name of its own."""

    TOOL_NAME: Final = "agent_climate"

    @staticmethod
    def get_schema() -> dict[str, object]:
        return WeatherTool.get_schema() | {"name": "agent_climate"}
'''

HOSTILE = '''

class HostileTool{number}(WeatherTool):
    """It harms whatever runs it."""

    TOOL_NAME: Final = "hostile_{number}"

    @staticmethod
    def get_schema() -> dict[str, object]:
        return WeatherTool.get_schema() | {{"name": "hostile_{number}"}}

    async def execute(self, arguments_json, context, cancellation_token=None):
{body}
'''

BODIES = (
    "        os._exit(3)",
    "        while True:\n            pass",
    '        for _ in range(100):\n            print("x" * 1024 * 1024)',
    '        kept = []\n        while True:\n            kept.append("x" * 1024 * 1024)',
)
SAID = ("exit status 3", "did not come back", "more output", "more memory")

CONFIGURATION = """
[tool.aptix-conformance]
tools = ["team_tools"]
[tool.aptix-conformance.tool.agent_weather]
examples = [{ city = "Oslo" }]
[tool.aptix-conformance.tool.agent_climate]
examples = [{ city = "Oslo" }]
"""


@pytest.fixture
def examined(pytester, tool_source):
    """Examine one module of tools; gives each tool's entry in the report by its name."""

    def run(*classes):
        pytester.makepyfile(team_tools="".join(("import os\n", tool_source("weather"), CLIMATE, *classes)))
        pytester.makepyprojecttoml(CONFIGURATION)
        limits = ("--aptix-timeout=1", "--aptix-memory=256", "--aptix-examples=5")
        options = ("--aptix-conformance", "--aptix-report=report.json", "-p", "no:cacheprovider")
        pytester.runpytest_subprocess(*options, *limits)
        report = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
        return {tool["tool"]: tool for tool in report["tools"]}

    return run


def test_hostile_tools_fail_and_their_neighbours_do_not_notice(examined):
    """An exit, a hang, a flood and a hoard break EXC002 alone; the others' verdicts are as without them."""
    alone = examined()
    tools = examined(*(HOSTILE.format(number=number, body=body) for number, body in enumerate(BODIES)))
    for name in NEIGHBOURS:
        assert tools[name]["status"] == "conforming"
        assert tools[name]["verdicts"] == alone[name]["verdicts"]
    for number, said in enumerate(SAID):
        tool = tools[f"hostile_{number}"]
        (failed,) = (verdict for verdict in tool["verdicts"] if verdict["verdict"] == "fail")
        assert tool["status"] == "nonconforming"
        assert failed["rule"] == "EXC002"
        assert said in failed["finding"]["message"]
