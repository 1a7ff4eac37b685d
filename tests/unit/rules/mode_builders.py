"""Calls of agent_list_modes and what it declares, for tests of the rules on it."""

import json

from tests.unit.rules import builders as b

from aptix_conformance.core.model import Disturbed, Exploration, ReplacedCatalog
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.aptix.catalog_probe import modes_of

MODE = {
    "id": "0123456789abcdef0123456789abcdef",
    "key": "general",
    "displayName": "General",
    "description": "For everything.",
    "systemPromptSummary": "",
    "isDefault": True,
    "humanRoleHints": None,
    "exampleUtterances": ["Hello"],
}


def listed(*modes, arguments="{}", **plan):
    """A call that gave these modes."""
    made = b.call(arguments=arguments, result=b.success({"modes": list(modes)}))
    return replace(made, plan=replace(made.plan, **plan))


def over(catalog, modes, demand="accepted", expected=None, arguments="{}", logs=(), **seen):
    """One call of the catalog probe over a catalog: what it gave, and what was seen of the catalog."""
    given = modes if isinstance(modes, b.Result) else b.success({"modes": modes})
    expected = {"modes": modes_of(catalog)} if expected is None and demand != "refused" else expected
    made = b.call(f"catalog:{catalog}", arguments, "catalog", demand, given)
    plan = replace(
        made.plan,
        disturbance=ReplacedCatalog(catalog),
        expected=json.dumps(expected) if expected else None,
    )
    disturbed = Disturbed(**{"reached": True, "place": "catalog.get_all_modes()", **seen})
    return replace(made, plan=plan, logs=logs, disturbed=disturbed)


def whole(*calls, constructor=("catalog",), argument="includeExamples"):
    """The exploration of an agent_list_modes whose constructor takes these services."""
    takes = tuple(b.Parameter(name, "positional", required=True) for name in constructor)
    parameters = {"type": "object", "properties": {argument: {"type": "boolean"}}, "required": []}
    schema = {"type": "function", "name": "agent_list_modes", "parameters": parameters}
    return Exploration((b.declaration(schema, "agent_list_modes", constructor=takes),), calls)
