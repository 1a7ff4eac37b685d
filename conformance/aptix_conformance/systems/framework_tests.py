"""A finding on a tool of a Python framework as a pytest test: the tool is called in the framework's own way, without the suite."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests import (
    INDENT,
    Conditions,
    Demand,
    Draft,
    Subject,
    demand_of,
    dotted,
    earlier_calls,
    literal,
    only_the_suite,
    parsed_arguments,
    surround,
    way_of,
)
from aptix_conformance.systems.frameworks import FrameworkTool

_OF_LISTS: Final = ('tool = next(each for each in {variable} if getattr(each, "name", None) == {name})',)
_HOLDERS: Final[Mapping[str, Sequence[str]]] = {
    "": ("tool = {variable}",),
    "list": _OF_LISTS,
    "tuple": _OF_LISTS,
    "dict": ('tool = next(each for each in {variable}.values() if getattr(each, "name", None) == {name})',),
}
"""The statements by which a test finds the tool, by the type of the value that holds it."""
_OWN_NAMES: Final = frozenset({
    "ARGUMENTS", "EARLIER", "SECONDS", "answers", "arguments", "asyncio", "call", "call_in_process", "checked", "context", "contextlib", "each", "error",
    "held", "holder", "inner", "invoke", "model_call", "monkeypatch", "multiprocessing", "next", "offered", "one_tool", "part", "parts", "pytestconfig", "result",
    "returned", "shutil", "tmp_path", "tool", "updated",
})  # fmt: skip
"""Names that a test file uses itself, besides those that it imports from the framework."""


@dataclass(frozen=True, slots=True)
class Calling:
    """How tests call the tools of a framework; all texts are source code.

    `invoke` has the statements that call `tool` with `arguments` and return its result. They may name `{services}`, for which
    `services` writes the objects that the project configures. `refusals` are the exceptions by which the framework refuses a
    call: they are caught. `imports` are what all of these need, by module. `assertions` are on `result`, by the demands that they
    show; that a call comes back and that it ends need none. `holders` says as `_HOLDERS` where else a tool is found.
    `arguments_are_json` is for calls that take a text. `shows_results` says whether a call raises an exception where the tool
    returned what the framework does not take; `unshown` is a part of the types of results for which it raises none.
    """

    imports: Mapping[str, Sequence[str]]
    invoke: Sequence[str]
    services: Callable[[Mapping[str, str]], str]
    refusals: Sequence[str]
    assertions: Mapping[Demand, Sequence[str]]
    holders: Mapping[str, Sequence[str]]
    arguments_are_json: bool = True
    shows_results: bool = False
    unshown: str = ""

    def write_test(self, subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
        """A test that shows a finding on a tool of the framework (`author_tests.WriteTest`).

        Raises:
            ReportError: only the suite shows the finding.
        """
        demand, shown = demand_of(rule, finding)
        if not self._shows(demand, shown):
            raise only_the_suite()
        draft = Draft(subject.directory)
        surround(draft, subject)
        draft.constants.append(f"ARGUMENTS = {self._arguments(shown.plan.arguments)}")
        self._define_invoke(draft, subject)
        lines = earlier_calls(draft, finding, self._arguments, "await invoke(arguments)")
        lines.append("return await invoke(ARGUMENTS)")
        if demand is Demand.ENDS:
            draft.constants.append(f"SECONDS = {subject.settings.timeout or conditions.timeout:g}")
        functions, run, modules = way_of(demand, _function("call()", lines))
        draft.definitions += functions
        draft.modules |= modules
        draft.body += (
            ["asyncio.run(call())"]
            if demand is Demand.COMES_BACK
            else [*run, *self.assertions.get(demand, ())]
        )
        return draft.text(rule)

    def _shows(self, demand: Demand, call: CallReport) -> bool:
        """Whether the framework shows it. Only the suite knows an exception of the tool's from a refusal of the same class."""
        if call.raised and call.raised.type_name in self.refusals:
            return False
        if demand is Demand.COMES_BACK:
            is_unshown = self.unshown and call.result and self.unshown in call.result.type_name
            return call.outcome is Outcome.RAISED or (self.shows_results and not is_unshown)
        return demand is Demand.ENDS or demand in self.assertions

    def _arguments(self, arguments: str | None) -> str:
        parsed = parsed_arguments(arguments)
        given = {} if parsed is None else parsed
        if not isinstance(given, dict):
            raise only_the_suite()
        return literal(json.dumps(given) if self.arguments_are_json else given)

    def _define_invoke(self, draft: Draft, subject: Subject) -> None:
        """The function that calls the tool."""
        for module, names in self.imports.items():
            draft.take(module, *names)
        found = self._tool(draft, subject)
        services = {}
        for parameter, factory in subject.settings.services.items():
            module, _, name = factory.partition(":")
            self._take(draft, module, name)
            services[parameter] = f"{name}()"
        given = self.services(services)
        calls = [line.replace("{services}", given) for line in self.invoke]
        refusals = ", ".join(self.refusals)
        caught = f"({refusals})" if len(self.refusals) > 1 else refusals
        lines = [
            *found,
            "try:",
            *(INDENT + line for line in calls),
            f"except {caught} as error:  # the model reads it",
            f"{INDENT}return error",
        ]
        draft.definitions.append(_function("invoke(arguments)", lines))

    def _tool(self, draft: Draft, subject: Subject) -> list[str]:
        """The statements that find the tool."""
        facts = subject.declaration.facts if subject.declaration else None
        assert isinstance(facts, FrameworkTool)
        form = self.holders.get(facts.holder) or _HOLDERS.get(facts.holder)
        if form is None or not facts.variable:
            raise only_the_suite()
        self._take(draft, subject.module, facts.variable)
        name = subject.declaration.tool_name.value if subject.declaration else None
        return [line.format(variable=facts.variable, name=literal(name)) for line in form]

    def _take(self, draft: Draft, module: str, name: str) -> None:
        """Import a name of the project's.

        Raises:
            ReportError: the test file uses the name itself.
        """
        first = dotted(name).partition(".")[0]
        if first in _OWN_NAMES:
            raise ReportError(f"a test cannot import {first}: the file uses that name itself")
        draft.take(dotted(module), first)


def _function(signature: str, lines: Iterable[str]) -> str:
    return f"async def {signature}:\n" + "".join(f"{INDENT}{line}\n" for line in lines)
