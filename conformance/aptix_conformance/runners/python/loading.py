"""Imports a tool's module and finds its class."""

import importlib
import traceback
from types import ModuleType
from typing import Any

from .errors import TargetFault
from .foreign import format_error, is_a, name_in, names_in, namespace_of, stored, type_name
from .tool_listing import list_tools


def import_by_name(name: str) -> ModuleType:
    """Import a module.

    Raises:
        TargetFault: the import raised an exception of any type.
    """
    try:
        module = importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001 - the module is the tool's
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "importlib" not in f.filename]
        place = f" ({frames[-1].filename}:{frames[-1].lineno})" if len(frames) > 1 else ""
        raise TargetFault(f"importing {name} raised {format_error(error)}{place}") from None
    if not is_a(module, ModuleType):
        raise TargetFault(
            f"importing {name} gives a {type_name(module)} instead of a module: it replaced itself in sys.modules"
        )
    return module


def find_class(module: ModuleType, path: str) -> type:
    """The class of a tool by its name in a module.

    Raises:
        TargetFault: the name is missing, is not a class, or is a class without any member of a tool.
    """
    where = f"{name_in(module)}:{path}"
    value: Any = module
    for part in path.split("."):
        space = namespace_of(value) if is_a(value, type) else names_in(module) if value is module else {}
        if part not in space:
            raise TargetFault(f"{where}: {name_in(module)} has no class {path}{_hint(module, path)}")
        value = space[part]
    if not is_a(value, type):
        raise TargetFault(f"{where} is a {type_name(value)}, not a class{_hint(module, path)}")
    if not any(stored(value, name)[1] for name in ("execute", "TOOL_NAME", "get_schema")):
        lacking = "it has no execute, no TOOL_NAME and no get_schema"
        raise TargetFault(f"{where} is a class but no tool: {lacking}{_hint(module, path)}")
    return value


def _hint(module: ModuleType, path: str) -> str:
    import difflib  # noqa: PLC0415 - rarely needed, and slow to import

    known = [tool["name"] for tool in list_tools(module)["tools"]]
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.6) or known
    if not near:
        return "; it defines no tool"
    return f"; did you mean {near[0]}?" if len(near) == 1 else f"; its tools are {', '.join(near)}"
