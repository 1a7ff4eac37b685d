"""The fixtures for Amplifier prove the rules: a nonconforming tool fails the rule that it is named for and no other."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from aptix_conformance import canaries
from aptix_conformance.contracts import Level, load
from aptix_conformance.examination import Options, examine, read_target, suites, tool_name
from aptix_conformance.hosts import Environment, Limits, Systems
from aptix_conformance.rules import all_rules
from aptix_conformance.targets import Target, load_settings, parse, settings_for
from aptix_conformance.verdicts import VerdictKind, status_of

FIXTURES = Path(__file__).parents[1] / "fixtures" / "amplifier"
CONFORMING = sorted(path.stem for path in (FIXTURES / "conforming").glob("*.py"))
NONCONFORMING = sorted(path.stem for path in (FIXTURES / "nonconforming").glob("*.py"))
EDITION = load().default_edition("amplifier")
RULES = {rule.code: rule for rule in all_rules() if rule.level(EDITION)}

needs_amplifier = pytest.mark.skipif(
    importlib.util.find_spec("amplifier_core") is None,
    reason="amplifier-core is not installed: pip install 'aptix-conformance[amplifier]'",
)


@pytest.fixture(scope="module")
def hosts():
    # Twins are imported by their bare names, as the pyproject.toml of the fixtures has it for those examined by hand.
    environment = Environment(
        rootdir=FIXTURES,
        sys_path=(str(FIXTURES / "conforming"), *filter(None, sys.path)),
        canaries=canaries.environment(0),
        limits=Limits(timeout=10),
    )
    with Systems(environment) as opened:
        yield opened


@pytest.fixture(scope="module")
def verdicts_of(hosts):
    """Examine the one tool of a module; gives its verdicts."""
    configured = load_settings(FIXTURES / "pyproject.toml")

    def run(folder, name):
        where = parse(f"amplifier:./{folder}/{name}.py")
        (key,) = hosts.list_tools(
            "amplifier", where.module, settings_for(configured, None, where.canonical)
        ).tools
        spec = f"{where.canonical}#{key}" if key else where.canonical
        target = Target(spec, "amplifier", where.module, key)
        declaration = read_target(hosts, target, settings_for(configured, None, spec))
        own = settings_for(configured, tool_name(declaration), spec)
        return examine(
            hosts, target, own, suites(None, load())["amplifier"], Options(examples=15, budget=60)
        ).verdicts

    return run


def failed(verdicts):
    return {verdict.rule: verdict.reason for verdict in verdicts if verdict.verdict is VerdictKind.FAIL}


@needs_amplifier
@pytest.mark.parametrize("module", NONCONFORMING)
def test_a_nonconforming_tool_fails_its_own_rule_and_no_other(module, verdicts_of):
    """One fault, one rule; where that is a MUST, the tool is nonconforming."""
    code = module.partition("_")[0]
    verdicts = verdicts_of("nonconforming", module)
    assert failed(verdicts).keys() == {code}, failed(verdicts)
    assert (status_of(verdicts) == "nonconforming") is (RULES[code].level(EDITION) is Level.MUST)


@needs_amplifier
@pytest.mark.parametrize("module", CONFORMING)
def test_a_conforming_tool_is_conforming_without_a_word_of_advice(module, verdicts_of):
    """The twins keep every rule, whatever mount returns and whenever they register."""
    verdicts = verdicts_of("conforming", module)
    assert failed(verdicts) == {}
    assert status_of(verdicts) == "conforming"


def test_every_rule_of_amplifiers_own_has_a_nonconforming_tool():
    proved = {module.partition("_")[0] for module in NONCONFORMING}
    assert {code for code in RULES if code.startswith("AMP")} <= proved
    assert proved <= RULES.keys()


def test_every_clause_that_binds_a_tool_is_proved_by_a_rule():
    """What binds the orchestrator, and how people work, is no tool's to keep."""
    cited = {clause for rule in RULES.values() for clause in rule.clauses}
    clauses = {
        c.id for c in load().clauses.values() if c.document == "AMP" and c.kind not in ("harness", "process")
    }
    assert clauses <= cited


@pytest.mark.parametrize("module", NONCONFORMING)
def test_a_nonconforming_tool_is_named_for_a_rule_and_a_fault_and_names_its_twin(module):
    """A reader finds the rule by the file's name and the conforming tool by its first lines."""
    assert re.fullmatch(r"[A-Z]{3}\d{3}_[a-z0-9_]+", module)
    text = (FIXTURES / "nonconforming" / f"{module}.py").read_text(encoding="utf-8")
    twin = re.search(r"^Conforming twin: (\w+)\.py$", text, re.MULTILINE)
    assert twin is not None
    assert twin.group(1) in CONFORMING
