"""Reads the declaration of an Aptix tool's class."""

import inspect
import os
from inspect import Parameter
from typing import Any, Protocol

from .class_members import read_member, read_property
from .concurrent_reading import read_concurrently
from .constants import read_constant
from .disturbance import Disturbance
from .foreign import attempt, module_of, mro_of, qualname_of, safe_str
from .logger import RecordingLogger
from .schema_reading import read_schema
from .signatures import record_parameter
from .subject import WrapService
from .used_classes import arguments_classes


class Constructor(Protocol):
    """The part of a `ToolFactory` that `describe` needs."""

    @property
    def cls(self) -> type:
        """The tool's class."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of its constructor."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Required parameters for which there is no service."""

    @property
    def fault(self) -> str | None:
        """Why no instance can be created."""

    def create(self, logger: RecordingLogger, wrap_service: WrapService) -> Any:
        """A new instance."""


def describe(factory: Constructor, root: str, when: str) -> dict[str, Any]:
    """The members of a `Declaration`; `root` is the root directory, and `when` "start", "after_calls" or "threads"."""
    cls = factory.cls
    instance, fault = None, factory.fault
    first = read_schema(cls)  # a registry reads it before it creates an instance
    if fault is None:
        instance, fault = attempt(
            lambda: factory.create(RecordingLogger(lambda _: None), Disturbance().wrap_service)
        )
    first, second = read_concurrently(cls) if when == "threads" else (first, read_schema(cls))
    on_server = "is_tool_fully_executed_on_server"
    return {
        "class_name": qualname_of(cls),
        "module": safe_str(module_of(cls), 1_000),
        "when": when,
        "tool_name": read_constant(cls, instance, "TOOL_NAME"),
        "usage_text": read_constant(cls, instance, "TOOL_USAGE_METADATA"),
        "get_schema": read_member(cls, "get_schema"),
        "schema": first,
        "schema_again": second,
        "name": read_property(cls, instance, "name", fault),
        on_server: read_property(cls, instance, on_server, fault),
        "execute": read_member(cls, "execute"),
        "constructor": [record_parameter(p) for p in factory.parameters],
        "construction_error": fault,
        "missing_services": list(factory.missing),
        "arguments_classes": arguments_classes(cls),
        "bases": [safe_str(qualname_of(base), 200) for base in mro_of(cls)[1:] if base is not object],
        "source": locate_source(cls, root),
    }


def locate_source(cls: type, root: str) -> str:
    """`file:line` of a class, relative to `root` where the file is below it; empty where it cannot be found."""

    def locate() -> str:
        file = os.path.realpath(inspect.getsourcefile(cls) or "")
        line = inspect.getsourcelines(cls)[1]
        below = file.startswith(os.path.join(os.path.realpath(root), ""))
        return f"{os.path.relpath(file, os.path.realpath(root)) if below else file}:{line}"

    place, _ = attempt(locate)
    return place or ""
