"""The Python host: what runs inside the process of a Python tool.

One file, standard library only, run under the tool's own interpreter (`launcher.py` starts it). It has two lives.
As the *zygote* it imports modules, lists the tools in them, and forks; as the *tool's process*, after a fork, it
serves the host protocol (`docs/host-protocol.md`) for one tool. The functions `list_tools`, `Blueprint`, `describe`
and `execute` know nothing of processes and serve the inline host too.

The tool is hostile. It may patch any module it likes, so what is needed here is taken before the tool is imported,
and `json` is loaded again for the tool. Its classes and objects may run code of theirs, raise anything and be of
any size: they are read through `type`'s own descriptors, under guard, and cut to a length. Guards catch
BaseException throughout: SystemExit from a tool's `__str__` is data like any other.
"""

import asyncio
import contextlib
import functools
import importlib
import importlib.util
import inspect
import itertools
import json
import math
import os
import pkgutil
import re
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any, Final, NoReturn

VERSION: Final = "1"
TARGET_FAULT: Final = -32001
CANNOT_FORK: Final = -32002
EXIT_BROKEN: Final = 117
"""Exit status of a tool's process that cannot go on: the tool closed its descriptors or its event loop."""

LONGEST_TEXT: Final = 65_536  # characters of an error's or an exception's text
LONGEST_LOG: Final = 8_192  # characters of a log record's text
AT_ONCE_LINES: Final = 20  # lines of a reading of the schema at which another begins or stands still
AT_ONCE_SECONDS: Final = 0.2
AT_ONCE_PATIENCE: Final = (
    0.05  # seconds that the second thread gets, since it may wait for a lock of the first
)
MOST_LOGS: Final = 1_000  # records of one call
MOST_PAIRS: Final = 100  # pairs of one record

_CHUNK: Final = 65_536  # bytes read at once; an allocation of more takes longer than the reading
_MISSING: Final = object()
_exit: Final = os._exit
_isawaitable: Final = inspect.isawaitable
_islice: Final = itertools.islice
_format_exception: Final = traceback.format_exception
_Socket: Final = socket.socket
_decode: Final = json.loads
_encode: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
_mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_namespace_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
_qualname_of: Final[Callable[[type], str]] = type.__dict__["__qualname__"].__get__
_name_of: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__
_module_of: Final[Callable[[type], Any]] = type.__dict__["__module__"].__get__


class TargetFault(Exception):  # noqa: N818 - a sentence for the tool's author, not an error of ours
    """The tool cannot be loaded, and why, in a sentence for its author."""


# ---- looking at foreign objects


def type_name(value: object) -> str:
    """The name of a value's type."""
    return _name_of(type(value))


def is_a(value: object, kind: type) -> bool:
    """As `isinstance`, without asking the value."""
    return kind in _mro_of(type(value))


def plain(text: str, limit: int = LONGEST_TEXT) -> str:
    """The characters of a `str` or of a subclass's instance, cut to a length."""
    return str.__getitem__(text, slice(limit))


def shown(value: object, limit: int = LONGEST_TEXT) -> str:
    """`str(value)`, whatever that does."""
    try:
        return plain(str(value), limit)
    except BaseException as error:  # noqa: BLE001 - see the module's text
        return f"<{type_name(value)} that raises {type_name(error)} when it is shown>"


def told(error: BaseException) -> str:
    """Type and message of an exception, as the last line of a traceback has it."""
    message = shown(error, 2_000)
    return f"{type_name(error)}: {message}" if message else type_name(error)


def attempt(action: Callable[[], Any]) -> tuple[Any, str | None]:
    """What `action` gives, or None and what it raised."""
    try:
        return action(), None
    except BaseException as error:  # noqa: BLE001 - see the module's text
        return None, told(error)


def stored(cls: type, name: str) -> tuple[Any, type | None]:
    """What a class or its nearest base stores under a name, and which; the contract's own protocol is left out."""
    for base in _mro_of(cls):
        if name in _namespace_of(base) and _module_of(base) != "aptix_harness.tool":
            return _namespace_of(base)[name], base
    return _MISSING, None


def raised(error: BaseException) -> dict[str, Any]:
    """The record of an exception that a call threw (`Raised`)."""
    category = "exception"
    for kind, name in (
        (asyncio.CancelledError, "cancelled"),
        (SystemExit, "exit"),
        (KeyboardInterrupt, "interrupt"),
    ):
        if is_a(error, kind):
            category = name
    lines, fault = attempt(lambda: "".join(_format_exception(type(error), error, _foreign(error))))
    return {
        "type_name": type_name(error),
        "message": shown(error),
        "traceback": plain(lines if fault is None else f"<no traceback: {fault}>"),
        "category": category,
    }


def _foreign(error: BaseException) -> Any:
    """The traceback from the first frame that is not of this file."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename == __file__ and frame.tb_next is not None:
        frame = frame.tb_next
    return frame


# ---- making instances


class RecordingLogger:
    """An admin logger that takes anything, raises nothing and hands a `LogRecord` to `record` for each call."""

    def __init__(self, record: Callable[[dict[str, Any]], None]) -> None:
        self._record = record
        self._left = MOST_LOGS

    def add_exception(self, *args: object, **more: object) -> None:
        """Record an exception under a tag."""
        given = self._bind(("tag", "exception"), args, more)
        error = given["exception"]
        self._write(
            "add_exception", given, message=shown(error, LONGEST_LOG), exception_type=type_name(error)
        )

    def add_error(self, *args: object, **more: object) -> None:
        """Record an error that no exception stands for."""
        self._write("add_error", self._bind(("tag", "message"), args, more))

    def add_custom_event(self, *args: object, **more: object) -> None:
        """Record an event with a level, a tag, a message and pairs."""
        given = self._bind(("level", "tag", "message", "pairs"), args, more)
        extra = given["rest"]
        if extra and given["pairs"] is not None:
            given["pairs"] = (given["pairs"], *extra)
        self._write("add_custom_event", given)

    def trace(self, *args: object, **more: object) -> None:
        """Record what happened in the ordinary course of things."""
        self._write("trace", self._bind(("message",), args, more))

    @staticmethod
    def _bind(names: tuple[str, ...], args: tuple[object, ...], more: dict[str, object]) -> dict[str, Any]:
        given: dict[str, Any] = dict.fromkeys(names, "")
        given["pairs"] = ()
        given.update(zip(names, args, strict=False))
        given.update((name, value) for name, value in more.items() if name in given)
        given["rest"] = args[len(names) :]
        if given["rest"] and "pairs" not in names:
            given["pairs"] = given["rest"]
        return given

    def _write(self, method: str, given: dict[str, Any], **fields: str) -> None:
        if self._left <= 0:
            return
        self._left -= 1
        pairs, fault = _read_pairs(given["pairs"])
        entry: dict[str, Any] = {"method": method, "pairs": pairs, "pairs_fault": fault}
        for name in ("tag", "message", "level"):
            entry[name] = shown(given.get(name, ""), LONGEST_LOG)
        self._record(entry | fields)


def _read_pairs(given: object) -> tuple[list[list[str]], str | None]:
    """Those of the given pairs that are pairs of strings, and what is wrong with the first that is not."""
    if is_a(given, list):
        items: Iterator[Any] = list.__iter__(given)  # type: ignore[arg-type]
    elif is_a(given, tuple):
        items = tuple.__iter__(given)  # type: ignore[arg-type]
    else:
        return [], f"a {type_name(given)} was given, not a sequence of pairs of strings"
    pairs, fault = [], None
    for index, item in enumerate(_islice(items, MOST_PAIRS)):
        parts = list(tuple.__iter__(item)) if is_a(item, tuple) else []
        if len(parts) == 2 and all(is_a(part, str) for part in parts):  # noqa: PLR2004 - a pair
            pairs.append([plain(part, LONGEST_LOG) for part in parts])
        elif fault is None:
            what = f"a tuple of {len(parts)}" if is_a(item, tuple) else f"a {type_name(item)}"
            fault = f"item {index} is {what}, not a pair of strings"
    return pairs, fault


class Blueprint:
    """How instances of a tool's class are made.

    Attributes:
        cls: the class.
        parameters: what its constructor takes.
        missing: names of required parameters for which there is no service.
    """

    def __init__(self, cls: type, services: Mapping[str, Callable[[], object]]) -> None:
        self.cls = cls
        self.parameters = tuple(_signature_of(cls))
        self._services = services
        self._filled = tuple(
            (p, wants_logger(p)) for p in self.parameters if wants_logger(p) or p.name in services
        )
        self.missing = tuple(
            p.name
            for p in self.parameters
            if _is_required(p) and not wants_logger(p) and p.name not in services
        )

    @property
    def fault(self) -> str | None:
        """Why no instance can be made, as far as is known without trying."""
        if not self.missing:
            return None
        names = ", ".join(repr(name) for name in self.missing)
        return f"no service is configured for the constructor parameter {names}"

    def make(self, logger: RecordingLogger, dress: Callable[[str, object], object]) -> Any:
        """A new instance, with fresh services, each as `dress(parameter, service)` gives it.

        Raises:
            BaseException: whatever the constructor or a factory raises.
        """
        positional, named = [], {}
        for parameter, is_logger in self._filled:
            value: object = logger
            if not is_logger:
                value = dress(parameter.name, self._services[parameter.name]())
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return self.cls(*positional, **named)

    # What follows is another's where a tool is of another system: see `amplifier_host.MountedTool`.

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """The declaration (`describe` below)."""
        return describe(self, root, when)

    def read(self, _tool: object, given: object) -> dict[str, Any]:
        """The record of what a call returned (`read_result`)."""
        return read_result(given)

    async def close(self) -> None:
        """What there is to do before the process ends."""


def _signature_of(function: Any) -> Iterator[inspect.Parameter]:
    signature, _ = attempt(lambda: inspect.signature(function))
    return iter(signature.parameters.values() if isinstance(signature, inspect.Signature) else ())


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


def _annotation_of(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return ""
    text = annotation if is_a(annotation, str) else attempt(lambda: inspect.formatannotation(annotation))[0]
    return plain(text, 1_000) if is_a(text, str) else ""


def wants_logger(parameter: inspect.Parameter) -> bool:
    """Whether a constructor parameter is for the admin logger, by its name or its annotation."""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return False
    if parameter.name in ("logger", "admin_logger") or parameter.name.endswith("_logger"):
        return True
    annotation = _annotation_of(parameter)
    return re.search(r"\w*Logger\b(?![.\w])", annotation) is not None and "logging." not in annotation


def resolve_services(
    tool: str, blueprint_of: type, services: Mapping[str, str]
) -> dict[str, Callable[[], object]]:
    """The factories that a configuration names, each called once to see that it works.

    Raises:
        TargetFault: a parameter that the constructor does not have, or a factory that is missing or raises.
    """
    parameters = tuple(_signature_of(blueprint_of))
    names = [p.name for p in parameters]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    factories: dict[str, Callable[[], object]] = {}
    for name, spec in services.items():
        where = f"{tool}: the service for {name!r}"
        if name not in names and not takes_any:
            known = ", ".join(names) or "nothing"
            raise TargetFault(f"{where} has no parameter to go to: the constructor takes {known}")
        module_name, _, path = spec.partition(":")
        try:
            found: Any = importlib.import_module(module_name)
            for part in path.split("."):
                found = getattr(found, part)
        except BaseException as error:  # noqa: BLE001 - see the module's text
            raise TargetFault(f"{where}: there is no factory {spec!r} ({told(error)})") from None
        if not callable(found):
            raise TargetFault(f"{where}: {spec!r} is a {type_name(found)}, not a factory to be called")
        _, fault = attempt(found)
        if fault is not None:
            raise TargetFault(f"{where}: the factory {spec!r} raised {fault}")
        factories[name] = found
    return factories


# ---- one call


@functools.cache
def contract() -> Any:
    """What `aptix_harness` held when it was first asked for, which in a zygote is before any tool is imported."""
    import aptix_harness  # noqa: PLC0415 - there is none before sys.path is set

    return SimpleNamespace(**vars(aptix_harness))


@functools.cache
def _counting_token() -> Any:
    from aptix_harness import CancellationToken  # noqa: PLC0415 - as above

    class CountingToken(CancellationToken):
        """Counts how often its holder looked at it."""

        consultations = 0

        def _on_consulted(self, member: str) -> None:  # noqa: ARG002 - all members count alike
            self.consultations += 1

    return CountingToken


def make_source() -> Any:
    """A `CancellationTokenSource` whose token counts how often it is consulted."""
    return contract().CancellationTokenSource(_counting_token())


def make_context(data: Mapping[str, Any] | None) -> Any:
    """The execution context that a JSON object stands for: its members are the contract's, in snake case.

    Raises:
        TypeError: a member that the contract's context does not have.
    """
    if data is None:
        return None
    own = contract()
    parts = dict(data)
    for name in ("request", "org", "user", "role", "agent_context"):
        if isinstance(parts.get(name), dict):
            parts[name] = (own.AgentToolRequest if name == "request" else own.EntityHeader)(**parts[name])
    return own.AgentToolExecutionContext(**parts)


class Disturbance:
    """What is done to a call; this one does nothing.

    A file `disturb_KIND.py` beside this one makes those of a kind: its `make(what, blueprint, source)` gives an
    object like this for the disturbance `KIND:WHAT`. It is loaded before any tool is imported.
    """

    def dress(self, name: str, service: object) -> object:  # noqa: ARG002 - the seam
        """An injected service as the tool is to get it."""
        return service

    async def run(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        """Start the call and see it to its end: what it gave, and whether that had to be awaited.

        Raises:
            BaseException: what the call raised.
        """
        given = start()
        awaited = _isawaitable(given)
        return (await given if awaited else given), awaited

    def seen(self) -> dict[str, Any] | None:
        """The members of the observation `Disturbed`."""
        return None


async def execute(
    blueprint: Blueprint,
    arguments: str | None,
    context: Any,
    source: Any,
    record: Callable[[dict[str, Any]], None],
    *,
    disturbance: Disturbance | None = None,
    passing: tuple[type[BaseException], ...] = (),
) -> dict[str, Any]:
    """Make one call with a new instance; whatever the tool does comes back as the members of a `Call`.

    Raises:
        BaseException: of the types in `passing` only.
    """
    if blueprint.missing:
        return {"outcome": "not_constructed", "incident": blueprint.fault}
    disturbance = disturbance or Disturbance()
    try:
        tool = blueprint.make(RecordingLogger(record), disturbance.dress)
    except passing:
        raise
    except BaseException as error:  # noqa: BLE001 - see the module's text
        incident = f"making an instance raised {told(error)}"
        return {"outcome": "not_constructed", "incident": incident, "raised": raised(error)}
    answer: dict[str, Any] = {}
    try:
        given, awaited = await disturbance.run(lambda: tool.execute(arguments, context, source.token))
        answer.update(outcome="returned", result={**blueprint.read(tool, given), "awaited": awaited})
    except passing:
        raise
    except BaseException as error:  # noqa: BLE001 - see the module's text
        answer.update(outcome="raised", raised=raised(error))
    answer["token_consultations"] = source.token.consultations
    answer["disturbed"] = disturbance.seen()
    return answer


def read_result(given: Any) -> dict[str, Any]:
    """The record of what a call returned (`Result`)."""
    is_result = is_a(given, contract().InvokeResult)
    result: dict[str, Any] = {"type_name": type_name(given), "is_invoke_result": is_result}
    if not result["is_invoke_result"]:
        return result
    successful, _ = attempt(lambda: given.successful)
    payload, _ = attempt(lambda: given.result)
    errors, fault = attempt(lambda: list(_islice(given.errors, MOST_PAIRS)))
    message, _ = attempt(lambda: given.error_message)
    result["successful"] = successful if type(successful) is bool else None
    result["payload"] = str.__getitem__(payload, slice(None)) if is_a(payload, str) else None
    result["payload_type"] = type_name(payload)
    result["error_message"] = _text_or_none(message)
    result["errors"] = [_read_error(error) for error in errors] if fault is None else []
    return result


def _read_error(error: Any) -> dict[str, str | None]:
    if is_a(error, str):
        return {"message": plain(error), "code": None, "details": None}
    return {
        name: _text_or_none(attempt(lambda name=name: getattr(error, name, None))[0])  # type: ignore[misc]
        for name in ("message", "code", "details")
    }


def _text_or_none(value: object) -> str | None:
    return None if value is None else plain(value) if is_a(value, str) else shown(value)  # type: ignore[arg-type]


# ---- what a class declares


def describe(blueprint: Blueprint, root: str, when: str) -> dict[str, Any]:
    """The declaration of a tool, as the members of a `Declaration`; `root` is the root directory."""
    cls = blueprint.cls
    instance, fault = None, blueprint.fault
    first = _read_schema(cls)  # a registry reads it before there is an instance
    if fault is None:
        instance, fault = attempt(
            lambda: blueprint.make(RecordingLogger(lambda _: None), Disturbance().dress)
        )
    first, second = read_at_once(cls) if when == "threads" else (first, _read_schema(cls))
    return {
        "class_name": _qualname_of(cls),
        "module": shown(_module_of(cls), 1_000),
        "when": when,
        "tool_name": _constant(cls, instance, "TOOL_NAME"),
        "usage_text": _constant(cls, instance, "TOOL_USAGE_METADATA"),
        "get_schema": _member(cls, "get_schema"),
        "schema": first,
        "schema_again": second,
        "name": _valued(cls, instance, "name", fault),
        "is_tool_fully_executed_on_server": _valued(cls, instance, "is_tool_fully_executed_on_server", fault),
        "execute": _member(cls, "execute"),
        "constructor": [_parameter(p) for p in blueprint.parameters],
        "construction_error": fault,
        "missing_services": list(blueprint.missing),
        "arguments_classes": _arguments_classes(cls),
        "bases": [shown(_qualname_of(base), 200) for base in _mro_of(cls)[1:] if base is not object],
        "source": _source(cls, root),
    }


def _constant(cls: type, instance: object, name: str) -> dict[str, Any]:
    value, holder = stored(cls, name)
    kind = "plain"
    of_meta = any(name in _namespace_of(base) for base in _mro_of(type(cls)) if base not in (type, object))
    seen, fault = attempt(lambda: getattr(cls, name))
    if of_meta or (fault is None and holder is None and not _protocol_says(cls, name)):
        kind, value = "metaclass", seen
    elif holder is None:
        kept, _ = attempt(lambda: object.__getattribute__(instance, name))
        kind, value = ("instance", kept) if kept is not None else ("missing", None)
        if kind == "missing" and any(name in _annotations_of(base) for base in _mro_of(cls)):
            kind = "annotation"
    elif is_a(value, MemberDescriptorType):
        kind, value = "instance", None
    elif is_a(value, property):
        kind, value = "property", None
    elif any("__get__" in _namespace_of(base) for base in _mro_of(type(value))):
        kind, value = "descriptor", None
    elif seen is not value:
        kind, value = "metaclass", seen
    return {
        "name": name,
        "kind": kind,
        "value": str.__getitem__(value, slice(None)) if is_a(value, str) else None,
        "type_name": "" if kind in ("missing", "annotation") else type_name(value),
        "inherited_from": None if holder in (None, cls) else _qualname_of(holder),
    }


def _protocol_says(cls: type, name: str) -> bool:
    return any(name in _namespace_of(base) for base in _mro_of(cls))


def _annotations_of(cls: type) -> Iterable[str]:
    annotations = _namespace_of(cls).get("__annotations__", ())
    return annotations if type(annotations) is dict else ()


def _member(cls: type, name: str) -> dict[str, Any]:
    value, holder = stored(cls, name)
    kind, function, skip = "attribute", None, 0
    if holder is None:
        kind = "missing"
    elif is_a(value, staticmethod):
        kind, function = "static_method", value.__func__
    elif is_a(value, classmethod):
        kind, function, skip = "class_method", value.__func__, 1
    elif is_a(value, FunctionType):
        kind, function, skip = "method", value, 1
    elif is_a(value, property) or is_a(value, functools.cached_property):
        kind = "property"
    parameters = list(_signature_of(function))[skip:] if function is not None else []
    return {
        "name": name,
        "kind": kind,
        "is_async": function is not None and _is_async(function),
        "parameters": [_parameter(p) for p in parameters],
        "value": None,
        "value_type": "",
        "error": None,
    }


def _is_async(function: Any) -> bool:
    inner, _ = attempt(lambda: inspect.unwrap(function))
    return any(attempt(lambda f=f: inspect.iscoroutinefunction(f))[0] is True for f in (function, inner))  # type: ignore[misc]


def _parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    kinds: dict[Any, str] = {
        parameter.KEYWORD_ONLY: "keyword",
        parameter.VAR_POSITIONAL: "var_positional",
        parameter.VAR_KEYWORD: "var_keyword",
    }
    return {
        "name": parameter.name,
        "kind": kinds.get(parameter.kind, "positional"),
        "required": _is_required(parameter),
        "annotation": _annotation_of(parameter),
    }


def _valued(cls: type, instance: object, name: str, fault: str | None) -> dict[str, Any]:
    """A member together with what it gives when it is read from an instance."""
    member = _member(cls, name)
    if fault is not None:
        return member | {"error": f"no instance could be made: {fault}"}
    if member["kind"] == "missing":
        if attempt(lambda: object.__getattribute__(instance, name))[1] is not None or _protocol_says(
            cls, name
        ):
            return member
        member["kind"] = "attribute"
    value, error = attempt(lambda: getattr(instance, name))
    if error is not None:
        return member | {"error": error}
    plainly: Any = None
    if is_a(value, str):
        plainly = plain(value)
    elif type(value) in (bool, int) or (type(value) is float and math.isfinite(value)):
        plainly = value
    if type(plainly) is int and abs(plainly) >> 63:
        plainly = None  # as text it could be of any length
    return member | {"value": plainly, "value_type": type_name(value)}


def _read_schema(  # noqa: PLR0911 - one for each thing that can be wrong
    cls: type, call: Callable[[Any], Any] = lambda get_schema: get_schema()
) -> dict[str, Any]:
    member = _member(cls, "get_schema")
    if member["kind"] == "missing":
        return _reading("not_callable", error="there is no get_schema")
    bound, error = attempt(lambda: cls.get_schema)  # type: ignore[attr-defined]
    if error is not None:
        return _reading("raised", error=error)
    if not callable(bound):
        return _reading("not_callable", error=f"get_schema is a {type_name(bound)}, not a method")
    needed = [p.name for p in _signature_of(bound) if _is_required(p)]
    if needed:
        return _reading("not_callable", error=f"get_schema needs {', '.join(needed)}")
    value, error = attempt(lambda: call(bound))
    if error is not None:
        return _reading("raised", error=error)
    if attempt(lambda: _isawaitable(value))[0] is True:
        attempt(lambda: value.close())  # noqa: PLW0108 - reading the attribute is guarded too
        return _reading("not_callable", error="get_schema is async")
    text, error = attempt(lambda: json.dumps(value, ensure_ascii=True, allow_nan=False, default=_as_dict))
    return _reading("returned", text=text) if error is None else _reading("not_json", error=error)


def read_at_once(cls: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two readings of the schema by two threads at once, interleaved line by line of the tool's code.

    It is exact and no race: one thread is held before one line, the other runs to one line and is held in its turn
    until the first has finished, for one pair of lines after another. A thread that waits for a lock of the other's is
    let go. Gives the first pair of readings that are not as an undisturbed one, else the last.
    """
    pair, lines = _interleaved(cls, -1, -1)
    alone = pair[0]
    until = time.monotonic() + AT_ONCE_SECONDS
    step = 1 + lines // AT_ONCE_LINES
    ends = [lines, *range(1, lines, step)]
    for end, begin in itertools.product(ends, range(1, lines + 1, step)):
        pair, _ = _interleaved(cls, begin, end)
        if pair != (alone, alone) or time.monotonic() > until:
            break
    return pair


def _interleaved(cls: type, begin: int, end: int) -> tuple[tuple[dict[str, Any], dict[str, Any]], int]:
    """Two readings, the second of which begins before line `begin` of the first and stands still from its own line `end`.

    Lines count from 0, as they are run; one that is not reached is the end. Gives the number of lines run, too.
    """
    readings: list[dict[str, Any]] = [{}, {}]
    stood, finished = threading.Event(), threading.Event()
    lines = [0, 0]

    def stop(thread: int) -> None:
        if thread == 0 and second.ident is None:
            second.start()
            stood.wait(AT_ONCE_PATIENCE)
        elif thread == 1 and not stood.is_set():
            stood.set()
            finished.wait(AT_ONCE_PATIENCE)

    def read(thread: int) -> None:
        def trace(_frame: object, event: str, _value: object) -> Any:
            if event == "line":
                if lines[thread] == (begin, end)[thread]:
                    stop(thread)
                lines[thread] += 1
            return trace

        def call(get_schema: Callable[[], Any]) -> Any:
            sys.settrace(trace)
            try:
                return get_schema()
            finally:
                sys.settrace(None)

        try:
            readings[thread] = _read_schema(cls, call)
        finally:
            (finished, stood)[thread].set()

    first, second = (threading.Thread(target=read, args=(thread,), daemon=True) for thread in (0, 1))
    first.start()
    first.join()
    stop(0)
    second.join()
    return (readings[0], readings[1]), lines[0]


def _reading(outcome: str, text: str | None = None, error: str | None = None) -> dict[str, Any]:
    return {"outcome": outcome, "text": text, "error": error}


def _as_dict(value: Any) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return {key: value[key] for key in value}
    raise TypeError(f"a {type_name(value)} has no JSON form")


def _arguments_classes(cls: type) -> list[dict[str, Any]]:
    """Classes named like an arguments class that the tool's own code, or a helper in its module, refers to."""
    home = sys.modules.get(shown(_module_of(cls)))
    names: Mapping[str, Any] = vars(home) if home is not None else {}
    owners = [base for base in _mro_of(cls) if _module_of(base) == _module_of(cls)]
    inner = {name: value for base in reversed(owners) for name, value in _namespace_of(base).items()}
    todo = [code for value in inner.values() for code in _code_of(value)]
    seen: set[CodeType] = set()
    found: dict[str, type] = {}
    while todo:
        code = todo.pop()
        if code in seen:
            continue
        seen.add(code)
        todo.extend(constant for constant in code.co_consts if type(constant) is CodeType)
        for name in code.co_names:
            for value in (names.get(name), inner.get(name)):
                if is_a(value, type) and _qualname_of(value).lower().endswith(("args", "arguments")):  # type: ignore[arg-type]
                    if BaseException not in _mro_of(value):  # type: ignore[arg-type]
                        found[_qualname_of(value)] = value  # type: ignore[arg-type, assignment]
                elif type(value) is FunctionType and value.__module__ == _module_of(cls):
                    todo.append(value.__code__)
    return [{"name": name, "public": not name.rpartition(".")[2].startswith("_")} for name in sorted(found)]


def _code_of(value: Any) -> Iterator[CodeType]:
    if is_a(value, staticmethod) or is_a(value, classmethod):
        value = value.__func__
    for function in (value.fget, value.fset) if type(value) is property else (value,):
        inner, _ = attempt(lambda function=function: inspect.unwrap(function))  # type: ignore[misc]
        yield from (f.__code__ for f in (function, inner) if type(f) is FunctionType)


def _source(cls: type, root: str) -> str:
    def locate() -> str:
        file = os.path.realpath(inspect.getsourcefile(cls) or "")
        line = inspect.getsourcelines(cls)[1]
        below = file.startswith(os.path.join(os.path.realpath(root), ""))  # noqa: PTH118 - text, not files
        return f"{os.path.relpath(file, os.path.realpath(root)) if below else file}:{line}"

    place, _ = attempt(locate)
    return place or ""


# ---- the tools of a module


def list_tools(module: ModuleType) -> dict[str, Any]:
    """The tools that a module defines, what looks like one and is passed over, and a package's direct modules.

    A tool is `{"name", "bases", "named"}`: its name in the module, its bases as `module:qualname`, and whether
    `TOOL_NAME` stands in its own body.
    """
    tools, passed_over, seen = [], [], set()
    # A class that goes by several names is listed once, by its own if that is one of them.
    for name, value in sorted(vars(module).items(), key=lambda item: (_alias(*item), item[0])):
        if not is_a(value, type) or _module_of(value) != module.__name__ or id(value) in seen:
            continue
        seen.add(id(value))
        marks = [m for m in ("TOOL_NAME", "TOOL_USAGE_METADATA", "get_schema") if stored(value, m)[1]]
        execute_, _ = stored(value, "execute")
        marks += ["is_…"] if stored(value, "is_tool_fully_executed_on_server")[1] else []
        reason = _reason_to_pass_over(name, value, execute_)
        if not marks or (execute_ is _MISSING and "TOOL_NAME" not in marks):
            continue
        if reason is not None:
            passed_over.append(f"{module.__name__}:{name} {reason}")
            continue
        bases = [f"{_module_of(base)}:{_qualname_of(base)}" for base in _mro_of(value)[1:]]
        tools.append({"name": name, "bases": bases, "named": "TOOL_NAME" in _namespace_of(value)})
    places = getattr(module, "__path__", None)
    submodules = (
        [found.name for found in pkgutil.iter_modules(places, module.__name__ + ".")] if places else []
    )
    return {
        "tools": sorted(tools, key=lambda found: found["name"]),
        "passed_over": passed_over,
        "submodules": sorted(name for name in submodules if not name.endswith(".__main__")),
    }


def _alias(name: str, value: object) -> bool:
    return is_a(value, type) and _qualname_of(value) != name  # type: ignore[arg-type]


def _reason_to_pass_over(name: str, cls: type, execute_: Any) -> str | None:  # noqa: PLR0911 - as above
    if name.startswith("_"):
        return "starts with an underscore: it is private"
    if execute_ is _MISSING:
        return "has TOOL_NAME and no execute"
    if not callable(execute_) and not is_a(execute_, staticmethod) and not is_a(execute_, classmethod):
        return "has an execute that cannot be called"
    if _namespace_of(cls).get("_is_protocol") is True:
        return "is a Protocol"
    if inspect.isabstract(cls):
        return "is abstract"
    if any(_module_of(base) == "enum" for base in _mro_of(cls)):
        return "is an enumeration"
    return None


def find_class(module: ModuleType, path: str) -> type:
    """The class of a tool by its name in a module.

    Raises:
        TargetFault: there is none, or it is no class, or a class that has nothing of a tool.
    """
    where = f"{module.__name__}:{path}"
    found: Any = module
    for part in path.split("."):
        space = _namespace_of(found) if is_a(found, type) else vars(module) if found is module else {}
        if part not in space:
            raise TargetFault(f"{where}: {module.__name__} has no class {path}{_hint(module, path)}")
        found = space[part]
    if not is_a(found, type):
        raise TargetFault(f"{where} is a {type_name(found)}, not a class{_hint(module, path)}")
    if not any(stored(found, name)[1] for name in ("execute", "TOOL_NAME", "get_schema")):
        lacking = "it has no execute, no TOOL_NAME and no get_schema"
        raise TargetFault(f"{where} is a class but no tool: {lacking}{_hint(module, path)}")
    return found  # type: ignore[no-any-return]


def _hint(module: ModuleType, path: str) -> str:
    import difflib  # noqa: PLC0415 - rarely needed, and slow to import

    known = [tool["name"] for tool in list_tools(module)["tools"]]
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.6) or known
    if not near:
        return "; it defines no tool"
    return f"; did you mean {near[0]}?" if len(near) == 1 else f"; its tools are {', '.join(near)}"


def import_by_name(name: str) -> ModuleType:
    """Import a module.

    Raises:
        TargetFault: that raised, whatever it was.
    """
    try:
        return importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001 - see the module's text
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
        place = f" ({frames[-1].filename}:{frames[-1].lineno})" if len(frames) > 1 else ""
        raise TargetFault(f"importing {name} raised {told(error)}{place}") from None


# ---- the tool's process


class Channel:
    """Lines of JSON over a socket; may be written to from any thread."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self._lock = threading.Lock()
        self._arrived = bytearray()
        self.fds: list[int] = []
        """Descriptors that came with the lines, oldest first."""

    def send(self, message: dict[str, Any]) -> None:
        """Write one message.

        Raises:
            OSError: the other side is gone, or the tool closed the descriptor.
        """
        data = _encode({"jsonrpc": "2.0"} | message).encode() + b"\n"
        with self._lock:
            self.socket.sendall(data)

    def receive_with_fds(self) -> list[dict[str, Any]] | None:
        """As `receive`, but waits, and takes the descriptors that come along.

        Raises:
            OSError: as above.
        """
        data, fds, _, _ = socket.recv_fds(self.socket, _CHUNK, 8)
        self.fds += fds
        return self._cut(data)

    def receive(self) -> list[dict[str, Any]] | None:
        """The messages that have arrived whole, perhaps none; None at the end.

        Raises:
            OSError: as above, or nothing has arrived.
        """
        return self._cut(self.socket.recv(_CHUNK, socket.MSG_DONTWAIT))

    def _cut(self, data: bytes) -> list[dict[str, Any]] | None:
        if not data:
            return None
        self._arrived += data
        if b"\n" not in data:
            return []
        *lines, rest = self._arrived.split(b"\n")
        self._arrived = rest
        return [_decode(line) for line in lines]


class ToolServer:
    """Serves the host protocol for one tool, in one event loop, for the life of the process."""

    def __init__(
        self,
        channel: Channel,
        root: str,
        finish: Callable[[], None],
        disturbances: Mapping[str, Any],
        sentinels: Mapping[str, Blueprint],
        system: Any = None,
    ) -> None:
        self._channel = channel
        self._root = root
        self._system = system
        self._finish = finish
        self._disturbances = disturbances
        self._sentinels = sentinels
        self._by_handle: dict[int, Blueprint] = {}
        self._streams = (sys.stdout, sys.stderr)
        self._blueprint: Blueprint | None = None
        self._served = 0
        self._calls: dict[int, tuple[asyncio.Task[None], Any]] = {}
        self._loop = asyncio.new_event_loop()

    def serve(self) -> NoReturn:
        """Serve until the other side hangs up or says `shutdown`."""
        asyncio.set_event_loop(self._loop)
        self._loop.add_reader(self._channel.socket, self._read)
        while True:
            # The tool may stop the loop, which is then simply entered again.
            try:
                self._loop.run_forever()
            except (SystemExit, KeyboardInterrupt) as error:
                self._abandon(error)
            except BaseException:  # noqa: BLE001 - the loop is closed or its descriptors are: nothing works any more
                _exit(EXIT_BROKEN)

    def _read(self) -> None:
        try:
            messages = self._channel.receive()
        except BlockingIOError:
            return
        except (OSError, ValueError):
            _exit(EXIT_BROKEN)
        if messages is None:
            self._finish()
            _exit(0)
        for message in messages:
            self._dispatch(message.get("id"), message["method"], message.get("params") or {})

    def _dispatch(self, number: Any, method: str, params: dict[str, Any]) -> None:
        try:
            if method == "tools/execute":
                self._start(number, params)
            elif method == "tools/execute_together":
                self._start_together(number, params["calls"])
            elif method == "$/cancel":
                self._cancel(params["id"])
            elif method == "initialize" and self._system is not None:
                self._loop.create_task(self._open(number, params))
            elif method == "initialize":
                self._answer(number, result=self._initialize(params))
            elif method == "tools/describe":
                when = "threads" if params.get("threads") else "after_calls" if self._served else "start"
                self._answer(number, result=self._tool().describe(self._root, when))
            elif method == "shutdown":
                self._loop.create_task(self._shut_down(number))
            else:
                self._answer(number, error={"code": -32601, "message": f"there is no method {method!r}"})
        except TargetFault as fault:
            self._answer(number, error={"code": TARGET_FAULT, "message": shown(fault)})
        except (KeyError, TypeError, ValueError) as error:
            self._answer(number, error={"code": -32602, "message": told(error)})

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        module = import_by_name(params["module"])
        cls = find_class(module, params["qualname"])
        services = resolve_services(f"{params['module']}:{params['qualname']}", cls, params["services"])
        return self._ready(params, Blueprint(cls, services), ["threads", *self._disturbances])

    async def _open(self, number: Any, params: dict[str, Any]) -> None:
        """As `_initialize`, for a tool of another system."""
        try:
            opened = await self._system.open(params, self._root)
            kinds = [kind for kind in self._disturbances if kind in self._system.kinds]
            self._answer(number, result=self._ready(params, opened, kinds) | {"tools": opened.tools})
        except TargetFault as fault:
            self._answer(number, error={"code": TARGET_FAULT, "message": shown(fault)})
        except BaseException as error:  # noqa: BLE001 - see the module's text
            self._answer(
                number, error={"code": TARGET_FAULT, "message": f"{params['module']}: {told(error)}"}
            )

    def _ready(self, params: dict[str, Any], blueprint: Any, kinds: list[str]) -> dict[str, Any]:
        self._blueprint = blueprint
        for handle, kind in params.get("handles", {}).items():
            self._by_handle[int(handle)] = blueprint if kind == "tool" else self._sentinels[kind]
        can = [kind if kind == "threads" else f"disturb:{kind}" for kind in kinds]
        return {"protocol": VERSION, "host": "python", "capabilities": ["cancel", "log", "together", *can]}

    async def _shut_down(self, number: Any) -> None:
        if self._blueprint is not None:
            with contextlib.suppress(BaseException):  # it is ended one way or the other
                await self._blueprint.close()
        self._finish()
        self._answer(number, result={})
        _exit(0)

    def _tool(self) -> Blueprint:
        if self._blueprint is None:
            raise ValueError("initialize comes first")
        return self._blueprint

    def _start(self, number: int, params: dict[str, Any]) -> None:
        source, context = make_source(), make_context(params["context"])
        disturbance = self._disturb(params.get("disturbance", "nothing"), source)
        blueprint = self._by_handle[params["handle"]] if "handle" in params else self._tool()
        call = self._call(number, blueprint, params["arguments"], context, source, disturbance)
        self._calls[number] = (self._loop.create_task(call), source)

    def _start_together(self, number: int, calls: list[dict[str, Any]]) -> None:
        """Start several calls before any of them runs; the answer is theirs, in this order."""
        prepared = [(call["arguments"], make_context(call["context"]), make_source()) for call in calls]

        async def run() -> None:
            running = (
                execute(self._tool(), arguments, context, source, self._recorder(number, place))
                for place, (arguments, context, source) in enumerate(prepared)
            )
            answers = await asyncio.gather(*running)
            self._served += len(answers) - 1
            self._complete(number, {"answers": answers})

        self._calls[number] = (self._loop.create_task(run()), make_source())

    def _recorder(self, number: int, place: int) -> Callable[[dict[str, Any]], None]:
        """What sends the log records of one call, `place` among those of a request."""

        def record(entry: dict[str, Any]) -> None:
            with contextlib.suppress(OSError):
                self._channel.send(
                    {"method": "log", "params": {"call": number, "place": place, "record": entry}}
                )

        return record

    def _disturb(self, what: str, source: Any) -> Disturbance:
        """Raises ValueError for a disturbance that this host does not know."""
        kind, _, detail = what.partition(":")
        if kind == "nothing":
            return Disturbance()
        if kind not in self._disturbances:
            raise ValueError(f"there is no disturbance {kind!r}")
        made: Disturbance = self._disturbances[kind].make(detail, self._tool(), source)
        return made

    async def _call(
        self,
        number: int,
        blueprint: Blueprint,
        arguments: str | None,
        context: Any,
        source: Any,
        disturbance: Disturbance,
    ) -> None:
        record = self._recorder(number, 0)
        answer = await execute(blueprint, arguments, context, source, record, disturbance=disturbance)
        self._complete(number, answer)

    def _complete(self, number: int, answer: dict[str, Any]) -> None:
        if self._calls.pop(number, None) is not None:
            self._served += 1
            self._answer(number, result=answer)

    def _cancel(self, number: int) -> None:
        if number in self._calls:
            attempt(self._calls[number][1].cancel)

    def _abandon(self, error: BaseException) -> None:
        """What a task of the tool's own threw at the event loop ends the calls that are under way."""
        for number, (task, _) in list(self._calls.items()):
            self._complete(number, {"outcome": "raised", "raised": raised(error)})
            task.cancel()

    def _answer(self, number: Any, **members: Any) -> None:
        for stream in self._streams:
            attempt(stream.flush)
        try:
            self._channel.send({"id": number, **members})
        except OSError:
            _exit(EXIT_BROKEN)


# ---- the zygote


class Zygote:
    """Imports modules and forks tools' processes, one request at a time."""

    def __init__(self, control: socket.socket) -> None:
        self._channel = Channel(control)
        self._spawned: set[int] = set()
        self._settings: dict[str, Any] = {}
        self._containment: Any = None
        self._disturbances: dict[str, ModuleType] = {}
        self._sentinels: dict[str, Blueprint] = {}
        self._coverage: Any = None
        self._system: Any = None

    def serve(self) -> NoReturn:
        """Serve until the other side hangs up or says `shutdown`; ends what was started."""
        while (messages := self._channel.receive_with_fds()) is not None:
            for message in messages:
                try:
                    members = {"result": self._dispatch(message["method"], message["params"])}
                except TargetFault as fault:
                    members = {"error": {"code": TARGET_FAULT, "message": shown(fault)}}
                except BlockingIOError as error:
                    members = {"error": {"code": CANNOT_FORK, "message": told(error)}}
                self._channel.send({"id": message["id"], **members})
                if message["method"] == "shutdown":
                    self._end()
        self._end()

    def _dispatch(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            return self._initialize(params)
        if method == "tools/list" and self._system is not None:
            found: dict[str, Any] = self._system.prepare(params["module"], self._settings["rootdir"])
            return found
        if method == "tools/list":
            return list_tools(import_by_name(params["module"]))
        if method == "spawn":
            return {"pid": self._spawn(params)}
        if method == "reap":
            return {"status": self._reap(params["pid"])}
        if method == "shutdown":
            self._save_coverage()
            return {}
        raise TargetFault(f"there is no method {method!r}")

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        self._settings = params
        self._containment = _load_file("aptix_containment", params["containment"])
        with contextlib.suppress(OSError, AttributeError):
            self._containment.adopt_orphans()
        self._disturbances = load_disturbances() if params["disturbances"] else {}
        if params["clock"] or "FAKETIME" in os.environ:
            _load_file("aptix_shift_clock", os.path.join(_here(), "shift_clock.py")).shift(params["clock"])  # noqa: PTH118
        sys.path[:] = [*params["sys_path"], *([] if params["replace_path"] else sys.path)]
        if importlib.util.find_spec("aptix_harness") is None:
            sys.meta_path.append(HarnessFinder(params["harness"]))
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
        if params["coverage"] is not None:
            self._start_coverage(params["coverage"], params["rootdir"])
        # Done here, what every tool's process needs is done once and not in each fork.
        _counting_token()
        own = _load_file("aptix_sentinel_tools", os.path.join(_here(), "sentinel_tools.py"))  # noqa: PTH118
        self._sentinels = {kind: Blueprint(cls, {}) for kind, cls in own.BY_KIND.items()}
        if params.get("system", "aptix") != "aptix":
            file = os.path.join(_here(), f"{params['system']}_host.py")  # noqa: PTH118 - as above
            host = SimpleNamespace(**{name.lstrip("_"): value for name, value in globals().items()})
            self._system = _load_file(f"aptix_{params['system']}_host", file).System(host)
        inspect.signature(type("Warm", (), {}))
        asyncio.new_event_loop().close()
        return {"protocol": VERSION, "coverage": self._coverage is not None}

    def _start_coverage(self, settings: dict[str, Any], root: str) -> None:
        here = os.getcwd()  # noqa: PTH109 - pathlib is slow to import
        os.makedirs(os.path.dirname(settings["data_file"]), exist_ok=True)  # noqa: PTH103, PTH120 - as above
        try:
            import coverage  # noqa: PLC0415 - the tool's interpreter may not have it
        except ImportError:
            return
        os.chdir(root)  # relative paths in its configuration are relative to the root directory
        try:
            self._coverage = coverage.Coverage(data_suffix=True, **settings)
            self._coverage.start()
        finally:
            os.chdir(here)

    def _save_coverage(self) -> None:
        if self._coverage is not None:
            attempt(self._coverage.stop)
            attempt(self._coverage.save)

    def _spawn(self, params: dict[str, Any]) -> int:
        fds, self._channel.fds = self._channel.fds, []
        try:
            if _threads() > 1:
                raise BlockingIOError("the modules imported have started threads")
            for stream in (sys.stdout, sys.stderr):
                attempt(stream.flush)
            pid = os.fork()
            if pid == 0:
                try:
                    self._become_tool(params["scratch"], *fds)
                finally:
                    _exit(EXIT_BROKEN)
        finally:
            for fd in fds:
                os.close(fd)
        self._spawned.add(pid)
        return pid

    def _become_tool(self, scratch: str, channel: int, stdout: int, stderr: int) -> NoReturn:
        os.setsid()
        with contextlib.suppress(OSError, AttributeError):
            self._containment.die_with_parent()
            self._containment.adopt_orphans()
        null = os.open(os.devnull, os.O_RDONLY)
        for fd, place in ((null, 0), (stdout, 1), (stderr, 2)):
            os.dup2(fd, place)
            os.close(fd)
        # Descriptors that imported modules hold stay open: a module that works in production works here.
        self._channel.socket.close()
        if not os.path.isdir(scratch):  # noqa: PTH112 - as above
            os.mkdir(scratch, 0o700)  # noqa: PTH102 - the other side could not reach in to make it
        os.chdir(scratch)
        os.environ.update(HOME=scratch, TMPDIR=scratch)
        if "tempfile" in sys.modules:
            sys.modules["tempfile"].tempdir = None  # type: ignore[attr-defined]
        if self._settings["contained"]:
            shared = ["/dev/shm"] if os.path.isdir("/dev/shm") else []  # noqa: PTH112, S108 - the private one
            self._containment.confine([scratch, *self._settings["shared"], *shared])
        ToolServer(
            Channel(_Socket(fileno=channel)),
            self._settings["rootdir"],
            self._save_coverage,
            self._disturbances,
            self._sentinels,
            self._system,
        ).serve()

    def _reap(self, pid: int) -> int:
        """Wait for a process that the other side knows to have ended, and for orphans that have."""
        _, status = os.waitpid(pid, 0)
        self._spawned.discard(pid)
        for orphan in _children():
            if orphan not in self._spawned:
                with contextlib.suppress(OSError):
                    os.waitpid(orphan, os.WNOHANG)
        return os.waitstatus_to_exitcode(status)

    def _end(self) -> NoReturn:
        while below := _children() or sorted(self._spawned):
            for pid in below:
                self._spawned.discard(pid)
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        _exit(0)


class HarnessFinder:
    """Finds `aptix_harness` in the suite, for a tool's interpreter in which it is not installed."""

    def __init__(self, place: str) -> None:
        self._place = place

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:  # noqa: ARG002 - the protocol
        """The spec of the package itself; its modules are found by its path."""
        if name != "aptix_harness":
            return None
        init = os.path.join(self._place, "__init__.py")  # noqa: PTH118 - pathlib is slow to import
        return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[self._place])


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - counts threads of C libraries too
    except OSError:
        return threading.active_count()


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:  # noqa: PTH123
            return [int(pid) for pid in stream.read().split()]
    except OSError:
        return []


def load_disturbances() -> dict[str, ModuleType]:
    """The files `disturb_KIND.py` beside this one, by kind."""
    place = _here()
    found = (re.fullmatch(r"disturb_(\w+)\.py", name) for name in sorted(os.listdir(place)))  # noqa: PTH208 - as above
    return {m[1]: _load_file(f"aptix_{m[0][:-3]}", f"{place}/{m[0]}") for m in found if m}


def _here() -> str:
    return os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is slow to import


def _load_file(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _leave_json_to_the_tool() -> None:
    """Keep this file's `json` from whatever the tool does to its own."""
    for name in [name for name in sys.modules if name == "json" or name.startswith("json.")]:
        del sys.modules[name]


def _leave_main_to_the_tool() -> None:
    """Let `__main__` be an empty module, as it is in production: this file is not to be had for the asking."""
    sys.modules["__main__"] = ModuleType("__main__")


def main() -> NoReturn:
    """Be a zygote; the only argument is the number of the control socket's descriptor."""
    control = int(sys.argv[1])
    sys.argv[1:] = []
    del sys.path[0]  # this file's own directory
    _leave_json_to_the_tool()
    _leave_main_to_the_tool()
    Zygote(socket.socket(fileno=control)).serve()


if __name__ == "__main__":
    main()
