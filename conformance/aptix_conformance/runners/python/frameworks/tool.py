"""One tool of a framework: its declaration, its calls and their results."""

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from ..class_members import is_async, read_member, read_property
from ..codec import decode, dumps
from ..declaration import locate_source
from ..foreign import attempt, is_a
from ..logger import RecordingLogger
from ..schema_reading import schema_reading
from ..signatures import parameters_of, record_parameter
from ..subject import WrapService
from .answer import Answer

if TYPE_CHECKING:
    from .system import FrameworkSystem, Place


class FrameworkTool:
    """A tool that is an object (`subject.OpenedSubject`). All calls share it.

    Attributes:
        cls: a class in the module of the author's code: the framework's own class says nothing of whose code it is.
        missing: required parameters that the framework injects, and for which there is no service.
    """

    describe_closed = None

    def __init__(
        self,
        framework: "FrameworkSystem",
        name: str,
        tool: Any,
        module: str,
        services: Mapping[str, Callable[[], object]],
        place: "Place",
    ) -> None:
        self._framework = framework
        self._name = name
        self._tool = tool
        self._services = services
        self._place = place
        self._code = framework.code_of(tool)
        home = getattr(self._code, "__module__", None)
        self.cls = type(name, (), {"__module__": home if type(home) is str else module})
        self.missing = tuple(
            each for each, required in framework.injected(tool).items() if required and each not in services
        )

    @property
    def tools(self) -> list[str]:
        """See `subject.OpenedSubject`."""
        return [self._name]

    @property
    def fault(self) -> str | None:
        """See `subject.Subject`."""
        if not self.missing:
            return None
        names = ", ".join(map(repr, self.missing))
        return f"the framework injects {names} in an agent's run, and no service is configured for it"

    def create(self, _logger: RecordingLogger, wrap_service: WrapService) -> "OneCall":
        """One call of the tool, with fresh services."""
        services = {name: wrap_service(name, make()) for name, make in self._services.items()}
        return OneCall(lambda arguments: self._framework.call(self._tool, arguments, services))

    def read(self, _call: object, returned: object) -> dict[str, Any]:
        """See `subject.Subject`."""
        assert isinstance(returned, Answer)
        return returned.members() | {self._framework.name: {"by_framework": returned.by_framework}}

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """See `subject.Subject`."""
        framework, tool = self._framework, self._tool
        name, description = (read_property(type(tool), tool, part, None) for part in ("name", "description"))
        nothing = read_member(object, "get_schema")
        return {
            "class_name": self._name,
            "module": self.cls.__module__,
            "when": when,
            "tool_name": _as_constant("name", name),
            "usage_text": _as_constant("description", description),
            "get_schema": nothing,
            "schema": self._schema(),
            "schema_again": self._schema(),
            "name": name,
            "is_tool_fully_executed_on_server": read_member(object, "is_tool_fully_executed_on_server"),
            "execute": {
                **nothing,
                "name": "execute",
                "kind": "method",
                "is_async": is_async(self._code),
                "parameters": [record_parameter(p) for p in parameters_of(self._code)],
            },
            "constructor": [],
            "construction_error": self.fault,
            "missing_services": list(self.missing),
            "source": locate_source(self._code, root),
            "system": framework.name,
            framework.name: {
                "library": framework.library(),
                **self._place._asdict(),
                **framework.facts(tool),
            },
        }

    async def close(self) -> None:
        """See `subject.Subject`; there is nothing to clean up."""

    def _schema(self) -> dict[str, Any]:
        schema, error = attempt(lambda: self._framework.schema(self._tool))
        if error is not None:
            return schema_reading("raised", error=error)
        text, error = attempt(lambda: dumps(schema, ensure_ascii=True, allow_nan=False))
        if error is not None:
            return schema_reading("not_json", error=error)
        return schema_reading("returned", text=text)


class OneCall:
    """One call: parses the arguments as a chat model's client does."""

    def __init__(self, call: Callable[[dict[str, Any]], Coroutine[Any, Any, Answer]]) -> None:
        self._call = call

    def execute(self, arguments: str | None, _context: object, _token: object) -> Any:
        """Call the tool with the parsed arguments; null and None mean an empty object."""
        parsed = decode(arguments or "{}")
        return self._call(parsed if parsed is not None else {})


def _as_constant(name: str, member: dict[str, Any]) -> dict[str, Any]:
    """A member in the form of a `Constant`, as other systems declare it."""
    is_text = is_a(member["value"], str)
    return {
        "name": name,
        "kind": "plain" if is_text else "missing",
        "value": member["value"] if is_text else None,
        "type_name": member["value_type"],
    }
