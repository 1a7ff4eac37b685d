"""The reference tools in C#: conforming in both editions, and the same schemas, texts and names as those in Python."""

import json
from pathlib import Path

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.schemas import fingerprint
from aptix_conformance.examine.verdicts import status_of
from aptix_conformance.systems.aptix.dotnet_runtimes import find_runtime
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets import ToolSettings

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference_tools" / "dotnet"
FIXTURES = ROOT / "fixtures" / "dotnet"
NAMES = {
    "agent_hello_world": "HelloWorldTool",
    "agent_hello_world_client": "HelloWorldClientTool",
    "agent_list_modes": "AgentListModesTool",
    "testing_calculator": "CalculatorTool",
    "testing_delay": "DelayTool",
    "testing_failure_injection": "FailureInjectionTool",
    "testing_ping_pong": "PingPongTool",
}
TWINS = {
    "agent_translate_phrase": "PhraseBookTool",
    "agent_news_digest": "NewsDigestTool",
    "agent_stock_level": "StockLevelTool",
}


def run_of(root, runtime=None, place=None):
    """A run of a folder's tools; with a runtime, of its configuration copied to `place` with that runtime."""
    try:
        find_runtime("a C# tool", runtime)
    except TargetError as error:
        pytest.skip(str(error))
    options = RunOptions(
        limited=False, edition="aptix-agn-005-1.1", examples=8, timeout=10, sys_path=(), root=root
    )
    if runtime is None:
        return Run.open(root, options)
    written = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = place / "pyproject.toml"
    table = f'\n[tool.aptix-conformance.tool."aptix-cs:."]\nruntime = "{runtime}"\n'
    project.write_text(written + table, encoding="utf-8")
    return Run.open(project, options)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Hosts for the reference tools on Mono; their own `pyproject.toml`, which `.ci/run` runs, takes CoreCLR where there is one."""
    with run_of(REFERENCE, "mono", tmp_path_factory.mktemp("mono")) as run:
        yield run


@pytest.fixture(scope="module")
def fixtures():
    """Hosts for the conforming twins."""
    with run_of(FIXTURES) as run:
        yield run


def examined(run, namespace, cls):
    (tool,) = run.find(f"aptix-cs:.#{namespace}.{cls}").all_found()
    return run.examine(tool)


def faults(examination):
    """What is not as it should be, in words."""
    kinds = (VerdictKind.FAIL, VerdictKind.INCONCLUSIVE)
    return {verdict.rule: verdict.reason for verdict in examination.verdicts if verdict.verdict in kinds}


@pytest.mark.clause("AGN-005.10.1")
@pytest.mark.parametrize("name", NAMES)
def test_a_reference_tool_is_conforming_without_a_word_of_advice(name, reference):
    """In the stricter edition, which has every MUST of the other; its schema and usage text are those of its twin."""
    found = examined(reference, "Aptix.ReferenceTools", NAMES[name])
    assert faults(found) == {}
    assert status_of(found.verdicts) == "conforming"
    declaration = found.exploration.declarations[0]
    locked = json.loads((ROOT / "snapshots" / f"{name}.json").read_text(encoding="utf-8"))
    assert fingerprint(json.loads(declaration.schema.text)) == locked["fingerprint"]
    assert declaration.tool_name.value == name
    assert declaration.usage_text.value.split("\n") == locked["usage_text"]


def test_the_stricter_edition_has_every_must_of_the_other():
    """So a tool that is conforming there is conforming in both."""
    usual, strict = load().edition("aptix-tul-011"), load().edition("aptix-agn-005-1.1")
    musts = [rule for rule in all_rules() if rule.level(usual) is Level.MUST]
    assert musts
    assert [rule.code for rule in musts if rule.level(strict) is not Level.MUST] == []


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_is_conforming_without_a_word_of_advice(name, fixtures):
    """What the nonconforming tools are made of has no fault of its own."""
    found = examined(fixtures, "Aptix.Fixtures", TWINS[name])
    assert faults(found) == {}
    assert status_of(found.verdicts) == "conforming"


@pytest.mark.clause("TUL-011.2.1")
def test_the_reference_tools_are_the_seven(reference):
    """None is listed besides, and none is missing."""
    listed = reference.hosts.list_tools("aptix-cs", ".", ToolSettings())
    assert listed.tools == tuple(sorted(f"Aptix.ReferenceTools.{cls}" for cls in NAMES.values()))
    assert listed.passed_over == ()
