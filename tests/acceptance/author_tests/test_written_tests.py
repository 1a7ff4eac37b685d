"""Tests that `--as-test` writes: each fails on a tool that breaks its rule, and passes on the same tool once it is fixed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.app.run import RunOptions
from aptix_conformance.app.run.replay import find_rule
from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.report import CallReport, FindingReport, ResultReport
from aptix_conformance.systems.author_tests import Subject, write_test
from aptix_conformance.targets import ToolSettings

WEATHER = Path(__file__).parents[2] / "tools" / "weather.py"
CONTEXT = {
    "session_id": "session-1",
    "request": {"conversation_id": "conversation-1", "session_id": "session-1"},
    "user": {"id": "user-1", "text": 'Ada "the first" Lovelace'},
}
OTHER = {"session_id": "session-2", "request": {"conversation_id": "conversation-2"}}
OSLO = '{"city": "Oslo"}'

HEAD = """
import asyncio
import json
import os
import time

from aptix_harness import CancellationToken, InvokeResult
from weather import WeatherTool


def make_client():
    return Client()


class Client:
    async def ask(self):
        return "rain"
"""

KEPT = """

class {name}(WeatherTool):
    def __init__(self, logger, client=None):
        super().__init__(logger)
        self.client = client

    async def execute(self, arguments_json, context, cancellation_token=CancellationToken.none()):
        try:
            if self.client:
                await self.client.ask()
        except Exception as error:
            self._logger.add_exception("[Tool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("The weather is not known.")
        return await super().execute(arguments_json, context, cancellation_token)
"""

BROKEN = """

class {name}(WeatherTool):
    calls = []

    def __init__(self, logger, client=None):
        super().__init__(logger)
        self.client = client

    async def execute(self, arguments_json, context, cancellation_token=CancellationToken.none()):
        known = await super().execute(arguments_json, context, cancellation_token)
        {body}
"""


def call(probe="valid", kind="generated", arguments=OSLO, context=CONTEXT, **members):
    made = stimulus(probe, kind, arguments, context)
    return CallReport(
        plan=made, label=made.label, outcome=members.pop("outcome", Outcome.RETURNED), **members
    )


def result(*, successful=True):
    return ResultReport("InvokeResult", is_invoke_result=True, successful=successful)


RAISED = {"outcome": Outcome.RAISED}

KINDS = {
    "no-json": ("RES003", call(result=result()), (), "return InvokeResult.create('{\"degrees\": NaN}')"),
    "malformed": (
        "ARG002",
        call("malformed", "garbage", '{"city": "\\', **RAISED),
        (),
        "json.loads(arguments_json)",
    ),
    "missing": (
        "ARG006",
        call("invalid", "missing", "{}", result=result()),
        (),
        "return InvokeResult.create('{}')",
    ),
    "refused": (
        "RES006",
        call(result=result(successful=False)),
        (),
        "return InvokeResult.from_error('no')",
    ),
    "exception": ("EXC001", call(**RAISED), (), 'raise LookupError("Oslo")'),
    "hang": ("EXC002", call(outcome=Outcome.TIMED_OUT), (), "time.sleep(3600)"),
    "exit": ("EXC002", call(outcome=Outcome.CRASHED), (), "os._exit(0)"),
    "no-context": ("CTX001", call("context", "context", context=None, **RAISED), (), "context.user"),
    "third-call": (
        "EXC001",
        call("repeat", "same", **RAISED),
        (CONTEXT, OTHER),
        "self.calls.append(1); assert len(self.calls) != 3; return known",
    ),
    "service": ("EXC001", call(**RAISED), (), "await self.client.ask(); raise LookupError"),
}


SECONDS = {"broken": 1.0, "fixed": 120.0}
"""How long a test waits, by the state of the tools: a busy machine is slow, and a tool that hangs is waited for."""


def name_of(kind):
    return kind.title().replace("-", "") + "Tool"


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Two projects with the same tests, written from findings: one with tools that break rules, one with fixed tools."""
    folders = {}
    for state in ("broken", "fixed"):
        folder = tmp_path_factory.mktemp(state)
        (folder / "weather.py").write_text(WEATHER.read_text())
        tools = [_source(kind, state) for kind in KINDS]
        (folder / "weather_tools.py").write_text(HEAD + "".join(tools))
        for kind in KINDS:
            (folder / f"test_{kind.replace('-', '_')}.py").write_text(_written(folder, kind, SECONDS[state]))
        folders[state] = folder
    return folders


def _source(kind, state):
    if state == "fixed":
        return KEPT.format(name=name_of(kind))
    return BROKEN.format(name=name_of(kind), body=KINDS[kind][3])


def _written(folder, kind, seconds):
    code, shown, history, _ = KINDS[kind]
    services = {"client": "weather_tools:make_client"} if kind == "service" else {}
    earlier = tuple(stimulus("repeat", "same", OSLO, context) for context in history)
    finding = FindingReport("it broke the rule", shown, earlier, reproduced=True, replay="")
    settings = ToolSettings(services=services, timeout=seconds)
    subject = Subject("weather_tools", name_of(kind), settings, folder)
    return write_test(subject, find_rule(code), finding, RunOptions())


def _outcomes(folder):
    """By kind: whether its test passed."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rA",
        "--tb=no",
        "-p",
        "no:cacheprovider",
        "--rootdir=.",
    ]
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
    words = [line.split() for line in done.stdout.splitlines() if line.startswith(("PASSED ", "FAILED "))]
    found = {word[1].partition(".py")[0].removeprefix("test_").replace("_", "-"): word[0] for word in words}
    assert found.keys() == KINDS.keys(), done.stdout
    return found


def test_each_test_fails_until_the_breach_is_fixed(projects):
    assert _outcomes(projects["broken"]) == dict.fromkeys(KINDS, "FAILED")
    assert _outcomes(projects["fixed"]) == dict.fromkeys(KINDS, "PASSED")


def test_no_test_needs_the_suite(projects):
    assert not [
        path for path in projects["fixed"].glob("test_*.py") if "import aptix_conformance" in path.read_text()
    ]
    texts = [path.read_text() for path in projects["fixed"].glob("test_*.py")]
    assert not [text for text in texts if "from aptix_conformance" in text]


def test_the_files_pass_ruffs_defaults(projects):
    ruff = [sys.executable, "-m", "ruff"]
    files = [str(path) for path in projects["fixed"].glob("test_*.py")]
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [*ruff, *command, "--isolated", "--no-cache", *files],
            cwd=projects["fixed"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
