"""`python -m tests.acceptance.matrix.eras` tells whether a rule on MCP servers is shown to fail in both revisions."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def turned(title):
    """The command on one fixture, in the revision that is not its own."""
    words = [sys.executable, "-m", "tests.acceptance.matrix.eras", title]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("title", "status", "said"),
    [
        ("mcp/nonconforming/MCP040_is_error_is_a_text", 0, ""),
        ("mcp/nonconforming/MCP045_structured_list", 0, ""),  # the rule binds in one revision only
        ("mcp/nonconforming/MCP063_done_after_the_response", 1, "MCP063 is broken in one revision only"),
        ("mcp/node/http/nonconforming/MCP074_broadcasts_to_each_stream", 0, ""),
    ],
)
def test_a_rule_that_binds_in_both_revisions_is_broken_in_both(title, status, said):
    done = turned(title)
    assert (done.returncode, done.stderr.strip()) == (status, said)


def test_a_title_of_no_such_fixture_is_refused():
    done = turned("clean/*")
    assert done.returncode == 2
    assert (
        "no fixture of mcp/nonconforming/* or mcp/http/nonconforming/* or mcp/node/nonconforming/*"
        in done.stderr
    )
