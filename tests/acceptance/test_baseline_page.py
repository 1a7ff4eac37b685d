"""docs/baseline.md is true: its walk, typed as it is written with fewer examples, on the tool of the README."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.pages import read_page, tools_of_the_readme

from aptix_conformance.core.model.baseline import Baseline
from aptix_conformance.core.model.codec import from_json

PAGE = read_page("docs/baseline.md")


def test_the_walk_ends_where_it_says(tmp_path):
    begin, end = PAGE.sections["From the first report to an empty baseline"].typed()
    broken, fixed = tools_of_the_readme(tmp_path)
    (tmp_path / "my_tools.py").write_text(broken, encoding="utf-8")
    failed, made, passed = [_run(command, tmp_path) for command in begin]
    assert (failed[0], made[0], passed[0]) == (1, 0, 0), passed
    added = re.search(r"(\d+) added, 0 kept", made[1])
    assert re.search(r"\nnonconforming agent_weather +", passed[1])
    assert f"\nbaseline      {added[1]} known, 0 new, 0 stale\n" in passed[1]
    (tmp_path / "my_tools.py").write_text(fixed, encoding="utf-8")
    stale, pruned, good = [_run(command, tmp_path) for command in end]
    assert (stale[0], pruned[0], good[0]) == (1, 0, 0), good
    assert f", {added[1]} stale\n" in stale[1]
    assert f"{added[1]} removed, 0 kept" in pruned[1]
    assert "conforming    agent_weather" in good[1]


def test_the_file_on_the_page_is_a_baseline():
    (example,) = PAGE.blocks("json")
    assert from_json(Baseline, json.loads(example)).entries


def _run(command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTEST_ADDOPTS": "--aptix-examples=3 -p no:cacheprovider"}
    env.pop("CI", None)
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr
