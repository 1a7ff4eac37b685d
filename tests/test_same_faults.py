"""The same fault is found by the same rule, or by its sibling under the other contract, in whatever language a tool is."""

import re
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from aptix_conformance import canaries
from aptix_conformance.contracts import load
from aptix_conformance.errors import TargetError
from aptix_conformance.examination import Options, examine
from aptix_conformance.examination.examine import suites
from aptix_conformance.hosts import Environment, Limits, Systems
from aptix_conformance.hosts.dotnet_build import PACKAGES, find_mono
from aptix_conformance.targets import Target, ToolSettings, load_settings, settings_for
from aptix_conformance.verdicts import VerdictKind

ROOT = Path(__file__).parents[1]
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

# What stands in a declaration is found by reading it; no call need be made.
DECLARED = re.compile(r"SCH0|REG00[1-7]|REG01|ART00")


def why_not(language):
    """Why no tool of a language can be run here; None where it can."""
    if language == "javascript" and shutil.which("node") is None:
        return "there is no Node.js on PATH"
    if language == "csharp":
        try:
            find_mono("a C# tool")
        except TargetError:
            return f"there is no Mono: apt-get install {' '.join(PACKAGES)}"
    return None


@pytest.fixture(scope="module")
def hosts():
    """The hosts of every language, for each the folder in which its tools are."""
    opened = {}
    for language, root in (
        ("python", FIXTURES),
        ("javascript", FIXTURES / "art"),
        ("csharp", FIXTURES / "dotnet"),
    ):
        paths = (FIXTURES, FIXTURES / "conforming", ROOT / "reference_tools", ROOT / "conformance")
        limits = Limits(timeout=10)
        environment = Environment(root, (*map(str, paths), *sys.path), canaries.environment(0), limits)
        opened[language] = Systems(environment)
    yield opened
    for systems in opened.values():
        systems.close()


def target_of(language, name, systems):
    """The tool of a fixture."""
    if language == "csharp":
        text = (FIXTURES / "dotnet" / "nonconforming" / f"{name}.cs").read_text(encoding="utf-8")
        tool = "Aptix.Fixtures." + re.search(r"public sealed class (\w+)", text).group(1)
        return Target(f"aptix-cs:.#{tool}", "aptix-cs", ".", tool)
    if language == "javascript":
        where = f"./nonconforming/{name}.mjs"
        (tool, *_) = systems.list_tools("art", where, ToolSettings()).tools
        return Target(f"art:{where}#{tool}", "art", where, tool)
    module = f"nonconforming.{name}"
    ((_, _, tool), *_) = (
        found.partition(":") for found in systems.list_tools("aptix", module, ToolSettings()).tools
    )
    return Target(f"{module}:{tool}", "aptix", module, tool)


def examined(language, name, systems):
    """The verdicts on a fixture."""
    target = target_of(language, name, systems)
    settings = ToolSettings()
    if language != "javascript":
        config = load_settings((FIXTURES if language == "python" else FIXTURES / "dotnet") / "pyproject.toml")
        host = systems.open(target, settings_for(config, "", target.spec))
        declared = host.describe().tool_name.value or ""
        host.close()
        settings = settings_for(config, declared, target.spec)
    if name in IMPATIENT:
        settings = replace(settings, timeout=0.5)
    if DECLARED.match(name):
        settings = replace(settings, side_effects="destructive")
    suite = suites(load().default_edition("art" if language == "javascript" else "aptix"), load())
    system = "art" if language == "javascript" else "aptix"
    return examine(systems, target, settings, suite[system], Options(examples=4, budget=20)).verdicts


@pytest.mark.parametrize(("language", "name", "code"), TOOLS)
def test_a_fault_is_found_by_its_rule_and_by_no_other(language, name, code, hosts):
    """One fault, one rule, whatever the language."""
    reason = why_not(language)
    if reason:
        pytest.skip(reason)
    verdicts = examined(language, name, hosts[language])
    failed = {verdict.rule: verdict.reason for verdict in verdicts if verdict.verdict is VerdictKind.FAIL}
    assert failed.keys() == {code}, failed


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
