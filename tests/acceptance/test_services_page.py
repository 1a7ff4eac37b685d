"""The tools of docs/services.md conform with what the page gives them, and not without it."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aptix_conformance import Run, RunOptions

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "services"
TOOLS = ("crm_find_customer", "finance_exchange_rate", "city_open_now", "office_book_room")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    project = tmp_path_factory.mktemp("services") / "project"
    shutil.copytree(EXAMPLES, project)
    subprocess.run([sys.executable, "make_testdata.py"], cwd=project, check=True)
    with Run.open(project, RunOptions(examples=10)) as run:
        yield run


@pytest.fixture(scope="module")
def found(run):
    return {tool.name: tool for tool in run.list_tools().tools}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_conforms_and_nobody_has_advice_for_it(run, found, name):
    examination = run.examine(found[name])
    assert examination.status == "conforming", name
    assert [v.reason for v in examination.verdicts if v.verdict == "fail"] == []


@pytest.mark.parametrize("name", ["crm_find_customer", "finance_exchange_rate", "office_book_room"])
def test_without_what_it_needs_a_tool_does_not_conform(run, found, name):
    tool = found[name]
    bare = replace(tool, settings=replace(tool.settings, services={}, files=None))
    assert run.examine(bare).status != "conforming"
