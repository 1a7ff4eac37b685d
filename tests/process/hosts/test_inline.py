"""The inline host gives the same observations as a process does, from within the test process."""

import sys

import pytest

from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts import InlineHostPool
from aptix_conformance.targets.settings import Target, ToolSettings

BODIES = {
    "Good": "self.logger.trace('t'); cancellation_token.is_cancellation_requested; return InvokeResult.create('1')",
    "Raises": "raise ValueError('no')",
    "Leaves": "sys.exit(1)",
}


@pytest.fixture
def inline(bench, request):
    name = f"inline_tools_{abs(hash(request.node.name))}"
    bench.write(name, "".join(bench.tool(tool, body) for tool, body in BODIES.items()))
    before = list(sys.path)
    with InlineHostPool(bench.pool.environment) as pool:
        yield pool, name, bench
    sys.path[:] = before
    sys.modules.pop(name, None)


def opened(pool, name, tool, **settings):
    return pool.open(Target(f"{name}:{tool}", "aptix", name, tool), ToolSettings(**settings))


@pytest.mark.parametrize("tool", BODIES)
def test_calls_and_declarations_are_those_of_a_process(inline, tool):
    pool, name, bench = inline
    ours, theirs = opened(pool, name, tool), bench.open(f"{name}:{tool}")
    assert ours.describe() == theirs.describe()
    # A tool for a debugger shares its process with it, so what it leaves changed there is not looked for.
    calls = [host.execute(bench.plan()) for host in (ours, theirs)]
    made = [
        replace(call, elapsed=0.0, waited=0.0, left_changed=None, descriptors=None, held=()) for call in calls
    ]
    assert made[0] == made[1]


def test_the_same_tools_are_listed(inline):
    pool, name, bench = inline
    assert pool.list_tools(name, ToolSettings()) == bench.pool.list_tools(name, ToolSettings())


def test_ctrl_c_is_for_the_user(inline):
    pool, _, bench = inline
    bench.write("inline_interrupted", bench.tool("Stops", "raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        opened(pool, "inline_interrupted", "Stops").execute(bench.plan())


def test_faults_are_target_errors(inline):
    pool, name, _ = inline
    with pytest.raises(TargetError, match="importing not_there raised ModuleNotFoundError"):
        opened(pool, "not_there", "Tool")
    with pytest.raises(TargetError, match="did you mean Good"):
        opened(pool, name, "Goood")


def test_destructive_tools_are_not_called(inline):
    pool, name, bench = inline
    host = opened(pool, name, "Good", side_effects="destructive")
    assert host.read_only is not None
    with pytest.raises(HostError):
        host.execute(bench.plan())


def test_a_tool_without_its_services_is_not_constructed(inline):
    pool, _, bench = inline
    source = "class Needy:\n    TOOL_NAME = 'x'\n    def __init__(self, clock): ...\n"
    bench.write("inline_needy", source)
    assert opened(pool, "inline_needy", "Needy").execute(bench.plan()).outcome is Outcome.NOT_CONSTRUCTED
