"""Beside Amplifier's own validation: what it passes and what is found here, and both in one run of pytest."""

import asyncio
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aptix_conformance.contracts import load
from aptix_conformance.examination import Options, examine
from aptix_conformance.examination.verdicts import VerdictKind, status_of
from aptix_conformance.hosts import Environment
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import Target, ToolSettings
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
def hosts():
    with Systems(Environment(rootdir=ROOT, sys_path=tuple(filter(None, sys.path)))) as opened:
        yield opened


def explored(hosts, place, key, *examples):
    where = f"./{place.relative_to(ROOT)}"
    target = Target(f"amplifier:{where}#{key}", "amplifier", where, key)
    own = ToolSettings(examples=tuple(Example(example) for example in examples))
    return examine(hosts, target, own, suites(None, load())["amplifier"], Options(examples=15, budget=20))


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
def test_the_reference_is_conforming_without_a_word_of_advice(hosts, key):
    found = explored(hosts, REFERENCE, key)
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


def test_what_amplifiers_validation_passes_fails_here_on_each_count(hosts, module):
    folder = module(BROKEN)
    assert theirs(BROKEN / "amplifier_module_tool_broken") == []
    run = pytest_in(folder, "tests", "-q")
    assert run.returncode == 0, run.stdout
    assert "8 passed" in run.stdout
    first = explored(hosts, BROKEN, "tool-broken", {"text": "to be or not to be"})
    # the schema's type, the ValueError for {}, the empty error, the output, and the key
    assert {"AMP012", "ARG005", "RES004", "AMP017", "AMP011"} <= failed(first)
    assert status_of(first.verdicts) == "nonconforming"
    second = explored(hosts, BROKEN, "quit")
    assert "EXC002" in failed(second)
    assert status_of(second.verdicts) == "nonconforming"
