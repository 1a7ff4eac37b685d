"""pytest shows failed items by cause, the root first; a project's own tests stay where they are."""

import re

import pytest

OWN = """
import pytest

@pytest.mark.parametrize("name", ["zebra", "ape"])
def test_of_the_project(name):
    assert name == ""
"""

BROKEN = {
    "ARG006": {"message": "A missing city was not refused.", "arguments": "{}", "follows_from": "EXC001"},
    "EXC001": {"message": "It raised LookupError.", "arguments": '{"city": ""}', "cause": "LookupError"},
}
"""One finding follows from another whose rule has the later code."""


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "2")], ids=["one process", "xdist"])
def test_a_root_cause_fails_before_what_follows_from_it(project, workers):
    """Of two tools with the same two faults, beside two failing tests that have nothing to do with them."""
    project.pytester.makepyfile(test_own=OWN)
    project.replace(broken=BROKEN)
    project.add("zoo_tools:ClimateTool", "agent_climate", broken=BROKEN)
    chosen = ("-k", "ARG006 or EXC001 or status or of_the_project", "test_own.py")
    result = project.run(*chosen, "--aptix-tools=zoo_tools", *workers)
    result.assert_outcomes(failed=8, deselected=result.parseoutcomes().get("deselected", 0))
    text = result.stdout.str()
    sections = re.findall(r"^_{3,} (?:aptix::)?(\S+) _{3,}$", text, re.MULTILINE)
    brief = re.findall(r"^FAILED (?:aptix::|test_own.py::)(\S+)", text, re.MULTILINE)
    assert sections == brief
    of_tools = [name.partition("-")[0] for name in sections if name.startswith("agent_")]
    tools = list(dict.fromkeys(name.partition("::")[0] for name in of_tools))
    assert sorted(tools) == ["agent_climate", "agent_weather"]
    assert of_tools == [f"{tool}::{item}" for tool in tools for item in ("EXC001", "ARG006", "status")]
    own = [name for name in sections if name.startswith("test_of")]
    if "-n" in workers:
        assert sorted(own) == ["test_of_the_project[ape]", "test_of_the_project[zebra]"]
    else:
        assert own == sections[:2] == ["test_of_the_project[zebra]", "test_of_the_project[ape]"]
