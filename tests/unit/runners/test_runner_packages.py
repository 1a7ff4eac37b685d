"""The runners and the harness import the standard library only."""

import ast
import sys

import pytest

from aptix_conformance.runners.paths import RUNNERS, START
from aptix_conformance.runners.python import frames
from aptix_conformance.runners.python.disturb import BY_KIND

OF_THE_TOOL = {
    "aptix_harness",
    "amplifier_core",
    "coverage",
    "langchain_core",
    "pydantic",
    "pydantic_ai",
    "agents",
}
"""What a tool's interpreter may have; imported in functions only, where it is known to be wanted."""
PACKAGE = RUNNERS.parent


def absolute_imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("folder", [RUNNERS, PACKAGE.with_name("aptix_harness")], ids=lambda path: path.name)
def test_what_runs_with_a_tool_imports_the_standard_library_only(folder):
    """The tool's interpreter need not have the suite, nor what it depends on."""
    imported = {path: set(absolute_imports(path)) for path in folder.rglob("*.py")}
    known = {*sys.stdlib_module_names, *OF_THE_TOOL}
    assert {str(path): names - known for path, names in imported.items() if names - known} == {}


def test_nothing_is_imported_before_the_folder_has_left_the_path():
    """Else a module of the runners could be taken for one of the standard library."""
    body = ast.parse(START.read_text(encoding="utf-8")).body
    first = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in first] == ["import sys"]


def test_every_package_of_disturbances_is_in_the_table():
    """A kind that is not in the table could not be asked for."""
    packages = {path.parent.name for path in (RUNNERS / "python" / "disturb").glob("*/__init__.py")}
    assert set(BY_KIND) == packages


def test_code_of_the_runners_is_known_by_its_folder():
    """Also that of packages in packages."""
    assert frames.is_runner_code(BY_KIND["cancel"].__code__)
    assert not frames.is_runner_code(test_code_of_the_runners_is_known_by_its_folder.__code__)
