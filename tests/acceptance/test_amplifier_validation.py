"""Compared with Amplifier's own validation: what it passes and what is found here, and both in one run of pytest."""

import asyncio
import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine.verdicts import status_of
from aptix_conformance.targets import ToolSettings
from aptix_conformance.targets.settings import Example

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference_tools" / "amplifier-module-tool-glossary"
BROKEN = ROOT / "fixtures" / "amplifier" / "amplifier-module-tool-broken"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("amplifier_core") is None,
    reason="amplifier-core is not installed: pip install 'aptix-conformance[amplifier]'",
)

THEIR_TESTS = """
from amplifier_core.validation.behavioral import ToolBehaviorTests
from amplifier_core.validation.structural import ToolStructuralTests


class TestBehavior(ToolBehaviorTests):
    pass


class TestStructure(ToolStructuralTests):
    pass
"""


@pytest.fixture(scope="module")
def run():
    with Run.open(ROOT, RunOptions(examples=15, limited=False)) as opened:
        yield opened


def explored(run, place, key, *examples):
    spec = f"amplifier:./{place.relative_to(ROOT)}#{key}"
    own = ToolSettings(examples=tuple(Example(example) for example in examples))
    run.settings = replace(run.settings, tool={spec: own}, tools=())
    (tool,) = run.find(spec).all_found()
    return run.examine(tool)


def failed(examination):
    return {verdict.rule for verdict in examination.verdicts if verdict.verdict is VerdictKind.FAIL}


@pytest.fixture
def module(tmp_path):
    """Copies a module to where Amplifier's plugin finds it, with Amplifier's tests in it."""

    def copy(place):
        folder = tmp_path / place.name
        shutil.copytree(place, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests").mkdir()
        (folder / "tests" / "test_validation.py").write_text(THEIR_TESTS)
        return folder

    return copy


def pytest_in(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def theirs(package):
    """The errors and warnings of Amplifier's validator."""
    from amplifier_core.validation import ToolValidator

    result = asyncio.run(ToolValidator().validate(package))
    return [check.name for check in (*result.errors, *result.warnings)]


@pytest.mark.clause("AMP.6.2")
def test_the_reference_passes_amplifiers_validation_without_a_warning():
    assert theirs(REFERENCE / "amplifier_module_tool_glossary") == []


@pytest.mark.parametrize("key", ["glossary_list", "glossary_lookup"])
def test_the_reference_is_conforming_without_a_word_of_advice(run, key):
    found = explored(run, REFERENCE, key)
    assert status_of(found.verdicts) == "conforming"
    assert failed(found) == set()


def test_both_plugins_work_in_one_run(module):
    """Amplifier's behavioural and structural tests of the reference, and the examination of both its tools."""
    folder = module(REFERENCE)
    run = pytest_in(
        folder, "tests", "--aptix-conformance", "--aptix-tools", "amplifier:.", "--aptix-report", "r.json"
    )
    assert run.returncode == 0, run.stdout + run.stderr
    tools = json.loads((folder / "r.json").read_text())["tools"]
    assert {(tool["tool"], tool["status"]) for tool in tools} == {
        ("glossary_list", "conforming"),
        ("glossary_lookup", "conforming"),
    }
    verbose = pytest_in(folder, "tests", "-q")
    assert "8 passed" in verbose.stdout


def test_what_amplifiers_validation_passes_fails_here_on_each_count(run, module):
    folder = module(BROKEN)
    assert theirs(BROKEN / "amplifier_module_tool_broken") == []
    done = pytest_in(folder, "tests", "-q")
    assert done.returncode == 0, done.stdout
    assert "8 passed" in done.stdout
    first = explored(run, BROKEN, "tool-broken", {"text": "to be or not to be"})
    # the schema's type, the ValueError for {}, the empty error, the output, and the key
    assert {"AMP012", "ARG005", "RES004", "AMP017", "AMP011"} <= failed(first)
    assert status_of(first.verdicts) == "nonconforming"
    second = explored(run, BROKEN, "quit")
    assert "EXC002" in failed(second)
    assert status_of(second.verdicts) == "nonconforming"
