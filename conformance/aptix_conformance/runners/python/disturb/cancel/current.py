"""Which call a task belongs to, and the coroutines that report their steps to it."""

import contextvars
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final, Protocol


class WatchedCall(Protocol):
    """A call whose tasks are watched."""

    def step(self, advance: Callable[..., Any], coroutine: Any, *args: Any) -> Any:
        """Let one of the call's tasks run until it is suspended: `advance(*args)`."""

    async def pause(self) -> None:
        """What a service does before it begins."""


current: Final[contextvars.ContextVar[WatchedCall | None]] = contextvars.ContextVar(
    "aptix_call", default=None
)
"""The call of this context; it goes along with whatever a tool starts."""


class WatchedCoroutine(Coroutine[Any, Any, Any]):
    """A coroutine that reports every step to its call, and otherwise behaves like the coroutine inside."""

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
