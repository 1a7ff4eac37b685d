"""What is said of a C# tool is said in the words of C#."""

import re

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import Constant
from aptix_conformance.systems.aptix.dotnet_words import REMEDIES, in_csharp
from aptix_conformance.systems.registry import OURS
from aptix_conformance.systems.rulebook import all_rules, in_words_of, suites

PYTHON = re.compile(
    r"\bPython\b|\bJavaScript\b|\bself\b|\bNone\b|\bdict\b|json\.dumps|\bFinal\b|\bdef |\bexcept\b|asyncio|"
    r"TOOL_|get_schema|isinstance|InvokeResult\.|from_error|is_tool_fully|arguments_json|add_e|BaseException|staticmethod"
)
NOT_OF_CSHARP = {"CAN007"}
"""There is no cancelling of tasks in .NET, so the rule applies to no C# tool."""
RUNTIME = OURS.runtime("aptix-cs")


@pytest.fixture(scope="module")
def rules():
    suite = suites(None, load(), OURS)["aptix"]
    return in_words_of(suite, RUNTIME.wording).rules


def test_no_fix_of_a_csharp_tool_speaks_python(rules):
    ours = (
        rule
        for rule in rules
        if not rule.code.startswith(("AMP", "ART", "MCP")) and rule.code not in NOT_OF_CSHARP
    )
    assert {rule.code: rule.remedy for rule in ours if PYTHON.search(rule.remedy)} == {}


def test_the_fixes_are_those_of_rules_that_there_are():
    assert REMEDIES.keys() <= {rule.code for rule in all_rules()}


@pytest.mark.parametrize(
    ("said", "spoken"),
    [
        ("TOOL_NAME holds a int and not a plain str.", "ToolName holds a int and not a string."),
        ("execute takes context in place 1.", "ExecuteAsync takes context in place 1."),
        ("get_schema gave no JSON.", "GetSchema gave no JSON."),
        ("The tool said 'execute get_schema'.", "The tool said 'execute get_schema'."),
        ("It raised 'TOOL_NAME'.", "It raised 'TOOL_NAME'."),
    ],
)
def test_members_of_the_contract_have_their_names_of_csharp(said, spoken):
    """The tool's own text, which is between quotes, stays as it is."""
    assert in_csharp(said) == spoken


def test_findings_are_reworded_and_verdicts_are_not(rules):
    (rule,) = (rule for rule in rules if rule.code == "REG001")
    found = rule.check(b.declaration(tool_name=Constant("TOOL_NAME", "static")))
    assert found.message == "ToolName is a static field and no const."
