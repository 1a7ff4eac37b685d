"""`check --engine` refuses what it cannot use, in one line that names the fix."""

from pathlib import Path

import pytest
from tests.unit.app.run.test_run import Hosts, opened

from aptix_conformance.app.commands.check_engine import Engine
from aptix_conformance.app.engine.cluster import Cluster
from aptix_conformance.core.errors import ConfigurationError

pytest.importorskip("fsspec", reason="the extra `distributed` is not installed")


@pytest.mark.parametrize(
    ("url", "store", "cache", "message"),
    [
        (None, "results", None, "--store is where workers keep results: add --engine dask://HOST:PORT"),
        (
            "dask://h:1",
            None,
            None,
            "--engine needs a place for results that all its machines share: add --store",
        ),
        (
            "ray://h:1",
            "results",
            None,
            "is no engine: write the address of a Dask scheduler, such as dask://127.0.0.1:8786",
        ),
        ("dask://h", "results", None, "is no engine"),
        ("dask://:8786", "results", None, "is no engine"),
        ("dask://h:port", "results", None, "is no engine"),
        ("dask://h:1", "results", Path("kept"), "take results from its --store: leave out --cache"),
    ],
)
def test_a_wrong_command_line_is_refused(url, store, cache, message):
    with pytest.raises(ConfigurationError, match=message):
        Engine.asked(url, store, cache, [])


def test_none_is_asked_for():
    assert Engine.asked(None, None, None, []) is None


def test_a_store_in_the_folder_itself_leaves_the_project_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []

    def connect(_url, asker, _store, _say):
        seen.append(asker.left_out)
        raise ConfigurationError("no cluster")

    monkeypatch.setattr(Cluster, "connect", connect)
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), 'tools = ["pkg"]\n')
    engine = Engine.asked("dask://h:1", ".", None, [tmp_path / "r.json"])
    with pytest.raises(ConfigurationError, match="no cluster"):
        next(engine.examine_each(run, run.list_tools()))
    assert seen == [("r.json", "r.json.journal", "results")]


def test_a_target_outside_of_the_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Engine.require_paths([str(tmp_path / "inner")])
    with pytest.raises(ConfigurationError, match="/elsewhere is outside of this folder"):
        Engine.require_paths(["/elsewhere"])
