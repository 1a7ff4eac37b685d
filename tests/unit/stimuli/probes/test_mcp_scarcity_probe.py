"""The probe that has calls of MCP's tools made while something is scarce: which calls, and what is said where none is made."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Disturbed, Outcome, Result, ScarceResource
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpTool
from aptix_conformance.systems.mcp.scarcity_probe import RESOURCES

SUCCESS, REFUSAL = (Result("CallToolResult", True, each) for each in (True, False))
SCARCITIES = ["full-disk", "read-only-folder", "no-descriptors"]


def made(arguments, result=SUCCESS, label="minimal"):
    return Call(stimulus("valid", label, arguments, {}), Outcome.RETURNED, 0.0, result)


@pytest.fixture
def run(make_subject):
    """Runs the probe behind some calls, on a host that can make something scarce; gives the plans and the shortfall."""

    def go(*calls, able=True, http=None, reached=True):
        subject = make_subject({"type": "object"})
        facts = McpTool("2025-11-25", "{}", "{}", http=http)
        kinds = frozenset({"resource"}) if able else frozenset()
        declaration = replace(subject.declaration, facts=facts)
        subject, seen = replace(subject, declaration=declaration, disturbances=kinds), list(calls)
        plans = list(RESOURCES.fixed(subject, seen))
        seen += [Call(plan, Outcome.RETURNED, 0.0, SUCCESS, disturbed=Disturbed(reached)) for plan in plans]
        return plans, RESOURCES.shortfall(subject, seen)

    return go


def test_the_first_call_that_works_is_made_once_for_each_scarcity(run):
    plans, shortfall = run(made('{"n": 0}', REFUSAL), made('{"n": 1}', label="example:1"), made('{"n": 2}'))
    assert [plan.disturbance for plan in plans] == [ScarceResource(name) for name in SCARCITIES]
    assert {plan.arguments for plan in plans} == {'{"n": 1}'}
    assert {plan.probe for plan in plans} == {"resources"}
    assert shortfall is None


def test_a_server_over_http_is_left_its_descriptors_and_nobody_has_to_act(run):
    plans, shortfall = run(made("{}"), http=HttpAnswer(200))
    assert [plan.disturbance.name for plan in plans] == SCARCITIES[:2]
    assert shortfall.expected
    assert "needs a file descriptor to be asked" in shortfall.reason


def test_a_process_without_a_disk_of_its_own_is_left_alone(run):
    plans, shortfall = run(made("{}"), able=False)
    assert plans == []
    assert shortfall.reduced_coverage
    assert not shortfall.expected
    assert "no file system of its own" in shortfall.reason


@pytest.mark.parametrize("calls", [(), (made("{}", REFUSAL),)], ids=["none", "refused"])
def test_without_a_call_that_works_an_example_is_asked_for(run, calls):
    plans, shortfall = run(*calls)
    assert plans == []
    assert "give an example" in shortfall.reason


def test_what_could_not_be_made_scarce_is_named(run):
    _, shortfall = run(made("{}"), reached=False)
    assert shortfall.reason.startswith(
        "this machine could not make a full disk, a read-only folder, a process"
    )
    assert not shortfall.expected
