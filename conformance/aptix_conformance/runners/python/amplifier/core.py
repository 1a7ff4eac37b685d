"""The parts of the tool's amplifier-core that the runner needs, imported before any tool."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import TargetFault
from ..foreign import format_error
from .coordinator import recording_coordinator


class Core(NamedTuple):
    """Amplifier's own types and methods.

    Attributes:
        coordinator: a subclass of its coordinator that records registrations.
        tool_result: the class of results.
        write, present: methods by which an orchestrator and its hooks read results.
    """

    coordinator: Any
    tool_result: type
    write: Callable[[Any], Any]
    present: Callable[[Any], Any]


def import_core() -> Core:
    """Import amplifier-core.

    Raises:
        TargetFault: it is not installed.
    """
    try:
        from amplifier_core import ModuleCoordinator, ToolResult  # noqa: PLC0415 - only tools of Amplifier need it
        from amplifier_core.events import ALL_EVENTS  # noqa: PLC0415 - as above
    except ImportError as error:
        what = "there is no amplifier-core"
        if not (isinstance(error, ModuleNotFoundError) and error.name == "amplifier_core"):
            what = f"amplifier-core cannot be imported ({format_error(error)})"
        raise TargetFault(
            f"{what}: run pip install 'aptix-conformance[amplifier]' for {sys.executable}"
        ) from None
    return Core(
        recording_coordinator(ModuleCoordinator, frozenset(map(str, ALL_EVENTS))),
        ToolResult,
        ToolResult.get_serialized_output,
        ToolResult.safe_hook_presentation,
    )
