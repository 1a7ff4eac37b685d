"""A finding on an ART tool as a test for Node.js's own runner (`node --test`), which takes no dependency.

The written file imports the tool, and nothing of the suite.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.core.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.art.facts import ArtTool
from aptix_conformance.systems.author_tests import (
    Conditions,
    Demand,
    Subject,
    demand_of,
    only_the_suite,
    parsed_arguments,
)
from aptix_conformance.systems.author_tests.javascript import (
    Making,
    assigned,
    literal,
    node_process_test,
    node_test,
    refuse_surroundings,
)

_OWN_NAMES: Final = frozenset({"CONTEXT", "Ajv", "makeTool"})
"""Names that a test file uses itself, besides those of every file."""
_CALL: Final = "await tool.execute(INPUT, CONTEXT);"

_ASSERTIONS: Final[Mapping[Demand, tuple[str, ...]]] = {
    Demand.COMES_BACK: (
        "assert.equal(typeof result, 'object');",
        "assert.ok('callId' in result && 'toolName' in result && 'status' in result);",
    ),
    Demand.SUCCEEDS: ("assert.notEqual(result.status, 'error', result.error);",),
    Demand.ENDS: (),
}
_KINDS: Final = {"class": "new {0}()", "factory": "await {0}()", "instance": "{0}"}
"""How a tool is made of an export, by its kind."""
_EARLIER: Final = (
    "for (const [input, context] of EARLIER) {",
    "  await tool.execute(input, context).catch(() => {});",
    "}",
)


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an ART tool (`author_tests.WriteTest`).

    Raises:
        ReportError: only the suite shows the finding.
    """
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, ArtTool)
    demand, call = demand_of(rule, finding)
    if demand not in _ASSERTIONS:
        raise only_the_suite()
    refuse_surroundings(subject)
    making, constants = _making(subject, facts), _constants(finding, call)
    earlier = _EARLIER if finding.history else ()
    if demand is Demand.ENDS:
        seconds = subject.settings.timeout or conditions.timeout
        return node_process_test(rule, making, constants, (*earlier, _CALL), seconds)
    return node_test(rule, making, constants, (*earlier, f"const result = {_CALL}", *_ASSERTIONS[demand]))


def _constants(finding: FindingReport, call: CallReport) -> tuple[str, ...]:
    lines = [
        assigned("INPUT", parsed_arguments(call.plan.arguments)),
        assigned("CONTEXT", call.plan.context),
    ]
    if finding.history:
        pairs = [
            f"  [{literal(parsed_arguments(plan.arguments))}, {literal(plan.context)}],\n"
            for plan in finding.history
        ]
        lines.append("const EARLIER = [\n" + "".join(pairs) + "];")
    return tuple(lines)


def _making(subject: Subject, facts: ArtTool) -> tuple[str, ...]:
    """The lines that import and make the tool."""
    made = Making(subject, _OWN_NAMES)
    local = made.take(subject.module, subject.qualname)
    made.statements.append(f"const tool = {_KINDS[facts.exported].format(local)};")
    return made.lines()
