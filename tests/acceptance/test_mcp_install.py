"""`aptix-conformance mcp install`, for real: from an index on this machine, contained, and with packages of attackers."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.acceptance.package_index import SERVER_IN_JAVASCRIPT, Index, packed_tar, serving, wheel
from tests.process.hosts import elsewhere

from aptix_conformance import Run, RunOptions
from aptix_conformance.app.cli import main

SERVER = (Path(__file__).parents[2] / "fixtures" / "mcp" / "conforming" / "lengths.py").read_text(
    encoding="utf-8"
)
SERVING = (Path(__file__).parents[2] / "fixtures" / "mcp" / "serving.py").read_text(encoding="utf-8")
MAIN = "\n\ndef main():\n    LengthServer().serve()\n"
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm on PATH")


@pytest.fixture
def install(capsys):
    def run(*words):
        status = main(["mcp", "install", *words])
        return status, capsys.readouterr().out

    return run


def below(folder):
    """All paths below a folder, with the times of their last changes."""
    return {path: path.lstat().st_mtime_ns for path in Path(folder).rglob("*")}


def test_a_server_is_installed_from_its_index_and_examined_as_it_is_named(index, install, tmp_path):
    """From the index to verdicts, through the command line and the configuration."""
    index.add(
        wheel("lengths", files={"lengths.py": SERVER + MAIN, "serving.py": SERVING}, needs=["helper>=1"]),
        wheel("helper"),
    )
    status, out = install("uvx lengths")
    assert status == 0, out
    assert "lengths 1.0 installed" in out
    assert "2 packages, containment partial" in out
    (environment,) = Path(".aptix-servers/python/lengths").glob("env-*")
    assert not (environment / ".work").exists()
    with Run.open(".", RunOptions(examples=1, limited=False)) as run:
        found = run.find("mcp:uvx lengths")
    assert not found.failures
    assert "convert_length" in [each.name for each in found.tools]


def test_a_second_installation_is_from_the_lock_file(index, install):
    index.add(wheel())
    assert install("uvx notes")[0] == 0
    index.add(wheel(version="2.0"))
    index.asked.clear()
    assert install("uvx notes") == (0, "[1/1] notes 1.0 was installed: mcp:uvx notes\n")
    assert not index.asked
    shutil.rmtree(next(Path(".aptix-servers/python/notes").glob("env-*")))
    assert "notes 1.0 installed" in install("uvx notes")[1]
    assert "notes 2.0 installed" in install("uvx notes", "--upgrade")[1]
    assert "notes 1.0 installed" in install("uvx notes==1.0")[1]
    assert len(list(Path(".aptix-servers/python/notes").glob("env-*"))) == 1


def test_a_file_that_was_replaced_is_not_installed_and_the_old_environment_stays(index, install):
    index.add(wheel())
    assert install("uvx notes")[0] == 0
    lock = Path(".aptix-servers/python/notes/requirements.lock")
    before = below(lock.parent)
    good = lock.read_text()
    lock.write_text(good.replace("--hash=sha256:", "--hash=sha256:0")[:-2] + "\n")
    status, out = install("uvx notes")
    assert (status, out.count("\n")) == (1, 1)
    assert "has another hash than the lock file" in out
    lock.write_text(f"{good}--index-url http://127.0.0.1:1/\n")
    assert "line 3 is not NAME==VERSION" in install("uvx notes")[1]
    lock.write_text(good)
    assert below(lock.parent).keys() == before.keys()
    assert "was installed" in install("uvx notes")[1]


EVIL = "import pathlib; pathlib.Path({path!r}).write_text('x')\n"


@pytest.fixture
def outside(tmp_path):
    """A place that an attacker's package wants to write."""
    return tmp_path / "written"


def attacks(outside):
    """Wheels of attackers, each with what the installation says of it; None where it is installed and does nothing."""
    up = "/".join([".."] * 30)
    return {
        "path": ({f"{up}{outside}": "x"}, None),
        "pth": ({"notes.pth": EVIL.format(path=str(outside))}, None),
        "interpreter": (
            {"notes-1.0.data/scripts/python": f"#!/bin/sh\ntouch {outside}\n"},
            "reserved name `python`",
        ),
    }


@pytest.mark.parametrize("attack", list(attacks(Path("/x/y"))))
def test_a_wheel_of_an_attacker_does_nothing_outside(index, install, outside, attack):
    files, said = attacks(outside)[attack]
    index.add(wheel(files=files))
    status, out = install("uvx notes")
    assert not outside.exists()
    if said is None:
        assert status == 0, out
    else:
        assert status == 1
        assert re.search(said, out), out
        assert not list(Path(".aptix-servers").rglob("installed.json"))
        assert not list(Path(".aptix-servers").rglob("env-*"))
    with Run.open(".", RunOptions(limited=False)) as run:
        run.find("mcp:uvx notes")
    assert not outside.exists()


def test_a_source_distribution_is_not_built(index, install, outside):
    setup = f"{EVIL.format(path=str(outside))}\nfrom setuptools import setup\nsetup(name='notes', version='1.0')\n"
    packed = packed_tar(
        {"setup.py": setup, "PKG-INFO": "Metadata-Version: 2.1\nName: notes\nVersion: 1.0\n"}, "notes-1.0"
    )
    index.add(("notes-1.0.tar.gz", packed))
    status, out = install("uvx notes")
    assert (status, outside.exists()) == (1, False)
    assert "notes==1.0 has no wheels" in out or "no usable wheels" in out, out
    index.add(wheel("other", needs=["notes"]))
    status, out = install("uvx other")
    assert (status, outside.exists()) == (1, False)
    assert "no usable wheels" in out, out


@needs_npm
@pytest.mark.parametrize("contained", [True, False])
def test_settings_of_the_project_are_not_obeyed_and_no_cache_of_the_user_is_written(
    index, install, tmp_path, monkeypatch, contained
):
    """A project may be a stranger's: its files choose no index, and what is downloaded stays in the store."""
    index.add(wheel())
    index.add_npm("notes", {"index.js": SERVER_IN_JAVASCRIPT}, bin="index.js")
    nobody = "http://127.0.0.1:9"
    Path("uv.toml").write_text(f'index-url = "{nobody}"\n')
    Path("pyproject.toml").write_text(f'[tool.uv]\nindex-url = "{nobody}"\n')
    Path(".npmrc").write_text(f"registry={nobody}/\n")
    settings, home = tmp_path / "npmrc", tmp_path / "home"
    settings.write_text(f"registry={index.url}/npm/\n")
    home.mkdir()
    monkeypatch.delenv("npm_config_registry")
    monkeypatch.setenv("npm_config_userconfig", str(settings))
    monkeypatch.setenv("HOME", str(home))
    if contained:
        status, out = install("uvx notes", "npx notes")
    else:
        done = without_namespaces("uvx notes", "npx notes", "--containment", "none")
        status, out = done.returncode, done.stdout
    assert status == 0, out
    assert not list(home.iterdir())


def test_a_server_is_installed_with_the_versions_that_are_asked_for(index, install):
    index.add(wheel(needs=["helper"]), wheel("helper"), wheel("helper", "2.0"))
    assert install("uvx notes")[0] == 0
    lock = Path(".aptix-servers/python/notes/requirements.lock")
    assert "helper==2.0 " in lock.read_text()
    assert "installed" in install("uvx notes", "--with", "helper<2")[1]
    assert "helper==1.0 " in lock.read_text()
    assert "was installed" in install("uvx --with helper<2 notes")[1]


def test_a_server_that_does_not_start_is_a_line(index, install):
    index.add(wheel(files={"notes.py": "def main():\n    raise SystemExit('no key')\n"}))
    status, out = install("uvx notes")
    assert status == 1
    assert "does not start  mcp:uvx notes" in out


def test_what_has_to_come_from_elsewhere_is_not_reached(index, install):
    """A requirement with a URL of its own leads to a host that is not the index's."""
    with serving(Index()) as other:
        name, body = wheel("helper")
        other.add((name, body))
        index.add(wheel(needs=[f"helper @ {other.url}/files/{name}"]))
        status, out = install("uvx notes")
        assert status == 1
        assert not other.asked
    assert "URL dependenc" in out, out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("uvx nothing", "nothing was not found"),
        ("uvx notes==3.0", "there is no version of notes==3.0"),
        ("uvx --python 3.12 notes", "in place of uvx with options"),
        ("uvx git+https://example.com/notes", "names no package of an index"),
        ("npx https://example.com/notes.tgz", "names no package of an index"),
    ],
)
def test_what_cannot_be_installed_is_one_line(index, install, words, said):
    index.add(wheel())
    status, out = install(words)
    assert status == 1
    assert said in out
    assert out.count("\n") == 1


def test_an_index_that_nobody_serves_is_one_line(index, install, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:secret@127.0.0.1:9/simple")
    status, out = install("uvx notes")
    assert (status, out.count("\n")) == (1, 1)
    assert "http://127.0.0.1:9/simple" in out.replace("http://me:…@", "http://")
    assert "secret" not in out


def test_wheels_of_a_folder_need_no_network(install, index, tmp_path, monkeypatch):
    folder = tmp_path / "wheels"
    folder.mkdir()
    name, body = wheel()
    (folder / name).write_bytes(body)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    status, out = install("uvx notes")
    assert status == 0, out
    assert not index.asked
    done = without_namespaces("uvx notes", "--upgrade")
    assert "notes 1.0 installed" in done.stdout
    (environment,) = Path(".aptix-servers/python/notes").glob("env-*")
    assert not (environment / ".work").exists()


def without_namespaces(*words):
    """Run the command where the kernel gives no namespaces."""
    command = [sys.executable, "-m", "aptix_conformance", "mcp", "install", *words]
    return subprocess.run(
        command, preexec_fn=elsewhere._refuse_namespaces, check=False, capture_output=True, text=True
    )


def test_without_containment_nothing_is_installed_unless_that_is_allowed(index, install):
    index.add(wheel())
    done = without_namespaces("uvx notes")
    assert (done.returncode, done.stdout.count("\n")) == (1, 1)
    assert "cannot be contained here" in done.stdout
    assert "--containment none" in done.stdout
    assert not list(Path(".aptix-servers").rglob("env-*"))
    done = without_namespaces("uvx notes", "--containment", "none")
    assert done.returncode == 0, done.stdout
    (record,) = Path(".aptix-servers").rglob("installed.json")
    assert json.loads(record.read_text())["containment"]["level"] == "none"
    (environment,) = record.parent.glob("env-*")
    assert not (environment / ".work").exists()


@needs_npm
def test_a_package_of_npm_is_installed_without_its_scripts(index, install, outside):
    touch = f"touch ran; touch {outside}"
    scripts = dict.fromkeys(["preinstall", "install", "postinstall", "prepare"], touch)
    index.add_npm("helper", {"index.js": "", "binding.gyp": "{}"}, scripts=scripts)
    index.add_npm(
        "@scope/notes",
        {"index.js": SERVER_IN_JAVASCRIPT},
        bin={"notes": "index.js"},
        scripts=scripts,
        dependencies={"helper": "^1.0.0"},
    )
    status, out = install("npx -y @scope/notes")
    assert status == 0, out
    assert "@scope/notes 1.0.0 installed" in out
    assert not outside.exists()
    assert not list(Path(".aptix-servers").rglob("ran"))
    lock = Path(".aptix-servers/npm/@scope+notes/package-lock.json")
    said = json.loads(lock.read_text())
    assert index.url not in lock.read_text()
    assert install("npx @scope/notes@1.0.0")[1].startswith("[1/1] @scope/notes 1.0.0 was installed")
    said["packages"]["node_modules/helper"]["integrity"] = f"sha512-{'A' * 86}=="
    lock.write_text(json.dumps(said))
    assert "has another hash than the lock file" in install("npx @scope/notes")[1]
    del said["packages"]["node_modules/helper"]["integrity"]
    lock.write_text(json.dumps(said))
    assert "'node_modules/helper' has no hash in it" in install("npx @scope/notes")[1]


@needs_npm
def test_a_program_that_lies_outside_of_its_package_is_none(index, install, outside):
    outside.write_text("")
    up = "/".join([".."] * 30)
    index.add_npm("notes", {}, bin={"notes": f"{up}{outside}"})
    status, out = install("npx notes")
    assert status == 1
    assert "has no program" in out
    assert not list(Path(".aptix-servers").rglob("installed.json"))


@needs_npm
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("npx nothing", "the index has no such package"),
        ("npx notes@2.0.0", "the index has no such version: "),
    ],
)
def test_a_package_of_npm_that_is_not_there_is_one_line(index, install, words, said):
    index.add_npm("notes", {"index.js": ""}, bin="index.js")
    status, out = install(words)
    assert (status, out.count("\n")) == (1, 1)
    assert said in out


def test_the_interpreter_of_a_server_is_asked_for_nothing_that_a_package_put_there(index, install):
    """What the suite runs outside of the containment is the link that it made itself."""
    index.add(wheel())
    assert install("uvx notes")[0] == 0
    (environment,) = Path(".aptix-servers/python/notes").glob("env-*")
    assert os.path.realpath(environment / "bin" / "python") == os.path.realpath(sys.executable)
