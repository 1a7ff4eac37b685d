"""The predicate of a certificate depends on neither the machine's load, nor the folder, nor the order of the tools."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance.app.certificates.envelope import parse
from aptix_conformance.app.cli import main

ROOT = Path(__file__).parents[2]
NAMED = ["weather:WeatherTool", "line_counter:LineCounterTool"]
"""The second one waits for a process, so how often a call of it is suspended depends on the machine."""


@pytest.fixture
def busy_machine():
    """A function that leaves this process half of one processor."""
    own, busy = os.sched_getaffinity(0), []

    def start():
        os.sched_setaffinity(0, {min(own)})  # the processes that are started have it as well
        busy.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))

    yield start
    os.sched_setaffinity(0, own)
    for process in busy:
        process.kill()
        process.wait()


def _project(folder):
    """A git repository with two tools and an environment of their own."""
    folder.mkdir()
    shutil.copy(ROOT / "tests" / "tools" / "weather.py", folder)
    waits = (ROOT / "fixtures" / "conforming" / "line_counter.py").read_text(encoding="utf-8")
    assert "sleep 0.9;" in waits
    (folder / "line_counter.py").write_text(waits.replace("sleep 0.9;", "sleep 0.1;"), encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[tool.aptix-conformance.tool.agent_weather]\npython = "env/bin/python"\n'
    )
    (folder / ".gitignore").write_text("env\n")
    for command in (
        [sys.executable, "-m", "venv", "--without-pip", "env"],
        ["git", "init", "-q"],
        ["git", "add", "."],
    ):
        subprocess.run(command, cwd=folder, check=True)
    return folder


def _statements(folder, file, key, named, monkeypatch):
    monkeypatch.chdir(folder)
    terms = ["--key", str(key), "-o", str(file), "--examples", "3", "--at", "2026-06-01"]
    assert main(["certificate", "issue", *named, *terms]) in (0, 1)
    return [json.loads(parse(line, "file").payload) for line in file.read_bytes().splitlines()]


def test_on_a_busy_machine_in_another_folder_and_order_only_the_issuance_differs(
    tmp_path, monkeypatch, busy_machine
):
    key = tmp_path / "key"
    assert main(["certificate", "keygen", str(key)]) == 0
    found = [_statements(_project(tmp_path / "one"), tmp_path / "1", key, NAMED, monkeypatch)]
    busy_machine()
    found.append(_statements(_project(tmp_path / "two"), tmp_path / "2", key, NAMED[::-1], monkeypatch))
    for statement in (*found[0], *found[1]):
        statement["predicate"].pop("issuance", None)
        statement["subject"] = [one for one in statement["subject"] if one["name"] != "report"]
    assert len(found[0]) == 2 * len(NAMED)
    for one, other in zip(*found, strict=True):
        for name, value in one["predicate"].items():
            assert value == other["predicate"][name], name
    assert found[0] == found[1]
