"""The tool registry: a class is examined once, at the start, and refused if it breaks the contract."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from aptix_harness.declaration import class_name, is_tool_name, read_declaration, refusal
from aptix_harness.errors import InvalidOperationError
from aptix_harness.logger import AdminLogger, ContainedLogger
from aptix_harness.tool import AgentTool

_TAG: Final = "[AgentToolRegistry_RegisterTool__Refused]"


class AgentToolRegistry:
    """Tools by name (C#: `AgentToolRegistry`; TUL-011.2.8 to TUL-011.2.10, AGN-005.2.2).

    Names are unique without regard to case, and are looked up without regard to case.
    """

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = ContainedLogger(logger)
        self._tools: dict[str, tuple[str, type[AgentTool]]] = {}

    def register(self, tool_type: type[AgentTool]) -> None:
        """Examine a tool's class and register it (C#: `RegisterTool<T>`).

        The class is read, not instantiated; of its code only `get_schema` runs. Success is traced.

        Raises:
            InvalidOperationError: the class is malformed, or its name is taken (TUL-011.2.8, TUL-011.2.9). The same
                message has been logged with `add_error`. What was registered before stays.
        """
        try:
            name = read_declaration(tool_type).name
            key = name.casefold()
            if key in self._tools:
                taken_as, holder = self._tools[key]
                raise refusal(
                    tool_type,
                    "TUL-011.2.9",
                    f"its TOOL_NAME {name!r} is taken by {class_name(holder)} (as {taken_as!r}; case does not count)",
                    "rename one of them, or register the class only once",
                )
        except InvalidOperationError as refused:
            self._logger.add_error(_TAG, str(refused))
            raise
        self._tools[key] = (name, tool_type)
        self._logger.trace("Registered a tool", ("ToolName", name), ("ToolType", class_name(tool_type)))

    def has_tool(self, name: str | None) -> bool:
        """Return whether a tool is registered as `name` (C#: `HasTool`); False for None, blank and unknown names."""
        return self.get_tool_type(name) is not None

    def get_tool_type(self, name: str | None) -> type[AgentTool] | None:
        """Return the class that is registered as `name` (C#: `GetToolType`; AGN-005.2.5).

        None, blank and unknown names give None. Case does not count, surrounding space does.
        """
        # Only real tool names are folded: folding alone would let U+212A, the Kelvin sign, pass for a k.
        if not is_tool_name(name) or name.casefold() not in self._tools:
            return None
        return self._tools[name.casefold()][1]

    @property
    def registered_tools(self) -> Mapping[str, type[AgentTool]]:
        """A read-only copy, name to class, sorted by name without regard to case (C#: `GetRegisteredTools`)."""
        return MappingProxyType({name: tool_type for _, (name, tool_type) in sorted(self._tools.items())})
