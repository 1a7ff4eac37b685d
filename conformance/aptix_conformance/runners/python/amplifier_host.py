"""What the Python host does otherwise for Amplifier's tools: mounts a module, and calls what it has registered.

`python_host.py` loads this file before any tool is imported and hands it what it needs of itself, as `host`. It then asks
the `System` here instead of its own functions for three things: what to import (`prepare`), what the tool is
(`open`, which mounts the module, once for the life of the process), and what it returned (`MountedTool.read`).

Types of Amplifier's are the real ones, of the `amplifier-core` in the tool's own interpreter. The coordinator is
its own as well, in a subclass that writes down what is registered with it. Standard library only besides.
"""

import contextvars
import importlib.util
import inspect
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Final

KINDS: Final = ("cancel", "fault")
"""The disturbances that can be made."""

_NAME: Final = 200  # characters of a key or of an event's name

_dumps: Final = json.dumps
_recorder: Final[contextvars.ContextVar[Callable[[dict[str, Any]], None] | None]] = contextvars.ContextVar(
    "aptix_amplifier_recorder", default=None
)


class System:
    """Amplifier, in one interpreter."""

    def __init__(self, host: SimpleNamespace) -> None:
        self._host = host
        modules = _beside("amplifier_modules")
        self._finder = modules.Finder(host.import_by_name, host.TargetFault)
        self._core: Any = None

    kinds: Final = KINDS

    def prepare(self, where: str, root: str) -> dict[str, Any]:
        """Import a module, so that the processes forked from this one have it; what it registers, mounting shows.

        Raises:
            TargetFault: there is none, importing it fails, or amplifier-core is not there.
        """
        self._import_core()
        self._finder.find(where, root)
        return {"tools": [], "passed_over": [], "submodules": []}

    async def open(self, params: Mapping[str, Any], root: str) -> "MountedTool":
        """Mount a module and take one of its tools, by the key under which it was registered.

        Without a key it is any, or none where none was registered.

        Raises:
            TargetFault: the module cannot be found or imported, or has not registered this tool.
        """
        where, key = params["module"], params["qualname"]
        self._import_core()
        if params.get("services"):
            raise self._host.TargetFault(
                f"amplifier:{where}: services are for tools with a constructor; give mount its config instead"
            )
        mounting = _MOUNTING.Mounting(self._host, self._core, where, self._finder.find(where, root))
        await mounting.run(params.get("config") or {})
        tools = mounting.tools
        if key and key not in tools:
            known = ", ".join(sorted(tools)) or f"none: {mounting.in_words}"
            raise self._host.TargetFault(
                f"amplifier:{where}: no tool is registered under {key!r}; those registered are {known}"
            )
        return MountedTool(self._host, self._core, mounting, key or next(iter(sorted(tools)), None))

    def _import_core(self) -> None:
        """What is needed of amplifier-core, taken before any tool is imported.

        Raises:
            TargetFault: it is not installed.
        """
        if self._core is not None:
            return
        try:
            from amplifier_core import ModuleCoordinator, ToolResult  # noqa: PLC0415 - only here is it known to be wanted
        except ImportError as error:
            what = "there is no amplifier-core"
            if not (isinstance(error, ModuleNotFoundError) and error.name == "amplifier_core"):
                what = f"amplifier-core cannot be imported ({self._host.told(error)})"
            raise self._host.TargetFault(
                f"{what}: run pip install 'aptix-conformance[amplifier]' for {sys.executable}"
            ) from None
        self._core = SimpleNamespace(
            Coordinator=_MOUNTING.recording(ModuleCoordinator),
            ToolResult=ToolResult,
            write=ToolResult.get_serialized_output,
            present=ToolResult.safe_hook_presentation,
        )
        logging.getLogger().addHandler(_Handler())


# ---- one tool


class MountedTool:
    """One tool of a mounted module, in the place of `python_host.Blueprint`; `tool` is None where none was mounted."""

    parameters = ()
    missing = ()

    def __init__(self, host: SimpleNamespace, core: SimpleNamespace, mounting: Any, key: str | None) -> None:
        self._host = host
        self._core = core
        self._mounting = mounting
        self._key = key
        self.tool: Any = mounting.tools[key] if key is not None else None
        self.cls = type(self.tool)
        self.fault = self._why_not_callable()

    @property
    def tools(self) -> list[str]:
        """The keys of all tools of the module."""
        return sorted(self._mounting.tools)

    def make(self, logger: Any, _dress: Callable[[str, object], object]) -> "_OneCall":
        """What makes one call of the tool, which is the same for all calls; its log records go to that call's logger."""
        _recorder.set(logger._record)  # noqa: SLF001 - the recorder is the host's own
        return _OneCall(self.tool, self._host.decode)

    def read(self, call: "_OneCall", given: Any) -> dict[str, Any]:
        """The record of what a call returned (`Result`)."""
        host = self._host
        is_result = host.is_a(given, self._core.ToolResult)
        result: dict[str, Any] = {"type_name": host.type_name(given), "is_invoke_result": is_result}
        if call.has_changed_its_input():
            result["input_changed"] = True
        if not is_result:
            return result
        successful, output, error = (
            host.attempt(lambda name=name: getattr(given, name))[0] for name in ("success", "output", "error")
        )
        text, fault = host.attempt(lambda: self._core.write(given))
        if fault is None:
            _, fault = host.attempt(lambda: self._core.present(given))
        if fault is not None:
            result["unserialisable"] = fault
        result["successful"] = successful if type(successful) is bool else None
        result["payload"] = text if type(text) is str else None
        result["payload_type"] = host.type_name(output)
        result["errors"] = [self._read_error(error)] if type(error) is dict else []
        result["error_message"] = result["errors"][0]["message"] if result["errors"] else None
        return result

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """The members of a `Declaration`."""
        host, cls, tool = self._host, self.cls, self.tool
        name, description, execute = (self._member(part) for part in ("name", "description", "execute"))
        own, other = self._schema("input_schema"), self._schema("get_schema")
        nobody = {**host.member(object, "is_tool_fully_executed_on_server")}
        return {
            "class_name": self._mounting.where if tool is None else host.qualname_of(cls),
            "module": self._mounting.found.module.__name__,
            "when": when,
            "tool_name": _constant("name", name),
            "usage_text": _constant("description", description),
            "get_schema": host.member(cls, "get_schema"),
            "schema": self._function(name, description, own, other),
            "schema_again": self._function(
                name, description, self._schema("input_schema"), self._schema("get_schema")
            ),
            "name": name,
            "is_tool_fully_executed_on_server": nobody,
            "execute": execute,
            "constructor": [],
            "construction_error": self.fault,
            "bases": [host.shown(host.qualname_of(base), 200) for base in host.mro_of(cls)[1:-1]],
            "source": host.source(cls, root) if tool is not None else "",
            "system": "amplifier",
            "amplifier": {**self._mounting.facts(self._key), "input_schema": own, "get_schema": other},
        }

    def _why_not_callable(self) -> str | None:
        """Why no call can be made; None where one can."""
        if self.tool is None:
            return f"nothing was mounted: {self._mounting.in_words}"
        held, fault = self._host.attempt(lambda: self.tool.execute)
        if fault is not None or not callable(held):
            return "the tool has no execute that can be called"
        signature, fault = self._host.attempt(lambda: inspect.signature(held))
        if fault is None and self._host.attempt(lambda: signature.bind({}))[1] is not None:
            return "execute cannot be called with the input alone"
        return None

    async def close(self) -> None:
        """Have the module clean up."""
        await self._mounting.close()

    def _member(self, name: str) -> dict[str, Any]:
        host = self._host
        member: dict[str, Any] = host.valued(
            self.cls, self.tool, name, None if self.tool is not None else self.fault
        )
        if name == "execute" and member["kind"] in ("missing", "attribute"):
            held, _ = host.attempt(lambda: self.tool.execute)
            if callable(held):
                parameters = [host.parameter(p) for p in host.signature_of(held)]
                member |= {"kind": "method", "is_async": host.is_async(held), "parameters": parameters}
        return member

    def _schema(self, name: str) -> dict[str, Any]:
        """One reading of a schema, as the tool has it."""
        host = self._host
        reading = host.reading
        tool: Any = self.tool
        if tool is None or host.attempt(lambda: hasattr(tool, name)) == (False, None):
            return reading("not_callable", error=f"there is no {name}")  # type: ignore[no-any-return]
        value, error = host.attempt(lambda: getattr(tool, name))
        if error is None and name == "get_schema":
            value, error = host.attempt(value) if callable(value) else (value, None)
        if error is not None:
            return reading("raised", error=error)  # type: ignore[no-any-return]
        if inspect.isawaitable(value):
            awaitable: Any = value
            host.attempt(lambda: awaitable.close())  # noqa: PLW0108 - reading the attribute is guarded too
            return reading("not_callable", error=f"{name} is async")  # type: ignore[no-any-return]
        text, error = host.attempt(lambda: _dumps(value, ensure_ascii=True, allow_nan=False))
        return reading("returned", text=text) if error is None else reading("not_json", error=error)  # type: ignore[no-any-return]

    def _function(
        self,
        name: Mapping[str, Any],
        description: Mapping[str, Any],
        own: Mapping[str, Any],
        other: Mapping[str, Any],
    ) -> dict[str, Any]:
        """The function as an orchestrator offers it to the model; a schema that only get_schema gives stands in for its own."""
        schema = own if own["outcome"] == "returned" or other["outcome"] != "returned" else other
        if schema["outcome"] != "returned":
            return dict(schema)
        parts = {"type": "function", "name": name["value"], "description": description["value"]}
        text = f'{_dumps(parts)[:-1]}, "parameters": {schema["text"]}}}'
        return {"outcome": "returned", "text": text, "error": None}

    def _read_error(self, error: dict[Any, Any]) -> dict[str, str | None]:
        host = self._host
        message, code = error.get("message"), error.get("code", error.get("type"))
        return {
            "message": host.plain(message) if host.is_a(message, str) else None,
            "code": host.plain(code, 200) if host.is_a(code, str) else None,
            "details": None,
        }


class _OneCall:
    """One call: turns the arguments into the dict that a tool is given, and knows whether that was changed."""

    def __init__(self, tool: Any, decode: Callable[[str], Any]) -> None:
        self._tool = tool
        self._decode = decode
        self._before: Any = None
        self._input: Any = None

    def execute(self, arguments: str | None, _context: object, _token: object) -> Any:
        """Call the tool with what the arguments stand for; nothing at all stands for an object without members."""
        text = arguments or "{}"
        self._input, self._before = self._decode(text), self._decode(text)
        return self._tool.execute(self._input)

    def has_changed_its_input(self) -> bool:
        """Whether the dict is another than it was given."""
        try:
            return _dumps(self._input) != _dumps(self._before)
        except Exception:  # noqa: BLE001 - what has no JSON form any more had one
            return True


def _constant(name: str, member: Mapping[str, Any]) -> dict[str, Any]:
    """A member's value where other systems have a constant."""
    is_text = type(member["value"]) is str
    return {
        "name": name,
        "kind": "plain" if is_text else "missing",
        "value": member["value"] if is_text else None,
        "type_name": member["value_type"],
    }


class _Handler(logging.Handler):
    """Hands what is logged during a call to that call's record."""

    def emit(self, record: logging.LogRecord) -> None:
        write = _recorder.get()
        if write is None:
            return
        try:
            message = record.getMessage()
        except Exception as error:  # noqa: BLE001 - a format that its arguments do not fit
            message = f"<{type(error).__name__} in the format of a log record>"
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        write(
            {
                "method": "log",
                "tag": record.name[:_NAME],
                "message": message[:8_192],
                "level": record.levelname[:_NAME],
                "exception_type": kind,
                "pairs": [],
                "pairs_fault": None,
            }
        )


def _beside(name: str) -> Any:
    """A module of this directory, which is on no path that the tool could find it by."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")  # noqa: PTH100, PTH118, PTH120
    spec: Any = importlib.util.spec_from_file_location(f"aptix_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its module up
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


# Loaded with this file, so that it is there before any tool is, and untouched by it.
_MOUNTING: Final[Any] = _beside("amplifier_mounting")
