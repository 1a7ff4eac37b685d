"""The commands that a run prints: the program, the report and the options, as the shell that started the run needs them."""

import shlex
import sys
from pathlib import Path

import pytest

from aptix_conformance.app.plugin.shell_commands import kept_options
from aptix_conformance.app.run.programs import program
from aptix_conformance.present.reports import Shell

REPLAY = "aptix-conformance replay 'report.json#it'\\''s/ARG002:2' --aptix-tools 'my tools:T'"
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["--aptix-conformance", "-k", "ARG002", "tests"], []),
        (["--aptix-tools", "a b", "--aptix-seed=3", "-x"], ["--aptix-tools", "a b", "--aptix-seed=3"]),
        (["--aptix-inline", "tests", "--aptix-edition", "e"], ["--aptix-inline", "--aptix-edition", "e"]),
        (["--aptix-report", "r.json", "--aptix-report=html=r.html", "--rootdir", ".."], ["--rootdir", ".."]),
        (["--aptix-tools"], ["--aptix-tools"]),
    ],
)
def test_the_options_that_decide_what_is_examined_are_kept(arguments, kept):
    assert kept_options(arguments) == kept


def test_a_program_on_the_path_is_called_by_its_name(monkeypatch):
    monkeypatch.setenv("PATH", str(BIN))
    assert program("pytest", Path.cwd()) == "pytest"


def test_a_program_that_is_not_on_the_path_is_called_by_its_place(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert program("pytest", BIN.parent) == f"{BIN.name}/pytest"
    assert program("pytest", Path("/elsewhere")) == str(BIN / "pytest")


def test_another_program_of_that_name_is_not_meant(monkeypatch, tmp_path):
    other = tmp_path / "pytest"
    other.write_text("#!/bin/sh\n", encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program("pytest", Path("/elsewhere")) == str(BIN / "pytest")


def test_a_program_that_is_not_there_is_run_as_a_module(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/my python/bin/python")
    assert program("aptix-conformance", Path("/")) == "'/my python/bin/python' -m aptix_conformance"


def test_the_report_and_the_program_are_those_of_the_shell():
    command = Shell("my report.json", "cd .. && .venv/bin/aptix-conformance").reproduce(
        "it's", "ARG002-x", REPLAY
    )
    assert shlex.split(command) == [
        "cd", "..", "&&", ".venv/bin/aptix-conformance", "replay", "my report.json#it's/ARG002:2", "--aptix-tools", "my tools:T",
    ]  # fmt: skip


def test_without_a_report_the_item_is_examined():
    command = Shell(None, pytest="pytest --aptix-conformance --aptix-seed=3").reproduce(
        "it's", "ARG002-x", REPLAY
    )
    assert shlex.split(command)[:3] == ["pytest", "--aptix-conformance", "--aptix-seed=3"]
    assert shlex.split(command)[3].startswith("aptix::")
