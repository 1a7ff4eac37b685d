"""A finding on a tool of Pydantic AI as a pytest test, which calls the tool through a toolset."""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.systems.author_tests import Demand
from aptix_conformance.systems.framework_tests import Calling

_REFUSALS: Final = ("ModelRetry", "ToolFailed", "ValidationError")


def _services(given: Mapping[str, str]) -> str:
    """The dependencies of a run."""
    return given.get("deps", "None")


CALLING: Final = Calling(
    imports={
        "pydantic": ("ValidationError",),
        "pydantic_ai": ("FunctionToolset", "ModelRetry", "RunContext", "RunUsage", "ToolFailed"),
        "pydantic_ai.models.test": ("TestModel",),
    },
    invoke=(
        "one_tool = FunctionToolset([tool])",
        "context = RunContext(deps={services}, model=TestModel(), usage=RunUsage())",
        "offered = (await one_tool.get_tools(context))[tool.name]",
        "checked = offered.args_validator.validate_json(arguments)",
        "return await one_tool.call_tool(tool.name, checked, context, offered)",
    ),
    services=_services,
    refusals=_REFUSALS,
    assertions={
        Demand.IS_REFUSED: ("assert isinstance(result, Exception)",),
        Demand.SUCCEEDS: ("assert not isinstance(result, Exception)",),
    },
    holders={
        "FunctionToolset": (
            "tool = {variable}.tools[{name}]",
            "tool.timeout = tool.timeout or {variable}.timeout",
        ),
        "Agent": (
            "inner = []",
            "for each in {variable}.toolsets:",
            "    each.apply(inner.append)",
            'holder = next(each for each in inner if {name} in getattr(each, "tools", ()))',
            "tool = holder.tools[{name}]",
            "tool.timeout = tool.timeout or holder.timeout",
        ),
    },
)
