"""What the server needs to know of the tool that it serves, whichever system that is of."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .logger import RecordingLogger

WrapService = Callable[[str, object], object]
"""Gives an injected service, by the name of its parameter, as the tool is to get it."""


class Subject(Protocol):
    """One tool: how to create an instance, what it declares, and what its calls return."""

    @property
    def cls(self) -> type:
        """The tool's class."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Required constructor parameters for which there is no service."""

    @property
    def fault(self) -> str | None:
        """Why no instance can be created, as far as that is known without trying."""

    def create(self, logger: RecordingLogger, wrap_service: WrapService) -> Any:
        """An instance for one call.

        Raises:
            BaseException: whatever the tool raises.
        """

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """The members of a `Declaration`; `root` is the root directory, `when` the occasion."""

    def read(self, tool: Any, given: object) -> dict[str, Any]:
        """The members of a `Result`, for what a call of the instance `tool` returned."""

    async def close(self) -> None:
        """Clean up before the process ends."""


class OpenedSubject(Subject, Protocol):
    """A tool that one system has loaded."""

    @property
    def tools(self) -> list[str]:
        """The names of all tools that were loaded with it."""


class System(Protocol):
    """Another system than Aptix, in one interpreter."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The disturbances that its calls can have."""

    def prepare(self, where: str, root: str) -> dict[str, Any]:
        """Import a module; gives the answer of `tools/list`.

        Raises:
            TargetFault: that cannot be done.
        """

    async def open(self, params: Mapping[str, Any], root: str) -> OpenedSubject:
        """Load a tool; `params` are those of `initialize`.

        Raises:
            TargetFault: that cannot be done.
        """
