"""The disturbance `arguments`: nothing is done to the call, but what it takes out of its arguments is written down.

The document of such a call begins with `MARK`, white space that no other document has. Whoever parses it gets a dict
that writes down which members are asked for by name; where it is parsed straight into a class (pydantic, msgspec), the
fields of the class are what is asked for. Members are named by paths: `/filters/city`, `/items/*/sku`.

What code in C does with a dict is not seen, nor is a text that is read in another way. So nothing is concluded here;
`Reading` holds what was seen, and besides it the names that stand in the tool's code, which some other call may ask for.
"""

import contextlib
import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from ...disturbance import Disturbance, finish
from . import watched as notes

MARK: Final = "{       "
"""How the document begins; `probes.reading.MARK`, which cannot be imported here."""

_MOST_CODE: Final = 20_000  # code objects that are searched for names
_scan: Final[Any] = vars(json.JSONDecoder())["scan_once"]  # below what is watched
_mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_namespace_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
_module_of: Final[Callable[[type], Any]] = type.__dict__["__module__"].__get__


def make(what: str, cls: type, source: Any) -> "Watching":  # noqa: ARG001 - as all kinds have it
    """The disturbance `arguments` for a tool.

    Raises:
        ValueError: something is to be done, which this kind does not.
    """
    if what:
        raise ValueError(f"arguments are only watched, so there is no {what!r}")
    return Watching(cls)


class Watching(Disturbance):
    """One call, whose reading of its arguments is watched."""

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._notes = notes.Notes()
        self._changed: list[tuple[Any, str, Any, Any]] = []

    async def run(self, start: Callable[[], Any]) -> tuple[Any, bool]:
        """See `Disturbance`."""
        try:
            self._watch_parsers()
            return await finish(start)
        finally:
            for owner, name, former, mine in reversed(self._changed):
                if vars(owner).get(name) is mine:  # else the tool has put something there
                    setattr(owner, name, former)

    def seen(self) -> dict[str, Any]:
        """See `Disturbance`."""
        named = _texts_of(self._cls) if self._notes.seen else ()
        return {"reached": self._notes.seen, "reading": self._notes.told(named)}

    # ---- parsers

    def _watch_parsers(self) -> None:
        for module in ("json.decoder", "simplejson.decoder"):
            decoder = getattr(sys.modules.get(module), "JSONDecoder", None)
            if isinstance(decoder, type) and "raw_decode" in vars(decoder):
                self._set(decoder, "raw_decode", self._raw_decode(decoder.raw_decode))  # type: ignore[attr-defined]
        self._watch_pydantic()
        swaps: dict[int, tuple[Any, Any]] = {}
        for name, function, wrapped in (
            ("orjson", "loads", self._decode),
            ("ujson", "loads", self._decode),
            ("rapidjson", "loads", self._decode),
            ("pydantic_core", "from_json", self._decode),
            ("msgspec.json", "decode", self._decode),
            ("msgspec", "convert", self._convert),
        ):
            former = getattr(sys.modules.get(name), function, None)
            if former is not None:
                swaps[id(former)] = (former, wrapped(former))
        decoder = getattr(sys.modules.get("msgspec.json"), "Decoder", None)
        if swaps:
            self._swap(swaps, decoder)

    def _watch_pydantic(self) -> None:
        module: Any = sys.modules.get("pydantic")
        model, adapter = getattr(module, "BaseModel", None), getattr(module, "TypeAdapter", None)
        if isinstance(model, type):
            for name in ("model_validate", "model_validate_json"):
                method = vars(model).get(name)
                if isinstance(method, classmethod):
                    self._set(model, name, classmethod(self._validator(method.__func__)))
            self._set(model, "__init__", self._model_init(vars(model)["__init__"]))
        if isinstance(adapter, type):
            for name in ("validate_python", "validate_json"):
                if name in vars(adapter):
                    self._set(adapter, name, self._validator(vars(adapter)[name]))

    def _set(self, owner: Any, name: str, mine: Any) -> None:
        former = vars(owner)[name]
        with contextlib.suppress(TypeError, AttributeError):  # a class in C: it stays as it is
            setattr(owner, name, mine)
            self._changed.append((owner, name, former, mine))

    def _swap(self, swaps: Mapping[int, tuple[Any, Any]], decoder: Any) -> None:
        """Replace functions wherever a module has them under a name, and msgspec's decoders there and on the tool's class."""
        for owner in (*list(sys.modules.values()), *_mro_of(self._cls)):
            space = vars(owner) if isinstance(owner, type) or type(owner) is ModuleType else {}
            for name, value in list(space.items()):
                former, mine = swaps.get(id(value), (None, None))
                if former is not None and former is value:
                    self._set(owner, name, mine)
                elif decoder is not None and type(value) is decoder:
                    self._set(owner, name, _Decoder(value, self._notes))

    def _raw_decode(self, former: Any) -> Any:
        @functools.wraps(former)
        def raw_decode(decoder: Any, text: Any, *args: Any, **more: Any) -> Any:
            value, end = former(decoder, text, *args, **more)
            return self._handed_out(text, value), end

        return raw_decode

    def _decode(self, former: Any) -> Any:
        @functools.wraps(former)
        def decode(text: Any, *args: Any, **more: Any) -> Any:
            value = former(text, *args, **more)
            cls = more.get("type", args[0] if args else None)
            if cls is not None and _is_document(text) and type(value) is not dict:
                self._notes.fill(cls, "", _plain(text))
                return value
            return self._handed_out(text, value)

        return decode

    def _convert(self, former: Any) -> Any:
        @functools.wraps(former)
        def convert(given: Any, cls: Any = None, *args: Any, **more: Any) -> Any:
            if isinstance(given, notes.Watched):
                path, given = given.aptix_path, notes.unwatched(given)
                self._notes.fill(more.get("type", cls), path, given)
            return former(given, *(() if cls is None else (cls,)), *args, **more)

        return convert

    def _validator(self, former: Any) -> Any:
        @functools.wraps(former)
        def validate(owner: Any, given: Any, *args: Any, **more: Any) -> Any:
            cls = owner if isinstance(owner, type) else getattr(owner, "_type", None)
            if isinstance(given, notes.Watched):
                path, given = given.aptix_path, notes.unwatched(given)
                self._notes.fill(cls, path, given)
            elif _is_document(given):
                self._notes.fill(cls, "", _plain(given))
            return former(owner, given, *args, **more)

        return validate

    def _model_init(self, former: Any) -> Any:
        @functools.wraps(former)
        def init(model: Any, /, **data: Any) -> None:
            root = self._notes.root
            if root and data.keys() == dict.keys(root) and all(data[k] is v for k, v in dict.items(root)):
                self._notes.fill(type(model), "", notes.unwatched(data))
            former(model, **data)

        return init

    def _handed_out(self, text: Any, value: Any) -> Any:
        if type(value) is not dict or not _is_document(text):
            return value
        self._notes.seen = True
        self._notes.root = notes.watched(value, "", self._notes)
        return self._notes.root


class _Decoder:
    """Stands for one of msgspec's decoders, which are in C."""

    def __init__(self, decoder: Any, book: Any) -> None:
        self._aptix_decoder = decoder
        self._aptix_notes = book

    def decode(self, text: Any) -> Any:
        value = self._aptix_decoder.decode(text)
        if _is_document(text):
            if type(value) is dict:
                self._aptix_notes.seen = True
                return notes.watched(value, "", self._aptix_notes)
            self._aptix_notes.fill(self._aptix_decoder.type, "", _plain(text))
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._aptix_decoder, name)


def _is_document(text: Any) -> bool:
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text[: len(MARK) + 4]).lstrip().startswith(MARK.encode())
    return isinstance(text, str) and text[: len(MARK) + 4].lstrip().startswith(MARK)


def _plain(text: Any) -> Any:
    """What a document holds, read without anybody looking; None where it cannot be read."""
    with contextlib.suppress(ValueError, RecursionError, StopIteration):
        return _scan((text if isinstance(text, str) else bytes(text).decode()).strip(), 0)[0]
    return None


# ---- the tool's code


@functools.lru_cache(maxsize=16)
def _texts_of(cls: type) -> frozenset[str]:
    """Short texts and attribute names in the functions of a tool's package, those of get_schema left out."""
    own = {str(_module_of(base)) for base in _mro_of(cls)} - {
        "builtins",
        "typing",
        "abc",
        "aptix_harness.tool",
    }
    tops = {str(_module_of(cls)).partition(".")[0], *own}
    modules = [
        module for name, module in list(sys.modules.items()) if name in own or name.partition(".")[0] in tops
    ]
    todo = [code for module in modules for code in _code_in(getattr(module, "__dict__", {}))]
    seen: set[CodeType] = set()
    texts: set[str] = set()
    while todo and len(seen) < _MOST_CODE:
        code = todo.pop()
        if code in seen or code.co_name == "get_schema":
            continue
        seen.add(code)
        texts.update(code.co_names)
        rest: list[Any] = list(code.co_consts)
        while rest:
            value = rest.pop()
            if isinstance(value, CodeType):
                todo.append(value)
            elif isinstance(value, str) and len(value) <= notes.LONGEST:
                texts.add(value)
            elif isinstance(value, (tuple, frozenset)):
                rest.extend(value)
    return frozenset(texts)


def _code_in(space: Mapping[str, Any], depth: int = 4) -> Iterator[CodeType]:
    for value in list(space.values()):
        inner = getattr(value, "__func__", value) if isinstance(value, (staticmethod, classmethod)) else value
        if isinstance(inner, property):
            yield from (f.__code__ for f in (inner.fget, inner.fset) if isinstance(f, FunctionType))
        elif isinstance(inner, FunctionType):
            yield inner.__code__
        elif isinstance(inner, type) and depth:
            yield from _code_in(_namespace_of(inner), depth - 1)
