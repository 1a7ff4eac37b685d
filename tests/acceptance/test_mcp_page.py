"""docs/mcp.md is true: its walk, typed as it stands."""

import re
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([A-Z]{3}\d{3})`")
PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")


def test_the_walk_ends_where_it_says(tmp_path):
    """From a tool and a server that break three rules to ones that conform; only the installing is done otherwise."""
    walk = PAGE.split("\n## Certify a tool in five minutes\n")[1].split("\n## ")[0]
    blocks = FENCE.findall(walk)
    server, fixed = [text for language, text in blocks if language == "python"]
    (configuration,) = [text for language, text in blocks if language == "toml"]
    (tmp_path / "pyproject.toml").write_text(configuration, encoding="utf-8")

    found = examined(tmp_path, server)
    of_tool, of_server = walk.split("The tool is nonconforming by ")[1].split(
        "The server is nonconforming by "
    )
    failed = set(re.findall(r"^FAILED aptix::([^:]+)::([A-Z]{3}\d{3})", found, re.MULTILINE))
    assert {rule for item, rule in failed if not item.startswith("mcp%3A")} == set(CODE.findall(of_tool))
    assert {rule for item, rule in failed if item.startswith("mcp%3A")} == set(CODE.findall(of_server))
    assert "1 tool: 1 nonconforming; 1 server: 1 nonconforming" in found

    head, _, tail = server.partition("def call(params):\n")
    rest = tail.partition("\n\n\n")[2]
    assert "1 tool: 1 conforming; 1 server: 1 conforming" in examined(tmp_path, f"{head}{fixed}\n\n{rest}")


def examined(folder, server):
    (folder / "weather_server.py").write_text(server, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--aptix-conformance", "-rf"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
