"""The examples of docs/api.md do what the page says."""

import json
import subprocess
import sys

import pytest
from tests.pages import read_page

PAGE = read_page("docs/api.md")
EXAMPLES = PAGE.blocks("python")
TABLE = """
[tool.aptix-conformance]
tools = ["weather_tools", "no_such_module"]
[tool.aptix-conformance.tool.agent_weather]
side_effects = "destructive"   # it is read and not called, which is quicker
"""


@pytest.fixture
def run_example(tmp_path, tool_source):
    """Runs an example of the page in a project with one tool and one spec that leads nowhere."""

    def run(number):
        (tmp_path / "weather_tools.py").write_text(tool_source("weather"), encoding="utf-8")
        (tmp_path / "pyproject.toml").write_text(TABLE, encoding="utf-8")
        (tmp_path / "examine.py").write_text(EXAMPLES[number], encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "examine.py"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_first_example_prints_each_tools_status_and_each_failure(run_example):
    said = run_example(0)
    assert "agent_weather is incomplete" in said
    assert "no_such_module leads to no tool: " in said


def test_the_second_example_writes_the_report(run_example, tmp_path):
    run_example(1)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert {tool["target"]: tool["status"] for tool in report["tools"]} == {
        "no_such_module": "incomplete",
        "weather_tools:WeatherTool": "incomplete",
    }


def test_the_page_names_every_option():
    from dataclasses import fields

    from aptix_conformance import RunOptions

    assert [row[0] for row in PAGE.rows()] == [f"`{field.name}`" for field in fields(RunOptions)]
