"""The Python host as a command, which the suite itself never needs: for `host-check`, and to debug a tool without forks.

python python_program.py my_pkg.tools

One module, one process, no zygote. Standard library only, like `python_host.py` beside it.
"""

import os
import socket
import sys
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - as python_host.py has it
sys.path[0] = _HERE
import python_host  # type: ignore[import-not-found]  # noqa: E402 - its folder had to be found first

sys.path.pop(0)


class ProgramServer(python_host.ToolServer):  # type: ignore[misc]
    """Serves the tools of the module that the command names."""

    def __init__(self, module: str) -> None:
        channel = python_host.Channel(socket.socket(fileno=int(os.environ["APTIX_HOST_FD"])))
        sentinels = python_host._load_file("aptix_sentinel_tools", f"{_HERE}/sentinel_tools.py")  # noqa: SLF001 - a part of it
        blueprints = {kind: python_host.Blueprint(cls, {}) for kind, cls in sentinels.BY_KIND.items()}
        super().__init__(channel, "", lambda: None, python_host.load_disturbances(), blueprints)
        self._module = module

    def _dispatch(self, number: Any, method: str, params: dict[str, Any]) -> None:
        if method != "tools/list":
            super()._dispatch(number, method, params)
            return
        found = python_host.list_tools(python_host.import_by_name(self._module))
        tools = [tool["name"] for tool in found["tools"]]
        self._answer(number, result={"tools": tools, "passed_over": found["passed_over"]})

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        self._root = params["root"]
        sys.path.insert(0, params["root"])
        if "qualname" not in params:
            python_host.import_by_name(self._module)
            return {"protocol": python_host.VERSION, "host": "python", "capabilities": []}
        answer: dict[str, Any] = super()._initialize({**params, "module": self._module})
        return answer


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    ProgramServer(sys.argv[1]).serve()
