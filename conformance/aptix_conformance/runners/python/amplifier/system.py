"""Loads tools of Amplifier (`subject.System`).

`prepare` imports the module. `open` mounts it once for the life of the process; only then the tools are known. All types
are the real ones of the `amplifier-core` in the tool's interpreter.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import TargetFault
from . import logs
from .core import Core, import_core
from .finder import ImportedModule, find_module
from .mounted_tool import MountedTool
from .mounting import Mounting
from .output import RecordedOutput


class System:
    """Amplifier, in one interpreter."""

    kinds = ("cancel", "fault")

    def __init__(self) -> None:
        self._core: Core | None = None
        self._found: dict[str, tuple[ImportedModule, str]] = {}
        """By its name in targets: each module that was found, and the output of its import."""

    def prepare(self, where: str, root: str) -> dict[str, Any]:
        """See `subject.System`.

        Raises:
            TargetFault: there is no such module, importing it fails, or amplifier-core is not installed.
        """
        self._import_core()
        self._find(where, root)
        return {"tools": [], "passed_over": [], "submodules": []}

    async def open(self, params: Mapping[str, Any], root: str) -> MountedTool:
        """Mount a module and select one of its tools by the key under which it is registered.

        Without a key, it is any tool, or None where none is registered.

        Raises:
            TargetFault: the module cannot be found or imported, or has not registered this tool.
        """
        where, key = params["module"], params["qualname"]
        core = self._import_core()
        if params.get("services"):
            raise TargetFault(
                f"amplifier:{where}: services are for tools with a constructor; give mount its config instead"
            )
        imported, printed = self._find(where, root)
        mounting = Mounting(core, where, imported)
        mounting.printed = printed
        await mounting.run(params.get("config") or {})
        tools = mounting.tools
        if key and key not in tools:
            known = ", ".join(sorted(tools)) or f"none: {mounting.in_words}"
            raise TargetFault(
                f"amplifier:{where}: no tool is registered under {key!r}; those registered are {known}"
            )
        return MountedTool(core, mounting, key or next(iter(sorted(tools)), None))

    def _find(self, where: str, root: str) -> tuple[ImportedModule, str]:
        """As `find_module`, and the output of the import, which is kept for the mount.

        A fork of an interpreter that has found the module does not look for it: that reads the entry points of all distributions.
        """
        if where not in self._found:
            with RecordedOutput() as output:
                imported = find_module(where, root)
            self._found[where] = imported, output.text
        return self._found[where]

    def _import_core(self) -> Core:
        if self._core is None:
            self._core = import_core()
            logs.install()
        return self._core
