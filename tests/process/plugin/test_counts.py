"""What pytest counts and names of the items that the suite adds."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest


@pytest.fixture
def project(pytester, tool_source):
    """A project with a tool that is read and not called: quick, and most of its rules are inconclusive."""
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makepyprojecttoml(
        '[tool.aptix-conformance]\ntools = ["weather_tools"]\n'
        '[tool.aptix-conformance.tool.agent_weather]\nside_effects = "destructive"\n'
    )
    return pytester


@pytest.fixture
def called(pytester, tool_source):
    """A project with a tool that is called."""
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makepyprojecttoml(
        """
        [tool.aptix-conformance]
        tools = ["weather_tools"]
        [tool.aptix-conformance.tool.agent_weather]
        examples = [{ city = "Oslo" }]
        """
    )
    return pytester


def run(project, *arguments):
    """A session in this process."""
    return project.runpytest_inprocess(
        "--aptix-conformance", "-p", "no:cacheprovider", "-p", "no:asyncio", *arguments
    )


def test_what_k_chooses_and_leaves_out_adds_up_to_what_was_collected(project):
    result = run(project, "-k", "SCH001 or SCH002")
    result.stdout.re_match_lines([r"collected \d+ items / \d+ deselected / 2 selected"])
    result.assert_outcomes(passed=2, deselected=result.parseoutcomes()["deselected"])


def test_collecting_only_counts_every_item(project):
    result = run(project, "--co", "-q")
    ids = [line for line in result.outlines if line.startswith("aptix::")]
    result.stdout.fnmatch_lines([f"{len(ids)} tests collected*"])


def test_rs_names_an_inconclusive_rule_with_its_reason(project):
    result = run(project, "-rs", "-k", "EXC001")
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1] aptix::agent_weather::EXC001-valid-calls-never-raise: inconclusive: *destructive*"]
    )


def steps_of(result):
    """The steps that `--durations` names, sorted."""
    found = re.findall(r"^ *[\d.]+s (\w+) +aptix::agent_weather \(", result.stdout.str(), re.MULTILINE)
    return sorted(found)


def test_a_chosen_rule_runs_only_the_probes_that_it_needs_and_durations_names_them(called):
    result = run(called, "-k", "ARG003 or SCH001", "--durations=0", "-vv")
    assert steps_of(result) == ["declaration", "malformed", "proof", "restart", "valid"]
    result.assert_outcomes(passed=2, deselected=result.parseoutcomes()["deselected"])


def test_a_single_id_runs_only_the_probes_that_its_rule_needs(called):
    result = run(
        called, "aptix::agent_weather::ARG003-text-that-is-not-json-is-refused", "--durations=0", "-vv"
    )
    assert steps_of(result) == ["declaration", "malformed", "proof", "restart", "valid"]
    result.assert_outcomes(passed=1)


def test_the_last_failed_rules_run_only_the_probes_that_they_need(called):
    path = called.path / "weather_tools.py"
    source = path.read_text(encoding="utf-8")
    path.write_text(source.replace('"description": "The city', '"title": "The city'), encoding="utf-8")
    cached = ["-p", "cacheprovider"]
    first = run(called, *cached, "-k", "SCH009 or ARG003")
    first.assert_outcomes(failed=1, passed=1, deselected=first.parseoutcomes()["deselected"])
    again = run(called, *cached, "--lf", "--durations=0", "-vv")
    again.assert_outcomes(failed=1, deselected=again.parseoutcomes()["deselected"])
    assert "malformed" not in steps_of(again)
    assert "declaration" in steps_of(again)


def test_a_person_at_a_terminal_sees_that_a_slow_tool_is_examined(called, monkeypatch):
    """On a terminal the line is there; in a log file it is not."""
    path = called.path / "weather_tools.py"
    source = path.read_text(encoding="utf-8").replace(
        "import json\n", "import functools\nimport json\nimport time\n", 1
    )
    # A process of the tool waits once, in its first call, longer than the line waits.
    source = source.replace("request = context", "wait()\n            request = context")
    path.write_text(f"{source}\n\n@functools.cache\ndef wait():\n    time.sleep(1.2)\n", "utf-8")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    arguments = [sys.executable, "-m", "pytest", "--aptix-conformance", "--aptix-examples", "1"]
    shown = on_terminal([*arguments, "-p", "no:cacheprovider", "-k", "ARG002"], called.path)
    assert re.search(r"agent_weather: \w+, \d+ calls, \d+ s", shown)
    assert "agent_weather: malformed" not in run(called, "-k", "ARG002").stdout.str()


def on_terminal(command, directory):
    """What a command writes to a terminal of 100 columns that it is started on."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = subprocess.Popen(command, cwd=directory, stdin=child, stdout=child, stderr=child)
    os.close(child)
    written = bytearray()
    with contextlib.suppress(OSError):  # EIO: the last writer has closed it
        while piece := os.read(parent, 65536):
            written += piece
    os.close(parent)
    process.wait()
    return written.decode("utf-8", "replace")
