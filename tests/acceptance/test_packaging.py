"""The wheel holds everything, and what it holds works outside the checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import schemas

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "aptix_conformance": ROOT / "conformance" / "aptix_conformance",
    "aptix_harness": ROOT / "conformance" / "aptix_harness",
    "aptix_reference_tools": ROOT / "reference_tools" / "aptix_reference_tools",
    "aptix_reference_tools/dotnet": ROOT / "reference_tools" / "dotnet",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The project's wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    (path,) = folder.glob("*.whl")
    return path


def source_files():
    for name, folder in PACKAGES.items():
        for path in folder.rglob("*"):
            if path.is_file() and not {"__pycache__", ".pytest_cache"} & set(path.parts):
                yield f"{name}/{path.relative_to(folder).as_posix()}"


def test_the_wheel_holds_every_file_of_every_package(wheel):
    """Package data too, as clauses.yaml, and what is built only; each file once."""
    held = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert sorted(held) == sorted(
        [
            *source_files(),
            "aptix_conformance/present/evidence.json",
            *schemas.schemas(),
            "aptix_conformance-0.1.0.data/data/share/man/man1/aptix-conformance.1",
        ]
    )


def test_the_suite_runs_from_the_wheel_outside_the_checkout(wheel, tmp_path, tool_source):
    """No file of the checkout is needed."""
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    project = tmp_path / "project"
    project.mkdir()
    (project / "weather_tools.py").write_text(tool_source("weather"), encoding="utf-8")
    where = (
        "import aptix_conformance, aptix_harness, sys, pytest; "
        f"assert aptix_conformance.__file__.startswith({str(installed)!r}), aptix_conformance.__file__; "
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    options = ["--aptix-conformance", "--aptix-examples", "3", "--aptix-tools", "weather_tools"]
    result = subprocess.run(
        [sys.executable, "-c", where, "-p", "no:cacheprovider", *options],
        cwd=project,
        env={
            **{key: value for key, value in os.environ.items() if key != "CI"},
            "PYTHONPATH": str(installed),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "conforming    agent_weather" in result.stdout


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (["explain", "ARG002"], "agent_translate_phrase breaks ARG002"),
        (["clauses", "--status", "harness"], "tests/unit/aptix_harness/test_registry.py::"),
        (["rules", "--area", "ARG"], "ARG002  MUST"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_commands_need_nothing_of_the_checkout(wheel, tmp_path, command, printed):
    """Examples, failure texts, tests and fixtures are in the wheel as far as the commands speak of them."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    program = "import sys; from aptix_conformance.app.cli import main; sys.exit(main(sys.argv[1:]))"
    result = subprocess.run(
        [sys.executable, "-c", program, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert printed in result.stdout
