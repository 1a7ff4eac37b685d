"""Creates a tool from its class, with dependency injection (TUL-011.2.2)."""

import inspect
import types
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from aptix_harness.errors import InvalidOperationError
from aptix_harness.logger import AdminLogger
from aptix_harness.tool import AgentTool

_LOGGER_NAMES: Final = frozenset({"logger", "admin_logger"})
_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class ToolFactory:
    """Calls a tool's constructor with the services that its parameters require.

    A parameter named `logger` or `admin_logger`, or annotated `AdminLogger`, gets the logger. Every other one gets
    the service of its name; where there is none its default is used.
    """

    def __init__(
        self, logger: AdminLogger, services: Mapping[str, object] = types.MappingProxyType({})
    ) -> None:
        self._logger = logger
        self._services = services

    def __call__(self, tool_type: type[AgentTool]) -> AgentTool:
        """Return a new instance.

        Raises:
            InvalidOperationError: a parameter without a default asks for a service that is not there.
            Exception: whatever the constructor raises.
        """
        signature = inspect.signature(tool_type)
        values: OrderedDict[str, object] = OrderedDict()
        for parameter in signature.parameters.values():
            if parameter.kind in _VARIADIC:
                continue
            if _wants_logger(parameter):
                values[parameter.name] = self._logger
            elif parameter.name in self._services:
                values[parameter.name] = self._services[parameter.name]
            elif parameter.default is inspect.Parameter.empty:
                raise InvalidOperationError(
                    f"The constructor of {tool_type.__qualname__} asks for {parameter.name!r}, and there is no such "
                    f"service (there are: {', '.join(sorted(self._services)) or 'none'}). Add it to the services."
                )
        arguments = inspect.BoundArguments(signature, values)
        return tool_type(*arguments.args, **arguments.kwargs)


def _wants_logger(parameter: inspect.Parameter) -> bool:
    if parameter.name in _LOGGER_NAMES:
        return True
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return any(part.strip().rpartition(".")[2] == AdminLogger.__name__ for part in text.split("|"))
