"""What a run finds depends on the tools and the seed, not on the run: not on workers, nor on the order of the tools.

That a seed decides nothing either is shown by `python -m tests.acceptance.determinism`, which takes hours; that the Python and
the way of installing decide nothing, by tests/acceptance/test_fixtures.py, which compares with one matrix wherever it runs.
"""

import json
import shutil
from pathlib import Path

import pytest

from aptix_conformance.present.reports import read_report
from aptix_conformance.present.reports.renderers import render

TOOLS = ("aptix_reference_tools.calculator", "weather_tools", "hasty_tools")
OF_A_SERVER = ("mcp:toolbox#convert_length", "mcp:toolbox#count_words")
TOOLBOX = Path(__file__).parents[2] / "reference_tools" / "mcp-toolbox"
CONFIGURATION = """
[tool.aptix-conformance.tool.agent_weather]
examples = [{ city = 'Oslo' }]
[tool.aptix-conformance.tool."mcp:toolbox"]
command = ["python", "server.py"]
"""


@pytest.fixture
def examine(pytester, tool_source, monkeypatch):
    """Examines a reference tool, a team's tool and a nonconforming one; gives the report's text, volatile members left out."""
    weather = tool_source("weather")
    hasty = weather.replace("agent_weather", "agent_hasty").replace(
        "(ValueError, RecursionError)", "ValueError"
    )
    hasty = hasty.replace("except Exception as error:", "except OSError as error:")
    pytester.makepyfile(weather_tools=weather, hasty_tools=hasty)
    pytester.makepyprojecttoml(CONFIGURATION)
    shutil.copy(TOOLBOX / "server.py", pytester.path)
    shutil.copytree(TOOLBOX / "toolbox", pytester.path / "toolbox")

    def run(*options, tools=TOOLS, hash_seed="1"):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        named = [f"--aptix-tools={tool}" for tool in tools]
        fixed = (
            "--aptix-conformance",
            "--aptix-examples=8",
            "--aptix-report=report.json",
        )
        result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *fixed, *named, *options)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        report = json.loads(pytester.path.joinpath("report.json").read_text(encoding="utf-8"))
        del report["run"]
        for tool in report["tools"]:
            del tool["seconds"]
            for step in tool["steps"]:
                del step["seconds"]
        report["tools"] = [_verdicts(tool) if tool["system"] == "mcp" else tool for tool in report["tools"]]
        return json.dumps(report)

    return run


def _verdicts(tool):
    """What was found, without numbers of calls: on a busy machine more of a server's calls last long enough to be cancelled."""
    found = {verdict["rule"]: (verdict["verdict"], verdict["reason"]) for verdict in tool["verdicts"]}
    return {"tool": tool["tool"], "status": tool["status"], "verdicts": found}


def test_a_run_gives_the_same_report_whatever_the_workers_the_order_and_the_hash_seed(examine):
    """Byte for byte, its times aside; the same verdicts for tools of a server. A worker of xdist examines one tool at a time."""
    tools = (*OF_A_SERVER, *TOOLS)
    once = examine("--aptix-jobs=3", tools=tools)
    statuses = {tool["tool"]: tool["status"] for tool in json.loads(once)["tools"]}
    assert statuses["agent_hasty"] == "nonconforming"
    assert list(statuses.values()).count("conforming") == len(statuses) - 1 == len(tools) - 1
    assert examine("-n", "2", tools=tools[::-1], hash_seed="2") == once


def test_another_seed_makes_no_new_alert(examine, pytester):
    """What GitHub recognises an alert by is the same, whatever calls were drawn."""

    def alerts(seed):
        examine(f"--aptix-seed={seed}", tools=TOOLS[1:])
        report = read_report(pytester.path / "report.json")
        assert report.suite.seed == seed
        (run,) = json.loads(render("sarif", report))["runs"]
        return {result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]}

    first = alerts(0)
    assert first
    assert alerts(7) == first
