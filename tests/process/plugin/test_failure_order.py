"""What pytest shows of failed items stands by cause, the root first; a project's own tests stay where they are."""

import re

import pytest

from aptix_conformance.examiner import Examiner

OWN = """
import pytest

@pytest.mark.parametrize("name", ["zebra", "ape"])
def test_of_the_project(name):
    assert name == ""
"""

CONFTEST = """
from aptix_conformance.examiner import Examiner, ToolExamined
from aptix_conformance.model.codec import replace

examine = Examiner.examine

def with_a_cause(self, request, watch):
    found = examine(self, request, watch)
    verdicts = tuple(
        replace(each, follows_from="EXC001") if each.rule == "ARG006" else each for each in found.report.verdicts
    )
    return ToolExamined(replace(found.report, verdicts=verdicts), found.result_shape)

Examiner.examine = with_a_cause
"""
"""Makes one finding follow from another whose rule has the later code, in whichever process examines."""

FAULTS = (
    ('json.loads(arguments_json or "")', 'json.loads(arguments_json or "{}")'),
    ('arguments.get("city") if', 'arguments.get("city", "Oslo") if'),
    (
        'return InvokeResult.from_error("The argument city is required: a city\'s name.")',
        'raise LookupError("no city")',
    ),
    ("except Exception as error:", "except ZeroDivisionError as error:"),
)
"""A missing city is not refused (ARG006), and a blank one raises (EXC001)."""


@pytest.fixture
def project(pytester, tool_source):
    """Two tools with the same two faults, and two failing tests that have nothing to do with them."""
    source = tool_source("weather")
    for old, new in FAULTS:
        assert source.count(old) == 1
        source = source.replace(old, new)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        first_tools=source,
        second_tools=source.replace("agent_weather", "agent_climate").replace("WeatherTool", "ClimateTool"),
        test_own=OWN,
    )
    examples = "".join(
        f'[tool.aptix-conformance.tool.{name}]\nexamples = [{{ city = "Oslo" }}]\n'
        for name in ("agent_weather", "agent_climate")
    )
    pytester.makepyprojecttoml(
        f'[tool.aptix-conformance]\ntools = ["first_tools", "second_tools"]\n{examples}'
    )
    return pytester


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "2")], ids=["one process", "xdist"])
def test_a_root_cause_fails_before_what_follows_from_it(project, monkeypatch, workers):
    monkeypatch.setattr(Examiner, "examine", Examiner.examine)  # undoes what the conftest sets
    result = project.runpytest_inprocess(
        "--aptix-conformance", "--aptix-examples=5", "-k", "ARG006 or EXC001 or status or of_the_project", "test_own.py",
        "-p", "no:cacheprovider", "-p", "no:asyncio", *workers,
    )  # fmt: skip
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
