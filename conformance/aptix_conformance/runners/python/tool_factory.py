"""Creates instances of an Aptix tool's class."""

from collections.abc import Callable, Mapping
from typing import Any

from .declaration import describe
from .logger import RecordingLogger
from .results import read_result
from .signatures import is_required, parameters_of, wants_logger
from .subject import WrapService


class ToolFactory:
    """Creates instances of a class, with a logger and fresh services (`subject.Subject`).

    Attributes:
        cls: the class.
        parameters: the parameters of its constructor.
        missing: names of required parameters for which there is no service.
    """

    def __init__(self, cls: type, services: Mapping[str, Callable[[], object]]) -> None:
        self.cls = cls
        self.parameters = tuple(parameters_of(cls))
        self._services = services
        self._filled = tuple(
            (p, wants_logger(p)) for p in self.parameters if wants_logger(p) or p.name in services
        )
        self.missing = tuple(
            p.name
            for p in self.parameters
            if is_required(p) and not wants_logger(p) and p.name not in services
        )

    @property
    def fault(self) -> str | None:
        """See `subject.Subject`."""
        if not self.missing:
            return None
        names = ", ".join(repr(name) for name in self.missing)
        return f"no service is configured for the constructor parameter {names}"

    def create(self, logger: RecordingLogger, wrap_service: WrapService) -> Any:
        """A new instance, with fresh services, each wrapped by `wrap_service(parameter, service)`.

        Raises:
            BaseException: any exception of the constructor or of a service's factory.
        """
        positional, named = [], {}
        for parameter, is_logger in self._filled:
            value: object = logger
            if not is_logger:
                value = wrap_service(parameter.name, self._services[parameter.name]())
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return self.cls(*positional, **named)

    def describe(self, root: str, when: str) -> dict[str, Any]:
        """See `subject.Subject`."""
        return describe(self, root, when)

    def read(self, _tool: object, returned: object) -> dict[str, Any]:
        """See `subject.Subject`."""
        return read_result(returned)

    async def close(self) -> None:
        """See `subject.Subject`; an Aptix tool has nothing to clean up."""
