"""docs/threat-model.md names tests that there are."""

import re
from pathlib import Path

import pytest
from tests.pages import read_page

ROOT = Path(__file__).parents[2]
ROWS = read_page("docs/threat-model.md").sections["The survival table"].rows()


def named(cell):
    """The tests of a cell, as (file, test); `…` is the file before, and a word is an attack of test_survival.py."""
    file = ""
    for text in re.findall(r"`([^`]+)`", cell):
        path, _, test = text.partition("::")
        if not re.search(r"\.py$|…|^tests/", path):
            yield file, path
            continue
        file = file if path == "…" else path
        yield file, test


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_attack_of_the_survival_table_names_a_test(row):
    cell = row[-1]
    if cell == "the same":
        return
    found = list(named(cell))
    assert found
    for file, test in found:
        path = "tests/acceptance/test_survival.py" if file == "test_survival.py" else file
        files = list(ROOT.glob(path))
        assert files, f"there is no {path}"
        if test and files[0].is_file():
            text = files[0].read_text(encoding="utf-8")
            wanted = rf"^(async )?def {test}\(" if test.startswith("test_") else rf"\"{test}\""
            assert re.search(wanted, text, re.MULTILINE), f"{path} has no {test}"
