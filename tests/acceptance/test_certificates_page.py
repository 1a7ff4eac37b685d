"""docs/certificates.md is true: its walk, typed as it is written, on the tool of the README."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_walk_ends_where_it_says(tmp_path):
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    walk = page.split("\n## From a key to a verified certificate\n")[1].split("\n## ")[0]
    typed = [
        line.removeprefix("$ ")
        for language, block in FENCE.findall(walk)
        if language == "console"
        for line in block.splitlines()
    ]
    folder = tmp_path / "my-tools"
    folder.mkdir()
    _write_the_readmes_tool(folder)
    said = [_run(command, folder) for command in typed]
    _env, _python, _git, keygen, issue, _copy, good, reproduced, _change, changed, revoke, revoked = said
    assert "key id:" in keygen[1]
    assert issue[:1] == (0,), issue
    assert "certificate: agent_weather" in issue[1]
    assert good[0] == 0
    assert good[1].endswith("good\n")
    assert reproduced[0] == 0, reproduced
    assert "\nreproduced: agent_weather, " in reproduced[1]
    assert changed[0] == 1
    assert "is not the one that was signed" in changed[1]
    assert revoke[1].count("revoked: ") == 2
    assert revoked[0] == 1
    assert "it reveals a key" in revoked[1]


def _write_the_readmes_tool(folder):
    """The tool that conforms at the end of the README's five minutes."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("\n## Certify your own tool in five minutes\n")[1].split("\n## ")[0]
    blocks = FENCE.findall(section)
    tool, fixed = [block for language, block in blocks if language == "python"]
    (configuration,) = [block for language, block in blocks if language == "toml"]
    head = tool.partition("        arguments = json.loads(arguments_json)")[0]
    (folder / "my_tools.py").write_text(head + fixed, encoding="utf-8")
    (folder / "pyproject.toml").write_text(configuration, encoding="utf-8")


def _run(command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
