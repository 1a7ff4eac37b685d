"""A server that `python FILE` starts, and its tool: certified from a copy of the project, and reproduced."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from aptix_conformance.app.certificates.envelope import parse
from aptix_conformance.app.cli import main

SERVERS = Path(__file__).parents[2] / "fixtures" / "mcp"
SPEC = "mcp:env/bin/python lengths.py"


def test_a_server_and_its_tool_have_certificates_that_can_be_reproduced(tmp_path, monkeypatch, capsys):
    project, key = tmp_path / "project", tmp_path / "key"
    project.mkdir()
    for source in (SERVERS / "serving.py", SERVERS / "conforming" / "lengths.py"):
        shutil.copy(source, project)
    (project / ".gitignore").write_text("env\n")
    for command in (
        [sys.executable, "-m", "venv", "--without-pip", "env"],
        ["git", "init", "-q"],
        ["git", "add", "."],
    ):
        subprocess.run(command, cwd=project, check=True)
    monkeypatch.chdir(project)
    file = tmp_path / "file"
    assert main(["certificate", "keygen", str(key)]) == 0
    issue = ["certificate", "issue", SPEC, "--key", str(key), "-o", str(file)]
    assert main([*issue, "--examples", "5", "--at", "2026-06-01"]) == 0
    statements = [json.loads(parse(line, "file").payload) for line in file.read_bytes().splitlines()]
    targets = {one["predicate"]["tool"]["target"] for one in statements if "tool" in one["predicate"]}
    assert targets == {SPEC, f"{SPEC}#convert_length"}
    capsys.readouterr()
    copy = tmp_path / "copy"
    subprocess.run(["git", "checkout-index", "--all", f"--prefix={copy}/"], cwd=project, check=True)
    given = ["--key", f"{key}.pub", "--code", str(copy), "--at", "2026-06-02"]
    status = main(["certificate", "verify", str(file), *given, "--reproduce"])
    said = capsys.readouterr().out
    assert (status, said.count("\nreproduced: ")) == (0, 2), said
