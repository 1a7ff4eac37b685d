"""Arguments that a system's orchestrator does not pass on are not sent to its tools."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.examine.explore import reaches_a_tool
from aptix_conformance.systems.amplifier.traits import TRAITS as AMPLIFIER
from aptix_conformance.systems.aptix.traits import TRAITS as APTIX

HALVES = [r'{"a": "x\ud800"}', '{"a": "x\ud800"}', r'{"a\udc00": 1}', r'{"a": [{"b": "\ud800\ud800"}]}']
WHOLE = [r'{"a": "\ud83d\ude00"}', '{"a": "😀\\u0000"}', "{", "", None, "[" * 5_000]


@pytest.mark.parametrize("arguments", HALVES)
def test_half_of_a_character_reaches_no_tool_of_amplifier(arguments):
    """Its hooks raise for the event tool:pre, before the call."""
    assert not reaches_a_tool(AMPLIFIER, stimulus("valid", "generated", arguments, None))
    assert reaches_a_tool(APTIX, stimulus("valid", "generated", arguments, None))


@pytest.mark.parametrize("arguments", WHOLE)
def test_all_else_does(arguments):
    assert reaches_a_tool(AMPLIFIER, stimulus("valid", "generated", arguments, None))
