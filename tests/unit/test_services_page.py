"""docs/services.md shows what the tools of docs/examples/services are and how they are configured, to the letter."""

from pathlib import Path

import pytest
from tests.pages import read_page

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "services"
BLOCKS = read_page("docs/services.md").blocks()
FILES = {path.name: path.read_text() for path in EXAMPLES.glob("*.*")}


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_is_a_part_of_an_example(block):
    assert any(block.rstrip() in text for text in FILES.values())


def test_every_example_is_on_the_page():
    for name in FILES.keys() - {"guarded.py"}:
        assert any(block.rstrip() in FILES[name] for block in BLOCKS), name
