"""Merges the tool listings of a package's modules."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.errors import ConformanceError, TargetError
from aptix_conformance.hosts.host import Listing

ModuleListing = Mapping[str, Any]
"""What a host says about one module: `tools`, `passed_over` and `submodules` (`tool_listing.list_tools`)."""

MOST_MODULES: Final = 10_000
"""Limit of modules in one package, because a process could name new ones without end."""


class PackageListing:
    """The listing of a place while its modules are listed one by one."""

    def __init__(self, module: str) -> None:
        self._root = module
        self._modules: dict[str, ModuleListing] = {}
        self._failures: dict[str, str] = {}
        self._known = 1
        self._whole: Listing | ConformanceError | None = None

    def take(self, module: str, answer: Listing | ModuleListing | ConformanceError) -> Sequence[str]:
        """Take the answer for a module: the whole listing, that of this module, or an error. Returns the modules to be listed too."""
        if isinstance(answer, TargetError) and module != self._root:
            self._failures[module] = str(answer)
        elif isinstance(answer, Listing | ConformanceError):
            self._whole = answer
        else:
            self._modules[module] = answer
            self._known += len(answer["submodules"])
            if self._known <= MOST_MODULES:
                below: Sequence[str] = answer["submodules"]
                return below
            self._whole = TargetError(f"{self._root} has more than {MOST_MODULES} modules below it")
        return ()

    def result(self) -> Listing | ConformanceError:
        """The whole listing, once nothing is left to be listed, or why there is none."""
        return assemble(self._modules, self._failures) if self._whole is None else self._whole


def list_package(module: str, list_module: Callable[[str], ModuleListing]) -> Listing:
    """List a module and the modules below it, one after another.

    Raises:
        ConformanceError: as `list_module`; TargetError only for `module` itself.
    """
    package, waiting = PackageListing(module), [module]
    while waiting:
        name = waiting.pop()
        try:
            waiting += package.take(name, list_module(name))
        except TargetError as error:
            package.take(name, error)
    listing = package.result()
    if isinstance(listing, ConformanceError):
        raise listing
    return listing


def is_listing(data: Any, module: str) -> bool:
    """Whether `data` has the shape of a `ModuleListing` and names only submodules of `module`."""
    if not isinstance(data, dict) or not data.keys() >= {"tools", "passed_over", "submodules"}:
        return False
    tools = data["tools"]
    return (
        isinstance(tools, list)
        and all(isinstance(tool, dict) and _is_tool(tool) for tool in tools)
        and _are_texts(data["passed_over"])
        and _are_texts(data["submodules"])
        and all(name.startswith(module + ".") for name in data["submodules"])
    )


def _is_tool(tool: dict[str, Any]) -> bool:
    named = type(tool.get("name")) is str and type(tool.get("named")) is bool
    return named and _are_texts(tool.get("bases"))


def _are_texts(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(text, str) for text in data)


def assemble(modules: Mapping[str, ModuleListing], failures: Mapping[str, str]) -> Listing:
    """The listing of a package, merged from the listings of its modules.

    A class that another tool inherits from, and that has no name of its own, is a base class and not a tool.
    """
    bases = {base for listing in modules.values() for tool in listing["tools"] for base in tool["bases"]}
    tools, passed_over = [], [sentence for listing in modules.values() for sentence in listing["passed_over"]]
    for module, listing in modules.items():
        for tool in listing["tools"]:
            spec = f"{module}:{tool['name']}"
            if spec in bases and not tool["named"]:
                passed_over.append(f"{spec} is the base of another tool and has no TOOL_NAME of its own")
            else:
                tools.append(spec)
    return Listing(tuple(sorted(tools)), tuple(sorted(passed_over)), dict(sorted(failures.items())))
