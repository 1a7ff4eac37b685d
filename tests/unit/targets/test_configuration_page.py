"""docs/configuration.md says what the code does."""

import re
import shutil
import sys
import tomllib

import pytest
from tests.pages import read_page

from aptix_conformance.core.contracts import load as load_contracts
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import file_stem
from aptix_conformance.targets.config import _KEYS, _TOOL_KEYS

PAGE = read_page("docs/configuration.md")
BLOCKS = PAGE.blocks("toml")


@pytest.fixture
def project(tmp_path):
    python = tmp_path / "other" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    shutil.copy(sys.executable, python)
    (tmp_path / "project" / "testdata").mkdir(parents=True)
    for folder in ("project/models", "billing"):
        (tmp_path / folder).mkdir()
    return tmp_path / "project" / "pyproject.toml"


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_block_is_valid(project, block):
    project.write_text(block)
    OURS.load_settings(project)


def test_every_key_has_an_example_and_every_key_of_a_tool_a_section():
    documents = [tomllib.loads(block).get("tool", {}).get("aptix-conformance", {}) for block in BLOCKS]
    shown = {key for document in documents for key in document}
    of_tools = {key for document in documents for table in document.get("tool", {}).values() for key in table}
    assert shown == set(_KEYS)
    assert of_tools == set(_TOOL_KEYS)
    assert re.findall(r"^### `(\w+)`$", PAGE.text, re.MULTILINE) == list(_TOOL_KEYS)


def test_the_editions_named_are_those_of_aptix():
    (row,) = [row for row in PAGE.rows() if row[0] == "`edition`"]
    inventory = load_contracts()
    aptix = {name for name, edition in inventory.editions.items() if edition.system == "aptix"}
    assert set(re.findall(r"`(aptix-[\w.-]+)`", " ".join(row))) == aptix
    assert row[-1] == f"`{inventory.default_edition('aptix').name}`"


def test_the_specs_named_are_specs():
    section = PAGE.text.partition("### Target specs")[2].partition("Four sources")[0]
    for text in re.findall(r"`([\w.]+:[\w.:]+)`", section):
        assert OURS.specs.parse(text).canonical == text


def test_the_file_name_shown_is_the_one_made():
    assert re.fullmatch(r"agent-weather\+[0-9a-f]{16}", file_stem("Agent Weather"))
