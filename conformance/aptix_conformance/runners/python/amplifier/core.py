"""The parts of the tool's amplifier-core that the runner needs, imported before any tool."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import TargetFault
from ..foreign import format_error
from .config import LONGEST_NAME


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
    except ImportError as error:
        what = "there is no amplifier-core"
        if not (isinstance(error, ModuleNotFoundError) and error.name == "amplifier_core"):
            what = f"amplifier-core cannot be imported ({format_error(error)})"
        raise TargetFault(
            f"{what}: run pip install 'aptix-conformance[amplifier]' for {sys.executable}"
        ) from None
    return Core(
        recording_coordinator(ModuleCoordinator),
        ToolResult,
        ToolResult.get_serialized_output,
        ToolResult.safe_hook_presentation,
    )


def recording_coordinator(base: Any) -> Any:
    """A subclass of Amplifier's coordinator that records registrations."""

    class Coordinator(base):  # type: ignore[misc]
        def __new__(cls, session: Any) -> Any:
            return super().__new__(cls, session, None, None)

        def __init__(self, session: Any) -> None:  # noqa: ARG002 - what __new__ is given
            self.registrations: list[dict[str, Any]] = []
            self._known: list[tuple[str, Any, Any]] = []

        async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
            key = name or getattr(module, "name", None)
            error = None
            try:
                await super().mount(mount_point, module, name)
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"[:LONGEST_NAME]
                raise
            finally:
                again = any(p == mount_point and k == key and m is module for p, k, m in self._known)
                self._known.append((mount_point, key, module))
                self.registrations.append(
                    {
                        "point": str(mount_point)[:LONGEST_NAME],
                        "key": key[:LONGEST_NAME] if type(key) is str else None,
                        "type_name": type(module).__name__,
                        "again": again,
                        "error": error,
                    }
                )

        async def unmount(self, mount_point: str, name: str | None = None) -> None:
            await super().unmount(mount_point, name)
            # An unmounted tool counts as never registered.
            self._known = [known for known in self._known if known[:2] != (mount_point, name)]
            self.registrations[:] = [
                made for made in self.registrations if (made["point"], made["key"]) != (mount_point, name)
            ]

    return Coordinator
