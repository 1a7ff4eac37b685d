"""docs/init.md is true: its commands, typed from an empty folder; only the installing is done otherwise."""

import os
import re
import subprocess
import sys
import tomllib

from tests.pages import read_page

PAGE = read_page("docs/init.md")
SERVER, APTIX = "An MCP server in Python", "Aptix tools in Python"
*_, SET_UP, ACCEPT, EXAMINE = PAGE.sections[SERVER].commands()


def typed(folder, words):
    """Types a command of the page, as in CI: a lock that is missing fails."""
    program, *arguments = words
    module = {".venv/bin/pytest": "pytest", ".venv/bin/aptix-conformance": "aptix_conformance"}[program]
    quiet = ["-p", "no:cacheprovider"] if module == "pytest" else []
    command = [sys.executable, "-m", module, *arguments, *quiet]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "CI": "1"}, capture_output=True, text=True, check=False
    )


def test_a_server_is_set_up_from_an_empty_folder_and_ci_is_green_on_what_is_accepted(tmp_path):
    section = PAGE.sections[SERVER]
    (source,), (first_lines,), (configuration,) = map(section.blocks, ("python", "text", "toml"))
    (tmp_path / "adder.py").write_text(source, encoding="utf-8")

    done = typed(tmp_path, SET_UP)
    assert done.returncode == 1
    assert done.stdout.startswith(first_lines)
    assert configured(tmp_path) == tomllib.loads(configuration)
    left = " ".join(re.findall(r"^left .*", done.stdout, re.MULTILINE))
    assert set(re.findall(r"[A-Z]{3}\d{3}", left)) == set(re.findall(r"`([A-Z]{3}\d{3})`", section.text))

    accepted = typed(tmp_path, ACCEPT)
    assert (accepted.returncode, "left " in accepted.stdout) == (0, False)
    assert configured(tmp_path)["tool"]["aptix-conformance"]["baseline"] == "aptix-baseline.json"
    assert typed(tmp_path, EXAMINE).returncode == 0


def test_a_second_run_on_aptix_tools_changes_nothing(tmp_path):
    (configuration,) = PAGE.sections[APTIX].blocks("toml")
    tool, _ = read_page("README.md").sections["Certify your own tool in five minutes"].blocks("python")
    (tmp_path / "my_tools.py").write_text(tool, encoding="utf-8")
    assert typed(tmp_path, SET_UP).returncode == 1
    assert configured(tmp_path) == tomllib.loads(configuration)
    before = contents(tmp_path)
    assert {"snapshots/agent_weather.json", ".github/workflows/aptix-conformance.yml"} < before.keys()

    again = typed(tmp_path, SET_UP)
    assert (again.returncode, "had to be changed" in again.stdout) == (0, True)
    assert contents(tmp_path) == before


def configured(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
