"""The disturbance `catalog`: the mode catalog of agent_list_modes returns other modes, or none, or fails.

    a name of a file in `mode_catalogs`     its modes
    many                                    10,000 modes
    shared                                  the typical modes, always the same list, and two calls of one instance
    changing                                one mode for a first call of the instance, the typical ones for a second
    returns_none, raises                    the catalog returns None, or raises
    hangs                                   no answer; the token is cancelled while the tool waits for one

The service keeps its class and its methods run. Where the outermost method returns a sequence of modes, it is replaced by
modes made from the first of them, so that they have the author's own class. After the call, the modes are compared with
a snapshot.
"""

import asyncio
import contextvars
import functools
import inspect
import time
from collections.abc import Callable
from typing import Any, Final

from ...clock import ends_within
from ...disturbance import Disturbance, Start, finish
from .mode_catalogs import modes_of, names
from .mode_changes import differences, snapshot
from .modes import CannotBuildError, build, is_catalog

GRACE: Final = 2.0
"""Seconds in which a tool must stop waiting for the catalog after its token is cancelled, and in which it must ask it."""

_MARK: Final = "cnry5e1f00d5ba5eba11"
_inside: Final[contextvars.ContextVar[bool]] = contextvars.ContextVar("aptix_inside_catalog", default=False)


def make(what: str, cls: type, source: Any) -> "CatalogDisturbance":  # noqa: ARG001 - as all kinds have it
    """The disturbance `catalog:WHAT`.

    Raises:
        ValueError: there is no such catalog.
    """
    rounds = {"changing": ("one_mode", "typical"), "shared": ("typical", "typical")}.get(what, (what,))
    if not names().union({"returns_none", "raises", "hangs"}).issuperset(rounds):
        raise ValueError(f"there is no mode catalog {what!r}")
    return CatalogDisturbance(what, rounds, source)


class CatalogDisturbance(Disturbance):
    """One call, with another catalog."""

    def __init__(self, what: str, rounds: tuple[str, ...], source: Any) -> None:
        self._what = what
        self._rounds = rounds
        self._source = source
        self._round = 0
        self._called_method = ""
        self._fault = ""
        self._shared: Any = None
        self._returned: list[tuple[Any, list[tuple[Any, ...]]]] = []
        self._wrapped_services: list[tuple[Any, type]] = []
        self._release: Any = None
        self._waiting: Any = None
        self._given_up = False
        self._after = 0.0

    # ---- the seam

    def wrap_service(self, name: str, service: object) -> object:
        """The service itself, with methods that return other modes."""
        cls = type(service)
        wrap = functools.partial(self._wrapped, name)

        def read(holder: object, attribute: str) -> Any:
            value = cls.__getattribute__(holder, attribute)
            ordinary = attribute.startswith("__") or not callable(value) or isinstance(value, type)
            return value if ordinary else wrap(attribute, value)

        body = {
            "__slots__": (),
            "__getattribute__": read,
            "__module__": cls.__module__,
            "__qualname__": cls.__qualname__,
        }
        try:
            object.__setattr__(service, "__class__", type(cls.__name__, (cls,), body))
        except (TypeError, AttributeError):
            return _StandIn(service, wrap)
        self._wrapped_services.append(
            (service, cls)
        )  # a factory may return the same service for the next call
        return service

    async def run(self, start: Start) -> tuple[Any, bool]:
        """Make the call, twice where the catalog changes between; cancel one that hangs.

        Raises:
            BaseException: what the call raised.
        """
        try:
            return await (self._hang(start) if self._what == "hangs" else self._repeat(start))
        finally:
            for service, cls in self._wrapped_services:
                object.__setattr__(service, "__class__", cls)

    async def _repeat(self, start: Start) -> tuple[Any, bool]:
        result, awaited = None, False
        for number in range(len(self._rounds)):
            self._round = number
            result, awaited = await finish(start)
        return result, awaited

    def disturbed(self) -> dict[str, Any]:
        """The members of the observation `Disturbed`."""
        return {
            "reached": bool(self._called_method) and not self._fault,
            "place": self._fault or self._called_method,
            "injected": self._what,
            "after": self._after,
            "given_up": self._given_up,
            "changed": [
                change for modes, before in self._returned for change in differences(before, snapshot(modes))
            ][:20],
        }

    # ---- the catalog

    def _wrapped(self, service: str, method: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def replaced(answer: Any) -> Any:
            if not is_catalog(answer) or self._what == "hangs":
                return answer
            self._called_method = f"{service}.{method}()"
            return self._answer(answer)

        async def wait_for(awaitable: Any, arguments: tuple[Any, ...]) -> Any:
            entered = _inside.set(True)
            try:
                answer = await awaitable
            finally:
                _inside.reset(entered)
            if self._what == "hangs" and is_catalog(answer):
                self._called_method = f"{service}.{method}()"
                await self._never(arguments)
            return replaced(answer)

        @functools.wraps(function)
        def call(*positional: Any, **named: Any) -> Any:
            if _inside.get():
                return function(*positional, **named)
            entered = _inside.set(True)
            try:
                outcome = function(*positional, **named)
            finally:
                _inside.reset(entered)
            if inspect.isawaitable(outcome):
                return wait_for(outcome, (*positional, *named.values()))
            return replaced(outcome)

        return call

    def _answer(self, original: Any) -> Any:
        name = self._rounds[self._round]
        if name == "returns_none":
            return None
        if name == "raises":
            raise RuntimeError(f"the mode catalog is broken ({_MARK})")
        if self._shared is not None:
            return self._shared
        try:
            modes = build(original, modes_of(name))
        except CannotBuildError as error:
            self._fault = str(error)
            return original
        replacement = modes if self._what == "shared" or not isinstance(original, tuple) else tuple(modes)
        if self._what == "shared":
            self._shared = replacement
        self._returned.append((replacement, snapshot(replacement)))
        return replacement

    async def _hang(self, start: Start) -> tuple[Any, bool]:
        self._release, self._waiting = asyncio.Event(), asyncio.Event()
        result = start()
        if not inspect.isawaitable(result):
            return result, False
        call = asyncio.ensure_future(result)
        waiting = asyncio.ensure_future(self._waiting.wait())
        await asyncio.wait({call, waiting}, timeout=GRACE, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        self._source.cancel()
        cancelled_at = time.monotonic()
        self._given_up = not await ends_within(call, GRACE)
        self._after = time.monotonic() - cancelled_at
        self._release.set()
        return await call, True

    async def _never(self, arguments: tuple[Any, ...]) -> None:
        """Wait for the cancellation of the token in the arguments, as a correct catalog does.

        Raises:
            OperationCanceledError: the token was cancelled.
            TimeoutError: the time of the call is over.
        """
        token = next(
            (argument for argument in arguments if hasattr(argument, "raise_if_cancellation_requested")), None
        )
        self._waiting.set()
        waits = [asyncio.ensure_future(self._release.wait())]
        if token is not None:
            waits.append(asyncio.ensure_future(token.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if token is not None:
            token.raise_if_cancellation_requested()
        raise TimeoutError("the mode catalog did not answer")


class _StandIn:
    """Replaces a service whose class cannot be replaced, such as a mock."""

    def __init__(self, service: object, wrap: Callable[[str, Any], Any]) -> None:
        self._aptix_service = service
        self._aptix_wrap = wrap

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._aptix_service, name)
        return self._aptix_wrap(name, value) if callable(value) and not isinstance(value, type) else value
