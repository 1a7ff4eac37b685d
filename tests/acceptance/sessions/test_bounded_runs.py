"""A run ends at its deadline, and what a killed run knew is still there."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.variants import variant

from aptix_conformance.app.run.requests import NOT_EXAMINED
from aptix_conformance.present.reports import read_report

SLOW = """
async def execute(self, arguments_json, context, cancellation_token=CancellationToken.none()):
    import asyncio
    await asyncio.sleep(3)
    return await super().execute(arguments_json, context, cancellation_token)
"""
# What a shell starts in the background ignores Ctrl-C, and hands that on.
START = "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(pytest.main())"
RUN = [
    sys.executable,
    "-c",
    START,
    "--aptix-conformance",
    "--aptix-tools",
    "team",
    "--aptix-examples",
    "1",
    "-q",
]


CHECK = [sys.executable, "-m", "aptix_conformance", "check", "--report", "report.json"]


def start(place, tool_source, *options, command=(*RUN, "--aptix-report", "report.json")):
    (place / "team.py").write_text(
        tool_source("weather") + variant("WeatherWaitsTool", "agent_weather_slow", SLOW)
    )
    words = [*command, *options]
    return subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE, text=True)


def kill(run, place):
    """Kill a run when it has examined its first tool."""
    journal = place / "report.json.journal"
    while not journal.exists() or b'"agent_weather"' not in b"".join(journal.read_bytes().split(b"\n")[1:]):
        assert run.poll() is None
        time.sleep(0.1)
    run.send_signal(signal.SIGKILL)
    run.communicate()


def test_a_killed_run_leaves_what_it_knew_and_no_process(tmp_path, tool_source):
    kill(start(tmp_path, tool_source), tmp_path)
    report = read_report(tmp_path / "report.json")
    assert {tool.tool: tool.status for tool in report.tools} == {
        "agent_weather": "conforming",
        "agent_weather_slow": "incomplete",
    }
    assert not report.suite.complete
    words = [sys.executable, "-m", "aptix_conformance", "report", "summary", "report.json"]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "agent_weather" in said.stdout
    assert "was killed" in said.stderr


def test_a_killed_check_leaves_what_it_knew_and_the_next_one_replaces_it(tmp_path, tool_source):
    kill(start(tmp_path, tool_source, "--examples=1", "team.py", command=CHECK), tmp_path)
    report = read_report(tmp_path / "report.json")
    assert [(tool.tool, bool(tool.verdicts)) for tool in report.tools] == [("agent_weather", True)]
    assert not report.suite.complete
    subprocess.run([*CHECK, "team:WeatherTool"], cwd=tmp_path, capture_output=True, check=True)
    assert read_report(tmp_path / "report.json").suite.complete


@pytest.mark.parametrize(
    ("options", "number", "cause"),
    [((), signal.SIGINT, "interrupted from the keyboard"), (("-n", "1"), signal.SIGTERM, "ended by SIGTERM")],
    ids=["Ctrl-C", "SIGTERM with a worker"],
)
def test_an_interrupted_run_says_in_every_format_what_it_left_out(
    tmp_path, tool_source, options, number, cause
):
    forms = ("sarif", "html", "summary", "github-summary", "shields")
    more = [word for form in forms for word in ("--aptix-report", f"{form}={form}.txt")]
    run = start(tmp_path, tool_source, *options, *more, "--junitxml", "junit.xml")
    journal = tmp_path / "report.json.journal"
    while not journal.exists() or b"agent_weather_slow" not in journal.read_bytes():
        assert run.poll() is None
        time.sleep(0.1)
    run.send_signal(number)
    said, _ = run.communicate()
    assert run.returncode != 0
    report = read_report(tmp_path / "report.json")
    assert (report.suite.complete, report.suite.stopped) == (False, cause)
    slow = {tool.tool: tool.status for tool in report.tools}["agent_weather_slow"]
    assert slow == "incomplete"
    sentence = f"The run ended before every tool was examined ({cause}). Not examined: "
    for text in (
        said,
        *((tmp_path / f"{form}.txt").read_text() for form in ("html", "summary", "github-summary")),
    ):
        assert sentence in " ".join(text.split())
    (sarif,) = json.loads((tmp_path / "sarif.txt").read_text())["runs"]
    assert sarif["invocations"][0]["executionSuccessful"] is False
    assert json.loads((tmp_path / "shields.txt").read_text())["color"] == "orange"
    assert 'errors="1"' in (tmp_path / "junit.xml").read_text()


def test_at_the_deadline_the_rest_is_not_examined(tmp_path, tool_source):
    run = start(tmp_path, tool_source, "--aptix-deadline", "1s")
    said, _ = run.communicate()
    assert run.returncode == 1
    report = json.loads((tmp_path / "report.json").read_text())
    assert not (tmp_path / "report.json.journal").exists()
    assert not report["suite"]["complete"]
    assert report["suite"]["deadline"] == 1.0
    assert {tool["status"] for tool in report["tools"]} == {"incomplete"}
    assert NOT_EXAMINED in said
    assert not os.path.exists(f"/proc/{run.pid}")  # noqa: PTH110


@pytest.mark.parametrize("wrong", ["soon", "0", "-1m", "10 parsecs"])
def test_a_wrong_deadline_is_a_usage_error(pytester, wrong):
    result = pytester.runpytest_inprocess("--aptix-conformance", f"--aptix-deadline={wrong}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--aptix-deadline*"])
