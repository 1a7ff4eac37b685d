"""How the command of an MCP server is found: what is installed, and nothing that would be downloaded."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from tests.unit.systems.programs import program

from aptix_conformance.core.errors import SpecError, TargetError
from aptix_conformance.systems.mcp.commands import resolve
from aptix_conformance.systems.registry import OURS


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """The folder of an interpreter that the suite seems to run under; nothing else is on PATH."""
    monkeypatch.setattr(sys, "executable", program(tmp_path / "env", "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return tmp_path / "env"


def test_a_program_is_found_beside_the_interpreter_before_path(tmp_path, beside):
    ours, theirs = program(beside, "notes"), program(tmp_path / "path", "notes")
    assert resolve(("notes", "--fast"), "mcp:notes", tmp_path) == (ours, "--fast")
    Path(ours).unlink()
    assert resolve(("notes",), "mcp:notes", tmp_path) == (theirs,)
    with pytest.raises(TargetError, match=r"^mcp:x: there is no program 'other': install it"):
        resolve(("other",), "mcp:x", tmp_path)


def test_files_of_the_project_are_named_by_their_paths(tmp_path, beside):
    script = program(tmp_path, "server.py")
    assert resolve(("python", "server.py", "none.py"), "m", tmp_path)[1:] == (script, "none.py")
    assert resolve(("./server.py",), "m", tmp_path) == (script,)


@pytest.mark.parametrize("word", ["a\0b", chr(0xD800), chr(0xDC7F), chr(0xDD00)])
def test_a_word_that_no_program_can_be_given_is_refused(tmp_path, beside, word):
    program(beside, "notes")
    with pytest.raises(TargetError, match=r"^mcp:notes has .*, which no program can be given: remove it"):
        resolve(("notes", word), "mcp:notes", tmp_path)


def test_a_word_may_have_bytes_that_are_no_utf8(tmp_path, beside):
    ours = program(beside, "notes")
    assert resolve(("notes", "\udc80\udcff"), "mcp:notes", tmp_path) == (ours, "\udc80\udcff")


def test_uvx_starts_what_is_installed(tmp_path, beside):
    script = program(beside, "mcp-server-time")
    assert resolve(("uvx", "mcp-server-time", "--utc"), "m", tmp_path) == (script, "--utc")
    with pytest.raises(TargetError, match=r"mcp-server-git is not installed .* nothing is downloaded"):
        resolve(("uvx", "mcp-server-git"), "m", tmp_path)
    with pytest.raises(TargetError, match="in place of uvx with options"):
        resolve(("uvx", "--python", "3.12", "y"), "m", tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ("mcp-server-time@latest",),
        ("mcp-server-time@2025.8.4",),
        ("mcp-server-time[all]",),
        ("mcp-server-time==2025.8.4",),
        ("--from", "some-servers==1.0", "mcp-server-time"),
    ],
    ids=" ".join,
)
def test_uvx_may_name_a_version_or_the_package_of_the_program(tmp_path, beside, words):
    """What is installed is started, whatever its version: reports show it."""
    script = program(beside, "mcp-server-time")
    assert resolve(("uvx", *words, "--utc"), "m", tmp_path) == (script, "--utc")


@pytest.mark.parametrize(
    "programs", ["dist/index.js", {"server": "dist/index.js"}, {"other": "dist/index.js"}]
)
def test_npx_starts_the_program_of_an_installed_package(tmp_path, beside, programs):
    node = program(beside, "node")
    package = tmp_path / "node_modules" / "@scope" / "server"
    script = program(package / "dist", "index.js")
    (package / "package.json").write_text(json.dumps({"bin": programs}))
    for words in (("npx", "-y", "@scope/server", "--a"), ("npx", "@scope/server@1.2.3", "--a")):
        assert resolve(words, "m", tmp_path) == (node, script, "--a")


@pytest.mark.parametrize("text", ["", "[]", '{"bin": 5}', '{"bin": {}}', '{"bin": "gone.js"}', "[" * 100_000])
def test_a_package_without_a_program_is_not_installed(tmp_path, beside, text):
    program(beside, "node")
    package = tmp_path / "node_modules" / "server"
    package.mkdir(parents=True)
    (package / "package.json").write_text(text)
    with pytest.raises(TargetError, match="server is not installed in"):
        resolve(("npx", "-y", "server"), "m", tmp_path)
    shutil.rmtree(package)
    with pytest.raises(TargetError, match="server is not installed in"):
        resolve(("npx", "server"), "m", tmp_path)


def test_a_spec_is_a_command_and_perhaps_a_tool():
    found = OURS.specs.parse("mcp:python -m my_server --db '#1'#my_tool")
    assert (found.module, found.qualname) == ("python -m my_server --db '#1'", "my_tool")
    assert OURS.specs.parse("mcp:notes").qualname is None


@pytest.mark.parametrize(
    ("url", "tool"), [("https://example.com/mcp", None), ("http://127.0.0.1:8000/mcp", "tool")]
)
def test_a_spec_is_a_url_and_perhaps_a_tool(url, tool):
    found = OURS.specs.parse(f"mcp:{url}#{tool}" if tool else f"mcp:{url}")
    assert (found.module, found.qualname) == (url, tool)


@pytest.mark.parametrize(
    "url", ["https://", "http://me:secret@example.com/mcp", "https://example.com/mcp?key=k"]
)
def test_a_url_that_no_server_has_or_that_may_hold_a_secret_is_refused(url):
    with pytest.raises(SpecError, match=r"is not a URL|holds credentials|has a query"):
        OURS.specs.parse(f"mcp:{url}")
