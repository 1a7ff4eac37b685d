"""Every host of the suite, and the worked example of docs/host-protocol.md, keeps every check of `host-check`.

tests/acceptance/hosts/test_host_check.py shows that each check finds the host that breaks it.
"""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import canaries
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.hosts.check.host_checks import CHECKS, check_host
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.runners.paths import START
from aptix_conformance.systems.ai_sdk.profile import AISDKHostPool
from aptix_conformance.systems.aptix.dotnet_runtimes import find_runtime
from aptix_conformance.systems.art.profile import ArtHostPool
from aptix_conformance.systems.pools import program_pool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import ToolSettings

ROOT = Path(__file__).parents[2]
DOTNET_TOOLS = ROOT / "tests" / "acceptance" / "hosts" / "dotnet_tools"
NAMES = [check.__name__.removeprefix("_").replace("_", "-") for check in CHECKS]


def outcomes(pool, spec):
    """The outcome of each check that is not kept, with its words; every check has been tried."""
    found = list(check_host(pool.subject(spec, None)))
    assert [each.name for each in found] == NAMES
    return {each.name: (each.outcome, each.words) for each in found if each.outcome != "kept"}


def names_not_claimed(found):
    assert {name: words for name, (outcome, words) in found.items() if outcome == "broken"} == {}
    return list(found)


def test_the_worked_example_keeps_every_check_that_it_claims():
    """What it does not claim is not tried, and that is said."""
    examples = ROOT / "docs" / "examples"
    with ProgramHostPool(Environment(rootdir=examples, sys_path=(), systems=OURS.traits)) as pool:
        assert names_not_claimed(outcomes(pool, "python3 word_count_host.py")) == ["cancels"]


def test_the_python_host_keeps_every_check():
    """As a command, it claims everything."""
    command = shlex.join(
        [sys.executable, str(START), "python.command_host", "aptix_reference_tools.hello_world"]
    )
    with ProgramHostPool(Environment(rootdir=ROOT, sys_path=(), systems=OURS.traits)) as pool:
        assert outcomes(pool, command) == {}


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
@pytest.mark.parametrize(
    ("make", "tool"),
    [(ArtHostPool, "art/unit_converter.mjs"), (AISDKHostPool, "ai-sdk-toolbox/opening_hours.mjs")],
)
def test_the_node_host_keeps_every_check_that_it_claims(make, tool):
    """ART cannot cancel; calls of the AI SDK are cancelled as disturbances, not by `$/cancel`."""
    if make is AISDKHostPool and not (ROOT / "reference_tools" / tool).with_name("node_modules").is_dir():
        pytest.skip(f"{tool}: npm install")
    with make(Environment(rootdir=ROOT, sys_path=(), systems=OURS.traits)) as pool:
        found = outcomes(pool, f"./reference_tools/{tool}")
    assert names_not_claimed(found) == ["cancels"]


@pytest.mark.parametrize("runtime", ["coreclr", "mono"])
def test_the_dotnet_host_keeps_every_check(runtime):
    """None of them is left out, on either runtime."""
    try:
        find_runtime("a C# tool", runtime)
    except TargetError as error:
        pytest.skip(str(error))
    environment = Environment(DOTNET_TOOLS, (), canaries.environment(0), Limits(timeout=10))
    with program_pool("aptix-cs", environment, OURS) as pool:
        subject = pool.subject(".", "Aptix.Tests.EchoTool", ToolSettings(runtime=runtime))
        assert [each for each in check_host(subject) if each.outcome != "kept"] == []
