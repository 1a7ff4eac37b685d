"""Tools like the conforming one of `tests/tools/weather.py`, with another name and some other members."""

import textwrap

VARIANT = '''

class {name}(WeatherTool):
    """Weather."""

    TOOL_NAME: Final = "{tool_name}"
    TOOL_USAGE_METADATA: Final = WeatherTool.TOOL_USAGE_METADATA.replace("agent_weather", "{tool_name}")

    @staticmethod
    def get_schema() -> dict[str, object]:
        return WeatherTool.get_schema() | {{"name": "{tool_name}"}}
'''


def variant(name: str, tool_name: str, members: str = "") -> str:
    """The source of such a tool, to follow that of the conforming one; `members` replace its own."""
    return VARIANT.format(name=name, tool_name=tool_name) + textwrap.indent(members, "    ")
