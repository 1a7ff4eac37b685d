"""docs/extending.md shows the files that the test of the process tier installs, to the letter."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "extension"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
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
