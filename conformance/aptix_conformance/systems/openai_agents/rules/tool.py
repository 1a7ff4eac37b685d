"""OAI: what the OpenAI Agents SDK demands of a tool, and no other contract does. What it shares stands in clauses.yaml."""

from aptix_conformance.core.model import Declaration
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.systems.openai_agents.facts import OpenAIAgentsTool


@rule(
    "OAI001",
    "OAI.1.2",
    remedy="Remove strict_mode=False (or strict_json_schema=False). Where the strict mode refuses a type, such as a dictionary with any "
    "keys, declare a list of objects with two members instead.",
)
def schema_is_strict(declaration: Declaration) -> Finding | None:
    """The schema is in strict mode.

    The model's server then makes arguments that fit the schema. Without it, a model may leave arguments out or invent some.
    """
    facts = declaration.facts
    is_strict = not isinstance(facts, OpenAIAgentsTool) or facts.is_strict
    return None if is_strict else Finding("The tool switches the strict mode of its schema off.")
