"""Puts together what the modules of a package say about their tools."""

from collections.abc import Mapping
from typing import Any

from aptix_conformance.hosts.interface import Listing

ModuleListing = Mapping[str, Any]
"""What a host says about one module: `tools`, `passed_over` and `submodules` (`python_host.list_tools`)."""


def assemble(modules: Mapping[str, ModuleListing], failures: Mapping[str, str]) -> Listing:
    """The listing of a package from those of its modules.

    A class on which another tool is built, and which has no name of its own, is a base and not a tool.
    """
    bases = {base for found in modules.values() for tool in found["tools"] for base in tool["bases"]}
    tools, passed_over = [], [sentence for found in modules.values() for sentence in found["passed_over"]]
    for module, found in modules.items():
        for tool in found["tools"]:
            spec = f"{module}:{tool['name']}"
            if spec in bases and not tool["named"]:
                passed_over.append(f"{spec} is the base of another tool and has no TOOL_NAME of its own")
            else:
                tools.append(spec)
    return Listing(tuple(sorted(tools)), tuple(sorted(passed_over)), dict(sorted(failures.items())))
