"""A finding on a LangChain tool as a pytest test, which calls the tool with a tool call of a model."""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.systems.author_tests import Demand, literal
from aptix_conformance.systems.framework_tests import Calling


def _services(given: Mapping[str, str]) -> str:
    """All arguments: those of the model, and those that an agent's run injects."""
    injected = "".join(f", {literal(name)}: {made}" for name, made in given.items())
    return f"{{**arguments{injected}}}" if injected else "arguments"


CALLING: Final = Calling(
    imports={"langchain_core.messages": ("ToolMessage",), "pydantic": ("ValidationError",)},
    invoke=(
        "model_call = {",
        '    "type": "tool_call",',
        '    "id": "call_1",',
        '    "name": tool.name,',
        '    "args": {services},',
        "}",
        "returned = await tool.ainvoke(model_call)",
        'updated = getattr(returned, "update", None)  # of a Command, which holds the answer',
        "parts = updated.values() if isinstance(updated, dict) else [updated, returned]",
        "held = [each for part in parts if isinstance(part, list) for each in part]",
        "answers = [each for each in held if isinstance(each, ToolMessage)]",
        "return answers[-1] if answers else returned",
    ),
    services=_services,
    refusals=("ValidationError",),
    assertions={
        Demand.IS_REFUSED: ('assert isinstance(result, ValidationError) or result.status == "error"',),
        Demand.SUCCEEDS: ('assert getattr(result, "status", "error") == "success", result',),
    },
    holders={"ToolNode": ("tool = {variable}.tools_by_name[{name}]",)},
    arguments_are_json=False,
    shows_results=True,
    unshown="without one ToolMessage",
)
