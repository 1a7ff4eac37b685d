"""Calls are spread over processes, and a fault that only many calls in one process show is found all the same."""

from tests.bench import Bench
from tests.unit.examine.fakes import suite

from aptix_conformance.core.model import Call
from aptix_conformance.examine import Options, examine
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.targets import Target, ToolSettings

SCHEMA = """{"type": "function", "name": "tires", "description": "Tires.", "parameters": {"type": "object",
    "properties": {"city": {"type": "string", "description": "A city."}}, "required": ["city"]}}"""
TIRES = """
    asyncio.kept = getattr(asyncio, "kept", 0) + 1
    if asyncio.kept >= 100:
        raise OSError("too many open files")
    try:
        given = json.loads(arguments_json)["city"]
    except Exception:
        return InvokeResult.from_error("city is required.")
    return InvokeResult.create(json.dumps(str(given)))
"""


@rule("EXC905", "AGN-005.4.2", remedy="Close it.", unseen_reason="no call was made")
def opens_no_more_than_it_closes(call: Call):
    """It never has too many files open."""
    return Finding("too many") if call.raised and call.raised.message == "too many open files" else None


def test_a_fault_at_the_hundredth_call_of_a_process_is_found_and_reproduced(bench: Bench):
    """As that of a tool that closes no file: it fails when it has opened too many."""
    bench.write("tires", bench.tool("Tires", TIRES, SCHEMA))
    target = Target("tires:Tires", "aptix", "tires", "Tires")
    found = examine(bench.pool, target, ToolSettings(), suite(opens_no_more_than_it_closes), Options())
    (shown,) = found.verdicts[0].findings
    assert found.verdicts[0].verdict.value == "fail"
    assert shown.reproduced
    assert len(shown.history) >= 50
