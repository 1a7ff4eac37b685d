"""What hosts import is compiled before they are contained."""

import sys

import pytest

from aptix_conformance.hosts.python_pool import compile_once


@pytest.fixture
def folder(tmp_path):
    """Two modules, one of which is none."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "good.py").write_text("X = 1\n")
    (tmp_path / "bad.py").write_text("X = (\n")
    return tmp_path


def test_each_module_has_its_bytecode_and_what_is_no_module_is_passed_over(folder, monkeypatch, capfd):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    compile_once(folder)
    assert [path.name.partition(".")[0] for path in folder.rglob("*.pyc")] == ["good"]
    assert capfd.readouterr() == ("", "")


def test_nothing_is_written_where_python_is_not_to(folder, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    compile_once(folder)
    assert not list(folder.rglob("*.pyc"))
