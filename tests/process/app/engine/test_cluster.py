"""`check --engine` on a cluster of real worker processes. What they examine is canned; how they end is not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance import Run

pytest.importorskip("distributed", reason="the extra `distributed` is not installed")

HERE = Path(__file__).parent
VARIABLES = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    "STAND_IN": str(HERE / "stand_in.py"),
}
TOOL = '''
class {name}:
    """A tool whose declaration is all that is read of it."""

    TOOL_NAME = "{tool}"
    TOOL_USAGE_METADATA = "Text."

    @staticmethod
    def get_schema():
        return {{"type": "function", "name": "{tool}", "parameters": {{"type": "object", "properties": {{}}}}}}

    name = property(lambda self: "{tool}")

    async def execute(self, arguments_json, context, cancellation_token):
        raise NotImplementedError
'''


@pytest.fixture
def folder(tmp_path):
    """A project; `project/results` is its store."""
    place = tmp_path / "project"
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """The codes of the rules that judge a tool."""
    with Run.open(tmp_path_factory.mktemp("rules")) as run:
        suite = run.suites["aptix"]
        return " ".join(rule.code for rule in suite.rules if "tool" in rule.of and rule.level(suite.edition))


@pytest.fixture
def start(tmp_path, rules):
    """Starts a cluster with some workers; all end with the test."""
    begun = []

    def begin(workers, **variables):
        process = subprocess.Popen(
            [sys.executable, str(HERE / "local_cluster.py"), str(workers)],
            cwd=tmp_path,
            env=os.environ | VARIABLES | {"RULES": rules, "ONCE": str(tmp_path)} | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        begun.append(process)
        return process, process.stdout.readline().strip().replace("tcp://", "dask://")

    yield begin
    for process in begun:
        process.stdin.close()
        process.stdout.close()
        process.wait(60)


def check(folder, engine, *tools):
    """The command, for tools of these names; `wait` gives its exit status, its lines and the reports of tools by name."""
    text = "".join(TOOL.format(name=name.title().replace("_", "") + "Tool", tool=name) for name in tools)
    (folder / "my_tools.py").write_text(text)
    words = [
        "check",
        "my_tools.py",
        "--standard",
        "--engine",
        engine,
        "--store",
        "results",
        "--report",
        "r.json",
    ]
    return subprocess.Popen(
        [sys.executable, "-m", "aptix_conformance", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait(command, folder):
    output, _ = command.communicate(timeout=300)
    place = folder / "r.json"
    report = json.loads(place.read_text()) if place.exists() else {"tools": []}
    return command.returncode, output, {tool["tool"]: tool for tool in report["tools"]}


def test_only_a_tool_that_ends_its_process_or_its_worker_is_blamed(start, folder):
    _, engine = start(2)
    fine = [f"agent_{number}" for number in range(4)]
    tools = ["agent_kills_worker", "agent_dies", *fine]
    status, output, reports = wait(check(folder, engine, *tools), folder)
    assert status == 1, output
    assert {name for name, tool in reports.items() if tool["error"]} == {"agent_kills_worker", "agent_dies"}
    assert reports["agent_dies"]["error"] == "the process of its examination ended: SIGKILL"
    blamed = reports["agent_kills_worker"]["error"]
    assert blamed == "1 workers were lost while they examined this tool and nothing else"
    assert "agent_kills_worker was on 1 workers that were lost: it is examined once more" in output

    status, output, again = wait(check(folder, engine, *tools), folder)
    assert "4 of 6 results are from " in output
    assert all(again[name]["cache"]["state"] == "taken" for name in fine)
    assert all(again[name]["seconds"] == reports[name]["seconds"] for name in fine)


def test_workers_that_are_not_equal_are_named_and_not_used(start, folder):
    _, engine = start(3, OLD_WORKERS="1", BARE_WORKERS="2")
    status, output, reports = wait(check(folder, engine, "agent_a", "agent_b"), folder)
    assert status == 0, output
    assert output.count("is not used: ") == 2
    assert "it has aptix-conformance 0.0.9, not " in output
    assert "aptix-conformance[distributed] is not installed there" in output
    assert {tool["status"] for tool in reports.values()} == {"conforming"}


def test_what_was_examined_outlives_the_scheduler(start, folder, tmp_path):
    os.mkfifo(tmp_path / "gate")
    cluster, engine = start(1, GATE=str(tmp_path / "gate"))
    command = check(folder, engine, "agent_a", "agent_waits")
    lines = []
    for line in command.stdout:
        lines.append(line)
        if "conforming" in line:
            break
    with (tmp_path / "gate").open("w"):  # opens when the tool waits
        os.killpg(cluster.pid, 9)
    status, output, reports = wait(command, folder)
    assert status == 1, (lines, output)
    assert f"the scheduler {engine.replace('dask', 'tcp')} is gone; the results so far are in" in output
    assert list(reports) == ["agent_a"]

    _, engine = start(1, GATE=os.devnull)
    status, output, reports = wait(check(folder, engine, "agent_a", "agent_waits"), folder)
    assert status == 0, output
    assert "1 of 2 results are from " in output
    assert {name: tool["cache"] is not None for name, tool in reports.items()} == {
        "agent_a": True,
        "agent_waits": False,
    }


def test_a_process_that_another_ends_is_not_the_fault_of_its_tool(start, folder):
    _, engine = start(1)
    status, output, reports = wait(check(folder, engine, "agent_killed_once", "agent_stopped_once"), folder)
    assert status == 0, output
    assert "a worker could not examine agent_stopped_once: ended there by SIGTERM; another try" in output
    assert "the process of agent_killed_once was killed: it is examined once more" in output
    assert {tool["status"] for tool in reports.values()} == {"conforming"}


def test_a_busy_worker_says_that_it_may_examine(start, folder, tmp_path):
    os.mkfifo(tmp_path / "gate")
    _, engine = start(1, GATE=str(tmp_path / "gate"))
    first = check(folder, engine, "agent_waits")
    (other := tmp_path / "other").mkdir()
    with (tmp_path / "gate").open("w"):  # opens when the tool waits
        second = check(other, engine, "agent_a")
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(20)  # a cluster that does not answer is given up after 10 s
    for command, place in ((first, folder), (second, other)):
        status, output, _ = wait(command, place)
        assert status == 0, output
