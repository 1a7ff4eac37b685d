"""A finding on a tool of the OpenAI Agents SDK as a pytest test, which invokes the tool as a run does.

A failure is a text like any other output there, so that only the suite shows whether a call is refused.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.systems.framework_tests import Calling


def _services(given: Mapping[str, str]) -> str:
    """The object that the application gives a run."""
    return given.get("context", "None")


CALLING: Final = Calling(
    imports={
        "agents": ("ModelBehaviorError",),
        "agents.tool": ("invoke_function_tool",),
        "agents.tool_context": ("ToolContext",),
    },
    invoke=(
        "context = ToolContext(",
        "    {services},",
        "    tool_name=tool.name,",
        '    tool_call_id="call_1",',
        "    tool_arguments=arguments,",
        ")",
        "return await invoke_function_tool(",
        "    function_tool=tool, context=context, arguments=arguments",
        ")",
    ),
    services=_services,
    refusals=("ModelBehaviorError",),
    assertions={},
    holders={"Agent": ("tool = next(each for each in {variable}.tools if each.name == {name})",)},
)
