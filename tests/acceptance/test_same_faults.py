"""The same fault is found by the same rule, or by its sibling under the other contract, in whatever language a tool is."""

import re
import tomllib
from pathlib import Path

import pytest
from tests.acceptance.matrix import stored
from tests.acceptance.matrix.rows import failed_in

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.systems.aptix.dotnet_runtimes import INSTALL, find_runtime

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
FOLDERS = {"python": "nonconforming", "javascript": "art/nonconforming", "csharp": "dotnet/nonconforming"}
SUFFIXES = {"python": ".py", "javascript": ".mjs", "csharp": ".cs"}
FAULTS = tomllib.loads((FIXTURES / "same_faults.toml").read_text(encoding="utf-8"))["fault"]
TOOLS = [
    pytest.param(
        language,
        fault[language],
        fault["art" if language == "javascript" else "aptix"],
        id=f"{fault['name']}-{language}",
    )
    for fault in FAULTS
    for language in FOLDERS
    if language in fault
]

# What never comes is waited for no longer than it takes to see that.
IMPATIENT = {"EXC002_never_answers", "EXC002_waits_without_end"}
ROWS = stored.read()

# What a declaration says is found by reading it; no call is needed.
DECLARED = re.compile(r"SCH0|REG00[1-7]|REG01|ART00")


@pytest.fixture(scope="module")
def run():
    """A run of the C# fixtures."""
    options = RunOptions(edition="aptix-tul-011", examples=4, timeout=10, limited=False)
    with Run.open(FIXTURES / "dotnet", options) as opened:
        yield opened


def examined(name, run):
    """The verdicts on a fixture in C#."""
    text = (FIXTURES / "dotnet" / "nonconforming" / f"{name}.cs").read_text(encoding="utf-8")
    cls = re.search(r"public sealed class (\w+)", text).group(1)
    (tool,) = run.find(f"aptix-cs:.#Aptix.Fixtures.{cls}").all_found()
    settings = tool.settings
    if name in IMPATIENT:
        settings = replace(settings, timeout=0.5)
    if DECLARED.match(name):
        settings = replace(settings, side_effects="destructive")
    return run.examine(replace(tool, settings=settings)).verdicts


@pytest.mark.parametrize(
    ("name", "code"),
    [
        pytest.param(fault["csharp"], fault["aptix"], id=fault["name"])
        for fault in FAULTS
        if "csharp" in fault
    ],
)
def test_a_fault_in_csharp_is_found_by_its_rule_and_by_no_other(name, code, run):
    """One fault, one rule, whatever the language."""
    try:
        find_runtime("a C# tool")
    except TargetError:
        pytest.skip(f"there is no .NET: {INSTALL}")
    failed = {
        verdict.rule: verdict.reason for verdict in examined(name, run) if verdict.verdict is VerdictKind.FAIL
    }
    assert failed.keys() == {code}, failed


@pytest.mark.parametrize(("language", "name", "code"), [tool for tool in TOOLS if tool.values[0] != "csharp"])
def test_a_fault_in_python_or_javascript_is_found_by_its_rule_and_by_no_other(language, name, code):
    """As the golden matrix has it, which tests/acceptance/test_fixtures.py proves by examining these tools."""
    assert failed_in(ROWS[f"{FOLDERS[language]}/{name}"]) == {code}


@pytest.mark.parametrize(("language", "name", "code"), TOOLS)
def test_a_fixture_is_there_and_is_named_for_its_rule(language, name, code):
    """The table names no tool that is gone."""
    assert (FIXTURES / FOLDERS[language] / f"{name}{SUFFIXES[language]}").is_file()
    assert name.startswith(f"{code}_")


def test_fifteen_faults_and_more_are_there_in_all_three_languages():
    """What one language shows, the others show too."""
    assert sum(FOLDERS.keys() <= fault.keys() for fault in FAULTS) >= 15


def test_every_nonconforming_tool_in_csharp_is_in_the_table_and_names_its_twin():
    """None is examined nowhere."""
    files = sorted((FIXTURES / "dotnet" / "nonconforming").glob("*.cs"))
    assert sorted(fault["csharp"] for fault in FAULTS if "csharp" in fault) == [file.stem for file in files]
    for file in files:
        twin = re.search(r"^// Conforming twin: (\w+\.cs)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert (FIXTURES / "dotnet" / "conforming" / twin.group(1)).is_file()
