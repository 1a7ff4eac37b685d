"""The fixes of shared rules in the words of LangChain."""

from typing import Final

_FAIL: Final = 'raise ToolException("…") in a tool with handle_tool_error = True'
_GUARD: Final = f"Catch the exception, log it, and {_FAIL}: the model then gets a message with the status error, and the agent goes on."

REMEDIES: Final = {
    "ARG005": "Check each argument before using it where args_schema is a JSON Schema, which LangChain does not enforce, or make "
    f"args_schema a pydantic model. Otherwise {_FAIL}.",
    "ARG006": "Give the argument no default in the function, or make args_schema a pydantic model: a JSON Schema is not enforced.",
    "ARG008": "Make args_schema a pydantic model, with strict fields where nothing may be converted: a JSON Schema is not enforced.",
    "ARG009": "Annotate the argument with Literal or an Enum: a JSON Schema is not enforced.",
    "ARG010": "Put the constraint into a pydantic args_schema (Field(ge=1)): a JSON Schema is not enforced.",
    "ARG012": "Say in args_schema what is refused (Field(min_length=1, ge=1), Literal), or in the docstring where a schema cannot.",
    "CAN008": "Write the tool as async def, and wait for everything that it starts: a thread that runs a sync function cannot be "
    "cancelled.",
    "EXC001": _GUARD,
    "EXC010": _GUARD,
    "EXC011": f"When a dependency fails, {_FAIL}, or say in the result that part of it is missing.",
    "EXC012": _GUARD,
    "EXC016": _GUARD,
    "EXC017": _GUARD,
    "EXC018": f"When a service fails, {_FAIL}.",
    "RES001": 'With response_format="content_and_artifact", return (content, artifact) on every path. In a Command for '
    "the current graph, put a ToolMessage with the id of the call into messages.",
    "RES007": f"If the tool did not do what it was asked to do, {_FAIL}: a returned text has the status success.",
    "SCH008": "Annotate the argument with its type.",
    "USE001": "Give the function a docstring, or the tool a description.",
}
"""By the code of the rule."""
