"""Sees the calls that a tool's own code makes into libraries, and lets one of them fail.

From Python 3.12 `sys.monitoring` reports each call before it is made, with what is called. Before, a profile
function sees functions begin that the tool's code called; there, a coroutine of a library that is not awaited where it is made
is out of sight, and so is everything once the fault has been raised. Neither touches tracing, which coverage needs.
What is raised from the report is raised where the call stands, and the call is not made.
"""

import builtins
import contextlib
import functools
import inspect
import os
import sys
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, NamedTuple

_SAME_MODULE: Final = {"posix": "os", "nt": "os"}
_FLAT: Final = ("asyncio",)  # whose modules nobody imports from
_DESCRIPTORS: Final = (MethodDescriptorType, ClassMethodDescriptorType)
_mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_namespace_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
_qualname_of: Final[Callable[[type], str]] = type.__dict__["__qualname__"].__get__
_module_of: Final[Callable[[type], Any]] = type.__dict__["__module__"].__get__
_RESUME: Final = 151  # the opcode in Python 3.11
_CALL_FUNCTION_EX: Final = 142  # the opcode in Python 3.12


class Callee(NamedTuple):
    """What is called: the module that defines it, its qualified name, and its code where it is a coroutine function."""

    module: str
    qualname: str
    starts: CodeType | None = None


class Site(NamedTuple):
    """A call that can fail: how it is spoken of, and what makes the exception that it really raises."""

    name: str
    own: Callable[[], Exception] | None


class _Entry(NamedTuple):
    area: str
    names: frozenset[str] | None
    not_of: frozenset[str]
    raises: str | None
    constructors: bool


class Sites:
    """Which calls are of an area: those of `fault_modules.toml`, and in `library` those into `more` modules."""

    def __init__(self, area: str, more: Iterable[str] = ()) -> None:
        self._area = area
        self._entries = dict(_listed())
        for module in more:
            entry = _Entry("library", None, frozenset(), None, constructors=True)
            self._entries[module] = (entry,)
        self._known: dict[tuple[str, str], Site | None] = {}

    def find(self, module: str, qualname: str) -> Site | None:
        """The site that a call of some function is; None where it is none of this area."""
        key = (module, qualname)
        if key not in self._known:
            self._known[key] = self._find(module, qualname)
        return self._known[key]

    def _find(self, module: str, qualname: str) -> Site | None:
        top, dot, rest = module.removeprefix("_").partition(".")
        top = _SAME_MODULE.get(top, top)
        parts = [top, *(rest.split(".") if dot else ())]
        public = top if top in _FLAT else ".".join(part for part in parts if not part.startswith("_"))
        owner, _, name = qualname.rpartition(".")
        for end in range(len(parts), 0, -1):
            for entry in self._entries.get(".".join(parts[:end]), ()):
                if entry.area == self._area and owner not in entry.not_of and _is_named(name, entry):
                    return Site(_spoken(public, owner, name), _maker(entry.raises, top))
        return None


@functools.cache
def _listed() -> dict[str, tuple[_Entry, ...]]:
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fault_modules.toml")
    with open(place, "rb") as stream:
        document = tomllib.load(stream)
    entries: dict[str, tuple[_Entry, ...]] = {}
    for area, tables in document.items():
        for table in tables:
            names = frozenset(table["names"]) if "names" in table else None
            not_of = frozenset(table.get("not_of", ()))
            entry = _Entry(area, names, not_of, table.get("raises"), constructors=False)
            for module in table["modules"]:
                entries[module] = (*entries.get(module, ()), entry)
    return entries


def _is_named(name: str, entry: _Entry) -> bool:
    if entry.names is not None:
        return name in entry.names
    return (entry.constructors and name == "__init__") or not name.startswith("__")


def _spoken(module: str, owner: str, name: str) -> str:
    if owner and name == "__init__":
        return f"{module}.{owner}()"
    if owner:
        return f"{owner}.{name}()"
    return f"{name}()" if module == "io" else f"{module}.{name}()"


def _maker(raises: str | None, module: str) -> Callable[[], Exception] | None:
    if raises is None:
        return None
    path = raises if "." in raises or hasattr(builtins, raises) else f"{module}.{raises}"
    return lambda: _make(path)


def _make(path: str) -> Exception:
    """An exception of the class at a dotted path, made as its library would; a ValueError where that does not work."""
    module, _, name = path.rpartition(".")
    cls = getattr(sys.modules.get(module or "builtins"), name, ValueError)
    if hasattr(cls, "from_exception_data"):
        with contextlib.suppress(Exception):  # a foreign class in a version that we do not know
            made: Exception = cls.from_exception_data("arguments", [])
            return made
    for args in (("Expecting value", "", 0), ("Expecting value: line 1 column 1 (char 0)",)):
        with contextlib.suppress(Exception):  # as above
            if isinstance(error := cls(*args), Exception):
                return error
    return ValueError("Expecting value: line 1 column 1 (char 0)")


def callee_of(function: object) -> Callee | None:
    """What a call of some object calls; None where that has no module."""
    while True:
        kind = type(function)
        if kind is MethodType:
            function = function.__func__  # type: ignore[attr-defined]
        elif kind is functools.partial:
            function = function.func  # type: ignore[attr-defined]
        else:
            break
    if kind is FunctionType:
        return _of_function(function)
    if kind is BuiltinFunctionType:
        return _of_builtin(function)
    if kind in _DESCRIPTORS:
        owner = function.__objclass__  # type: ignore[attr-defined]
        return _callee(_module_of(owner), f"{_qualname_of(owner)}.{function.__name__}")  # type: ignore[attr-defined]
    if issubclass(kind, type):
        return _of_class(function)
    held = next((_namespace_of(b)["__call__"] for b in _mro_of(kind) if "__call__" in _namespace_of(b)), None)
    return _of_function(held) if type(held) is FunctionType else None


def _callee(module: object, qualname: str, starts: CodeType | None = None) -> Callee | None:
    return Callee(module, qualname, starts) if isinstance(module, str) else None


def _of_function(function: Any) -> Callee | None:
    code: CodeType = function.__code__
    starts = code if code.co_flags & inspect.CO_COROUTINE else None
    return _callee(function.__module__, function.__qualname__, starts)


def _of_builtin(function: Any) -> Callee | None:
    owner = function.__self__
    if owner is None or isinstance(owner, ModuleType):
        return _callee(function.__module__ or getattr(owner, "__name__", None), function.__name__)
    cls = owner if isinstance(owner, type) else type(owner)
    return _callee(_module_of(cls), f"{_qualname_of(cls)}.{function.__name__}")


def _of_class(cls: Any) -> Callee | None:
    """The constructor: the first in the order of bases that is written in Python, or that of a class in C."""
    for base in _mro_of(cls)[:-1]:
        for name in ("__init__", "__new__"):
            held = _namespace_of(base).get(name)
            held = held.__func__ if isinstance(held, staticmethod) else held
            if type(held) is FunctionType:
                return _callee(held.__module__, held.__qualname__)
    return _callee(_module_of(cls), f"{_qualname_of(cls)}.__init__")


def _is_contracts_own(cls: object) -> bool:
    """Whether a class is one by which a tool answers: pydantic makes Amplifier's results, and is no dependency there."""
    return isinstance(cls, type) and str(_module_of(cls)).partition(".")[0] == "amplifier_core"


def _makes_contracts_own(frame: FrameType) -> bool:
    """Whether a frame that begins is the constructor of such a class."""
    code = frame.f_code
    first = (
        frame.f_locals.get(code.co_varnames[0]) if code.co_name == "__init__" and code.co_argcount else None
    )
    return _is_contracts_own(type(first))


def hook(fault: Any, own: Any, sites: Sites) -> contextlib.AbstractContextManager[object]:
    """What watches while it is entered; `fault` is a `disturbance.Fault`, `own` a `disturbance.OwnCode`."""
    if sys.version_info >= (3, 12):
        return _Monitoring(fault, own, sites)
    else:  # noqa: RET505 - which of the two there is is known to type checkers so
        return _profiling(fault, own, sites)


def _place(frame: FrameType) -> Callable[[], str]:
    return lambda: f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


if sys.version_info >= (3, 12):

    class _Monitoring:
        """The hook from Python 3.12 on."""

        def __init__(self, fault: Any, own: Any, sites: Sites) -> None:
            self._fault = fault
            self._own = own
            self._sites = sites
            self._waiting: dict[CodeType, Exception] = {}
            self._tool = next(n for n in (4, 3, 2, 0, 5, 1) if sys.monitoring.get_tool(n) is None)

        def __enter__(self) -> None:
            events = sys.monitoring.events
            sys.monitoring.use_tool_id(self._tool, "aptix-conformance fault")
            sys.monitoring.register_callback(self._tool, events.CALL, self._on_call)
            sys.monitoring.register_callback(self._tool, events.PY_START, self._on_start)
            more = events.NO_EVENTS
            if sys.version_info < (3, 13):
                # Python 3.12 does not report f(**more) where f is written in Python; that it begins is reported. Which
                # of these reports nobody wants was said for another area of calls, perhaps, and holds until then.
                more = events.PY_START
                sys.monitoring.restart_events()
            sys.monitoring.set_events(self._tool, events.CALL | more)

        def __exit__(self, *_: object) -> None:
            events = sys.monitoring.events
            for code in self._waiting:
                sys.monitoring.set_local_events(self._tool, code, events.NO_EVENTS)
            sys.monitoring.set_events(self._tool, events.NO_EVENTS)
            for event in (events.CALL, events.PY_START):
                sys.monitoring.register_callback(self._tool, event, None)
            sys.monitoring.free_tool_id(self._tool)

        def _on_call(self, code: CodeType, _offset: int, function: object, _first: object) -> object:
            if not self._own.holds(code):
                return sys.monitoring.DISABLE
            callee = None if _is_contracts_own(function) else callee_of(function)
            site = self._sites.find(callee.module, callee.qualname) if callee else None
            if callee is None or site is None or not self._fault.comes(site.name, _place(sys._getframe(1))):  # noqa: SLF001 - the frame that calls
                return None
            error = self._fault.exception(site.own)
            if callee.starts is None:
                raise error
            # Who calls a coroutine function gets a coroutine in any case; that fails when it is awaited.
            self._waiting[callee.starts] = error
            sys.monitoring.set_local_events(self._tool, callee.starts, sys.monitoring.events.PY_START)
            return None

        def _on_start(self, code: CodeType, _offset: int) -> object:
            error = self._waiting.pop(code, None)
            if error is not None:
                sys.monitoring.set_local_events(self._tool, code, sys.monitoring.events.NO_EVENTS)
                raise error
            frame = sys._getframe(1)  # noqa: SLF001 - the frame that begins
            site = self._sites.find(str(frame.f_globals.get("__name__")), code.co_qualname)
            if site is None:
                return sys.monitoring.DISABLE
            caller = frame.f_back
            calls = caller is not None and self._own.holds(caller.f_code) and _unpacks(caller)
            calls = calls and not _makes_contracts_own(frame)
            if caller is not None and calls and self._fault.comes(site.name, _place(caller)):
                raise self._fault.exception(site.own)
            return None

    def _unpacks(caller: FrameType) -> bool:
        """Whether a frame is calling with `*` or `**` now."""
        return caller.f_code.co_code[caller.f_lasti] == _CALL_FUNCTION_EX

else:

    @contextlib.contextmanager
    def _profiling(fault: Any, own: Any, sites: Sites) -> Iterator[None]:
        def look(frame: FrameType, event: str, arg: object) -> None:
            if event == "call":
                caller = frame.f_back
                if caller is None or not own.holds(caller.f_code) or not _is_call(frame):
                    return
                if _makes_contracts_own(frame):
                    return
                module, qualname = str(frame.f_globals.get("__name__")), frame.f_code.co_qualname
            elif event == "c_call" and own.holds(frame.f_code):
                callee = callee_of(arg)
                if callee is None:
                    return
                caller, module, qualname = frame, callee.module, callee.qualname
            else:
                return
            site = sites.find(module, qualname)
            if site is not None and fault.comes(site.name, _place(caller)):
                fault.retried = None  # the interpreter takes away a profile function that raises
                raise fault.exception(site.own)

        threading.setprofile(look)
        sys.setprofile(look)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type,unused-ignore]

    def _is_call(frame: FrameType) -> bool:
        """Whether a frame is a function's that begins: no class or module, and nothing that was suspended."""
        code = frame.f_code
        if not code.co_flags & inspect.CO_OPTIMIZED:
            return False
        if not code.co_flags & (inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
            return True
        return frame.f_lasti <= code.co_code[::2].find(_RESUME) * 2
