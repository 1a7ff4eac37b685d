"""A tool in an installed distribution: certified from a copy of its files, and reproduced from any place that has them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance.app.cli import main

WEATHER = Path(__file__).parents[1] / "tools" / "weather.py"
TABLE = """\
[tool.aptix-conformance.tool."weather:WeatherTool"]
python = "env/bin/python"
examples = [{ city = "Oslo" }]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder, no git repository, whose environment has the tool; it is the working directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(TABLE)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "env"], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


def _install(project):
    (site,) = (project / "env").glob("lib/python*/site-packages")
    shutil.copy(WEATHER, site)
    (site / "acme-1.dist-info").mkdir()
    (site / "acme-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    listed = ["weather.py", "acme-1.dist-info/METADATA", "acme-1.dist-info/RECORD"]
    (site / "acme-1.dist-info" / "RECORD").write_text("".join(f"{name},,\n" for name in listed))
    return site


def test_a_tool_in_a_distribution_has_a_certificate_that_can_be_reproduced(project, tmp_path, capsys):
    site, key, file = _install(project), tmp_path / "key", tmp_path / "file"
    assert main(["certificate", "keygen", str(key)]) == 0
    issue = ["certificate", "issue", "weather:WeatherTool", "--key", str(key), "-o", str(file)]
    assert main([*issue, "--examples", "2", "--at", "2026-06-01"]) == 0
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(site, elsewhere)
    capsys.readouterr()
    verify = ["certificate", "verify", str(file), "--key", f"{key}.pub", "--at", "2026-06-02"]
    status = main([*verify, "--code", str(elsewhere), "--reproduce"])
    said = capsys.readouterr().out
    assert (status, "\nreproduced: agent_weather" in said) == (0, True), said
    (elsewhere / "weather.py").write_text(WEATHER.read_text() + "\n")
    assert main([*verify, "--code", str(elsewhere)]) == 1
    assert "is not the one that was signed" in capsys.readouterr().out
