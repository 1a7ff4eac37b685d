"""The interface between the server and a tool of any system."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from .logger import RecordingLogger

WrapService = Callable[[str, object], object]
"""Wraps an injected service for the tool, given the name of its parameter."""


class Subject(Protocol):
    """One tool: creates instances, and reads its declaration and its results."""

    @property
    def cls(self) -> type:
        """The tool's class."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Required constructor parameters for which there is no service."""

    @property
    def fault(self) -> str | None:
        """Why no instance can be created, if that is known in advance."""

    def create(self, logger: RecordingLogger, wrap_service: WrapService) -> Any:
        """An instance for one call.

        Raises:
            BaseException: any exception of the tool.
        """

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """The members of a `Declaration`; `root` is the root directory, `when` "start", "after_calls" or "threads"."""

    def read(self, tool: Any, returned: object) -> dict[str, Any]:
        """The members of a `Result`, for what a call of the instance `tool` returned."""

    async def close(self) -> None:
        """Clean up before the process ends."""


class OpenedSubject(Subject, Protocol):
    """A tool that one system has loaded."""

    @property
    def tools(self) -> list[str]:
        """The names of all tools that were loaded with it."""

    @property
    def describe_closed(self) -> Callable[[str], Awaitable[dict[str, Any]]] | None:
        """As `describe`, and then clean up: the facts of the system say how that went. None where nothing is cleaned up."""


class System(Protocol):
    """A system other than Aptix, in one interpreter."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The disturbances that its calls can have."""

    def prepare(self, where: str, root: str) -> dict[str, Any]:
        """Import a module. Returns the answer to `tools/list`.

        Raises:
            TargetFault: the module cannot be imported.
        """

    async def open(self, params: Mapping[str, Any], root: str) -> OpenedSubject:
        """Load a tool. `params` are those of `initialize`.

        Raises:
            TargetFault: the tool cannot be loaded.
        """
