"""A finding on a tool of the AI SDK as a test for Node.js's own runner, which calls the tool as the SDK does.

The written file imports `ai` and the tool, and nothing of the suite.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.ai_sdk.facts import AISDKTool
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
    member_of,
    node_process_test,
    node_test,
    refuse_surroundings,
)

_OWN_NAMES: Final = frozenset({"asSchema", "call", "input", "options", "output", "signal", "toolCallId"})
"""Names that a test file uses itself, besides those of every file."""
_UNREAD: Final = ("__proto__", "prototype")
"""Names of members that the SDK refuses when it parses arguments, which a test does not see."""
_ASSERTIONS: Final[Mapping[Demand, tuple[str, ...]]] = {
    Demand.COMES_BACK: ("assert.ok('error' in result || result.text !== undefined);",),
    Demand.IS_REFUSED: ("assert.ok('error' in result);",),
    Demand.SUCCEEDS: ("assert.ok(!('error' in result), result.error);",),
    Demand.ENDS: (),
}
_EARLIER: Final = (
    "for (const earlier of EARLIER) {",
    "  await call(earlier).catch(() => {});",
    "}",
)
_CALL: Final = """\
async function call(input) {
  const toolCallId = 'call_1';
  const { signal } = new AbortController();
  const options = { toolCallId, messages: [], abortSignal: signal%s };
  let output;
  try {
    const checked = await asSchema(tool.inputSchema).validate?.(input);
    if (checked?.success === false) return { error: checked.error };
    const returned = tool.execute(checked ? checked.value : input, options);
    if (returned?.[Symbol.asyncIterator]) for await (output of returned);
    else output = await returned;
  } catch (error) {
    return { error }; // the SDK gives its message to the model
  }
  if (!tool.toModelOutput) return { text: JSON.stringify(output) ?? 'null' };
  const { type, value } = await tool.toModelOutput({ toolCallId, input, output });
  const isError = type.startsWith('error-') || type === 'execution-denied';
  return isError ? { error: value } : { text: JSON.stringify(value) };
}"""
"""A call, and what the SDK gives the model of it; what this function throws ends a run of the SDK."""


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on a tool of the AI SDK (`author_tests.WriteTest`).

    Raises:
        ReportError: only the suite shows the finding.
    """
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, AISDKTool)
    demand, shown = demand_of(rule, finding)
    inputs = [each.arguments or "" for each in (shown.plan, *finding.history)]
    if demand not in _ASSERTIONS or any(name in text for name in _UNREAD for text in inputs):
        raise only_the_suite()
    refuse_surroundings(subject)
    made = Making(subject, _OWN_NAMES, ["import { asSchema } from 'ai';"])
    call = _CALL % _find(made, subject, facts)
    constants = [assigned("INPUT", parsed_arguments(shown.plan.arguments))]
    if finding.history:
        earlier = "".join(f"  {literal(parsed_arguments(plan.arguments))},\n" for plan in finding.history)
        constants.append(f"const EARLIER = [\n{earlier}];")
    lines = (*(_EARLIER if finding.history else ()), "await call(INPUT);")
    if demand is Demand.ENDS:
        seconds = subject.settings.timeout or conditions.timeout
        return node_process_test(rule, made.lines(), (*constants, "", call), lines, seconds)
    body = (*lines[:-1], f"const result = {lines[-1]}", *_ASSERTIONS[demand])
    return node_test(rule, made.lines(), (*constants, "", call), body)


def _find(made: Making, subject: Subject, facts: AISDKTool) -> str:
    """Import the tool, and the factory of its context; gives the member of the options that holds the context."""
    if not facts.variable:
        raise only_the_suite()
    place = made.take(subject.module, facts.variable, "tools")
    called = f"(await {place}())" if facts.holder == "function" else place
    found = f"const tool = {called}{''.join(map(member_of, facts.keys))};"
    contexts = []
    for name, factory in subject.settings.services.items():
        module, _, export = factory.rpartition(":")
        contexts.append(f", {name}: await {made.take(module, export, 'makeContext')}()")
    made.statements.append(found)
    return "".join(contexts)
