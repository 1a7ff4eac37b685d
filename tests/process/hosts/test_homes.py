"""No way leads a contained tool into a home: what a stranger may have written is refused and named, and nothing starts."""

import json
from dataclasses import replace

import pytest
from tests.process.hosts.mcp.servers import SERVER
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

SPEC = "@mcp.json:notes"


@pytest.fixture
def key(tmp_path, monkeypatch):
    """A key in a home, which everybody may read."""
    made = tmp_path / "home" / "keys" / "id_test"
    made.parent.mkdir(parents=True)
    made.write_text("the key")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return made


def test_no_package_leads_a_tool_into_a_home(bench, key):
    """One way; tests/unit/hosts/test_readable_paths.py has all."""
    site = bench.place / "site-packages"
    site.mkdir()
    (site / "a.pth").write_text(f"{key.parent}\n")
    environment = bench.pool.environment
    bench.pool.environment = replace(environment, sys_path=(str(site), *environment.sys_path))
    bench.write("tools", bench.tool("Reads", f"return InvokeResult.create(open({str(key)!r}).read())"))
    with pytest.raises(
        TargetError, match=rf"`reads = \[\"{key.parent}\"\]`.*: {site}/.* leads to {key.parent}$"
    ):
        bench.call("tools:Reads")
    assert bench.call("tools:Reads", reads=(str(key.parent),)).result.payload == "the key"


def run(project, text):
    (project / "run").write_text(text)
    (project / "run").chmod(0o755)
    return {"command": "./run"}


def link(place, key):
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(key)


def package(folder):
    script = folder / "node_modules" / "a" / "index.js"
    script.parent.mkdir(parents=True)
    script.touch()
    return str(script)


def with_words(*words):
    too_long_for_a_path = "/" + "a" * 5000
    return {"command": "python", "args": ["server.py", *words, too_long_for_a_path]}


NAMED = {
    "an argument": lambda _, key: with_words(str(key.parent)),
    "a file that an argument names": lambda _, key: with_words(str(key)),
    "a link on the way of an argument": lambda project, key: link(project / "a", key.parent) or with_words("a/id_test"),
    "a variable": lambda _, key: with_words() | {"env": {"PYTHONPATH": f"/usr/lib:{key.parent}"}},
    "a package of another project": lambda _, key: with_words(package(key.parent)),
    "cwd": lambda _, key: with_words() | {"cwd": str(key.parent)},
    "the command": lambda _, key: key.chmod(0o755) or {"command": str(key)},
    "the first line of a script": lambda project, key: key.chmod(0o755) or run(project, f"#!{key}\n"),
    "a link in node_modules": lambda project, key: link(project / "node_modules" / "a", key.parent) or with_words(),
}  # fmt: skip


@pytest.fixture
def server(tmp_path, key):
    """A function that writes how a server is started to a client's file, and calls it with some settings."""
    project = tmp_path / "project"
    project.mkdir()
    says = f"call = lambda _: {{'content': [{{'type': 'text', 'text': open({str(key)!r}).read()}}]}}"
    (project / "server.py").write_text(f"{SERVER}\n{says}\nserve()\n")
    limits = Limits(timeout=5.0, start=10.0)
    pool = McpPool(Environment(project, (), limits=limits, systems=OURS.traits))

    def call(way, **settings):
        """The result of a call of the server."""
        said = NAMED[way](project, key)
        (project / "mcp.json").write_text(json.dumps({"mcpServers": {"notes": said}}))
        host = pool.open(Target(f"mcp:{SPEC}#echo", "mcp", SPEC, "echo"), ToolSettings(**settings))
        return host.execute(stimulus("valid", "minimal", "{}", None)).result

    call.pool = pool
    yield call
    pool.close()


@pytest.mark.parametrize("way", NAMED)
def test_no_clients_file_leads_a_server_into_a_home(server, key, way):
    with pytest.raises(TargetError, match=rf"^mcp:{SPEC}: .*`reads = \[.* leads to {key.parent}"):
        server(way)


def folder_beside(key, name):
    made = key.parent.parent / name
    made.mkdir()
    return str(made)


ALLOWED = {
    "reads": lambda key: ("an argument", {"reads": (str(key.parent),)}),
    "reads of the file alone": lambda key: ("a link on the way of an argument", {"reads": (str(key),)}),
    "not contained": lambda _: ("an argument", {"side_effects": "none"}),
    "the store of servers": lambda _: ("an argument", {}),
    "a table of the server": lambda key: ("a variable", {
        "command": ("python", "server.py", str(key)),
        "directory": folder_beside(key, "notes"),
        "env": {"PYTHONPATH": folder_beside(key, "lib")},
    }),
}  # fmt: skip


@pytest.mark.parametrize("setting", ALLOWED)
def test_what_a_clients_file_names_is_allowed(server, key, setting):
    if setting == "the store of servers":
        server.pool.environment = replace(server.pool.environment, server_store=key.parent)
    way, settings = ALLOWED[setting](key)
    assert server(way, **settings).payload == "the key"
