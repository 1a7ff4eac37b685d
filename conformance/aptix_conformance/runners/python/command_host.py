"""The Python host as a command, for `host-check` and to debug a tool without forks. The suite itself does not use it.

    python RUNNERS/start.py python.command_host my_pkg.tools

One module, one process, no zygote.
"""

import os
import socket
import sys
from typing import Any, NoReturn

from .channel import Channel
from .codes import VERSION
from .disturb import BY_KIND
from .loading import import_by_name
from .server import Setup, ToolServer
from .tool_listing import list_tools
from .zygote import load_sentinels


class ProgramServer(ToolServer):
    """Serves the tools of the module on the command line."""

    def __init__(self, module: str) -> None:
        channel = Channel(socket.socket(fileno=int(os.environ["APTIX_HOST_FD"])))
        super().__init__(channel, Setup("", lambda: None, BY_KIND, load_sentinels()))
        self._module = module
        self._handlers["tools/list"] = self._list

    def _list(self, number: Any, _: dict[str, Any]) -> None:
        listing = list_tools(import_by_name(self._module))
        names = [tool["name"] for tool in listing["tools"]]
        self._answer(number, result={"tools": names, "passed_over": listing["passed_over"]})

    def _load(self, params: dict[str, Any]) -> dict[str, Any]:
        self._setup = self._setup._replace(root=params["root"])
        sys.path.insert(0, params["root"])
        if "qualname" not in params:
            import_by_name(self._module)
            return {"protocol": VERSION, "host": "python", "capabilities": []}
        return super()._load({**params, "module": self._module})


def main(module: str) -> NoReturn:
    """Serve the tools of a module."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    ProgramServer(module).serve()
