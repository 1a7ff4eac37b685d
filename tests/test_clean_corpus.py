"""Conforming tools of many styles, examined: no rule finds anything in them, and no MUST stays open."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aptix_conformance import canaries
from aptix_conformance.contracts import load
from aptix_conformance.examination import Options, Suite, bearing, examine, read_target, tool_name
from aptix_conformance.hosts import Environment, Limits, PythonHostPool
from aptix_conformance.rules import all_rules
from aptix_conformance.targets import Target, ToolSettings, load_settings, settings_for
from aptix_conformance.verdicts import VerdictKind, status_of

FIXTURES = Path(__file__).parents[1] / "fixtures"
CLEAN = FIXTURES / "clean"
MODULES = sorted(path.stem for path in CLEAN.glob("*.py") if path.stem not in {"__init__", "house"})
EDITIONS = ("aptix-tul-011", "aptix-agn-005-1.1")
HURRIED = {"slow_translation": {"TRANSLATION_SECONDS": "0.05"}}
INCOMPLETE = {
    "offline_exchange": "no call succeeded",
    "without_service_calendar": 'services = { calendar = "module:factory" }',
}
"""The tools that cannot be examined as they stand, and what the reason of each open MUST says."""

ELSEWHERE = {
    "enum_ticket": {"SCH032"},
    "odd_property_names": {"SCH033"},
    "unicode_greetings": {"SCH033"},
}
"""True advice: what these tools' schemas have on purpose, providers refuse whose models the contract does not ask."""


def suite(edition):
    return Suite(all_rules(), load().edition(edition), load())


@pytest.fixture(scope="module")
def pool():
    environment = Environment(
        rootdir=CLEAN,
        sys_path=(str(FIXTURES), *filter(None, sys.path)),
        canaries=canaries.environment(0),
        limits=Limits(timeout=10),
    )
    with PythonHostPool(environment) as opened:
        yield opened


@pytest.fixture(scope="module")
def settings():
    return load_settings(CLEAN / "pyproject.toml")


def examined(pool, settings, module):
    """The verdicts of each tool of a module in each edition; the editions have the same rules, at other levels."""
    for spec in pool.list_tools(f"clean.{module}", ToolSettings()).tools:
        target = Target(spec, "aptix", f"clean.{module}", spec.partition(":")[2])
        own = settings_for(settings, tool_name(read_target(pool, target, ToolSettings())), spec)
        own = replace(own, env={**own.env, **HURRIED.get(module, {})})
        found = examine(pool, target, own, suite(EDITIONS[0]), Options(examples=5, budget=20))
        for edition in EDITIONS:
            concerns = bearing(suite(edition), found.exploration.declarations[0])
            assert [concern.rule.code for concern in concerns] == [verdict.rule for verdict in found.verdicts]
            pairs = zip(found.verdicts, concerns, strict=True)
            yield [replace(verdict, level=concern.level) for verdict, concern in pairs]


@pytest.mark.parametrize("module", MODULES)
def test_a_clean_tool_is_conforming_without_a_word_of_advice(module, pool, settings):
    """No broken MUST, and no SHOULD but where another provider would refuse the schema; a tool that cannot be examined is incomplete and says why."""
    seen = list(examined(pool, settings, module))
    assert seen
    for verdicts in seen:
        advice = {v.rule: v.reason for v in verdicts if v.verdict is VerdictKind.FAIL}
        assert advice.keys() == ELSEWHERE.get(module, set()), advice
        reasons = {verdict.rule: verdict.reason for verdict in verdicts if verdict.is_open}
        if module in INCOMPLETE:
            assert status_of(verdicts) == "incomplete"
            assert all(INCOMPLETE[module] in reason for reason in reasons.values()), reasons
        else:
            assert status_of(verdicts) == "conforming", reasons


def test_the_corpus_is_large_and_each_module_says_what_its_style_is():
    """A reader sees from the first line what a tool is there for."""
    assert len(MODULES) >= 36
    for module in MODULES:
        first = (CLEAN / f"{module}.py").read_text(encoding="utf-8").partition("\n")[0]
        assert re.match(r'""".+ Style: .+"""$', first), module
