"""docs/extending.md shows the files that the test of the process tier installs, to the letter."""

from pathlib import Path

import pytest
from tests.pages import read_page

FOLDER = Path(__file__).parents[1] / "extension"
BLOCKS = read_page("docs/extending.md").blocks()
FILES = sorted(
    path
    for path in FOLDER.rglob("*.*")
    if path.is_file() and path.suffix != ".pyc" and path.name not in {"__init__.py", "sulk.json"}
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_page_has_the_file(path):
    assert path.read_text(encoding="utf-8") in BLOCKS


def test_the_page_has_nothing_else():
    assert len(BLOCKS) == len(FILES)
