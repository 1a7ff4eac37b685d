"""The fixtures prove the rules: a nonconforming tool fails the rule that it is named for and no other."""

import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from aptix_conformance import canaries
from aptix_conformance.contracts import Level, load
from aptix_conformance.examination import Options, Suite, bearing, examine, read_target, tool_name
from aptix_conformance.hosts import Environment, Limits, PythonHostPool
from aptix_conformance.rules import all_rules
from aptix_conformance.targets import Target, ToolSettings, load_settings, settings_for
from aptix_conformance.verdicts import VerdictKind, status_of

FIXTURES = Path(__file__).parents[1] / "fixtures"
CONFORMING = sorted(path.stem for path in (FIXTURES / "conforming").glob("*.py"))
NONCONFORMING = sorted(path.stem for path in (FIXTURES / "nonconforming").glob("*.py"))
HELPERS = {"json_tool"}
AREAS = ("REG", "SCH", "ARG", "RES", "CTX", "EXC", "LOG", "USE", "CAT", "CAN")
EDITIONS = ("aptix-tul-011", "aptix-agn-005-1.1")
RULES = {rule.code: rule for rule in all_rules()}

# Its fault is that it does not take the service that the tools of its name are configured with.
UNCONFIGURED = {"CAT003_makes_its_own_catalog"}


def suite(edition):
    return Suite(all_rules(), load().edition(edition), load())


@pytest.fixture(scope="module")
def pool():
    # Twins are imported by their bare names, as their authors do; the fixtures by folder, so that one zygote serves all.
    environment = Environment(
        rootdir=FIXTURES,
        sys_path=(str(FIXTURES), str(FIXTURES / "conforming"), *filter(None, sys.path)),
        canaries=canaries.environment(0),
        limits=Limits(timeout=10),
    )
    with PythonHostPool(environment) as opened:
        yield opened


@pytest.fixture(scope="module")
def examined(pool):
    """Examine the one tool of a module once; gives its verdicts by edition, which differ in levels only."""
    settings = load_settings(FIXTURES / "pyproject.toml")

    def run(folder, name):
        module = f"{folder}.{name}"
        (spec,) = pool.list_tools(module, ToolSettings()).tools
        target = Target(spec, "aptix", module, spec.partition(":")[2])
        own = ToolSettings()
        if name not in UNCONFIGURED:
            own = settings_for(settings, tool_name(read_target(pool, target, own)), spec)
        found = examine(pool, target, own, suite(EDITIONS[0]), Options(examples=15, budget=60))
        return {edition: leveled(found, edition) for edition in EDITIONS}

    return run


def leveled(examination, edition):
    """The verdicts of an examination with the levels of an edition; every edition has the same rules."""
    concerns = bearing(suite(edition), examination.exploration.declarations[0])
    assert [concern.rule.code for concern in concerns] == [verdict.rule for verdict in examination.verdicts]
    pairs = zip(examination.verdicts, concerns, strict=True)
    return [replace(verdict, level=concern.level) for verdict, concern in pairs]


def failed(verdicts):
    return {verdict.rule: verdict.reason for verdict in verdicts if verdict.verdict is VerdictKind.FAIL}


@pytest.mark.parametrize("module", NONCONFORMING)
def test_a_nonconforming_tool_fails_its_own_rule_and_no_other(module, examined):
    """One fault, one rule; where that is a MUST, the tool is nonconforming."""
    code = module.partition("_")[0]
    for edition, verdicts in examined("nonconforming", module).items():
        assert failed(verdicts).keys() == {code}, failed(verdicts)
        is_must = RULES[code].level(load().edition(edition)) is Level.MUST
        assert (status_of(verdicts) == "nonconforming") is is_must


@pytest.mark.parametrize("module", [name for name in CONFORMING if name not in HELPERS])
def test_a_conforming_tool_is_conforming_without_a_word_of_advice(module, examined):
    """The twins keep every rule, and none is left open."""
    for verdicts in examined("conforming", module).values():
        assert failed(verdicts) == {}
        assert status_of(verdicts) == "conforming"


@pytest.mark.parametrize("area", AREAS)
def test_an_area_of_rules_has_three_nonconforming_tools_or_more(area):
    """No area goes unproved."""
    assert Counter(module[:3] for module in NONCONFORMING)[area] >= 3


@pytest.mark.parametrize("module", NONCONFORMING)
def test_a_nonconforming_tool_is_named_for_a_rule_and_a_fault_and_names_its_twin(module):
    """A reader finds the rule by the file's name and the conforming tool by its first lines."""
    name = re.fullmatch(r"([A-Z]{3}\d{3})_[a-z0-9_]+", module)
    assert name is not None
    assert name.group(1) in RULES
    text = (FIXTURES / "nonconforming" / f"{module}.py").read_text(encoding="utf-8")
    twin = re.search(r"^Conforming twin: (\w+)\.py$", text, re.MULTILINE)
    assert twin is not None
    assert twin.group(1) in CONFORMING
