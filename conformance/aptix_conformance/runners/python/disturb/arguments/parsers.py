"""Patches the parsers that a tool may use for its arguments: they return watched objects for a marked document."""

import contextlib
import functools
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

from ...foreign import attempt, is_a, mro_of, names_in, namespace_of
from .notes import Notes
from .watched import Watched, unwatched, watched

MARK: Final = "{       "
"""The start of the document: `probes.reading.MARK`, which cannot be imported here."""

# The tool's `json`, not the runner's, so that a tool that imports it during a call gets the patched one.
_scan: Final[Any] = vars(json.JSONDecoder())["scan_once"]  # not patched


class Parsers:
    """The loaded parsers that a tool's class can reach. `notes` records the reads."""

    def __init__(self, cls: type, notes: Notes) -> None:
        self._cls = cls
        self._notes = notes
        self._changed: list[tuple[Any, str, Any, Any]] = []

    def watch(self) -> None:
        """Patch the parsers."""
        for module in ("json.decoder", "simplejson.decoder"):
            decoder = _offered(module, "JSONDecoder")
            if is_a(decoder, type) and "raw_decode" in vars(decoder):
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
            former = _offered(name, function)
            if former is not None:
                swaps[id(former)] = (former, wrapped(former))
        decoder = _offered("msgspec.json", "Decoder")
        if swaps:
            self._swap(swaps, decoder)

    def restore(self) -> None:
        """Undo the patches, except where the tool has replaced them."""
        for owner, name, former, mine in reversed(self._changed):
            if vars(owner).get(name) is mine:
                setattr(owner, name, former)

    def _watch_pydantic(self) -> None:
        model, adapter = _offered("pydantic", "BaseModel"), _offered("pydantic", "TypeAdapter")
        if is_a(model, type):
            for name in ("model_validate", "model_validate_json"):
                method = vars(model).get(name)
                if is_a(method, classmethod):
                    self._set(model, name, classmethod(self._validator(method.__func__)))
            self._set(model, "__init__", self._model_init(vars(model)["__init__"]))
        if is_a(adapter, type):
            for name in ("validate_python", "validate_json"):
                if name in vars(adapter):
                    self._set(adapter, name, self._validator(vars(adapter)[name]))

    def _set(self, owner: Any, name: str, mine: Any) -> None:
        former = vars(owner)[name]
        with contextlib.suppress(TypeError, AttributeError):  # a class in C cannot be patched
            setattr(owner, name, mine)
            self._changed.append((owner, name, former, mine))

    def _swap(self, swaps: Mapping[int, tuple[Any, Any]], decoder: Any) -> None:
        """Replace functions under every name in modules, and msgspec's decoders in modules and on the tool's class."""
        for owner in (*list(sys.modules.values()), *mro_of(self._cls)):
            space = namespace_of(owner) if is_a(owner, type) else names_in(owner)
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
            return self._watched_value(text, value), end

        return raw_decode

    def _decode(self, former: Any) -> Any:
        @functools.wraps(former)
        def decode(text: Any, *args: Any, **more: Any) -> Any:
            value = former(text, *args, **more)
            cls = more.get("type", args[0] if args else None)
            if cls is not None and _is_document(text) and type(value) is not dict:
                self._notes.fill(cls, "", _plain(text))
                return value
            return self._watched_value(text, value)

        return decode

    def _convert(self, former: Any) -> Any:
        @functools.wraps(former)
        def convert(value: Any, cls: Any = None, *args: Any, **more: Any) -> Any:
            if is_a(value, Watched):
                path, value = value.aptix_path, unwatched(value)
                self._notes.fill(more.get("type", cls), path, value)
            return former(value, *(() if cls is None else (cls,)), *args, **more)

        return convert

    def _validator(self, former: Any) -> Any:
        @functools.wraps(former)
        def validate(owner: Any, value: Any, *args: Any, **more: Any) -> Any:
            cls = owner if is_a(owner, type) else getattr(owner, "_type", None)
            if is_a(value, Watched):
                path, value = value.aptix_path, unwatched(value)
                self._notes.fill(cls, path, value)
            elif _is_document(value):
                self._notes.fill(cls, "", _plain(value))
            return former(owner, value, *args, **more)

        return validate

    def _model_init(self, former: Any) -> Any:
        @functools.wraps(former)
        def init(model: Any, /, **data: Any) -> None:
            root = self._notes.root
            if root and data.keys() == dict.keys(root) and all(data[k] is v for k, v in dict.items(root)):
                self._notes.fill(type(model), "", unwatched(data))
            former(model, **data)

        return init

    def _watched_value(self, text: Any, value: Any) -> Any:
        if type(value) is not dict or not _is_document(text):
            return value
        self._notes.parsed = True
        self._notes.root = watched(value, "", self._notes)
        return self._notes.root


class _Decoder:
    """Replaces a decoder of msgspec, which is a C object."""

    def __init__(self, decoder: Any, notes: Notes) -> None:
        self._aptix_decoder = decoder
        self._aptix_notes = notes

    def decode(self, text: Any) -> Any:
        value = self._aptix_decoder.decode(text)
        if _is_document(text):
            if type(value) is dict:
                self._aptix_notes.parsed = True
                return watched(value, "", self._aptix_notes)
            self._aptix_notes.fill(self._aptix_decoder.type, "", _plain(text))
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._aptix_decoder, name)


def _offered(module: str, name: str) -> Any:
    """The attribute of a loaded module; None where it has none, or is not the module of that name."""
    return attempt(lambda: getattr(sys.modules.get(module), name, None))[0]


def _is_document(text: Any) -> bool:
    if is_a(text, bytes, bytearray, memoryview):
        return bytes(text[: len(MARK) + 4]).lstrip().startswith(MARK.encode())
    return is_a(text, str) and text[: len(MARK) + 4].lstrip().startswith(MARK)


def _plain(text: Any) -> Any:
    """The parsed document without watching; None where it cannot be parsed."""
    with contextlib.suppress(ValueError, RecursionError, StopIteration):
        return _scan((text if is_a(text, str) else bytes(text).decode()).strip(), 0)[0]
    return None
