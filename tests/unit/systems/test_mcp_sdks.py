"""Which SDK is installed beside a server, and what it breaks by itself."""

import json

import pytest

from aptix_conformance.systems.mcp.sdks import breaker, installed


def test_the_sdk_of_a_virtual_environment_is_found(tmp_path):
    for name in ("mcp-1.30.0", "fastmcp-3.1.0", "mcp_types-2.3.0", "my_mcp-1.0"):
        (tmp_path / "lib" / "python3.11" / "site-packages" / f"{name}.dist-info").mkdir(parents=True)
    assert installed((str(tmp_path / "bin" / "python"), "server.py")) == ("fastmcp 3.1.0", "mcp 1.30.0")


def test_the_sdk_in_the_nearest_node_modules_is_found(tmp_path):
    script = tmp_path / "app" / "dist" / "server.mjs"
    for folder, version in ((tmp_path, "1.0.0"), (tmp_path / "app", "1.32.2")):
        package = folder / "node_modules" / "@modelcontextprotocol" / "sdk"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": version}))
    assert installed(("/usr/bin/node", str(script))) == ("@modelcontextprotocol/sdk 1.32.2",)


@pytest.mark.parametrize("text", ["", "[]", '{"version": 5}', '{"version": "%s"}' % ("1" * 90)])
def test_a_package_that_does_not_say_its_version_is_none(tmp_path, text):
    package = tmp_path / "node_modules" / "@modelcontextprotocol" / "server"
    package.mkdir(parents=True)
    (package / "package.json").write_text(text)
    assert installed(("/usr/bin/node", str(tmp_path / "server.mjs"))) == ()


def test_only_what_was_measured_on_a_line_of_an_sdk_is_its_own():
    sdk = "@modelcontextprotocol/server 2.4.0"
    assert breaker([sdk], "MCP038", "served") == sdk
    assert breaker([sdk], "MCP038", "code") == ""
    assert breaker([sdk], "MCP036", "") == sdk
    assert breaker(["mcp 2.3.0"], "MCP036", "") == ""
    assert breaker(["mcp 2.3.0"], "MCP049", "result") == "mcp 2.3.0"
    assert breaker(["mcp 2.3.0"], "MCP049", "-32603") == ""
    assert breaker(["@modelcontextprotocol/server 3.0.0", "mcp 2.3.0"], "MCP038", "served") == ""
