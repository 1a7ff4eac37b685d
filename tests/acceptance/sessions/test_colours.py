"""Colours and cursor movements: on a terminal where they are wanted, and nowhere else."""

import contextlib
import os
import pty
import re
import subprocess
import sys

import pytest
from tests.real_project import QUICK

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
UNSET = ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "PYTEST_ADDOPTS")
CHOSEN = ("-k", "SCH001 or SCH006")
AT_ONCE = """
from aptix_conformance.app.run import progress

progress.LIVE = progress.Pace(0.0, 0.0, 0.0)
"""
"""Otherwise a tool that is done within a second has no line."""


@pytest.fixture
def project(project, monkeypatch):
    """A project with one tool, which breaks a rule; the environment wants no colours and refuses none."""
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    project.replace(broken={"SCH006": {"message": "The parameters are no object."}})
    return project


def shown_on_a_terminal(folder, module, *words):
    """All bytes that a module of Python sends to its terminal."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", module, *words], cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal
    ):
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(controller, 65536):
                shown += part
    os.close(controller)
    return shown


def session_on_a_terminal(project, *words):
    return shown_on_a_terminal(project.path, "pytest", *QUICK, *words)


def test_a_terminal_has_colours(project):
    shown = session_on_a_terminal(project, *CHOSEN)
    assert COLOUR.search(shown)
    assert re.search(rb"\x1b\[31mnonconforming +agent_weather", shown)


@pytest.mark.parametrize("wish", ["NO_COLOR", "--color=no"])
def test_colours_that_are_not_wanted_are_left_out(project, monkeypatch, wish):
    if wish == "NO_COLOR":
        monkeypatch.setenv(wish, "1")
    shown = session_on_a_terminal(project, *CHOSEN, *([wish] if wish.startswith("-") else []))
    assert b"nonconforming agent_weather" in shown
    assert not COLOUR.search(shown)


@pytest.mark.parametrize("words", [(), ("--color=yes",)], ids=["by itself", "--color=yes"])
def test_what_is_no_terminal_has_colours_only_where_they_are_asked_for(project, words):
    done = project.run(*CHOSEN, "--aptix-report=html=report.html", *words)
    shown = done.stdout.str().encode()
    assert b"nonconforming" in shown
    assert bool(COLOUR.search(shown)) is bool(words)
    assert b"\x1b" not in done.stderr.str().encode() + (project.path / "report.html").read_bytes()


def test_commands_print_no_escape_even_on_a_terminal(project):
    """They print what a report says, which may be a stranger's."""
    project.run(*CHOSEN, "--aptix-report=report.json")
    for words in (["report", "summary", "report.json"], ["explain", "SCH006"], ["report", "html", "none"]):
        shown = shown_on_a_terminal(project.path, "aptix_conformance", *words)
        assert shown
        assert b"\x1b" not in shown


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "1")], ids=["one process", "xdist"])
def test_a_terminal_shows_what_is_examined(project, workers):
    """The line is below the cursor, and is erased in the end. Nothing tells how long the only tool still takes."""
    project.conftest(AT_ONCE)
    shown = session_on_a_terminal(project, *workers)
    lines = re.findall(rb"\x1b7\x1b\[B\r([^\x1b]*)\x1b\[K\x1b8", shown)
    assert [line for line in lines if re.fullmatch(rb"agent_weather: \S+, [\d,]+ calls, \d+ s.*", line)]
    assert not [line for line in lines if line.endswith(b" left")]
    assert lines[-1] == b""
    assert b"examining " not in shown


def test_a_terminal_that_knows_no_escapes_gets_none(project, monkeypatch):
    project.conftest(AT_ONCE)
    monkeypatch.setenv("TERM", "dumb")
    shown = session_on_a_terminal(project)
    assert b"nonconforming agent_weather" in shown
    assert b"\x1b" not in shown
