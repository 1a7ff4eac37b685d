"""A task is answered by a process of its own, with the report that the run itself makes."""

import json
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.app.engine import process
from aptix_conformance.app.engine.process import examine_task, read_answer
from aptix_conformance.app.engine.tasks import Asker, examine_each
from aptix_conformance.core.model.codec import replace, to_text


def without_times(report):
    steps = tuple(replace(step, seconds=0.0) for step in report.steps)
    return to_text(replace(report, seconds=0.0, steps=steps))


@pytest.fixture
def run(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    with Run.open(tmp_path, RunOptions(thoroughness="quick")) as opened:
        yield opened


def test_another_process_reports_what_the_run_itself_does(run):
    found = run.find("aptix_reference_tools.ping_pong")
    (here,) = run.examine_each(found)
    with ProcessPoolExecutor(1) as executor:
        ((tool, there),) = examine_each(executor, run, found)
    assert tool is found.tools[0]
    assert without_times(there) == without_times(here)
    assert there.calls


def test_a_machine_that_is_not_equal_examines_nothing(run):
    found = run.find("aptix_reference_tools.ping_pong")
    task = Asker.of(run, found).task(found.tools[0])
    (run.directory / "helper.py").write_text("A = 1\n")
    answers = [task, replace(task, directory="/nowhere"), replace(task, facts=replace(task.facts, suite="9"))]
    first, second, third = (read_answer(examine_task(to_text(each))).refused for each in answers)
    assert first.startswith("the files of the project folder differ: copy the folder again")
    assert second == "there is no project folder /nowhere"
    assert third.startswith("it has aptix-conformance ")


def test_what_is_no_task_is_an_end_with_its_reason():
    answer = read_answer(examine_task(json.dumps({"format": "none"})))
    assert answer.died.startswith("exit status 1: aptix_conformance.core.errors.RecordError: $")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("SIGTERM", "refused='ended there by SIGTERM'"),
        ("SIGINT", "refused='ended there by SIGINT'"),
        ("SIGKILL", "died='SIGKILL'"),
    ],
)
def test_only_a_process_that_nobody_stopped_died(monkeypatch, number, said):
    code = f"import os, signal; assert os.getsid(0) == os.getpid(); signal.signal(2, signal.SIG_DFL); os.kill(0, signal.{number})"
    monkeypatch.setattr(process, "PROGRAM", (sys.executable, "-c", code))
    assert said in repr(read_answer(examine_task("")))
