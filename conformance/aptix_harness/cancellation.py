"""Cooperative cancellation: the source cancels, the token is observed by the work that must stop.

Both look at one `_State`, so that neither needs to know the other. A cancelled token stays cancelled. It may
be cancelled from any thread; what waits for it wakes in the event loop that it waits in.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from aptix_harness.errors import OperationCanceledError


class _State:
    """Whether the token is cancelled, and the callbacks to run when it is."""

    def __init__(self, *, can_be_cancelled: bool) -> None:
        self.cancelled = False
        self._can_be_cancelled = can_be_cancelled
        self._lock = threading.Lock()
        self._callbacks: dict[object, Callable[[], object]] = {}

    def add(self, key: object, callback: Callable[[], object]) -> None:
        with self._lock:
            if not self.cancelled:
                # The token that is never cancelled is shared as a default argument: it must not collect callbacks.
                if self._can_be_cancelled:
                    self._callbacks[key] = callback
                return
        callback()

    def remove(self, key: object) -> None:
        with self._lock:
            self._callbacks.pop(key, None)

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        raised: list[BaseException] = []
        for callback in callbacks:
            try:
                callback()
            except BaseException as error:  # noqa: BLE001 - one bad callback must not keep the others from running
                raised.append(error)
        if raised:
            raise BaseExceptionGroup("callbacks of a cancelled token raised", raised)


class CancellationRegistration:
    """A registered callback of a token (C#: `CancellationTokenRegistration`); as a context manager it unregisters at exit."""

    def __init__(self, state: _State) -> None:
        self._state = state

    def unregister(self) -> None:
        """Unregister the callback; does nothing if it has run or is unregistered already."""
        self._state.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.unregister()


class CancellationToken:
    """Tells a tool that it should stop (C#: `CancellationToken`; TUL-011.3.6, AGN-005.8.1).

    A `CancellationTokenSource` makes tokens. To see how a tool uses its token, override `_on_consulted` in a
    subclass and hand the subclass to the source.
    """

    def __init__(self, state: _State | None = None) -> None:
        self._state = state or _State(can_be_cancelled=False)

    @classmethod
    def none(cls) -> Self:
        """Return a token that is never cancelled (C#: `CancellationToken.None`)."""
        return cls()

    @property
    def is_cancellation_requested(self) -> bool:
        """Whether the token is cancelled (C#: `IsCancellationRequested`)."""
        self._on_consulted("is_cancellation_requested")
        return self._state.cancelled

    def raise_if_cancellation_requested(self) -> None:
        """Do nothing unless the token is cancelled (C#: `ThrowIfCancellationRequested`).

        Raises:
            OperationCanceledError: it is.
        """
        self._on_consulted("raise_if_cancellation_requested")
        if self._state.cancelled:
            raise OperationCanceledError("The token was cancelled.")

    async def wait(self) -> None:
        """Return as soon as the token is cancelled; at once, without suspending, if it already is."""
        self._on_consulted("wait")
        if self._state.cancelled:
            return
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            # The loop may be closed when another thread cancels; then no task waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        with self._register(wake):
            await woken.wait()

    def register(self, callback: Callable[[], object]) -> CancellationRegistration:
        """Register `callback` to run once, in the cancelling thread, when the token is cancelled (C#: `Register`).

        If the token is cancelled already, the callback is called before this returns, and what it raises comes
        through.
        """
        self._on_consulted("register")
        return self._register(callback)

    def _register(self, callback: Callable[[], object]) -> CancellationRegistration:
        registration = CancellationRegistration(self._state)
        self._state.add(registration, callback)
        return registration

    def _on_consulted(self, member: str) -> None:
        """Called when the holder uses `member` of the token: exactly once for each use, before it takes effect."""


class CancellationTokenSource:
    """Makes one token and cancels it (C#: `CancellationTokenSource`).

    Attributes:
        token: the token, of the type given.
    """

    def __init__(self, token_type: type[CancellationToken] = CancellationToken) -> None:
        self._state = _State(can_be_cancelled=True)
        self.token = token_type(self._state)

    def cancel(self) -> None:
        """Cancel the token, from any thread; further calls do nothing (C#: `Cancel`).

        Raises:
            BaseExceptionGroup: what registered callbacks raised, after all of them were called.
        """
        self._state.cancel()
