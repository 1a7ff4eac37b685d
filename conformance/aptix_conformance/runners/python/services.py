"""The services that a configuration injects into a tool's constructor."""

import importlib
from collections.abc import Callable, Mapping
from types import CoroutineType
from typing import Any

from .errors import TargetFault
from .foreign import attempt, format_error, type_name
from .signatures import parameters_of


def resolve_services(tool: str, cls: type, services: Mapping[str, str]) -> dict[str, Callable[[], object]]:
    """The factories (`module:path`) that a configuration names by parameter, each called once as a test.

    Raises:
        TargetFault: the constructor has no such parameter, or a factory is missing or raises.
    """
    parameters = tuple(parameters_of(cls))
    names = [p.name for p in parameters]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    factories: dict[str, Callable[[], object]] = {}
    for name, spec in services.items():
        where = f"{tool}: the service for {name!r}"
        if name not in names and not takes_any:
            known = ", ".join(names) or "nothing"
            raise TargetFault(f"{where} has no parameter to go to: the constructor takes {known}")
        factories[name] = find_factory(where, spec)
    return factories


def find_factory(where: str, spec: str) -> Callable[[], object]:
    """The factory `module:path`, called once as a test; `where` begins the message.

    Raises:
        TargetFault: it is missing, is none, or raises.
    """
    module_name, _, path = spec.partition(":")
    try:
        target: Any = importlib.import_module(module_name)
        for part in path.split("."):
            target = getattr(target, part)
    except BaseException as error:  # noqa: BLE001 - the module is the tool's
        raise TargetFault(f"{where}: there is no factory {spec!r} ({format_error(error)})") from None
    if not callable(target):
        raise TargetFault(f"{where}: {spec!r} is a {type_name(target)}, not a factory to be called")
    service, fault = attempt(target)
    if fault is not None:
        raise TargetFault(f"{where}: the factory {spec!r} raised {fault}")
    if type(service) is CoroutineType:
        service.close()  # else the interpreter warns that it was never awaited
        raise TargetFault(f"{where}: the factory {spec!r} is async; let a plain function return the service")
    factory: Callable[[], object] = target
    return factory
