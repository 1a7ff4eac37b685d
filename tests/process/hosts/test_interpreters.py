"""A tool may have an interpreter of its own, of another version, without the harness installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import aptix_harness
from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model import Outcome
from aptix_conformance.runners.paths import RUNNERS


def other_interpreters():
    """Interpreters of other versions, where pyenv has put them."""
    home = Path(sys.base_prefix).parent
    own = f"{sys.version_info.major}.{sys.version_info.minor}."
    found = sorted(
        path for path in home.glob("3.*/bin/python") if not path.parent.parent.name.startswith(own)
    )
    return [str(path) for path in found if path.parent.parent.name.split(".")[1] in ("11", "12", "13")]


@pytest.mark.parametrize("python", other_interpreters() or [None])
def test_a_tool_runs_under_its_own_interpreter(bench, python):
    if python is None:
        pytest.skip("no other interpreter of a supported version is installed beside this one")
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    body = """
        import aptix_harness, importlib.util
        found = importlib.util.find_spec("aptix_conformance"), importlib.util.find_spec("pytest")
        return InvokeResult.create(json.dumps([sys.version.split()[0], aptix_harness.__file__, found == (None, None)]))
    """
    bench.write("tools", bench.tool("Tool", body) + bench.tool("Ends", "os._exit(3)"))
    made = bench.call("tools:Tool", python=python)
    assert made.outcome is Outcome.RETURNED, made
    assert json.loads(made.result.payload)[0] == version
    assert bench.call("tools:Ends", python=python).incident == "exit status 3"
    assert bench.open("tools:Tool", python=python).describe().execute.is_async


def test_the_harness_is_provided_where_pip_left_an_empty_folder_of_its_name(tmp_path):
    (tmp_path / "aptix_harness" / "__pycache__").mkdir(parents=True)
    finder = RUNNERS / "python" / "harness_finder.py"
    harness = Path(aptix_harness.__file__).parent
    program = f"""
import runpy, sys
sys.path.insert(0, {str(tmp_path)!r})
runpy.run_path({str(finder)!r})["provide_harness"]({str(harness)!r})
import aptix_harness
print(aptix_harness.__file__)
"""
    words = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == aptix_harness.__file__


def test_an_interpreter_that_is_a_part_of_the_project_is_not_started_without_containment(
    bench, tmp_path_factory
):
    ran = tmp_path_factory.mktemp("elsewhere") / "ran"
    python = bench.place / "python"
    python.write_text(f'#!/bin/sh\necho "$*" >> {ran}\nexit 3\n', encoding="utf-8")
    python.chmod(0o755)
    bench.write("tools", bench.tool("Tool", 'return InvokeResult.create("done")'))
    with pytest.raises(HostError, match="exit status 3"):
        bench.call("tools:Tool", python=str(python))
    assert not ran.exists()


@pytest.mark.parametrize("options", [(), ("--copies",)], ids=["links", "copies"])
def test_a_tool_runs_in_a_virtual_environment_of_the_project(bench, options):
    home = bench.place / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, str(home)], check=True)
    bench.write("tools", bench.tool("Tool", "return InvokeResult.create(json.dumps(sys.prefix))"))
    made = bench.call("tools:Tool", python=str(home / "bin" / "python"))
    assert json.loads(made.result.payload) == str(home)


def test_what_an_environment_of_the_project_names_is_not_shown_unless_it_is_an_installation(
    bench, tmp_path_factory
):
    private = tmp_path_factory.mktemp("private")
    (private / "notes").touch()
    home = bench.place / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--copies", str(home)], check=True)
    with (home / "pyvenv.cfg").open("a", encoding="utf-8") as settings:
        settings.write(f"executable = {private}/bin/python3\n")
    seen = f"__import__('os').path.exists({str(private / 'notes')!r})"
    bench.write("tools", bench.tool("Tool", f"return InvokeResult.create(json.dumps({seen}))"))
    made = bench.call("tools:Tool", python=str(home / "bin" / "python"))
    assert json.loads(made.result.payload) is False


def test_the_standard_library_that_an_environment_of_the_project_names_is_not_used_without_containment(
    bench, tmp_path_factory
):
    ran = tmp_path_factory.mktemp("elsewhere") / "ran"
    home = bench.place / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    own = bench.place / "lib" / f"python3.{sys.version_info.minor}"
    (own / "encodings").mkdir(parents=True)
    (own / "lib-dynload").mkdir()
    (own / "os.py").touch()
    (own / "encodings" / "__init__.py").write_text(
        f"import posix\nposix.mkdir({str(ran)!r})\n", encoding="utf-8"
    )
    (bench.place / "bin").mkdir()
    (home / "pyvenv.cfg").write_text(f"home = {bench.place}/bin\n", encoding="utf-8")
    bench.write("tools", bench.tool("Tool", 'return InvokeResult.create("done")'))
    with pytest.raises(HostError):
        bench.call("tools:Tool", python=str(home / "bin" / "python"))
    assert not ran.exists()


@pytest.fixture
def elsewhere(tmp_path_factory):
    """An installation of Python that a stranger has put outside of the project, whose program leaves a mark where it can."""
    made = tmp_path_factory.mktemp("elsewhere")
    library = made / "lib" / f"python3.{sys.version_info.minor}"
    library.mkdir(parents=True)
    (library / "os.py").touch()
    (made / "bin").mkdir()
    python = made / "bin" / "python3"
    python.write_text(f'#!/bin/sh\necho "$*" >> {made}/ran\nexit 3\n', encoding="utf-8")
    python.chmod(0o755)
    return python


@pytest.mark.parametrize("way", ["link", "environment", "configuration"])
def test_an_interpreter_that_a_stranger_put_elsewhere_is_not_started_without_containment(
    bench, elsewhere, way
):
    bench.write("tools", bench.tool("Tool", 'return InvokeResult.create("done")'))
    named = elsewhere if way == "configuration" else bench.place / ".venv" / "bin" / "python"
    if way != "configuration":
        named.parent.mkdir(parents=True)
        named.symlink_to(elsewhere)
    if way == "environment":
        (bench.place / ".venv" / "pyvenv.cfg").write_text(f"home = {elsewhere.parent}\n", encoding="utf-8")
    with pytest.raises(HostError, match="exit status 3"):
        bench.call("tools:Tool", python=str(named))
    assert not (elsewhere.parent.parent / "ran").exists()


def test_a_tool_runs_in_a_virtual_environment_outside_of_the_project(bench, tmp_path_factory):
    home = tmp_path_factory.mktemp("elsewhere") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    bench.write("tools", bench.tool("Tool", "return InvokeResult.create(json.dumps(sys.prefix))"))
    made = bench.call("tools:Tool", python=str(home / "bin" / "python"))
    assert json.loads(made.result.payload) == str(home)
