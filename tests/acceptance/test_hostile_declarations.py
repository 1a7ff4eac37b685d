"""A declaration that makes reading, drawing or judging slow costs verdicts of its own tool, and nothing else.

Each tool has a twin that is as large and harmless: it conforms.
"""

from pathlib import Path

import pytest
from tests.variants import variant

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model.report import ToolReport

PATTERN = '{"type": "string", "description": "A city.", "pattern": %r}'
NESTED = """
def nested(depth):
    found = {"type": "string"}
    for level in range(depth):
        found = {"anyOf": [found, {"minLength": level, "maxLength": level}]}
    return {"description": "A city.", **found}

def within(depth):
    return {"type": "object", "properties": {"a": within(depth - 1)}} if depth else {"type": "string"}
"""
DECLARES = """
TOOL_USAGE_METADATA: Final = WeatherTool.TOOL_USAGE_METADATA.replace("agent_weather", "agent_{tool}") + {usage}

@staticmethod
def get_schema() -> dict[str, object]:
    schema = WeatherTool.get_schema() | {{"name": "agent_{tool}"}}
    schema["parameters"]["properties"]["city"] = {city}
    return schema
"""
CITY = '{"type": "string", "description": "A city."}'


def source(tool_source, *, city: str = CITY, usage: str = "''", name: str = "Hostile") -> str:
    tool = name.lower()
    members = DECLARES.format(tool=tool, city=city, usage=usage)
    return NESTED + tool_source("weather") + variant(name, f"agent_{tool}", members)


SLOW_PATTERN = PATTERN % ("^" + "(a|aa)+" * 30 + "$")


def examined(place: Path, text: str) -> dict[str, ToolReport]:
    """The reports of the tools of a module, by name."""
    (place / "team.py").write_text(text)
    with Run.open(place, RunOptions(examples=10, tools=("team",))) as run:
        return {tool.tool: tool for tool in run.examine_all().tools}


def test_a_pattern_that_takes_too_long_costs_the_rules_that_need_it(tmp_path, tool_source):
    both = source(tool_source, city=SLOW_PATTERN)
    tools = examined(tmp_path, both)
    hostile = tools["agent_hostile"]
    assert hostile.status == "incomplete"
    # Its usage text calls {"city": "Oslo"} a good call, which the pattern forbids.
    assert [verdict.rule for verdict in hostile.verdicts if verdict.verdict == "fail"] == ["USE010"]
    reasons = " ".join(verdict.reason for verdict in hostile.verdicts if verdict.is_open)
    assert "making arguments was stopped: it took more than 2 s of processor time" in reasons
    judged = {verdict.rule for verdict in hostile.verdicts if verdict.verdict == "pass"}
    assert {"SCH001", "USE001", "ARG002"} <= judged
    assert tools["agent_weather"].status == "conforming"


DEEP = {
    "40 alternatives within each other": ("nested(40)", "parameters nest more than 64 levels deep"),
    "300 objects within each other": ("within(300)", "the schema nests too deeply to be read"),
}


@pytest.mark.parametrize("name", DEEP)
def test_a_deep_schema_costs_the_rules_that_need_arguments_made_from_it(name, tmp_path, tool_source):
    city, reason = DEEP[name]
    tools = examined(tmp_path, source(tool_source, city=city))
    hostile = tools["agent_hostile"]
    assert hostile.error is None
    still_open = [verdict.reason for verdict in hostile.verdicts if verdict.is_open]
    assert [each for each in still_open if reason in each]
    assert all(still_open)
    assert {"SCH001", "USE001"} <= {verdict.rule for verdict in hostile.verdicts if verdict.verdict == "pass"}
    assert tools["agent_weather"].status == "conforming"


def test_a_declaration_that_no_model_could_take_is_refused(tmp_path, tool_source):
    tools = examined(tmp_path, source(tool_source, usage="'A' * 8_000_000"))
    hostile = next(tool for name, tool in tools.items() if "Hostile" in name)
    assert hostile.status == "incomplete"
    assert "it declares 8,000,7" in str(hostile.error)
    assert tools["agent_weather"].status == "conforming"


@pytest.mark.parametrize(
    "twin",
    [
        {"usage": "'A' + ' ' * 200_000"},
        {"usage": r"'\nNotes:\n' + '- Plain words about the weather.\n' * 6_000"},
        {"city": PATTERN % "^(a|aa)+$"},
    ],
    ids=["blanks", "prose", "pattern"],
)
def test_what_is_long_and_harmless_is_judged_to_the_end(twin, tmp_path, tool_source):
    hostile = examined(tmp_path, source(tool_source, **twin))["agent_hostile"]
    assert not [(verdict.rule, verdict.reason) for verdict in hostile.verdicts if verdict.is_open]
    assert hostile.error is None
