"""The memory of pytest's process does not depend on what tools declare, return, log and print."""

import json

import pytest
from tests.acceptance.test_survival import CLIMATE, examine_module, failed, hostile, tools_of
from tests.process.hosts.elsewhere import CONDITIONS

FILLS = {
    "large_result": 'return InvokeResult.create("x" * 2**24)',
    "deep_result": 'return InvokeResult.create("[" * 2**20)',
    "many_values": """return InvokeResult.create("[" + "{}," * 100_000 + "{}]")""",
    "many_findings": "raise ValueError(os.urandom(2**16).hex())",
    "many_logs": """
        for _ in range(300):
            self._logger.add_exception("[" + os.urandom(2**10).hex(), ValueError(os.urandom(2**12).hex()))
    """,
    "prints_less": 'print("x" * 5_000_000)',
}
"""Tools that return much: the process that keeps their results needs much memory."""

DECLARES = """

def nested(depth):
    found = {"type": "string"}
    for level in range(depth):
        found = {"anyOf": [found, {"minLength": level, "maxLength": level}]}
    return found

def within(depth):
    return {"type": "object", "properties": {"a": within(depth - 1)}} if depth else {"type": "string"}

def declares(name, value):
    def get_schema():
        schema = WeatherTool.get_schema() | {"name": f"declares_{name}"}
        schema["parameters"]["properties"]["more"] = value
        return schema
    kind = type(f"Declares_{name}", (WeatherTool,), {"__doc__": "Much.", "get_schema": staticmethod(get_schema)})
    kind.TOOL_NAME, kind.__module__ = f"declares_{name}", __name__
    return kind

Declares_values = declares("values", {"enum": [f"v{number}" for number in range(20_000)]})
Declares_anyof = declares("anyof", nested(40))
Declares_depth = declares("depth", within(300))
Declares_items = declares("items", {"type": "array", "minItems": 1_000_000})
Declares_length = declares("length", {"type": "string", "minLength": 50_000_000})
"""
DECLARED = ("values", "anyof", "depth", "items", "length")
"""Tools with schemas that are large, deep or slow, as `declares_`NAME."""
MOST_MEMORY = 500 * 2**20
"""Bytes that pytest's process may hold at its peak."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The reports of the tools by name, and what else is known of the run."""
    kept = tmp_path_factory.mktemp("kept")
    tools = "".join(hostile(name, body) for name, body in FILLS.items())
    examine_module(CONDITIONS[0], kept, CLIMATE + tools + DECLARES)
    return tools_of(kept)[1], json.loads((kept / "known.json").read_text(encoding="utf-8"))


def test_pytests_process_stays_small(filled):
    _, known = filled
    assert known["peak"] < MOST_MEMORY


def test_every_tool_has_a_verdict_for_every_rule_and_neighbours_conform(filled):
    tools, known = filled
    assert known["status"] == 1, known["output"][-2000:] + known["errors"][-2000:]
    assert len(tools) == 2 + len(FILLS) + len(DECLARED)
    rules = [verdict["rule"] for verdict in tools["agent_weather"]["verdicts"]]
    for tool in tools.values():
        assert tool["error"] is None
        assert [verdict["rule"] for verdict in tool["verdicts"]] == rules
        assert all(verdict["reason"] for verdict in tool["verdicts"] if verdict["verdict"] == "inconclusive")
    assert {tools[name]["status"] for name in ("agent_weather", "agent_climate")} == {"conforming"}


def test_output_below_the_limit_is_advice(filled):
    """5 MB a call; `test_survival.py` has the flood that is ended."""
    tool = filled[0]["hostile_prints_less"]
    assert failed(tool).keys() == {"LOG003"}
    assert tool["status"] == "conforming"
