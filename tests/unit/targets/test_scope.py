"""Which specs cover a target, and where pytest's settings say that modules lie."""

import pytest

from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import is_covered, pytest_paths


@pytest.mark.parametrize(
    ("target", "specs"),
    [
        ("pkg.tools:Weather", ["pkg.tools:Weather"]),
        ("pkg.tools:Weather", ["other", "pkg.tools"]),
        ("pkg.tools:Weather", ["pkg"]),
        ("pkg.tools:Weather", ["aptix:pkg"]),
        ("art:./tools/a.mjs#A", ["art:./tools/a.mjs"]),
        ("host:./my-host --flag#a", ["host:./my-host --flag"]),
    ],
)
def test_a_target_is_covered_by_its_spec_its_module_and_its_package(target, specs):
    assert is_covered(target, specs, OURS.specs)


@pytest.mark.parametrize(
    ("target", "specs"),
    [
        ("pkg.tools:Weather", []),
        ("pkg.tools:Weather", ["pkg.tools:Other"]),
        ("pkg_evil:Weather", ["pkg"]),
        ("pkg.tools:Weather", ["amplifier:pkg.tools"]),
        ("host:/bin/sh -c evil", ["host:/bin/sh"]),
        ("art:./tools/a.mjs#A", ["art:./tools"]),
        ("not a spec", ["pkg", "not a spec"]),
    ],
)
def test_a_target_is_covered_by_nothing_else(target, specs):
    assert not is_covered(target, specs, OURS.specs)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src", "lib"]\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "src lib"\n'),
        ("pytest.ini", "[pytest]\npythonpath = src lib\n"),
        ("setup.cfg", "[tool:pytest]\npythonpath =\n  src\n  lib\n"),
    ],
)
def test_pytests_pythonpath_is_read_wherever_pytest_is_configured(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert pytest_paths(tmp_path) == (str(tmp_path / "src"), str(tmp_path / "lib"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[tool",
        "[tool.pytest.ini_options]\npythonpath = 3\n",
        '[tool.pytest.ini_options]\npythonpath = "it\'s"\n',
        "tool = 1\n",
        f"tool = {'[' * 5000}",
    ],
    ids=range(6),
)
def test_a_file_that_says_nothing_of_it_gives_no_paths(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\npythonpath = it's\n", encoding="utf-8")
    assert pytest_paths(tmp_path) == ()
