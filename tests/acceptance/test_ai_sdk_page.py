"""docs/ai-sdk.md is true: its walk, typed as it is written."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pages import read_page

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / "reference_tools" / "ai-sdk-toolbox" / "node_modules"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
@pytest.mark.skipif(not INSTALLED.is_dir(), reason="reference_tools/ai-sdk-toolbox: npm install")
def test_the_walk_ends_where_it_says(tmp_path):
    """From a tool that ends the run of its agent to one that conforms; only the installing is done otherwise."""
    walk = read_page("docs/ai-sdk.md").sections["Five minutes"]
    tool, fixed = walk.blocks("typescript")
    (configuration,) = walk.blocks("toml")
    shutil.copytree(INSTALLED, tmp_path / "node_modules", symlinks=True)
    (tmp_path / "pyproject.toml").write_text(configuration, encoding="utf-8")

    found = examined(tmp_path, tool)
    told = set(re.findall(r"by `([A-Z]{3}\d{3})`", walk.text))
    assert set(re.findall(r"^FAILED aptix::order_status::([A-Z]{3}\d{3})", found, re.MULTILINE)) == told
    assert "nonconforming order_status" in found

    faulty = next(line for line in tool.splitlines(keepends=True) if "order.id" in line)
    assert "conforming    order_status" in examined(tmp_path, tool.replace(faulty, fixed))


def examined(folder, tool):
    (folder / "tools.ts").write_text(tool, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--aptix-conformance", "-rf"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
