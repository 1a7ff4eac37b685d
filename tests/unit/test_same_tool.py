"""The table of `python -m corpus same-tool`: which rules speak of the same fault in MCP and in Aptix."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))  # the corpus is a command of the checkout, and not installed

from corpus.same_tool.faults import CONFORMING, read_faults
from corpus.same_tool.variants import VARIANTS

from aptix_conformance.core.contracts import load
from aptix_conformance.systems.rulebook import all_rules

HERE = Path(__file__).parents[2] / "corpus" / "same_tool"
FAULTS = tomllib.loads((HERE / "faults.toml").read_text(encoding="utf-8"))["fault"]
RULES = {rule.code: rule for rule in all_rules(others=())}
OF_FRAMEWORKS = [variant for variant in VARIANTS if variant.is_of_a_framework]
SEEDED = [fault for fault in FAULTS if fault["name"] != "conforming"]


@pytest.mark.parametrize("system", ["mcp", "aptix"])
@pytest.mark.parametrize("fault", SEEDED, ids=lambda fault: fault["name"])
def test_each_fault_has_rules_that_hold_in_the_newest_edition_of_each_system(fault, system):
    """Fix: a code that is gone or renamed belongs out of faults.toml."""
    edition = [edition for edition in load().editions.values() if edition.system == system][-1]
    assert fault[system]
    assert [code for code in fault[system] if code not in RULES or not RULES[code].level(edition)] == []


@pytest.mark.parametrize("variant", OF_FRAMEWORKS, ids=lambda variant: variant.system)
@pytest.mark.parametrize(
    "fault", [fault for fault in read_faults() if fault.name != CONFORMING], ids=lambda fault: fault.name
)
def test_a_rule_that_binds_the_tools_of_each_framework_speaks_of_each_fault(fault, variant):
    edition = [edition for edition in load().editions.values() if edition.system == variant.system][-1]
    assert [code for code in fault.codes(variant.system) if code in RULES and RULES[code].level(edition)]


@pytest.mark.parametrize("variant", OF_FRAMEWORKS, ids=lambda variant: variant.system)
def test_the_tool_of_each_framework_is_made_by_a_function(variant):
    source = (HERE / "tools" / variant.program).read_text(encoding="utf-8")
    assert re.search(r"^(?:def|export function) make\(fault", source, re.MULTILINE)


@pytest.mark.parametrize("name", ["postage.py", "postage.mjs"])
@pytest.mark.parametrize("fault", SEEDED, ids=lambda fault: fault["name"])
def test_each_fault_is_written_in_both_languages(fault, name):
    assert f'"{fault["name"]}"' in (HERE / "tools" / name).read_text(encoding="utf-8")


def test_each_fault_has_an_aptix_tool():
    """The variant's class is named for the fault: `shows-a-path` is `ShowsAPath`."""
    tree = ast.parse((HERE / "tools" / "postage_aptix.py").read_text(encoding="utf-8"))
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert {fault["name"].title().replace("-", "") for fault in SEEDED} == classes - {"PostageTool"}
