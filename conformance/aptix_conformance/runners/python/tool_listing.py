"""Lists the tools that a module defines."""

import pkgutil
from types import ModuleType
from typing import Any

from .foreign import (
    MISSING,
    attempt,
    is_a,
    is_abstract,
    module_of,
    mro_of,
    name_in,
    names_in,
    namespace_of,
    qualname_of,
    stored,
)


def list_tools(module: ModuleType) -> dict[str, Any]:
    """List the tools of a module, the classes that look like tools but are not, and the direct submodules.

    Returns `tools`, `passed_over` (sentences) and `submodules` (names). A tool is `{"name", "bases", "named"}`: its name
    in the module, its bases as `module:qualname`, and whether its own body defines `TOOL_NAME`.
    """
    tools, passed_over, listed_ids = [], [], set()
    own_name = name_in(module)
    # A class with several names is listed once, by its own name if possible.
    for name, value in sorted(names_in(module).items(), key=lambda item: (_is_alias(*item), item[0])):
        if not is_a(value, type) or module_of(value) != own_name or id(value) in listed_ids:
            continue
        listed_ids.add(id(value))
        execute, _ = stored(value, "execute")
        if not _looks_like_tool(value, execute):
            continue
        reason = _reason_to_pass_over(name, value, execute)
        if reason is not None:
            passed_over.append(f"{own_name}:{name} {reason}")
            continue
        bases = [f"{module_of(base)}:{qualname_of(base)}" for base in mro_of(value)[1:]]
        tools.append({"name": name, "bases": bases, "named": "TOOL_NAME" in namespace_of(value)})
    return {
        "tools": sorted(tools, key=lambda tool: tool["name"]),
        "passed_over": passed_over,
        "submodules": _submodules(module),
    }


def _submodules(module: ModuleType) -> list[str]:
    paths = names_in(module).get("__path__")  # getattr would run a module's own __getattr__
    if paths is None:
        return []
    names, _ = attempt(lambda: [info.name for info in pkgutil.iter_modules(paths, name_in(module) + ".")])
    return sorted(name for name in names or () if not name.endswith(".__main__"))


def _looks_like_tool(cls: type, execute: Any) -> bool:
    if stored(cls, "TOOL_NAME")[1]:
        return True
    marks = ("TOOL_USAGE_METADATA", "get_schema", "is_tool_fully_executed_on_server")
    return execute is not MISSING and any(stored(cls, mark)[1] for mark in marks)


def _is_alias(name: str, value: object) -> bool:
    return is_a(value, type) and qualname_of(value) != name


def _reason_to_pass_over(name: str, cls: type, execute: Any) -> str | None:  # noqa: PLR0911 - one for each reason
    if name.startswith("_"):
        return "starts with an underscore: it is private"
    if execute is MISSING:
        return "has TOOL_NAME and no execute"
    if not callable(execute) and not is_a(execute, staticmethod) and not is_a(execute, classmethod):
        return "has an execute that cannot be called"
    if namespace_of(cls).get("_is_protocol") is True:
        return "is a Protocol"
    if is_abstract(cls):
        return "is abstract"
    if any(module_of(base) == "enum" for base in mro_of(cls)):
        return "is an enumeration"
    return None
