"""One tool of a mounted module: its declaration, its calls and their results."""

import inspect
from typing import Any

from ..class_members import is_async, read_member, read_property
from ..codec import decode, dumps
from ..declaration import locate_source
from ..foreign import attempt, cut_text, is_a, mro_of, qualname_of, safe_str, type_name
from ..logger import RecordingLogger
from ..signatures import parameters_of, record_parameter
from ..subject import WrapService
from ..texts import has_number, texts_of
from . import logs
from .core import Core
from .mounting import Mounting
from .schemas import function_schema, read_input_schema

LONGEST_CODE = 200
"""Characters that are kept of an error's code."""


class MountedTool:
    """A mounted tool (`subject.OpenedSubject`); `tool` is None where none was mounted."""

    missing = ()

    def __init__(self, core: Core, mounting: Mounting, key: str | None) -> None:
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

    def create(self, logger: RecordingLogger, _wrap_service: WrapService) -> "OneCall":
        """One call of the tool. All calls share the object of the tool; logs go to the logger of this call."""
        logs.current.set(logger._record)  # noqa: SLF001 - the logger is the runner's own
        return OneCall(self.tool)

    def read(self, call: "OneCall", returned: Any) -> dict[str, Any]:
        """See `subject.Subject`."""
        is_result = is_a(returned, self._core.tool_result)
        result: dict[str, Any] = {"type_name": type_name(returned), "is_invoke_result": is_result}
        if call.has_changed_its_input():
            result["input_changed"] = True
        if not is_result:
            return result
        successful, output, error = (
            attempt(lambda name=name: getattr(returned, name))[0]  # type: ignore[misc]
            for name in ("success", "output", "error")
        )
        text, fault = attempt(lambda: self._core.write(returned))
        if fault is None:
            _, fault = attempt(lambda: self._core.present(returned))
        if fault is not None:
            result["unserialisable"] = fault
        result["successful"] = successful if type(successful) is bool else None
        result["payload"] = text if type(text) is str else None
        result["payload_type"] = type_name(output)
        result["amplifier"] = {}
        result["errors"] = [_read_error(error)] if type(error) is dict else []
        result["error_message"] = result["errors"][0]["message"] if result["errors"] else None
        if result["successful"] is False:
            result["texts"] = texts_of(returned)
            if result["error_message"] is None and _explains_failure(output):
                result["error_message"] = result["payload"]
        return result

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """See `subject.Subject`."""
        cls, tool = self.cls, self.tool
        name, description, execute = (self._member(part) for part in ("name", "description", "execute"))
        own, other = self._schemas()
        return {
            "class_name": self._mounting.label if tool is None else qualname_of(cls),
            "module": self._mounting.imported.module.__name__,
            "when": when,
            "tool_name": _as_constant("name", name),
            "usage_text": _as_constant("description", description),
            "get_schema": read_member(cls, "get_schema"),
            "schema": function_schema(name, description, own, other),
            "schema_again": function_schema(name, description, *self._schemas()),
            "name": name,
            "is_tool_fully_executed_on_server": read_member(object, "is_tool_fully_executed_on_server"),
            "execute": execute,
            "constructor": [],
            "construction_error": self.fault,
            "bases": [safe_str(qualname_of(base), 200) for base in mro_of(cls)[1:-1]],
            "source": locate_source(cls, root) if tool is not None else "",
            "system": "amplifier",
            "amplifier": {**self._mounting.facts(self._key), "input_schema": own, "get_schema": other},
        }

    async def describe_closed(self, root: str) -> dict[str, Any]:
        """See `subject.OpenedSubject`."""
        declaration = self.describe(root, "restarted")
        await self._mounting.close_and_look()
        return {**declaration, "amplifier": {**declaration["amplifier"], "cleanup": self._mounting.cleanup}}

    async def close(self) -> None:
        """Let the module clean up."""
        await self._mounting.close()

    def _why_not_callable(self) -> str | None:
        if self.tool is None:
            return f"nothing was mounted: {self._mounting.in_words}"
        execute, fault = attempt(lambda: self.tool.execute)
        if fault is not None or not callable(execute):
            return "the tool has no execute that can be called"
        signature, fault = attempt(lambda: inspect.signature(execute))
        if fault is None and attempt(lambda: signature.bind({}))[1] is not None:
            return "execute cannot be called with the input alone"
        return None

    def _schemas(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """One reading of `input_schema` and one of `get_schema`."""
        return read_input_schema(self.tool, "input_schema"), read_input_schema(self.tool, "get_schema")

    def _member(self, name: str) -> dict[str, Any]:
        member = read_property(self.cls, self.tool, name, None if self.tool is not None else self.fault)
        if name == "execute" and member["kind"] in ("missing", "attribute"):
            execute, _ = attempt(lambda: self.tool.execute)
            if callable(execute):
                parameters = [record_parameter(p) for p in parameters_of(execute)]
                member |= {"kind": "method", "is_async": is_async(execute), "parameters": parameters}
        return member


class OneCall:
    """One call: parses the arguments for the tool, and detects whether the tool changed them."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        self._before: Any = None
        self._input: Any = None

    def execute(self, arguments: str | None, _context: object, _token: object) -> Any:
        """Call the tool with the parsed arguments; None means an empty object."""
        text = arguments or "{}"
        self._input, self._before = decode(text), decode(text)
        return self._tool.execute(self._input)

    def has_changed_its_input(self) -> bool:
        """Whether the tool changed the parsed arguments."""
        try:
            return dumps(self._input) != dumps(self._before)
        except Exception:  # noqa: BLE001 - a dict without a JSON form was changed
            return True


def _as_constant(name: str, member: dict[str, Any]) -> dict[str, Any]:
    """A member in the form of a `Constant`, as other systems declare it."""
    is_text = type(member["value"]) is str
    return {
        "name": name,
        "kind": "plain" if is_text else "missing",
        "value": member["value"] if is_text else None,
        "type_name": member["value_type"],
    }


def _explains_failure(output: Any) -> bool:
    """Whether an output tells a model what went wrong: it holds a text that is not blank, or a number such as an exit status."""
    return any(text.strip() for text in texts_of(output)) or has_number(output)


def _read_error(error: dict[Any, Any]) -> dict[str, str | None]:
    message, code = error.get("message"), error.get("code", error.get("type"))
    return {
        "message": cut_text(message) if is_a(message, str) else None,
        "code": cut_text(code, LONGEST_CODE) if is_a(code, str) else None,
        "details": None,
    }
