"""The environment that a certificate records: what is in it by its digest, and what stands against it by name."""

import base64
import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from aptix_conformance.app.certificates.environment import environment, unowned
from aptix_conformance.app.certificates.interpreter import ask
from aptix_conformance.core.errors import CertificateError

REAL = os.path.realpath(sys.executable)


def _install(site, name="w", *, files, metadata=None):
    """Install a distribution as an installer does, with the hashes of its files."""
    place = f"{name}-1.dist-info"
    files = {**files, f"{place}/METADATA": f"Name: {name}\nVersion: 1\n", **(metadata or {})}
    rows = []
    for file, text in files.items():
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        rows.append(f"{file},sha256={digest},{len(text)}\n")
    (site / place / "RECORD").write_text("".join([*rows, f"{place}/RECORD,,\n"]))


@pytest.fixture
def env(tmp_path, monkeypatch):
    """A virtual environment of this interpreter, whose standard library is not measured."""
    monkeypatch.setattr(
        "aptix_conformance.app.certificates.interpreter._answer",
        lambda _: ("CPython 3.11.7", "0" * 64, "1" * 64, "/absent", ()),
    )
    made = tmp_path / "env"
    (made / "bin").mkdir(parents=True)
    (made / "lib" / "site-packages").mkdir(parents=True)
    (made / "bin" / "python").symlink_to(REAL)
    (made / "pyvenv.cfg").write_text(f"home = {Path(REAL).parent}\nversion = 3.11.7\n")
    _install(made / "lib" / "site-packages", files={"w.py": "code"})
    return made


def _surveyed(env, root=None):
    return environment([str(env / "lib" / "site-packages")], str(env / "bin" / "python"), root)


def test_an_ordinary_environment_has_nothing_against_it(env):
    site = env / "lib" / "site-packages"
    _install(site, "setuptools", files={"distutils-precedence.pth": "import os; os\n", "s/__init__.py": ""})
    (site / "_virtualenv.pth").write_text("import _virtualenv")
    found = _surveyed(env)
    assert [part.name for part in found.part.distributions] == ["setuptools", "w"]
    assert len(found.unnamed) == 1, "a file by the name of virtualenv's that is not virtualenv's"
    (site / "_virtualenv.pth").unlink()
    found = _surveyed(env)
    assert (found.unnamed, found.part.binary, found.part.library) == ((), "0" * 64, "1" * 64)


@pytest.mark.parametrize(
    "name",
    [
        "sitecustomize.py",
        "usercustomize.py",
        "evil.pth",
        "stray/__init__.py",
        "x.so",
        "w/__init__.py",
        "s.pyc",
        "a.zip",
    ],
)
def test_what_no_distribution_owns_is_named(env, name):
    place = env / "lib" / "site-packages" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("x")
    (reason,) = _surveyed(env).unnamed
    assert reason.startswith(f"{name} in site-packages belongs to no installed distribution: remove it")


@pytest.mark.parametrize("name", ["__pycache__/evil.py", "w/../evil.py", "w/.git/evil.py"])
def test_a_record_owns_nothing_that_its_digest_does_not_cover(env, name):
    site = env / "lib" / "site-packages"
    (site / "w").mkdir()
    (site / name).parent.mkdir(exist_ok=True)
    (site / name).write_text("")
    with (site / "w-1.dist-info" / "RECORD").open("a") as file:
        file.write(f"{name},,\n")
    (reason,) = _surveyed(env).unnamed
    assert "evil.py in site-packages belongs to no installed distribution" in reason


def test_a_second_distribution_of_a_name_is_named_since_the_record_has_one(env):
    site = env / "lib" / "site-packages"
    _install(site, "W", files={"other.py": ""})
    (reason,) = _surveyed(env).unnamed
    assert reason.endswith("is installed more than once: uninstall the others")


def test_an_owned_file_that_was_changed_is_named(env):
    (env / "lib" / "site-packages" / "w.py").write_text("other")
    (reason,) = _surveyed(env).unnamed
    assert reason == "w.py is not the file that was installed (install w again)"


def test_bytecode_is_hidden_from_the_tool_since_it_may_be_of_other_source(env):
    cache = env / "lib" / "site-packages" / "__pycache__"
    cache.mkdir()
    (cache / "w.cpython-311.pyc").write_bytes(b"x")
    found = _surveyed(env)
    assert (found.unnamed, found.hidden) == ((), (str(cache),))
    assert "is a compiled file" in unowned(cache.parent, caches=True)[0]


def test_more_bytecode_than_can_be_hidden_is_named(env):
    site = env / "lib" / "site-packages"
    for number in range(600):
        place = site / "w" / ("x" * 240) / ("y" * 240) / ("z" * 240) / f"{'x' * 150}{number}" / "__pycache__"
        place.mkdir(parents=True)
        (place / "a.cpython-311.pyc").write_bytes(b"")
    (reason,) = _surveyed(env).unnamed
    assert "has bytecode in 600 folders" in reason


def test_a_line_of_a_pth_file_that_leads_elsewhere_is_named(env, tmp_path):
    _install(
        env / "lib" / "site-packages",
        "p",
        files={"p.pth": f"# x\nimport sys\ninner\n{tmp_path}\n", "p.py": ""},
    )
    (reason,) = _surveyed(env).unnamed
    assert f"has modules imported from {tmp_path}, which no digest covers" in reason


def test_an_editable_project_is_its_copy_and_another_one_is_named(env, tmp_path):
    """Its own starters are hidden, so that nothing of the original is found by them."""
    origin = json.dumps({"url": f"file://{tmp_path}", "dir_info": {"editable": True}})
    site = env / "lib" / "site-packages"
    _install(site, "e", files={"e.pth": f"{tmp_path}\n"}, metadata={"e-1.dist-info/direct_url.json": origin})
    found = _surveyed(env, tmp_path)
    assert (found.unnamed, found.hidden) == ((), (str(site / "e.pth"),))
    assert "e is editable, so its code has no digest" in _surveyed(env, tmp_path / "other").unnamed[0]


@pytest.mark.parametrize("file", ["METADATA", "RECORD"])
def test_a_pipe_in_the_metadata_holds_nothing_up(env, file):
    place = env / "lib" / "site-packages" / "w-1.dist-info" / file
    place.unlink()
    os.mkfifo(place)
    assert any("belongs to no installed distribution" in reason for reason in _surveyed(env).unnamed)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("home = /elsewhere", "another installation"),
        ("version = 3.9.1", "says version 3.9.1, and the interpreter is CPython 3.11.7"),
    ],
)
def test_a_configuration_that_lies_about_its_interpreter_is_named(env, line, words):
    with (env / "pyvenv.cfg").open("a") as file:
        file.write(f"{line}\n")
    (reason,) = _surveyed(env).unnamed
    assert words in reason
    assert reason.endswith("make the environment again")


def test_the_first_of_two_homes_is_the_one_that_python_takes(env):
    right = (env / "pyvenv.cfg").read_text()
    (env / "pyvenv.cfg").write_text(f"home = /elsewhere\n{right}")
    (reason,) = _surveyed(env).unnamed
    assert reason.startswith("pyvenv.cfg names another installation (/elsewhere and ")


@pytest.mark.parametrize("library", [None, "os.py", "os.pyc"])
def test_a_link_to_the_interpreter_is_its_home_unless_it_leads_to_another_library(env, tmp_path, library):
    """A Python that is not on PATH is often started by such a link; Python takes the library beside it."""
    home = tmp_path / "elsewhere" / "bin"
    home.mkdir(parents=True)
    (home / "python3").symlink_to(os.path.realpath(env / "bin" / "python"))
    if library:
        (home.parent / "lib" / "python3.11").mkdir(parents=True)
        (home.parent / "lib" / "python3.11" / library).touch()
    (env / "pyvenv.cfg").write_text(f"home = {home}\n")
    named = [reason for reason in _surveyed(env).unnamed if "another installation" in reason]
    assert bool(named) is bool(library)


def test_an_interpreter_that_is_a_script_or_a_copy_is_not_started(env, monkeypatch):
    monkeypatch.setattr("aptix_conformance.app.certificates.interpreter._answer", None)
    python = env / "bin" / "python"
    for content in (b"#!/bin/sh\n", b"\x7fELF"):
        python.unlink()
        python.write_bytes(content)
        with pytest.raises(CertificateError, match="is a script, or a file of the project"):
            ask(str(python))
    python.unlink()
    (env.parent / "outside").write_bytes(b"#!/bin/sh\n")
    python.symlink_to(env.parent / "outside")
    with pytest.raises(CertificateError, match="is a script, or a file of the project"):
        ask(str(python))


def test_a_program_that_a_stranger_may_have_put_elsewhere_is_started_only_where_path_names_its_folder(
    env, monkeypatch
):
    python, outside = env / "bin" / "python", env.parent / "elsewhere" / "python3"
    outside.parent.mkdir()
    outside.write_bytes(b"\x7fELF")
    python.unlink()
    python.symlink_to(outside)
    with pytest.raises(CertificateError, match=r"put its folder on PATH if you trust it"):
        ask(str(python))
    monkeypatch.setenv("PATH", str(outside.parent), prepend=os.pathsep)
    assert ask(str(python)).interpreter == "CPython 3.11.7"


def test_an_environment_with_the_packages_of_its_installation_has_those_in_its_record(
    env, tmp_path, monkeypatch
):
    _install(tmp_path, "base", files={"base.py": ""})
    (tmp_path / "stray.py").write_text("")
    monkeypatch.setattr(
        "aptix_conformance.app.certificates.interpreter._answer",
        lambda _: ("CPython 3.11.7", "0" * 64, "1" * 64, "/absent", (str(tmp_path),)),
    )
    assert len(_surveyed(env).part.distributions) == 1
    with (env / "pyvenv.cfg").open("a") as file:
        file.write("include-system-site-packages = true\n")
    found = _surveyed(env)
    assert [part.name for part in found.part.distributions] == ["base", "w"]
    assert any(reason.startswith("stray.py in") for reason in found.unnamed)
