"""What the cache asks the hosts: where modules are looked for, and what a server is given besides files."""

import json
import sys

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.python_pool import PythonHostPool
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.targets.settings import Target, ToolSettings

SECRET = "value-of-a-token"


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """The surroundings of a server, by the values of a variable and by its settings."""
    with McpPool(Environment(rootdir=tmp_path, sys_path=())) as pool:

        def ask(value="1", module="server", **settings):
            monkeypatch.setenv("CACHE_CITY", value)
            return pool.surroundings(Target("mcp:server#a", "mcp", module, "a"), ToolSettings(**settings))

        yield ask


@pytest.mark.parametrize(
    "settings",
    [
        {"command": (sys.executable, "--city", "${CACHE_CITY}")},
        {"command": (sys.executable,), "env": {"CITY": "${CACHE_CITY}"}},
        {"command": (sys.executable,), "url": "http://127.0.0.1:8000/${CACHE_CITY}"},
    ],
    ids=["command", "env", "url"],
)
def test_the_value_of_a_variable_is_given_and_kept_as_a_digest(seen, settings):
    one, other = seen("1", **settings), seen(SECRET, **settings)
    assert one.given == seen("1", **settings).given
    assert one.given != other.given
    assert SECRET not in repr(other)


def test_what_a_clients_file_says_is_given(tmp_path, seen):
    def ask(**more):
        servers = {"mcpServers": {"a": {"command": sys.executable, **more}}}
        (tmp_path / "mcp.json").write_text(json.dumps(servers), encoding="utf-8")
        return seen(module="@mcp.json:a").given

    asked = [ask(), ask(args=["x"]), ask(env={"A": "1"}), ask(env={"A": "2"})]
    assert len({*asked}) == len(asked)
    with pytest.raises(TargetError, match="folder of yours"):
        ask(cwd=".")


def test_the_folders_of_modules_are_told_in_their_order(tmp_path):
    def ask(*paths):
        with PythonHostPool(Environment(rootdir=tmp_path, sys_path=paths)) as pool:
            return pool.surroundings(Target("a:A", "aptix", "a", "A"), ToolSettings()).search

    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    assert ask(one, other) == (str(tmp_path), one, other)
    assert ask(other, one) == (str(tmp_path), other, one)
