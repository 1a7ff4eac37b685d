"""Which programs are known to only start a server."""

import pytest

from aptix_conformance.runners.mcp import ends


@pytest.mark.parametrize(
    ("name", "wraps"),
    [
        ("sh", True),
        ("npm exec @scope", True),
        ("pnpm dlx serve", True),
        ("yarn", True),
        ("bunx", True),
        ("pipx", True),
        ("poetry", True),
        ("npmserver", False),
        ("node", False),
        ("", False),
    ],
)
def test_a_wrapper_is_known_by_the_first_word_of_its_name(monkeypatch, name, wraps):
    monkeypatch.setattr(ends, "_input_of", lambda _pid: "pipe:[1]")
    assert ends._is_wrapped(7, {(7, 1): name, (8, 1): "node"}) is wraps
