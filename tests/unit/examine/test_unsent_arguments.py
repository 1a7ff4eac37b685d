"""Arguments that a system's orchestrator does not pass on are not sent to its tools."""

import pytest
from tests.stimuli import stimulus
from tests.unit.examine.fakes import declaration

from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.explore import reaches_a_tool, why_no_surrogates
from aptix_conformance.systems.amplifier.traits import TRAITS as AMPLIFIER
from aptix_conformance.systems.aptix.traits import TRAITS as APTIX
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.systems.mcp.traits import TRAITS as MCP

HALVES = [r'{"a": "x\ud800"}', '{"a": "x\ud800"}', r'{"a\udc00": 1}', r'{"a": [{"b": "\ud800\ud800"}]}']
WHOLE = [r'{"a": "\ud83d\ude00"}', '{"a": "😀\\u0000"}', "{", "", None, "[" * 5_000]


def of(traits, facts=None):
    return replace(declaration(), traits=traits, facts=facts)


@pytest.mark.parametrize("arguments", HALVES)
def test_half_of_a_character_reaches_no_tool_of_amplifier(arguments):
    """Its hooks raise for the event tool:pre, before the call."""
    assert not reaches_a_tool(of(AMPLIFIER), stimulus("valid", "generated", arguments, None))
    assert reaches_a_tool(of(APTIX), stimulus("valid", "generated", arguments, None))


@pytest.mark.parametrize(
    ("sdks", "reaches"),
    [
        ((), True),
        (("@modelcontextprotocol/sdk 1.32.2",), True),
        (("@modelcontextprotocol/server 2.4.0", "zod 3.25.0"), True),
        (("mcp 1.30.0",), False),
        (("mcp 2.3.0",), False),
        (("fastmcp 3.0.2", "mcp 1.30.0"), False),
    ],
)
def test_half_of_a_character_reaches_the_tools_of_each_server_whose_sdk_takes_it(sdks, reaches):
    read = of(MCP, McpTool("2025-11-25", "{}", "{}", sdks=sdks))
    assert reaches_a_tool(read, stimulus("extremes", "extreme:a:lone-surrogate", HALVES[0], None)) is reaches
    assert bool(why_no_surrogates(read)) is not reaches


@pytest.mark.parametrize("arguments", WHOLE)
def test_all_else_does(arguments):
    assert reaches_a_tool(of(AMPLIFIER), stimulus("valid", "generated", arguments, None))
