"""The fixes of shared rules in the words of Amplifier."""

from typing import Final

_FAILED: Final = 'return ToolResult(success=False, error={"message": …})'
_GUARD: Final = (
    "Put the whole body of execute, from the reading of the input to the ToolResult, into try … except Exception; log the "
    f"exception, and {_FAILED}."
)

REMEDIES: Final = {
    "ARG001": f"Check the required parameters: if not input.get(NAME): {_FAILED}.",
    "ARG005": f"Read the input with get, check each parameter's presence and type before using it, and {_FAILED}.",
    "ARG006": f"Where the parameter is missing, {_FAILED}.",
    "ARG012": "Say in input_schema what is refused (minLength, minimum, pattern, enum), or in the description where a schema "
    "cannot say it.",
    "EXC001": _GUARD,
    "EXC010": _GUARD,
    "EXC011": f"When a dependency fails, {_FAILED}, or say in the output that part of it is missing.",
    "EXC012": _GUARD,
    "LOG003": "Log instead: standard output belongs to the application that runs the session.",
    "REG008": "Declare it as async def execute(self, input).",
    "RES001": f"On every path return ToolResult(success=True, output=…), or {_FAILED}.",
    "RES007": f"If the tool did not do what it was asked to do, {_FAILED}.",
    "SCH012": "Build input_schema from constants: no part of it may depend on time, random values or earlier calls.",
}
"""By the code of the rule."""
