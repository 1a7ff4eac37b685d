"""The tasks of a run on an executor: what each tool gets, and who is blamed where an answer is missing."""

import json
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from datetime import date

import pytest
from tests.unit.app.run.test_run import Hosts, opened

from aptix_conformance.app.engine.task import Answer
from aptix_conformance.app.engine.tasks import Asker, examine_each
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.codec import replace, to_text
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.targets import ToolSettings
from aptix_conformance.targets.settings import Waiver

TABLE = 'tools = ["pkg", "other"]\n'


class Executor:
    """Answers each task by the name of its tool; an exception is raised in place of an answer."""

    def __init__(self, **answers):
        self.answers = answers
        self.tasks = []

    def submit(self, _function, text):
        task = json.loads(text)
        self.tasks.append(task)
        future = Future()
        answer = self.answers.get(task["tool"], Answer(died="SIGKILL"))
        if isinstance(answer, Exception):
            future.set_exception(answer)
        elif answer is not None:
            future.set_result(answer if isinstance(answer, str) else to_text(answer))
        return future


def done(name):
    return Answer(report=ToolReport(name, f"pkg:{name}", "aptix", "e", "conforming", None, 1, 1.0, (), ()))


def examined(run, executor):
    found = run.list_tools()
    return {tool.name: report for tool, report in examine_each(executor, run, found)}


def test_each_tool_is_one_task_and_only_the_one_that_died_is_blamed(tmp_path):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a", "pkg:B": "agent_b", "other:C": "agent_c"}), TABLE)
    executor = Executor(
        agent_a=done("agent_a"), agent_b=Answer(died="SIGSEGV"), agent_c=Answer(refused="old")
    )
    reports = examined(run, executor)
    assert sorted(task["target"] for task in executor.tasks) == ["other:C", "pkg:A", "pkg:B"]
    assert {name: report.error for name, report in reports.items()} == {
        "agent_a": None,
        "agent_b": "the process of its examination ended: SIGSEGV",
        "agent_c": "not examined: old",
    }


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (BrokenProcessPool("gone"), "not examined: a process of the executor was lost"),
        ("no JSON", "what it answered is malformed"),
        ('{"report": {"tool": 1}}', "what it answered is malformed"),
        (to_text(Answer()), "what it answered is malformed"),
    ],
)
def test_a_missing_answer_is_no_verdict(tmp_path, answer, error):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a", "other:B": "agent_b"}), TABLE)
    reports = examined(run, Executor(agent_a=answer, agent_b=done("agent_b")))
    assert error in reports["agent_a"].error
    assert reports["agent_a"].status == "incomplete"
    assert reports["agent_b"].status == "conforming"


def test_the_deadline_leaves_out_what_has_no_answer(tmp_path):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a", "other:B": "agent_b"}), TABLE, deadline=1e-9)
    reports = examined(run, Executor(agent_a=None, agent_b=None))
    assert {report.error for report in reports.values()} == {
        "not examined: the deadline of the run was reached"
    }


def test_a_name_that_several_tools_have_stays_withheld_in_other_processes(tmp_path):
    hosts = Hosts({"pkg:A": "agent_trusted", "pkg:B": "agent_b", "other:C": "agent_trusted"})
    executor = Executor()
    examined(opened(tmp_path, hosts, TABLE), executor)
    assert {task["target"]: task["shared"] for task in executor.tasks} == {
        "pkg:A": ["agent_trusted"],
        "pkg:B": [],
        "other:C": ["agent_trusted"],
    }

    grants = '[tool.aptix-conformance.tool.agent_trusted]\nside_effects = "none"\n'
    run = opened(tmp_path, Hosts({"pkg:A": "agent_trusted"}), f'tools = ["pkg"]\n{grants}')
    for shared, settled in (([], "none"), (["agent_trusted"], "contained")):
        (tool,) = run.find("pkg:A", shared=frozenset(shared)).tools
        assert tool.settings.side_effects == settled


@pytest.mark.parametrize(
    ("change", "lasts"),
    [
        ({}, True),
        ({"settings": ToolSettings(variables=("TOKEN",))}, False),
        ({"settings": ToolSettings(headers={"A": "b"})}, False),
        ({"settings": ToolSettings(url="https://example.org/mcp")}, False),
        ({"settings": ToolSettings(command=("npx", "-y", "server"))}, False),
        ({"settings": ToolSettings(reads=("/elsewhere",))}, False),
        ({"settings": ToolSettings(waivers=(Waiver("ARG001", "me", "why", date(2099, 1, 1)),))}, False),
        ({"containment": None}, False),
        ({"containment": Containment("none")}, False),
    ],
    ids=str,
)
def test_what_depends_on_more_than_is_compared_holds_for_a_day(tmp_path, change, lasts):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), 'tools = ["pkg"]\n')
    found = run.list_tools()
    task = Asker.of(run, found).task(replace(found.tools[0], **change))
    assert task.day == ("" if lasts else run.thoroughness.today.isoformat())


@pytest.mark.parametrize("option", [{"hidden": ("/secret",)}, {"inline": True}])
def test_an_option_that_would_not_be_followed_is_refused(tmp_path, option):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), 'tools = ["pkg"]\n', **option)
    with pytest.raises(
        ConfigurationError, match=f"the option {next(iter(option))} does not go to other processes"
    ):
        examined(run, Executor())
