"""Assigns tasks to calls, and wraps coroutines so that they report their steps to the call."""

import contextvars
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any, Final, Protocol


class WatchedCall(Protocol):
    """A call whose tasks are watched."""

    def step(self, advance: Callable[..., Any], coroutine: Any, *args: Any) -> Any:
        """Run one of the call's tasks until it suspends: `advance(*args)`."""

    async def pause(self) -> None:
        """Yield before a method of a service begins."""

    def note_arguments(self, values: Iterable[object]) -> None:
        """Look for the token of the call among the arguments of a service's method."""


current: Final[contextvars.ContextVar[WatchedCall | None]] = contextvars.ContextVar(
    "aptix_call", default=None
)
"""The call of this context. Tasks that the tool starts inherit it."""


class WatchedCoroutine(Coroutine[Any, Any, Any]):
    """A coroutine that reports every step to its call, and otherwise behaves like the wrapped coroutine."""

    def __init__(self, inner: Any, of: WatchedCall) -> None:
        self.aptix_inner = inner
        self._of = of

    def send(self, value: Any) -> Any:
        """See `Coroutine`; one step."""
        return self._of.step(self.aptix_inner.send, self.aptix_inner, value)

    def throw(self, *error: Any) -> Any:
        """See `Coroutine`; one step."""
        return self._of.step(self.aptix_inner.throw, self.aptix_inner, *error)

    def close(self) -> None:
        """See `Coroutine`."""
        self.aptix_inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.aptix_inner.__await__()  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.aptix_inner, name)
