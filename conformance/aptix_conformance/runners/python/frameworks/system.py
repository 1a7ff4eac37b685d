"""Loads tools that are objects of a module (`subject.System`). A framework is a subclass; all types are the installed ones."""

import sys
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from ..errors import TargetFault
from ..foreign import attempt, format_error, inherits, is_a, module_of, names_in, safe_str, type_name
from ..loading import import_by_name
from ..services import find_factory
from .answer import Answer
from .tool import FrameworkTool


class Place(NamedTuple):
    """Where a module has a tool: the name of a variable, and the type of its value where that holds the tool."""

    variable: str
    holder: str = ""


class FrameworkSystem:
    """A framework, in one interpreter. `name` is that of its system, which is also the extra that installs it."""

    kinds = ("cancel", "fault")
    name: ClassVar[str]

    def __init__(self) -> None:
        self._is_loaded = False

    # ---- what a framework says of its tools

    def load(self) -> None:
        """Import the framework. Raises ImportError where it is not installed."""
        raise NotImplementedError

    def library(self) -> str:
        """The installed distribution, as `NAME VERSION`."""
        raise NotImplementedError

    def tool_class(self) -> type:
        """The class of its tools."""
        raise NotImplementedError

    def held_by(self, value: Any) -> list[Any]:
        """The tools that an agent, or another object of the framework, has; `value` is neither a tool nor a collection."""
        raise NotImplementedError

    def code_of(self, tool: Any) -> Any:
        """The author's function, or the method that does the work."""
        raise NotImplementedError

    def schema(self, tool: Any) -> dict[str, Any]:
        """The function as a model is offered it: `type`, `name`, `description` and `parameters`."""
        raise NotImplementedError

    def injected(self, tool: Any) -> dict[str, bool]:
        """The parameters that an agent's run fills and the model does not see, with whether the tool needs them."""
        raise NotImplementedError

    def facts(self, tool: Any) -> dict[str, Any]:
        """The members of the system's facts on a tool, besides `library`."""
        raise NotImplementedError

    async def call(self, tool: Any, arguments: Any, services: Mapping[str, object]) -> Answer:
        """Call a tool as the framework's agents do. Raises what they would let through."""
        raise NotImplementedError

    # ---- subject.System

    def prepare(self, where: str, root: str) -> dict[str, Any]:  # noqa: ARG002 - modules need no root
        """See `subject.System`.

        Raises:
            TargetFault: there is no such module, importing it fails, or the framework is not installed.
        """
        tools, _, passed_over = self._find(where)
        listed = [{"name": name, "bases": [], "named": True} for name in sorted(tools)]
        return {"tools": listed, "passed_over": passed_over, "submodules": []}

    async def open(self, params: Mapping[str, Any], root: str) -> FrameworkTool:  # noqa: ARG002 - as above
        """Find a tool by its name in the module, or by the name that it declares.

        Raises:
            TargetFault: there is no such tool, or a service goes to no parameter that is injected.
        """
        where, name = params["module"], params["qualname"]
        tools, places, passed_over = self._find(where)
        by_own_name = {declared_name(tool): tool for tool in tools.values()}
        tool = tools.get(name, by_own_name.get(name))
        if tool is None:
            known = ", ".join(sorted(tools)) or "; ".join(["none", *passed_over])
            raise TargetFault(
                f"{self.name}:{where}: there is no tool {name!r}; those in the module are {known}"
            )
        injected = self.injected(tool)
        factories = {}
        for parameter, spec in params["services"].items():
            if parameter not in injected:
                known = ", ".join(injected) or "nothing"
                raise TargetFault(
                    f"{self.name}:{where}#{name}: the service for {parameter!r} has no parameter to go to: "
                    f"the framework injects {known}"
                )
            factories[parameter] = find_factory(f"{self.name}:{where}#{name}", spec)
        return FrameworkTool(self, name, tool, where, factories, places[id(tool)])

    def _find(self, where: str) -> tuple[dict[str, Any], dict[int, Place], list[str]]:
        """The tools of a module by name, their places by `id`, and why what looks like one is none.

        A tool that only a list, a mapping or an agent holds has the name that it declares.
        """
        self._load()
        names = {name: value for name, value in names_in(import_by_name(where)).items() if name[:1] != "_"}
        tools = {name: value for name, value in names.items() if is_a(value, self.tool_class())}
        places = {id(tool): Place(name) for name, tool in tools.items()}
        for variable, value in names.items():
            for tool in self._held(value):
                if id(tool) not in places:
                    places[id(tool)] = Place(variable, type_name(value))
                    tools.setdefault(declared_name(tool), tool)
        odd = [name for name in tools if not name or any(character.isspace() for character in name)]
        passed_over = [f"{where}: a target spec cannot hold the name {name!r}" for name in odd]
        classes = {
            name: value
            for name, value in names.items()
            if is_a(value, type) and inherits(value, self.tool_class()) and module_of(value) == where
        }
        passed_over += [
            f"{where}:{name} is a class: make an object of it in the module"
            for name, cls in classes.items()
            if not any(is_a(tool, cls) for tool in tools.values())
        ]
        return {name: tool for name, tool in tools.items() if name not in odd}, places, passed_over

    def _held(self, value: Any) -> list[Any]:
        if is_a(value, self.tool_class()) or is_a(value, type):
            return []
        inside = list(value.values()) if type(value) is dict else value
        if type(inside) not in (list, tuple, set, frozenset):
            inside, _ = attempt(lambda: self.held_by(value))
        return [each for each in inside or () if is_a(each, self.tool_class())]

    def _load(self) -> None:
        if self._is_loaded:
            return
        try:
            self.load()
        except ImportError as error:
            raise TargetFault(
                f"the framework cannot be imported ({format_error(error)}): run "
                f"pip install 'aptix-conformance[{self.name}]' for {sys.executable}"
            ) from None
        self._is_loaded = True


def declared_name(tool: Any) -> str:
    """The name that a tool declares, as text."""
    name, _ = attempt(lambda: tool.name)
    return safe_str(name, 200)
