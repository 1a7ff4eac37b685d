"""Which tools a rule concerns."""

import pytest
from tests.unit.rules import builders as b

HELLO = ["USE020", "USE021", "USE022", "USE023"]
MODES = [f"CAT{number:03}" for number in range(1, 20)]


@pytest.mark.parametrize("code", [*HELLO, *MODES])
def test_a_contract_of_one_tool_concerns_that_tool(code):
    name = "agent_hello_world" if code in HELLO else "agent_list_modes"
    assert b.RULES[code].applies(b.declaration(name=name)) is None
    assert name in b.RULES[code].applies(b.declaration())


@pytest.mark.parametrize("code", ["ARG001", "ARG003", "ARG004", "ARG006", "ARG007"])
def test_rules_on_required_arguments_concern_tools_that_require_some(code):
    assert b.RULES[code].applies(b.declaration()) is None
    assert b.RULES[code].applies(b.declaration(b.parameters(required=[])))
    assert "CAT002" in b.RULES[code].applies(b.declaration(name="agent_list_modes"))


@pytest.mark.parametrize("code", ["ARG001", "ARG003", "ARG004"])
def test_rules_on_what_is_no_object_concern_tools_whose_schema_forbids_the_empty_one(code):
    either = b.parameters(required=[], anyOf=[{"required": ["name"]}, {"required": ["mood"]}])
    assert b.RULES[code].applies(b.declaration(either)) is None
    inner = b.with_property(who={"type": "object", "required": ["name"]})
    inner["parameters"]["required"] = []
    assert b.RULES[code].applies(b.declaration(inner))
    assert b.RULES["ARG006"].applies(b.declaration(inner)) is None
    unusable = b.with_property(mood={"type": "object", "required": "name"})
    assert b.RULES[code].applies(b.declaration(unusable)) is None


def test_the_rest_concerns_every_tool():
    own = {*HELLO, *MODES, "REG012", "RES008", "RES014", "CTX002", "LOG010", "CAN005"}
    arguments = {"ARG001", "ARG003", "ARG004", "ARG006", "ARG007", "ARG008", "ARG009", "ARG010", "ARG011"}
    empty = b.declaration(b.parameters(properties={}, required=[]), constructor=())
    exempt = {
        code for code, rule in b.RULES.items() if code[:3] not in ("ART", "AMP") and rule.applies(empty)
    }
    assert arguments <= exempt
    assert {code for code in exempt - own - arguments if not code.startswith("USE")} == set()
