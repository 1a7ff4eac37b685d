"""How a test makes the call of a finding: after earlier calls, and in a process of its own where it may not end."""

import json
from typing import Any, Final

from aptix_conformance.systems.author_tests.demands import Demand, only_the_suite

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


def way_of(demand: Demand, function: str) -> tuple[tuple[str, ...], tuple[str, ...], set[str]]:
    """The functions that make the call that `function` makes, the lines of the test, and the modules that both use."""
    if demand is Demand.ENDS:
        return (function, _IN_PROCESS), _RUN_IN_PROCESS, {"asyncio", "multiprocessing"}
    return (function,), RESULT, {"asyncio"}
