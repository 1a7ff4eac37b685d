"""Write a test for an Aptix tool in Python: choose the assertion and the way of the call, and put the file together."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from aptix_conformance.author_tests.assertions import CALLS, DECLARATIONS, OWN_SHAPE, Check, marks, no_secret
from aptix_conformance.author_tests.calls import Way, refuse_unshown, way_of
from aptix_conformance.author_tests.conditions import Conditions, Subject, surround
from aptix_conformance.author_tests.draft import Draft
from aptix_conformance.author_tests.reasons import unshown, without_test
from aptix_conformance.author_tests.source import INDENT, dotted, invocation, literal
from aptix_conformance.errors import ReportError
from aptix_conformance.model import Stimulus, canaries
from aptix_conformance.model.report import FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.targets import ToolSettings

_HARNESS: Final = "aptix_harness"
_TEXTS: Final = ("session_id", "current_turn_id")
_PARTS: Final = {
    "request": ("AgentToolRequest", {"conversation_id", "session_id"}),
    **{name: ("EntityHeader", {"id", "text"}) for name in ("org", "user", "role", "agent_context")},
}
"""The parts of a context that are objects: their class and its fields."""
_OWN_NAMES: Final = frozenset({
    "asyncio", "call", "call_in_process", "capfd", "contextlib", "EventLogger", "ExceptionLogger", "FailingService",
    "inspect", "json", "make_tool", "monkeypatch", "multiprocessing", "pytest", "pytestconfig", "re", "shutil", "tmp_path",
    "UnforeseenError", "AgentToolExecutionContext", "AgentToolRequest", "CancellationToken", "CancellationTokenSource",
    "EntityHeader", "InvokeResult", "LoggingAdminLogger", "ToolFactory",
})  # fmt: skip
"""Names that a test file uses itself, in addition to those of `_CONSTANT`."""
_CONSTANT: Final = re.compile(r"ARGUMENTS|CONTEXT(_[0-9]+)?|EARLIER|LOGGER|SECONDS|SECRET")


def write_test(subject: Subject, rule: Rule, finding: FindingReport, options: Conditions) -> str:
    """A test that shows a finding on a tool (`subject.WriteTest`).

    Raises:
        ReportError: the finding has no plain test, with the reason.
    """
    dotted(subject.module)
    dotted(subject.qualname)
    refuse_unshown(finding)
    if finding.call is None or rule.code in DECLARATIONS:
        return _declaration_test(subject, rule)
    return _call_test(subject, rule, finding, options)


def _declaration_test(subject: Subject, rule: Rule) -> str:
    check = DECLARATIONS.get(rule.code)
    if check is None:
        raise without_test(rule.code)
    lines = [re.sub(r"\bCLASS\b", subject.qualname, line) for line in check.lines]
    draft = Draft(subject.directory)
    surround(draft, subject)
    draft.take(subject.module, _first(subject.qualname))
    if any("make_tool" in line for line in lines):
        _define_make_tool(draft, subject)
    _use(draft, check)
    draft.body += lines
    return draft.text(rule)


def _call_test(subject: Subject, rule: Rule, finding: FindingReport, options: Conditions) -> str:
    assert finding.call is not None
    plan, settings = finding.call.plan, subject.settings
    seconds = settings.timeout or options.timeout
    check = _check(rule, finding, settings, options.seed)
    way = way_of(rule.code, finding, finding.call, seconds=seconds, services=bool(settings.services))
    draft = Draft(subject.directory)
    draft.constants = [f"ARGUMENTS = {literal(plan.arguments)}", _context(draft, "CONTEXT", plan.context)]
    _give_earlier(draft, finding.history, own_contexts=rule.code.startswith("CTX"))
    draft.constants += [*check.constants, *way.constants]
    draft.definitions += [*check.classes, *way.classes]
    surround(draft, subject)
    draft.take(subject.module, _first(subject.qualname))
    _define_make_tool(draft, subject, check, way)
    draft.definitions += way.functions
    draft.modules |= {*way.modules}
    draft.take(_HARNESS, *way.harness)
    _use(draft, check)
    uses_result = any("result" in line for line in check.lines)
    run = way.run if uses_result else [line.removeprefix("result = ") for line in way.run]
    draft.body += [*check.before, *run, *check.lines]
    return draft.text(rule)


def _check(rule: Rule, finding: FindingReport, settings: ToolSettings, seed: int) -> Check:
    assert finding.call is not None
    if rule.code in {"EXC004", "EXC005"}:
        found = marks(finding.call)
        if not found:
            raise unshown("what leaks is encoded, or is a path of the host")
        if "/proc/" in (finding.call.plan.arguments or ""):
            raise unshown("the tool reads the environment from a file of the system, which a test cannot set")
        return _secret_check(*found[0], settings, seed)
    make = CALLS.get(rule.code)
    if make is not None:
        return make(finding, finding.call)
    if rule.code in OWN_SHAPE:
        return Check(())
    raise without_test(rule.code)


def _secret_check(mark: str, configured: str, settings: ToolSettings, seed: int) -> Check:
    if mark == canaries.DEPENDENCY_MARK:
        return Check(("assert SECRET not in str(result)",))  # the failing service defines SECRET
    planted = (name for name, value in canaries.environment(seed).items() if mark in value.lower())
    name = configured if configured in settings.env else next(planted, "")
    if not name:
        raise unshown("it is not known which variable of the environment leaks")
    return no_secret(name)


# ---- parts of the file


def _use(draft: Draft, check: Check) -> None:
    draft.modules |= {*check.modules}
    draft.take(_HARNESS, *check.harness)
    draft.fixtures |= {*check.fixtures}


def _give_earlier(draft: Draft, history: Sequence[Stimulus], *, own_contexts: bool) -> None:
    """The constant `EARLIER`; a context for each call where the rule is about contexts."""
    pairs = []
    for number, plan in enumerate(history, 1):
        name = f"CONTEXT_{number}" if own_contexts or not plan.context else "CONTEXT"
        if name != "CONTEXT":
            draft.constants.append(_context(draft, name, plan.context))
        pairs.append(f"{INDENT}({literal(plan.arguments)}, {name}),\n")
    if pairs:
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
        given = [f"{name}={literal(inner)}" for name, inner in value.items()]
        return invocation(cls, given, indent=INDENT, before=f"{key}=").strip().removeprefix(f"{key}=")
    if key in (*_PARTS, *_TEXTS) and (value is None or (key in _TEXTS and isinstance(value, str))):
        return literal(value)
    raise unshown("the context has a part that the contract's context does not have")


def _are_texts(values: Iterable[object]) -> bool:
    return all(value is None or isinstance(value, str) for value in values)


def _define_make_tool(
    draft: Draft, subject: Subject, check: Check | None = None, way: Way | None = None
) -> None:
    """The function that makes the tool as the container does."""
    logger = check.logger if check and check.logger else "LoggingAdminLogger()"
    draft.take(_HARNESS, "ToolFactory", "LoggingAdminLogger")
    given = [logger]
    pairs = []
    for parameter, factory in subject.settings.services.items():
        pairs.append(f"{literal(parameter)}: {_service(draft, factory, way.service if way else '')}")
    if pairs:
        given.append("{" + ", ".join(pairs) + "}")
    made = invocation("ToolFactory", given, INDENT, "factory = ")
    draft.definitions.append(f"def make_tool():\n{made}\n{INDENT}return factory({subject.qualname})\n")


def _service(draft: Draft, factory: str, failing: str) -> str:
    """The expression that makes a service."""
    if failing:
        return f"{failing}()"
    module, _, name = factory.partition(":")
    draft.take(dotted(module), _first(dotted(name)))
    return f"{name}()"


def _first(name: str) -> str:
    """The part of a dotted name that is imported.

    Raises:
        ReportError: the test file uses the name itself.
    """
    first = name.partition(".")[0]
    if first in _OWN_NAMES or _CONSTANT.fullmatch(first):
        raise ReportError(f"a test cannot import {first}: the file uses that name itself")
    return first
