"""CONTRIBUTING.md is true: its walk from clause to page is done as it is written, in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADING = "Add a rule, from clause to page"
FENCE = re.compile(
    r"(?P<before>[^\n]*\n[^\n]*)\n\n```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
FILE = re.compile(r"(?P<how>Append to|Write)\s`(?P<path>[\w./]+)`:$")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist")


def section():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.split(f"\n## {HEADING}\n")[1].split("\n## ", maxsplit=1)[0]


def steps():
    """The steps in order: commands, and files with how they come about."""
    for fence in FENCE.finditer(section()):
        if fence["language"] == "console":
            for line in fence["text"].splitlines():
                yield "run", line.removeprefix("$ "), ""
        else:
            named = FILE.search(fence["before"])
            assert named, f"which file is this? {fence['text'][:60]}"
            yield named["how"], named["path"], fence["text"]


@pytest.fixture
def copy(tmp_path):
    target = tmp_path / "checkout"
    shutil.copytree(ROOT, target, ignore=LEFT_OUT)
    return target


def run(command, checkout):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment["PYTHONPATH"] = os.pathsep.join(
        str(checkout / name) for name in ("conformance", "reference_tools")
    )
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, f"$ {command}\n{result.stdout}{result.stderr}"
    return result.stdout


def test_a_rule_can_be_added_as_it_is_told(copy):
    """Every command exits with 0; in the end the rule has its page, and the clause names it."""
    printed = ""
    for what, subject, text in steps():
        path = copy / subject
        if what == "run":
            printed += run(subject, copy)
        elif what == "Write":
            assert not path.exists(), f"{subject} is there already"
            path.write_text(text, encoding="utf-8")
        else:
            path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    page = (copy / "site" / "rules" / "EXC099.md").read_text(encoding="utf-8")
    assert "An error said" in page
    assert "message.upper()" in page
    assert "[EXC099](rules/EXC099.md)" in (copy / "site" / "clauses.md").read_text(encoding="utf-8")
    assert "EXC099 errors-do-not-shout\n" in printed


def test_the_walk_has_all_its_steps():
    """Else the test above might do nothing."""
    done = [what for what, _, _ in steps()]
    assert done.count("Append to") == 1
    assert done.count("Write") == 2
    assert done.count("run") >= 9
