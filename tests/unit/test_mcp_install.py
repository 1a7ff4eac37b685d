"""`aptix-conformance mcp install`: which servers it installs, what it shows, and its exit status; nothing is installed."""

import json

import pytest

from aptix_conformance.app.cli import main
from aptix_conformance.core.errors import ContainmentError, HostError, TargetError
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.systems.mcp.installing.install import Installation
from aptix_conformance.systems.mcp.installing.store import Installed
from aptix_conformance.systems.mcp.pool import McpPool


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Runs the command; what it would install is noted in `asked`, with how in `work`. `faults` are raised, by package."""
    monkeypatch.chdir(tmp_path)

    def install_one(work, wanted):
        run.asked.append(wanted.asking)
        run.work = work
        if wanted.name in run.faults:
            raise run.faults[wanted.name]
        return Installed(wanted.name, "1.0", "", "", "", 2, Containment("partial", ("why",))), True

    def run(*words):
        return main(["mcp", "install", *words])

    def start(_pool, module, _settings):
        if module in run.silent:
            raise HostError("no answer")

    run.asked, run.faults, run.silent = [], {}, set()
    monkeypatch.setattr(McpPool, "list_tools", start)
    monkeypatch.setattr(Installation, "install", install_one)
    return run


@pytest.fixture
def client_file(tmp_path):
    servers = {
        "time": {"command": "uvx", "args": ["mcp-server-time==1.0"]},
        "own": {"command": "python", "args": ["server.py"]},
        "notes": {
            "command": "npx",
            "args": ["-y", "${SCOPE:-@scope}/notes"],
            "env": {"TOKEN": "${UNSET_TOKEN}"},
        },
        "hosted": {"url": "https://example.com/mcp"},
        "wrong": {"command": "uvx", "args": ["--python", "3.12", "x"]},
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))


def test_servers_are_named_by_commands_and_specs(install, capsys):
    assert install("uvx a", "mcp:uvx b@2#tool", "npx -y c") == 0
    assert install.asked == ["a", "b==2", "c"]
    shown = capsys.readouterr()
    assert (
        shown.out.splitlines()[1]
        == "[2/3] b 1.0 installed (0 s, 2 packages, containment partial): mcp:uvx b@2"
    )
    assert len(shown.err.splitlines()) == 3


def test_all_servers_of_a_clients_file_are_installed_but_for_what_is_not_from_an_index(
    install, client_file, capsys
):
    assert install("--from", "mcp.json") == 1
    assert install.asked == ["mcp-server-time==1.0", "@scope/notes"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "[2/5] nothing to install  mcp:@mcp.json:own: neither uvx nor npx starts it"
    assert lines[4].startswith(
        "[5/5] not installed  mcp:@mcp.json:wrong: write the installed program in place of uvx"
    )


def test_a_command_that_was_typed_and_starts_no_package_is_not_passed_over(install, capsys):
    assert install("mcp-server-time", "uvx a") == 1
    assert install.asked == ["a"]
    assert capsys.readouterr().out.splitlines()[0] == (
        "[1/2] not installed  mcp:mcp-server-time: neither uvx nor npx starts it; write the command of a client, "
        'such as "uvx mcp-server-time"'
    )


def test_one_server_of_a_clients_file_is_chosen(install, client_file):
    assert install("--from", "mcp.json", "--server", "time", "--server", "own") == 0
    assert install.asked == ["mcp-server-time==1.0"]


def test_without_names_the_servers_of_the_project_are_installed(install, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.aptix-conformance]\ntools = ["mcp:notes#one", "mcp:notes#two", "mcp:uvx clock", "tools:Other"]\n'
        'server_store = "elsewhere"\n'
        '[tool.aptix-conformance.tool."mcp:notes"]\ncommand = ["uvx", "--from", "notes-server", "notes"]\n'
    )
    assert install() == 0
    assert install.asked == ["notes-server", "clock"]
    assert install.work.store.folder == tmp_path / "elsewhere"


def test_options_say_how(install, tmp_path):
    assert install("uvx a") == 0
    work = install.work
    assert (work.store.folder, work.upgrade, work.contained, work.opened) == (
        tmp_path / ".aptix-servers",
        False,
        True,
        (),
    )
    words = ["--store", "x", "--upgrade", "--containment", "none", "--open", "files.example.com:443"]
    assert install("uvx a", *words) == 0
    work = install.work
    assert (work.store.folder, work.upgrade, work.contained) == (tmp_path / "x", True, False)
    assert work.opened == (("files.example.com", 443),)


@pytest.mark.parametrize("error", [TargetError, ContainmentError, HostError])
def test_a_server_that_cannot_be_installed_is_one_line_and_the_others_go_on(install, capsys, error):
    install.faults = {"a": error("no wheel\nof a")}
    assert install("uvx a", "uvx b") == 1
    assert install.asked == ["a", "b"]
    assert capsys.readouterr().out.splitlines()[0] == r"[1/2] not installed  mcp:uvx a: no wheel\nof a"


def test_a_server_that_does_not_start_is_one_line_and_the_others_go_on(install, capsys):
    install.silent = {"uvx a"}
    assert install("uvx a", "uvx b") == 1
    assert install.asked == ["a", "b"]
    assert capsys.readouterr().out.splitlines()[1].strip() == "does not start  mcp:uvx a: no answer"


def test_dependencies_are_asked_for_with_each_server_of_python(install):
    assert install("uvx --with d a", "npx b", "--with", "mcp<2") == 0
    assert install.asked == ["a with d with mcp<2", "b"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no server is named"),
        (("--server", "x"), "name it by --from"),
        (("--from", "gone.json"), "gone.json: cannot be read"),
        (("--from", "mcp.json", "--server", "x"), "names no server x"),
        (("uvx a==1", "uvx a==2"), "ask for a==1 and a==2; a store has one of them"),
        (("uvx a", "uvx a[b]"), "ask for a and a[b]"),
        (("uvx a", "uvx --with b a"), "ask for a and a with b"),
        (("uvx a", "--with", "./b"), "names no package of an index"),
        (("uvx a", "--open", "x"), "--open[0]: x is not a host with a port"),
        (("mcp:",), "a correct one is"),
    ],
)
def test_bad_usage_installs_nothing(install, client_file, capsys, words, said):
    assert install(*words) == 2
    assert said in capsys.readouterr().err
    assert not install.asked


def test_one_package_with_two_programs_is_no_contradiction(install):
    assert install("uvx --from a x", "uvx --from a y") == 0
