"""What a worker does with an answer: a whole result goes to the store, and nothing that was found is lost."""

import pytest
from tests.unit.app.engine.test_store import REPORT
from tests.unit.app.engine.test_task import project, task  # noqa: F401 - fixtures

from aptix_conformance.app.engine import answering, working
from aptix_conformance.app.engine.process import read_answer
from aptix_conformance.app.engine.store import Store
from aptix_conformance.app.engine.task import Answer
from aptix_conformance.core.model.codec import replace, to_text

pytest.importorskip("fsspec", reason="the extra `distributed` is not installed")


@pytest.fixture
def keep(task, tmp_path, monkeypatch):  # noqa: F811
    """Lets the worker get an answer; gives what it passes on."""

    def run(answer, place="store"):
        monkeypatch.setattr(working, "examine_task", lambda _: to_text(answer))
        return read_answer(working.examine_and_keep(to_text(task), str(tmp_path / place)))

    return run


def test_a_whole_result_is_stored_and_not_sent(keep, task, tmp_path):  # noqa: F811
    assert keep(Answer(report=REPORT)) == Answer(kept=True)
    assert Store.open(str(tmp_path / "store")).read(task).report == REPORT


@pytest.mark.parametrize(
    "answer", [Answer(report=replace(REPORT, error="no")), Answer(died="SIGKILL"), Answer(refused="old")]
)
def test_what_is_not_whole_is_sent_and_not_stored(keep, tmp_path, answer):
    assert keep(answer) == answer
    assert not Store.open(str(tmp_path / "store")).addresses()


def test_a_result_that_cannot_be_stored_is_sent_with_the_reason(keep, tmp_path):
    (tmp_path / "file").write_text("")
    answer = keep(Answer(report=REPORT), "file/store")
    assert (answer.report, answer.unkept) == (REPORT, "Not a directory")


def test_a_result_whose_place_is_damaged_is_sent_with_the_reason(keep, task, tmp_path):  # noqa: F811
    place = tmp_path / "store" / "results" / task.address[:2] / f"{task.address}.json"
    place.parent.mkdir(parents=True)
    place.write_text('{"format": "apt')
    answer = keep(Answer(report=REPORT))
    assert answer.report == REPORT
    assert "is damaged" in answer.unkept
    assert place.read_text() == '{"format": "apt'


def test_a_worker_says_what_differs(task, project, tmp_path):  # noqa: F811
    describe = working.describe
    words = (str(tmp_path / "store"), to_text(task.facts), str(project), ())
    assert not describe(*words)
    (project / "more.py").write_text("A = 1\n")
    assert "the files of the project folder differ" in describe(*words)
    assert "there is no project folder" in describe(words[0], words[1], "/nowhere", ())
    assert "nosuch://a cannot be opened" in describe("nosuch://a", *words[1:])
    assert "another version" in describe(words[0], "{}", *words[2:])


def test_a_project_that_changed_during_the_examination_refuses_the_answer(task, project, monkeypatch):  # noqa: F811
    def examined(_task):
        (project / "tools" / "weather.py").write_text("A = 2\n")
        return REPORT

    monkeypatch.setattr(answering, "_examined", examined)
    monkeypatch.chdir(project)
    refused = answering.answer(replace(task, extensions=None)).refused
    assert refused.startswith("since the examination began, the files of the project folder differ")
