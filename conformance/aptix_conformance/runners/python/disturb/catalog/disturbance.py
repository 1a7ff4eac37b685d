"""The disturbance `catalog`: the mode catalog of agent_list_modes hands out other modes, or none, or fails.

    a name of a file in `mode_catalogs`     its modes
    many                                    10,000 modes
    shared                                  the typical modes, each time the same list, and two calls of one instance
    changing                                one mode for a first call of the instance, the typical ones for a second
    returns_none, raises                    what it says
    hangs                                   no answer; the token is cancelled while the tool waits for one

Whichever service the tool is configured with, its class stays: its methods are run, and where the outermost one gives a
sequence of modes, that is replaced by modes made from the first of them, so that they are of the author's own class.

What was handed out is compared with what it was, after the call.
"""

import asyncio
import contextvars
import copy
import dataclasses
import functools
import inspect
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ...disturbance import Disturbance, finish
from ...frames import FOLDER

MANY: Final = 10_000
GRACE: Final = 2.0
"""Seconds that a tool whose token is cancelled gets to stop waiting for the catalog."""

_HEAD_START: Final = 0.05  # seconds from the start of a call that hangs to its cancellation
_MARK: Final = "cnry5e1f00d5ba5eba11"
_NOTHING: Final = object()
_OPTIONAL: Final = ("systempromptsummary", "isdefault", "humanrolehints", "exampleutterances")
_DEFAULTS: Final = {
    "systemPromptSummary": "",
    "isDefault": False,
    "humanRoleHints": None,
    "exampleUtterances": None,
}
_PLACE: Final = os.path.join(FOLDER, "mode_catalogs")
_read: Final = json.load
_open: Final = open
_inside: Final[contextvars.ContextVar[bool]] = contextvars.ContextVar("aptix_inside_catalog", default=False)


def make(what: str, cls: type, source: Any) -> "CatalogDisturbance":  # noqa: ARG001 - as all kinds have it
    """The disturbance `catalog:WHAT`.

    Raises:
        ValueError: there is no such catalog.
    """
    rounds = {"changing": ("one_mode", "typical"), "shared": ("typical", "typical")}.get(what, (what,))
    known = {name.removesuffix(".json") for name in os.listdir(_PLACE)}
    if not known.union({"many", "returns_none", "raises", "hangs"}).issuperset(rounds):
        raise ValueError(f"there is no mode catalog {what!r}")
    return CatalogDisturbance(what, rounds, source)


def modes_of(name: str) -> list[dict[str, Any]]:
    """The modes of a catalog, each with all eight fields."""
    if name == "many":
        (pattern,) = modes_of("one_mode")
        return [{**pattern, "id": f"{number:032x}", "key": f"mode_{number}"} for number in range(MANY)]
    with _open(f"{_PLACE}/{name}.json", encoding="utf-8") as stream:
        return [{**_DEFAULTS, **mode} for mode in _read(stream)["modes"]]


class CannotBuildError(Exception):
    """No modes of the author's class can be made; the message says why."""


class CatalogDisturbance(Disturbance):
    """One call, with another catalog."""

    def __init__(self, what: str, rounds: tuple[str, ...], source: Any) -> None:
        self._what = what
        self._rounds = rounds
        self._source = source
        self._round = 0
        self._asked = ""
        self._fault = ""
        self._shared: Any = None
        self._handed: list[tuple[Any, list[tuple[Any, ...]]]] = []
        self._dressed: list[tuple[Any, type]] = []
        self._release: Any = None
        self._after = 0.0

    # ---- the seam

    def wrap_service(self, name: str, service: object) -> object:
        """The service itself, with methods that give other modes."""
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
        self._dressed.append((service, cls))  # a factory may give the same one to the next call
        return service

    async def run(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        """Make the call, twice where the catalog changes between; cancel one that hangs.

        Raises:
            BaseException: what the call raised.
        """
        try:
            return await (self._hang(start) if self._what == "hangs" else self._repeat(start))
        finally:
            for service, cls in self._dressed:
                object.__setattr__(service, "__class__", cls)

    async def _repeat(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        given, awaited = None, False
        for number in range(len(self._rounds)):
            self._round = number
            given, awaited = await finish(start)
        return given, awaited

    def seen(self) -> dict[str, Any]:
        """The members of the observation `Disturbed`."""
        return {
            "reached": bool(self._asked) and not self._fault,
            "place": self._fault or self._asked,
            "injected": self._what,
            "after": self._after,
            "changed": [
                change for handed, before in self._handed for change in _changes(before, _told(handed))
            ][:20],
        }

    # ---- the catalog

    def _wrapped(self, service: str, method: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def replaced(given: Any) -> Any:
            if not _is_catalog(given) or self._what == "hangs":
                return given
            self._asked = f"{service}.{method}()"
            return self._answer(given)

        async def wait_for(given: Any, arguments: tuple[Any, ...]) -> Any:
            entered = _inside.set(True)
            try:
                answer = await given
            finally:
                _inside.reset(entered)
            if self._what == "hangs" and _is_catalog(answer):
                self._asked = f"{service}.{method}()"
                await self._never(arguments)
            return replaced(answer)

        @functools.wraps(function)
        def call(*positional: Any, **named: Any) -> Any:
            if _inside.get():
                return function(*positional, **named)
            entered = _inside.set(True)
            try:
                given = function(*positional, **named)
            finally:
                _inside.reset(entered)
            if inspect.isawaitable(given):
                return wait_for(given, (*positional, *named.values()))
            return replaced(given)

        return call

    def _answer(self, given: Any) -> Any:
        """Another answer in place of the service's own."""
        name = self._rounds[self._round]
        if name == "returns_none":
            return None
        if name == "raises":
            raise RuntimeError(f"the mode catalog is broken ({_MARK})")
        if self._shared is not None:
            return self._shared
        try:
            modes = _build(given, modes_of(name))
        except CannotBuildError as error:
            self._fault = str(error)
            return given
        handed = modes if self._what == "shared" or not isinstance(given, tuple) else tuple(modes)
        if self._what == "shared":
            self._shared = handed
        self._handed.append((handed, _told(handed)))
        return handed

    async def _hang(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        self._release = asyncio.Event()
        given = start()
        if not inspect.isawaitable(given):
            return given, False
        call = asyncio.ensure_future(given)
        await asyncio.wait({call}, timeout=_HEAD_START)
        self._source.cancel()
        struck = time.monotonic()
        await asyncio.wait({call}, timeout=GRACE)
        self._after = time.monotonic() - struck
        self._release.set()
        return await call, True

    async def _never(self, arguments: tuple[Any, ...]) -> None:
        """Wait for the cancellation of the token that the catalog was given, as a well-made catalog does.

        Raises:
            OperationCanceledError: it was cancelled.
            TimeoutError: the call has had its time.
        """
        token = next(
            (given for given in arguments if hasattr(given, "raise_if_cancellation_requested")), None
        )
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
    """Stands for a service whose class cannot be replaced, such as a mock."""

    def __init__(self, service: object, wrap: Callable[[str, Any], Any]) -> None:
        self._aptix_service = service
        self._aptix_wrap = wrap

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._aptix_service, name)
        return self._aptix_wrap(name, value) if callable(value) and not isinstance(value, type) else value


# ---- modes of a class that somebody else wrote


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _is_catalog(given: Any) -> bool:
    """Whether an answer is a sequence of things with an id and a key; an empty one may be."""
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes, bytearray)):
        return False
    return not given or {"id", "key"} <= {_plain(name) for name in _fields(given[0])}


def _fields(mode: Any) -> list[str]:
    """The names of a mode's fields, whatever kind of object it is."""
    if isinstance(mode, Mapping):
        return [name for name in mode if isinstance(name, str)]
    if dataclasses.is_dataclass(mode):
        return [field.name for field in dataclasses.fields(mode)]
    cls = type(mode)
    named = (
        getattr(cls, "_fields", None) or getattr(cls, "model_fields", None) or getattr(mode, "__dict__", None)
    )
    slots = [slot for base in cls.__mro__ for slot in _as_names(base.__dict__.get("__slots__", ()))]
    return [name for name in (*(named or ()), *slots) if isinstance(name, str) and not name.startswith("__")]


def _as_names(slots: Any) -> list[str]:
    return [slots] if isinstance(slots, str) else list(slots)


def _value(mode: Any, field: str) -> Any:
    return mode.get(field) if isinstance(mode, Mapping) else getattr(mode, field, None)


def _build(given: Sequence[Any], wanted: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Modes of the class of those given.

    Raises:
        CannotBuildError: there is none to go by, or its class does not let itself be filled.
    """
    if not given and wanted:
        raise CannotBuildError("the configured catalog has no mode after which others could be made")
    fields: dict[str, tuple[str, Any]] = {}
    for field in _fields(given[0]) if given else ():
        values = (_value(mode, field) for mode in given)
        sample = next((value for value in values if value is not None), None)
        fields.setdefault(_plain(field.lstrip("_")), (field, sample))
    for name in wanted[0] if wanted else ():
        if _plain(name) not in _OPTIONAL and _plain(name) not in fields:
            raise CannotBuildError(f"the modes of the configured catalog have no field for {name}")
    known = {name: fields[_plain(name)] for name in (wanted[0] if wanted else ()) if _plain(name) in fields}
    try:
        return [
            _filled(
                given[0], {field: _as_kind(mode[name], sample) for name, (field, sample) in known.items()}
            )
            for mode in wanted
        ]
    except CannotBuildError:
        raise
    except Exception as error:  # the author's class may refuse with anything
        raise CannotBuildError(f"a mode of another content cannot be made: {type(error).__name__}") from error


def _as_kind(value: Any, sample: Any) -> Any:
    """A value as the author's class holds it: texts in a tuple, say, or an id as a UUID."""
    if value is None or sample is None or isinstance(value, type(sample)):
        return list(value) if isinstance(value, list) else value
    try:
        return type(sample)(value)
    except Exception as error:  # as above
        raise CannotBuildError(f"a {type(sample).__name__} cannot be made of {str(value)[:40]!r}") from error


def _filled(template: Any, changes: Mapping[str, Any]) -> Any:
    if isinstance(template, Mapping):
        return {**template, **changes}
    if hasattr(template, "model_copy"):
        return template.model_copy(update=dict(changes))
    if isinstance(template, tuple):
        return template._replace(**changes)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(template) and all(field.init for field in dataclasses.fields(template)):
        return dataclasses.replace(template, **changes)  # type: ignore[type-var]
    mode = copy.copy(template)
    for field, value in changes.items():
        object.__setattr__(mode, field, value)
    return mode


# ---- what became of them


def _told(handed: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The fields of each mode, lists copied."""
    fields = _fields(handed[0]) if handed else []
    return [tuple(_copied(_value(mode, field)) for field in fields) for mode in handed]


def _copied(value: Any) -> Any:
    return (
        tuple(value)
        if isinstance(value, (list, tuple))
        else copy.copy(value)
        if isinstance(value, (dict, set))
        else value
    )


def _changes(before: list[tuple[Any, ...]], after: list[tuple[Any, ...]]) -> list[str]:
    if len(before) != len(after):
        return [f"{len(before)} modes became {len(after)}"]
    if before != after and sorted(map(repr, before)) == sorted(map(repr, after)):
        return ["the modes stand in another order"]
    pairs = enumerate(zip(before, after, strict=True))
    return [
        f"modes[{place}] was {was!r:.150} and is {now!r:.150}" for place, (was, now) in pairs if was != now
    ]
