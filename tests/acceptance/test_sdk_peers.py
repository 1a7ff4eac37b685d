"""A server on the official Python SDK, as the suite's tests have it installed: what that SDK breaks by itself is known, and is all there is."""

from importlib.metadata import version

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.reports.servers import is_inherited_alone

SERVER = '''
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from pydantic import Field

app = MCPServer("capitals")


@app.tool()
def tell_capital(country: Annotated[Literal["Norway", "Peru"], Field(description="The country.")]) -> dict[str, str]:
    """Tells a country's capital. Use it for Norway and Peru."""
    return {"capital": {"Norway": "Oslo", "Peru": "Lima"}[country]}


app.run()
'''
OF_THE_SDK = {"MCP031", "MCP033", "MCP034", "MCP037", "MCP039", "MCP049"}
"""Measured on mcp 2.3.0. Where a later version fixes one, `systems/mcp/sdks.py` is to be measured again."""


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    """The entries of the report by their targets."""
    place = tmp_path_factory.mktemp("peer")
    (place / "server.py").write_text(SERVER)
    options = RunOptions(examples=5, tools=("mcp:python server.py",), limited=False)
    with Run.open(place, options) as run:
        return {entry.target: entry for entry in run.examine_all().tools}


@pytest.mark.parametrize("revision", ["", "#@2025-11-25"])
def test_what_breaks_on_a_bare_server_is_its_sdks_in_both_revisions(entries, revision):
    server = entries[f"mcp:python server.py{revision}"]
    assert {verdict.rule for verdict in server.verdicts if verdict.verdict == "fail"} == OF_THE_SDK
    assert server.inherited == dict.fromkeys(OF_THE_SDK, f"mcp {version('mcp')}")
    assert is_inherited_alone(server)


def test_a_tool_on_it_conforms_without_a_word_of_advice(entries):
    tool = entries["mcp:python server.py#tell_capital"]
    assert tool.status == "conforming"
    assert [verdict.rule for verdict in tool.verdicts if verdict.verdict == "fail"] == []
