"""What systems have in common whose tools are objects of a Python framework: target specs, hosts and facts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Final

from aptix_conformance.core.model import Facts
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.python_pool import PythonHostPool
from aptix_conformance.hosts.zygote_key import ZygoteKey
from aptix_conformance.targets.settings import ToolSettings
from aptix_conformance.targets.spec import Spelling, Written, read_module, read_place

OF_THREADS: Final = frozenset({"CAN008"})
"""The rules that a framework breaks by the threads in which it runs plain functions."""
Shares = Mapping[str, frozenset[tuple[str, str]]]
"""What a framework breaks for every tool: the code of a rule and the cause of the finding, by its name and major version."""


class FrameworkTool(Facts, frozen=True):
    """What a tool of a framework declares besides its function."""

    library: str
    """The framework's distribution, as `NAME VERSION`."""
    is_async: bool
    """Whether the author's function is a coroutine function."""
    variable: str = ""
    """The variable of the module through which the tool is reached."""
    holder: str = ""
    """The type of the variable's value, where that is no tool but holds this one: `list`, or a class of the framework."""
    shares: ClassVar[Shares] = {}

    def breaks_by_itself(self, rule: str, cause: str) -> str:
        """The framework, where it breaks a rule by itself in this way; empty where it is not known to.

        An async function has only the threads that it starts itself.
        """
        if self.is_async and rule in OF_THREADS:
            return ""
        name, _, version = self.library.rpartition(" ")
        return (
            self.library
            if (rule, cause) in self.shares.get(f"{name} {version.partition('.')[0]}", ())
            else ""
        )


class FrameworkResult(Facts, frozen=True):
    """A result of a tool of a framework, or of Amplifier: the model is given whatever text is made of any output."""

    by_framework: bool = False
    """Whether the framework wrote the text of a failure, and kept the tool's own from the model."""

    def is_libraries_refusal(self) -> bool:
        """See `Facts`."""
        return self.by_framework

    def may_be_plain_text(self) -> bool:
        """A text is given to the model as it is."""
        return True


class FrameworkHostPool(PythonHostPool):
    """Hosts for tools of a framework (`host.HostPool`): a place is one module."""

    system: ClassVar[str]

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """The names of a module's tools.

        Raises:
            TargetError: the module cannot be imported, or the framework is not installed.
        """
        listing = self._list(self._key(module, settings), module)
        return Listing(tuple(tool["name"] for tool in listing["tools"]), tuple(listing["passed_over"]))

    def list_module(self, module: str, settings: ToolSettings) -> Listing:
        """See `host.HostPool`: a module has none below it."""
        return self.list_tools(module, settings)

    def _key(self, module: str, settings: ToolSettings) -> ZygoteKey:
        return replace(super()._key(module, settings), system=self.system)


def spelling(system: str) -> Spelling:
    """How targets of a framework are written: `SYSTEM:my_pkg.tools`, or `SYSTEM:my_pkg.tools#search` for one tool."""
    return Spelling(system, system, f"{system}:my_pkg.tools#search", _read_tool)


def _read_tool(locator: str, written: Written) -> tuple[str, str | None]:
    place, tool = read_place(locator, written)
    module, after_colon = read_module(place, written)
    if after_colon:
        written.refuse("holds a colon where a # parts the module from the tool")
    return module, tool
