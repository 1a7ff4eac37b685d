"""docs/mcp-revisions.md says what the clauses say."""

from tools import revisions


def test_the_page_is_what_the_clauses_say():
    """If they changed: `python -m tools.revisions`."""
    assert revisions.PAGE.read_text(encoding="utf-8") == revisions.text()


def test_the_page_has_what_inverts_between_revisions():
    lines = revisions.text().splitlines()
    batches = next(line for line in lines if line.startswith("| MCP.L.21 "))
    assert batches.startswith("| MCP.L.21 | - | MUST | - | - | - |")
    assert not any(line.startswith("| MCP.L.1 ") for line in lines)


def test_a_page_that_says_something_else_is_refused(tmp_path, capsys):
    page = tmp_path / "page.md"
    assert revisions.main(["--check"], page) == 1
    assert "python -m tools.revisions" in capsys.readouterr().err
    assert revisions.main([], page) == 0
    assert revisions.main(["--check"], page) == 0
