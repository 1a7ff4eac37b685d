"""docs/art.md is true: its walk, typed as it is written."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pages import read_page

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / "reference_tools" / "art" / "node_modules"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
@pytest.mark.skipif(not (INSTALLED / "jiti").is_dir(), reason="reference_tools/art: npm install")
def test_the_walk_ends_where_it_says(tmp_path):
    """From a tool that breaks four rules to one that conforms; only the installing is done otherwise."""
    walk = read_page("docs/art.md").sections["Certify a TypeScript tool in ten minutes"]
    tool, fixed = walk.blocks("typescript")
    (configuration,) = walk.blocks("toml")
    shutil.copytree(INSTALLED, tmp_path / "node_modules")
    (tmp_path / "pyproject.toml").write_text(configuration, encoding="utf-8")

    found = examined(tmp_path, tool)
    told = set(re.findall(r"`((?:ART|EXC)\d{3})`", walk.text))
    assert set(re.findall(r"^FAILED aptix::current_weather::([A-Z]{3}\d{3})", found, re.MULTILINE)) == told
    assert "nonconforming current_weather" in found

    head, _, _ = tool.replace("format: 'date', ", "").partition("  async execute")
    assert "conforming    current_weather" in examined(tmp_path, head + fixed + "}\n")


def examined(folder, tool):
    (folder / "weather.ts").write_text(tool, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--aptix-conformance", "-rf"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
