"""Write a test for an Aptix tool in Python: the call of the finding, and what it has to do."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import Stimulus
from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests.calls import way_of
from aptix_conformance.systems.author_tests.conditions import Conditions, Subject, surround
from aptix_conformance.systems.author_tests.demands import Demand, demand_of, only_the_suite
from aptix_conformance.systems.author_tests.draft import Draft
from aptix_conformance.systems.author_tests.source import INDENT, dotted, invocation, literal

_HARNESS: Final = "aptix_harness"
_TEXTS: Final = ("session_id", "current_turn_id")
_PARTS: Final = {
    "request": ("AgentToolRequest", {"conversation_id", "session_id"}),
    **{name: ("EntityHeader", {"id", "text"}) for name in ("org", "user", "role", "agent_context")},
}
"""The parts of a context that are objects: their class and its fields."""
_OWN_NAMES: Final = frozenset({
    "asyncio", "call", "call_in_process", "contextlib", "json", "make_tool", "monkeypatch", "multiprocessing", "pytestconfig",
    "shutil", "tmp_path", "AgentToolExecutionContext", "AgentToolRequest", "CancellationToken", "EntityHeader", "InvokeResult",
    "LoggingAdminLogger", "ToolFactory",
})  # fmt: skip
"""Names that a test file uses itself, in addition to those of `_CONSTANT`."""
_CONSTANT: Final = re.compile(r"ARGUMENTS|CONTEXT(_[0-9]+)?|EARLIER|SECONDS")


_ASSERTIONS: Final[Mapping[Demand, tuple[str, ...]]] = {
    Demand.COMES_BACK: ("assert isinstance(result, InvokeResult)",),
    Demand.IS_REFUSED: ("assert not result.successful",),
    Demand.SUCCEEDS: ("assert result.successful, result.error_message",),
    Demand.IS_JSON: (
        "document = json.loads(result.result.encode())",
        "assert json.dumps(document, allow_nan=False)",
    ),
    Demand.ENDS: (),
}
_CALL: Final = "await make_tool().execute({}, CancellationToken.none())"


def write_test(subject: Subject, rule: Rule, finding: FindingReport, options: Conditions) -> str:
    """A test that shows a finding on a tool (`conditions.WriteTest`).

    Raises:
        ReportError: only the suite shows the finding.
    """
    demand, call = demand_of(rule, finding)
    dotted(subject.module)
    dotted(subject.qualname)
    draft = Draft(subject.directory)
    context = _context(draft, "CONTEXT", call.plan.context)
    draft.constants = [f"ARGUMENTS = {literal(call.plan.arguments)}", context]
    lines = [f"return {_CALL.format('ARGUMENTS, CONTEXT')}"]
    if finding.history:
        _give_earlier(draft, finding.history, call.plan.context)
        draft.modules.add("contextlib")
        invoke = _CALL.format("arguments, context")
        lines[:0] = [
            "for arguments, context in EARLIER:",
            "    with contextlib.suppress(Exception):",
            f"        {invoke}",
        ]
    if demand is Demand.ENDS:
        draft.constants.append(f"SECONDS = {subject.settings.timeout or options.timeout:g}")
    surround(draft, subject)
    draft.take(subject.module, _first(subject.qualname))
    _define_make_tool(draft, subject)
    functions, run, modules = way_of(
        demand, "async def call():\n" + "".join(f"{INDENT}{line}\n" for line in lines)
    )
    draft.definitions += functions
    draft.modules |= modules | ({"json"} if demand is Demand.IS_JSON else set())
    draft.take(_HARNESS, "CancellationToken", *(["InvokeResult"] if demand is Demand.COMES_BACK else []))
    draft.body += [*run, *_ASSERTIONS[demand]]
    return draft.text(rule)


# ---- parts of the file


def _give_earlier(draft: Draft, history: Sequence[Stimulus], context: Mapping[str, object] | None) -> None:
    """The constant `EARLIER`; a context of its own for each call that had another than `context`."""
    pairs = []
    for number, plan in enumerate(history, 1):
        name = "CONTEXT" if plan.context == context else f"CONTEXT_{number}"
        if name != "CONTEXT":
            draft.constants.append(_context(draft, name, plan.context))
        pairs.append(f"{INDENT}({literal(plan.arguments)}, {name}),\n")
    draft.constants.append("EARLIER = [\n" + "".join(pairs) + "]")


def _context(draft: Draft, name: str, context: Mapping[str, object] | None) -> str:
    """The assignment of a context of the contract.

    Raises:
        ReportError: it has a part that the contract's context does not have.
    """
    if context is None:
        return f"{name} = None"
    draft.take(_HARNESS, "AgentToolExecutionContext")
    parts = [f"{key}={_part(draft, key, value)}" for key, value in context.items()]
    return invocation("AgentToolExecutionContext", parts, before=f"{name} = ")


def _part(draft: Draft, key: str, value: object) -> str:
    cls, fields = _PARTS.get(key, ("", set[str]()))
    if isinstance(value, Mapping) and set(value) <= fields and _are_texts(value.values()):
        draft.take(_HARNESS, cls)
        parts = [f"{name}={literal(inner)}" for name, inner in value.items()]
        return invocation(cls, parts, indent=INDENT, before=f"{key}=").strip().removeprefix(f"{key}=")
    if key in (*_PARTS, *_TEXTS) and (value is None or (key in _TEXTS and isinstance(value, str))):
        return literal(value)
    raise only_the_suite()


def _are_texts(values: Iterable[object]) -> bool:
    return all(value is None or isinstance(value, str) for value in values)


def _define_make_tool(draft: Draft, subject: Subject) -> None:
    """The function that makes the tool as the container does."""
    draft.take(_HARNESS, "ToolFactory", "LoggingAdminLogger")
    arguments, pairs = ["LoggingAdminLogger()"], []
    for parameter, factory in subject.settings.services.items():
        module, _, name = factory.partition(":")
        draft.take(dotted(module), _first(dotted(name)))
        pairs.append(f"{literal(parameter)}: {name}()")
    if pairs:
        arguments.append("{" + ", ".join(pairs) + "}")
    statement = invocation("ToolFactory", arguments, INDENT, "factory = ")
    draft.definitions.append(f"def make_tool():\n{statement}\n{INDENT}return factory({subject.qualname})\n")


def _first(name: str) -> str:
    """The part of a dotted name that is imported.

    Raises:
        ReportError: the test file uses the name itself.
    """
    first = name.partition(".")[0]
    if first in _OWN_NAMES or _CONSTANT.fullmatch(first):
        raise ReportError(f"a test cannot import {first}: the file uses that name itself")
    return first
