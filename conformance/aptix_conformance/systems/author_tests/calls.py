"""How a test makes the call of a finding: after earlier calls, and in a process of its own where it may not end."""

import json
from collections.abc import Callable
from typing import Any, Final

from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.systems.author_tests.demands import Demand, only_the_suite
from aptix_conformance.systems.author_tests.draft import Draft
from aptix_conformance.systems.author_tests.source import INDENT

RESULT: Final = ("result = asyncio.run(call())",)

_IN_PROCESS: Final = """\
def call_in_process(answers):
    answers.send("started")
    asyncio.run(call())
    answers.send("returned")
"""

_RUN_IN_PROCESS: Final = (
    'context = multiprocessing.get_context("spawn")',
    "here, there = context.Pipe(duplex=False)",
    "process = context.Process(target=call_in_process, args=(there,))",
    "process.start()",
    "there.close()",
    "try:",
    '    assert here.recv() == "started"',
    '    assert here.poll(SECONDS), "the call did not come back"',
    '    assert here.recv() == "returned"  # EOFError: the process ended',
    "finally:",
    "    process.kill()",
    "    process.join()",
)


def parsed_arguments(arguments: str | None) -> Any:
    """The value that a client or an orchestrator parses from the arguments of a call.

    Raises:
        ReportError: they are no JSON.
    """
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise only_the_suite() from None


def earlier_calls(
    draft: Draft,
    finding: FindingReport,
    written: Callable[[str | None], str],
    call: str,
    error: str = "Exception",
) -> list[str]:
    """The lines that make the earlier calls of a finding, by the statement `call` with `arguments`, whatever `error` each raises.

    Their arguments become a constant of the draft; `written` writes those of one call as a literal.
    """
    if not finding.history:
        return []
    calls = "".join(f"{INDENT}{written(plan.arguments)},\n" for plan in finding.history)
    draft.constants.append(f"EARLIER = [\n{calls}]")
    draft.modules.add("contextlib")
    return [
        "for arguments in EARLIER:",
        f"{INDENT}with contextlib.suppress({error}):",
        f"{INDENT * 2}{call}",
    ]


def way_of(demand: Demand, function: str) -> tuple[tuple[str, ...], tuple[str, ...], set[str]]:
    """The functions that make the call that `function` makes, the lines of the test, and the modules that both use."""
    if demand is Demand.ENDS:
        return (function, _IN_PROCESS), _RUN_IN_PROCESS, {"asyncio", "multiprocessing"}
    return (function,), RESULT, {"asyncio"}
