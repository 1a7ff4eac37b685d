"""LCT: what LangChain demands of a tool, and no other contract does; and the shared rules that its clauses name."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model import Parameter
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=())}
EDITION = load().default_edition("langchain")


def judge(code, observation):
    return [finding.message for finding in RULES[code].findings(observation)]


def taking(*parameters, **properties):
    declared = b.declaration(b.with_property(**properties))
    return replace(declared, execute=replace(declared.execute, parameters=parameters))


@pytest.mark.parametrize("name", ["config", "runtime"])
def test_a_reserved_name_in_the_schema_is_found(name):
    assert judge("LCT001", taking(**{name: {"type": "string"}})) == [
        f"The argument '{name}' has a name that LangChain reserves."
    ]


@pytest.mark.parametrize("name", ["run_manager", "callbacks"])
def test_a_reserved_name_that_the_schema_leaves_out_is_found(name):
    assert judge("LCT001", taking(Parameter(name, "positional", required=True, annotation="str")))


@pytest.mark.parametrize(
    "parameter",
    [
        Parameter("config", "positional", required=True, annotation="RunnableConfig"),
        Parameter("runtime", "positional", required=True, annotation="ToolRuntime"),
        Parameter(
            "run_manager", "positional", required=False, annotation="AsyncCallbackManagerForToolRun | None"
        ),
        Parameter("callbacks", "positional", required=True, annotation="Callbacks"),
        Parameter("configuration", "positional", required=True, annotation="str"),
    ],
)
def test_what_langchain_provides_under_its_names_is_not(parameter):
    assert judge("LCT001", taking(parameter, configuration={"type": "string"})) == []


@pytest.mark.parametrize(("kind", "found"), [("object", False), ("string", True)])
def test_a_configuration_in_the_schema_is_langchains_unless_the_author_declares_another(kind, found):
    """A class without args_schema: LangChain offers the model what it fills in itself."""
    parameter = Parameter("config", "positional", required=True, annotation="RunnableConfig")
    assert bool(judge("LCT001", taking(parameter, config={"type": kind}))) is found


def test_a_result_without_a_json_form_is_found():
    success = replace(
        b.success({}), unserialisable="dict: TypeError: Object of type date is not JSON serializable"
    )
    assert "Object of type date" in judge("LCT002", b.call(result=success))[0]
    assert judge("LCT002", b.call(result=b.success({}))) == []


def test_a_clause_binds_the_shared_rules_that_it_names():
    assert "LCT.3.1" in RULES["EXC001"].clauses
    assert RULES["EXC001"].level(EDITION) is Level.SHOULD
    assert RULES["RES001"].level(EDITION) is Level.MUST
    assert RULES["ARG001"].level(EDITION) is None
