"""The corpus of real servers: its list, its locks and its judgements can be read, and its page says what was judged."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))  # the corpus is a command of the checkout, and not installed

from corpus.examine import _configuration
from corpus.judgements import Judgement, read_judgements
from corpus.page import Broken, Result, judgement_of, render, unjudged
from corpus.servers import Server, read_servers

TRUE = Judgement("time*", "EXC003", "true", "it shows a path", tool="get_*")


@pytest.mark.parametrize("server", read_servers(), ids=lambda server: server.name)
def test_everything_that_a_server_needs_is_locked_by_hashes(server):
    text = server.lock.read_text(encoding="utf-8")
    name, version = server.requirement
    pin = f"{name.lower().replace('.', '-')}=={version} " if server.is_python else f'"{name}": "{version}"'
    assert pin in text
    hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}|\"integrity\": \"sha512-", text)
    pinned = re.findall(r"^\S+==|\"version\": ", text, re.MULTILINE)
    assert len(hashes) >= len(pinned) > 0
    assert "registry." not in text


def test_the_judgements_can_be_read_and_each_has_a_reason():
    assert all(each.reason for each in read_judgements())


@pytest.mark.parametrize(
    ("server", "tool", "rule", "judged"),
    [
        ("time-0.6.2", "get_current_time", "EXC003", True),
        ("time", "convert_time", "EXC003", False),
        ("time", "get_current_time", "EXC002", False),
        ("git", "get_current_time", "EXC003", False),
    ],
)
def test_a_judgement_is_about_what_its_patterns_match(server, tool, rule, judged):
    assert (judgement_of(Broken(server, tool, rule, "a path", ""), [TRUE]) is TRUE) is judged


def test_a_server_without_a_report_is_no_conforming_one():
    server = Server("notes", "pypi:notes-mcp==1.0", needs="network")
    page = render([Result(server, None)], [])
    assert "| `notes-mcp==1.0` |  | not examined |" in page
    assert unjudged([Result(server, None)], []) == []


@pytest.mark.parametrize("package", ["notes==1.0", "npm:notes", "pypi:==1.0"])
def test_a_package_without_a_version_is_refused(tmp_path, package):
    path = tmp_path / "servers.toml"
    path.write_text(f'[[server]]\nname = "notes"\npackage = "{package}"\n')
    with pytest.raises(ValueError, match="write the package as"):
        read_servers(path)


def test_the_project_of_a_server_names_its_command_its_tools_and_its_examples(tmp_path):
    server = Server("n", "pypi:n==1", files={"a": "b"}, tools=["t"], examples={"t": [{"x": [1, {"y": "z"}]}]})
    found = tomllib.loads(_configuration(server, tmp_path))["tool"]["aptix-conformance"]
    assert found["tools"] == ["mcp:n#t"]
    assert found["tool"]["mcp:n"] == {"command": [f"{tmp_path}/venv/bin/n"], "files": "files"}
    assert found["tool"]["mcp:n#t"]["examples"] == [{"x": [1, {"y": "z"}]}]
