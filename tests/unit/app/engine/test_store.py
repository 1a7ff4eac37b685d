"""The store has whole results only, never writes one over another, and says what is damaged."""

import json
import os

import pytest
from tests.unit.app.engine.test_task import project, task  # noqa: F401 - fixtures

from aptix_conformance.app.engine.store import DamagedError, Store
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.earlier import unfinished
from aptix_conformance.core.model.report import HarnessErrorReport, ShortfallReport, ToolReport

pytest.importorskip("fsspec", reason="the extra `distributed` is not installed")

REPORT = ToolReport("agent_a", "weather:A", "aptix", "aptix-1", "conforming", None, 3, 1.0, (), ())


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path):
    if request.param == "memory":
        yield (opened := Store.open(f"memory://{tmp_path.name}"))
        opened.files.store.clear()
    else:
        yield Store.open(str(tmp_path / "store"))


def test_a_result_that_was_written_is_read(store, task):  # noqa: F811
    assert store.addresses() == frozenset()
    store.write(task, REPORT)
    assert store.addresses() == {task.address}
    assert store.read(task).report == REPORT


def test_the_first_result_stays(store, task):  # noqa: F811
    store.write(task, REPORT)
    store.write(task, replace(REPORT, calls=99))
    with pytest.raises(
        FileExistsError, match="another result: the status was conforming, and is nonconforming"
    ):
        store.write(task, replace(REPORT, status="nonconforming"))
    assert store.read(task).report == REPORT


def test_an_old_result_is_not_taken_and_is_replaced(store, task):  # noqa: F811
    store.write(task, REPORT)
    path = f"{store.root}/results/{task.address[:2]}/{task.address}.json"
    entry = json.loads(store.files.cat_file(path))
    store.files.pipe_file(path, json.dumps(entry | {"examined": "2020-01-01T00:00:00Z"}).encode())
    assert store.read(task) is None
    store.write(task, replace(REPORT, calls=99))
    assert store.read(task).report.calls == 99


def test_a_pipe_in_place_of_a_result_is_no_wait(tmp_path, task):  # noqa: F811
    path = tmp_path / "store" / "results" / task.address[:2] / f"{task.address}.json"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(DamagedError, match="not a regular file"):
        Store.open(str(tmp_path / "store")).read(task)


@pytest.mark.parametrize(
    "change",
    [{"tool": "agent_b"}, {"target": "weather:B"}, {"edition": "aptix-2"}, {"error": "no"}],
    ids=str,
)
def test_an_entry_whose_report_is_of_another_tool_or_not_whole_is_refused(store, task, change):  # noqa: F811
    store.write(task, replace(REPORT, **change))
    with pytest.raises(DamagedError, match="is no whole result of its task; delete it"):
        store.read(task)


@pytest.mark.parametrize(
    "content", [b"", b'{"format": "aptix-conf', b"[]", b"\xff", b"1e999", b"[0," * 200_001]
)
def test_a_damaged_entry_is_named(store, task, content):  # noqa: F811
    path = f"{store.root}/results/{task.address[:2]}/{task.address}.json"
    store.files.makedirs(path.rpartition("/")[0], exist_ok=True)
    store.files.pipe_file(path, content)
    with pytest.raises(DamagedError, match=rf"{task.address}\.json is damaged .*; delete it"):
        store.read(task)


def test_an_entry_of_another_task_is_refused(store, task):  # noqa: F811
    other = replace(task, target="weather:B")
    store.write(other, REPORT)
    place, wrong = (f"{store.root}/results/{a[:2]}/{a}.json" for a in (task.address, other.address))
    store.files.makedirs(place.rpartition("/")[0], exist_ok=True)
    store.files.copy(wrong, place)
    with pytest.raises(DamagedError, match="is no whole result of its task"):
        store.read(task)


def test_nothing_but_the_result_is_left(tmp_path, task):  # noqa: F811
    store = Store.open(str(tmp_path / "store"))
    store.write(task, REPORT)
    store.write(task, REPORT)
    assert [path.name for path in (tmp_path / "store").rglob("*") if path.is_file()] == [
        f"{task.address}.json"
    ]


@pytest.mark.parametrize(
    ("report", "kept"),
    [
        (REPORT, True),
        (replace(REPORT, status="incomplete"), True),
        (replace(REPORT, error="not examined: no space"), False),
        (replace(REPORT, harness_errors=(HarnessErrorReport("scan", "failed"),)), False),
        (replace(REPORT, shortfalls=(ShortfallReport("valid", "no time", cut=True),)), False),
        (replace(REPORT, shortfalls=(ShortfallReport("valid", "quick", cut=True, expected=True),)), True),
    ],
)
def test_only_whole_examinations_are_kept(report, kept):
    assert bool(unfinished(report)) is not kept


@pytest.mark.parametrize("url", ["", "nosuch://place"])
def test_a_store_that_cannot_be_is_named(url):
    with pytest.raises(ConfigurationError, match=r"--store is empty|nosuch://place cannot be opened"):
        Store.open(url)


def test_a_relative_folder_is_the_same_for_every_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Store.open("results").url == str(tmp_path / "results")
