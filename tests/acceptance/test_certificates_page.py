"""docs/certificates.md is true: its walk, typed as it is written, on the tool of the README."""

import os
import subprocess
import sys
from pathlib import Path

from tests.pages import read_page, tools_of_the_readme


def test_the_walk_ends_where_it_says(tmp_path):
    walk = read_page("docs/certificates.md").sections["From a key to a verified certificate"]
    folder = tmp_path / "my-tools"
    folder.mkdir()
    _, conforming = tools_of_the_readme(folder)
    (folder / "my_tools.py").write_text(conforming, encoding="utf-8")
    said = [_run(command, folder) for block in walk.typed() for command in block]
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
