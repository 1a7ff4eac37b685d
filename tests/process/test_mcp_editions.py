"""A server is judged by the newest revision that it speaks, whatever edition the run asks for."""

from pathlib import Path

import pytest

from aptix_conformance import Run, RunOptions

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("server", "edition"),
    [
        ("lengths_first", "mcp-2024-11-05"),
        ("lengths_spoken", "mcp-2025-03-26"),
        ("lengths_linked", "mcp-2025-06-18"),
        ("lengths", "mcp-2025-11-25"),
        ("lengths_modern", "mcp-2026-07-28"),
    ],
)
def test_the_revision_of_the_server_decides_on_the_edition(server, edition):
    spec = f"mcp:python ./mcp/conforming/{server}.py"
    options = RunOptions(tools=(spec,), edition="mcp-2025-11-25", root=FIXTURES, limited=False)
    with Run.open(FIXTURES / "mcp", options) as run:
        found = run.list_tools()
    server, tool = sorted(found.tools, key=lambda each: each.declaration.kind)
    assert server.suite.edition.name == edition
    assert tool.suite.edition.name == edition
    note = f"no tool declares the edition mcp-2025-11-25; it judged nothing, and what was examined was judged by {edition}"
    assert (note in found.notes) is (edition != "mcp-2025-11-25")
