"""The runners import the standard library only."""

import ast
import sys
import tomllib

import pytest
from tests.unit.test_extras import CHECKOUT

from aptix_conformance.runners.paths import RUNNERS, START
from aptix_conformance.runners.python import frames
from aptix_conformance.runners.python.disturb import BY_KIND

OF_THE_TOOL = {"aptix_harness", "amplifier_core", "coverage"}
"""What a tool's interpreter may have; imported in functions only, where it is known to be wanted."""
FILES = sorted(path.relative_to(RUNNERS).as_posix() for path in RUNNERS.rglob("*.py"))


SUITE = RUNNERS.parent
OURS = {"aptix_conformance", "aptix_harness"}


def absolute_imports(file, folder=RUNNERS):
    for node in ast.walk(ast.parse((folder / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("file", FILES)
def test_a_runner_imports_the_standard_library_only(file):
    """The tool's interpreter need not have the suite."""
    assert set(absolute_imports(file)) <= {*sys.stdlib_module_names, *OF_THE_TOOL}


def test_import_linter_forbids_the_runners_all_that_the_suite_imports():
    """So a new dependency of the suite is forbidden too."""
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]
    (forbidden,) = (
        each["forbidden_modules"]
        for each in contracts["contracts"]
        if "aptix_conformance.runners" in each.get("source_modules", ())
    )
    files = [path for path in SUITE.rglob("*.py") if RUNNERS not in path.parents]
    imported = {name for path in files for name in absolute_imports(path, SUITE)}
    assert imported <= {*forbidden, *sys.stdlib_module_names, *OURS}


@pytest.mark.parametrize("file", [file for file in FILES if file != "paths.py"])
def test_no_runner_imports_pathlib(file):
    """It is slow to import, and would be imported in each process of a tool."""
    assert "pathlib" not in set(absolute_imports(file))


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
