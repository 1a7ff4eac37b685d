"""Colours and cursor movements: on a terminal where they are wanted, and nowhere else."""

import contextlib
import os
import pty
import re
import subprocess
import sys

import pytest

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
UNSET = ("CI", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "PYTEST_ADDOPTS")
QUICK = ("--aptix-conformance", "-p", "no:cacheprovider", "-k", "SCH001 or SCH006", "--aptix-examples=1")


@pytest.fixture
def project(tmp_path, tool_source):
    """A project with one tool, which is only read, and breaks a rule."""
    source = tool_source("weather").replace('"type": "object"', '"type": "array"')
    (tmp_path / "weather_tools.py").write_text(source, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.aptix-conformance]\ntools = ["weather_tools"]\ntool.agent_weather.side_effects = "destructive"\n',
        encoding="utf-8",
    )
    return tmp_path


def shown_on_a_terminal(folder, *words, module="pytest", **variables):
    """All bytes that a module of Python sends to its terminal."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=folder, env=environment(**variables), stdin=terminal, stdout=terminal, stderr=terminal,
    ):  # fmt: skip
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(controller, 65536):
                shown += part
    os.close(controller)
    return shown


def environment(**variables):
    return {name: value for name, value in os.environ.items() if name not in UNSET} | {
        "TERM": "xterm",
        **variables,
    }


def test_a_terminal_has_colours(project):
    shown = shown_on_a_terminal(project, *QUICK)
    assert COLOUR.search(shown)
    assert re.search(rb"\x1b\[31mnonconforming +agent_weather", shown)


@pytest.mark.parametrize(
    ("words", "variables"),
    [((), {"NO_COLOR": "1"}), (("--color=no",), {}), ((), {"TERM": "dumb"})],
    ids=["NO_COLOR", "--color=no", "a terminal that knows no escapes"],
)
def test_colours_that_are_not_wanted_are_left_out(project, words, variables):
    shown = shown_on_a_terminal(project, *QUICK, *words, **variables)
    assert b"nonconforming agent_weather" in shown
    assert not COLOUR.search(shown)


@pytest.mark.parametrize("words", [(), ("--color=yes",)], ids=["by itself", "--color=yes"])
def test_what_is_no_terminal_has_colours_only_where_they_are_asked_for(project, words):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *QUICK, "--aptix-report=html=report.html", *words],
        cwd=project, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert b"nonconforming" in done.stdout
    assert bool(COLOUR.search(done.stdout)) is bool(words)
    assert b"\x1b" not in done.stderr + (project / "report.html").read_bytes()


def test_commands_print_no_escape_even_on_a_terminal(project):
    """They print what a report says, which may be a stranger's."""
    subprocess.run(
        [sys.executable, "-m", "pytest", *QUICK, "--aptix-report=report.json"],
        cwd=project, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    for words in (["report", "summary", "report.json"], ["explain", "SCH006"], ["report", "html", "none"]):
        shown = shown_on_a_terminal(project, *words, module="aptix_conformance")
        assert shown
        assert b"\x1b" not in shown


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "1")], ids=["one process", "xdist"])
def test_a_terminal_shows_what_is_examined_and_the_time_left(project, workers):
    """The line stands below the cursor, and is erased in the end."""
    (project / "pyproject.toml").write_text('[tool.aptix-conformance]\ntools = ["weather_tools"]\n')
    at_once = "from aptix_conformance.plugin import progress\nprogress.LIVE = progress.Pace(0.0, 0.0)\n"
    (project / "conftest.py").write_text(at_once)  # otherwise a tool that is done within a second has no line
    shown = shown_on_a_terminal(project, "--aptix-conformance", "-p", "no:cacheprovider", *workers)
    lines = re.findall(rb"\x1b7\x1b\[B\r([^\x1b]*)\x1b\[K\x1b8", shown)
    assert [line for line in lines if re.fullmatch(rb"agent_weather: \S+, [\d,]+ calls, \d+ s.*", line)]
    assert [line for line in lines if re.search(rb"; about \d+ s left$", line)]
    assert lines[-1] == b""
    assert b"examining " not in shown


def test_a_terminal_that_knows_no_escapes_gets_none(project):
    (project / "pyproject.toml").write_text('[tool.aptix-conformance]\ntools = ["weather_tools"]\n')
    words = ("--aptix-conformance", "-p", "no:cacheprovider")
    assert b"\x1b" not in shown_on_a_terminal(project, *words, TERM="dumb")
