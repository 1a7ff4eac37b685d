"""docs/mcp.md is true: its walk and its commands, typed as they stand, with its configurations."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.acceptance.package_index import SERVER_IN_JAVASCRIPT, wheel
from tests.pages import read_page

from aptix_conformance.app.cli import main
from aptix_conformance.present.reports.report_files import read_report

CODE = re.compile(r"`([A-Z]{3}\d{3})`")
CHECKOUT = Path(__file__).parents[2]
PAGE = read_page("docs/mcp.md")
SECTIONS = PAGE.sections
WALK = "Certify a tool in five minutes"
START, INSTALLING, TARGETS, FILES = "MCP servers", "Installing servers", "Targets", "Servers of an mcp.json"
TABLES = (TARGETS, "Servers over HTTP", "Servers that need other machines")
"""The sections whose configuration is of a server that the page only names."""
MY_SERVER = """\
import argparse
from dataclasses import replace
from pathlib import Path

from toolbox import stdio, streamable_http
from toolbox.notebooks import Notebooks
from toolbox.protocol import Protocol
from toolbox.tools import make_tools

parser = argparse.ArgumentParser()
parser.add_argument("--store")
parser.add_argument("--port", type=int)
chosen = parser.parse_args()
tool = next(tool for tool in make_tools(Notebooks(Path("notes"))) if tool.name == "convert_length")
tool = replace(tool, definition={**tool.definition, "name": "my_tool"})
protocol = Protocol({"name": "my_server", "version": "1.0"}, [tool])
stdio.serve(protocol) if chosen.port is None else streamable_http.serve(protocol, chosen.port)
"""
"""The server that the page names: one tool of the reference server."""


def test_each_block_is_in_a_section_that_is_typed_here():
    """A new one has to be typed, too."""
    with_blocks = {title for title, section in SECTIONS.items() if section.blocks()}
    assert with_blocks == {START, WALK, INSTALLING, FILES, *TABLES}
    assert PAGE.languages == {"console", "python", "toml", "json"}


def test_the_walk_ends_where_it_says(tmp_path):
    """From a tool and a server that break three rules to ones that conform; only the installing is done otherwise."""
    walk = SECTIONS[WALK]
    server, fixed = walk.blocks("python")
    (configuration,) = walk.blocks("toml")
    (tmp_path / "pyproject.toml").write_text(configuration, encoding="utf-8")

    found = examined(tmp_path, server)
    of_tool, of_server = walk.text.split("The tool breaks ")[1].split("The server breaks ")
    failed = set(re.findall(r"^FAILED aptix::([^:]+)::([A-Z]{3}\d{3})", found, re.MULTILINE))
    assert {rule for item, rule in failed if not item.startswith("mcp%3A")} == set(CODE.findall(of_tool))
    assert {rule for item, rule in failed if item.startswith("mcp%3A")} == set(CODE.findall(of_server))
    assert "1 tool: 1 nonconforming; 1 server: 1 nonconforming" in found

    head, _, tail = server.partition("def call(params):\n")
    rest = tail.partition("\n\n\n")[2]
    assert "1 tool: 1 conforming; 1 server: 1 conforming" in examined(tmp_path, f"{head}{fixed}\n\n{rest}")


def examined(folder, server):
    (folder / "weather_server.py").write_text(server, encoding="utf-8")
    *_, (program, *words) = SECTIONS[WALK].commands()
    assert program == ".venv/bin/pytest"
    return typed(folder, ["pytest", *words], "-rf").stdout


_OURS = {
    name: value for name, value in os.environ.items() if name != "CI"
}  # in CI a lock that is missing is not made


def typed(folder, words, *further, **variables):
    """Types a command of the page, with further options that do not change what it shows."""
    module = {"pytest": "pytest", "aptix-conformance": "aptix_conformance"}[words[0]]
    quiet = ("-p", "no:cacheprovider") if module == "pytest" else ()
    return subprocess.run(
        [sys.executable, "-m", module, *words[1:], *quiet, *further],
        cwd=folder, env={**_OURS, **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path):
    """A project with the server that the page names, in it and in its folder `servers`."""
    for folder in (tmp_path, tmp_path / "servers"):
        shutil.copytree(CHECKOUT / "reference_tools" / "mcp-toolbox" / "toolbox", folder / "toolbox")
        (folder / "my_server.py").write_text(MY_SERVER, encoding="utf-8")
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


def test_one_tool_is_examined_by_its_spec(project):
    check, command = SECTIONS[START].commands()
    quick = typed(project, check)
    assert quick.returncode == 0, quick.stdout
    assert "quick" in quick.stdout
    done = typed(project, command, "--aptix-examples", "5")
    assert done.returncode == 0, done.stdout
    assert "1 tool: 1 conforming\n" in done.stdout


@pytest.mark.parametrize("section", TABLES)
def test_a_table_leads_to_its_server(project, section):
    (table,) = SECTIONS[section].blocks("toml")
    head = "[tool.aptix-conformance]\n"
    names_it = table if table.startswith(head) else f'{head}tools = ["mcp:notes"]\n{table}'
    (project / "pyproject.toml").write_text(names_it, encoding="utf-8")
    done = typed(project, ["pytest", "--aptix-conformance"], "-k", "my_tool and MCP046")
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout


def test_servers_are_installed_in_each_way_that_the_page_shows(index, capsys):
    """From an index on this machine, in place of those of PyPI and npm."""
    index.add(wheel("mcp", version="1.30.0"))
    for name in ("mcp_server_time", "mcp_server_fetch"):
        entry = f"[console_scripts]\n{name.replace('_', '-')} = {name}:main\n"
        index.add(wheel(name, files={f"{name}-1.0.dist-info/entry_points.txt": entry}))
    if has_npm := shutil.which("npm"):
        index.add_npm(
            "@scope/server", {"cli.js": SERVER_IN_JAVASCRIPT}, version="1.2.3", bin={"server": "cli.js"}
        )
    Path("pyproject.toml").write_text('[tool.aptix-conformance]\ntools = ["mcp:uvx mcp-server-time"]\n')
    (servers,) = SECTIONS[FILES].blocks("json")
    Path("mcp.json").write_text(servers)
    pip, *typed_words = SECTIONS[INSTALLING].commands()
    assert pip == ["pip", "install", "aptix-conformance[install]"]
    by_command, with_version, from_file, configured = (words[1:] for words in typed_words)

    assert main(by_command if has_npm else by_command[:-1]) == 0
    said = capsys.readouterr().out
    assert "mcp-server-time 1.0 installed" in said
    assert not has_npm or "@scope/server 1.2.3 installed" in said
    assert main(with_version) == 0
    assert "mcp-server-fetch 1.0 installed" in capsys.readouterr().out
    assert main(from_file) == 0
    assert capsys.readouterr().out.count("nothing to install") == 2
    assert main(configured) == 0
    assert "mcp-server-time 1.0 was installed" in capsys.readouterr().out


@pytest.fixture
def hosted(project):
    """The URL of the server, running on this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, "my_server.py", "--port", str(port)], cwd=project) as server:
        try:
            for _ in range(200):
                with socket.socket() as trial:
                    if trial.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.kill()


def test_the_servers_of_a_clients_file_are_scanned(project, hosted):
    """One is started, the other runs already: that one is read and not called."""
    (servers,) = SECTIONS[FILES].blocks("json")
    assert "https://example.com/mcp" in servers
    (project / "mcp.json").write_text(servers.replace("https://example.com/mcp", hosted), encoding="utf-8")
    (command,) = SECTIONS[FILES].commands()
    done = typed(project, command, "--examples", "1", NOTES_TOKEN="made up", HOSTED_TOKEN="made up")
    assert done.returncode == 1
    assert "nothing shows what its calls change there" in done.stdout
    status = {entry.target: entry.status for entry in read_report(project / "report.json").tools}
    assert status["mcp:@mcp.json:notes"] == status["mcp:@mcp.json:notes#my_tool"] == "conforming"
    assert status["mcp:@mcp.json:hosted#my_tool"] == "incomplete"


def test_the_commands_that_the_text_names_work(capsys):
    named = set(re.findall(r"`(aptix-conformance \w[^`]*)`", PAGE.text))
    assert named == {"aptix-conformance explain MCP046", "aptix-conformance clauses --system mcp"}
    for command in named:
        assert main(shlex.split(command)[1:]) == 0
        assert "MCP046" in capsys.readouterr().out
