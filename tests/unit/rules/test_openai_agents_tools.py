"""OAI: what the OpenAI Agents SDK demands of a tool, and no other contract does."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.openai_agents.facts import OpenAIAgentsTool
from aptix_conformance.systems.rulebook import all_rules

OAI001 = next(rule for rule in all_rules(others=()) if rule.code == "OAI001")


@pytest.mark.parametrize("is_strict", [True, False])
def test_a_schema_that_is_not_strict_is_found(is_strict):
    facts = OpenAIAgentsTool(
        "openai-agents 0.24.0", is_async=True, is_strict=is_strict, has_own_handler=False
    )
    found = OAI001.findings(replace(b.declaration(), facts=facts))
    assert bool(found) is not is_strict
