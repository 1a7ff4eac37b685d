"""The store: what is installed there is started before anything else, in the version that is asked for."""

import json
import sys

import pytest
from tests.unit.systems.programs import program

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.systems.mcp.commands import resolve
from aptix_conformance.systems.mcp.installing.package_request import Wanted
from aptix_conformance.systems.mcp.installing.store import Installed, Store, npm_program


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store with a server for Python and one for Node.js; nothing is on PATH, one server is beside the interpreter."""
    monkeypatch.setattr(sys, "executable", program(tmp_path / "env", "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    program(tmp_path / "env", "beside")
    program(tmp_path / "env", "node")
    found = Store(tmp_path / "store")
    keep(found, Wanted("python", "notes", program="notes"), "1.0", ("bin/notes", "bin/python"))
    place = keep(found, Wanted("npm", "@scope/notes"), "1.2.3", ("node_modules/@scope/notes/main.js",))
    (place / "node_modules/@scope/notes/package.json").write_text(json.dumps({"bin": "main.js"}))
    return found


def keep(store, wanted, version, programs, number="00000001"):
    with store.alone(wanted) as folder:
        place = folder / f"env-{number}"
        for name in programs:
            program((place / name).parent, (place / name).name)
        record = Installed(wanted.name, version, wanted.spec, str(place), "0" * 64, 1, Containment("partial"))
        store.keep(wanted, record, "lock\n")
    return place


def start(store, *words):
    return resolve(words, "mcp:x", store.folder.parent, store.folder)


def test_what_is_in_the_store_is_started_first(store, tmp_path):
    program(tmp_path / "env", "notes")
    expected = str(store.folder / "python" / "notes" / "env-00000001" / "bin" / "notes")
    assert start(store, "uvx", "notes", "--fast") == (expected, "--fast")
    assert start(store, "uvx", "--from", "notes", "notes", "--fast") == (expected, "--fast")
    script = (
        store.folder
        / "npm"
        / "@scope+notes"
        / "env-00000001"
        / "node_modules"
        / "@scope"
        / "notes"
        / "main.js"
    )
    assert start(store, "npx", "-y", "@scope/notes", "--fast") == (
        str(tmp_path / "env" / "node"),
        str(script),
        "--fast",
    )


def test_what_is_not_in_the_store_is_found_as_before(store, tmp_path):
    assert start(store, "uvx", "beside==2.0") == (str(tmp_path / "env" / "beside"),)
    assert start(store, "beside") == (str(tmp_path / "env" / "beside"),)
    with pytest.raises(TargetError, match="aptix-conformance mcp install"):
        start(store, "npx", "other")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("uvx", "notes==2.0"), r"^mcp:x: .*store has notes 1\.0, not notes==2\.0: install that"),
        (("uvx", "notes[all]"), r"store has notes 1\.0, not notes\[all\]: install that"),
        (("npx", "@scope/notes@1.2.4"), r"store has @scope/notes 1\.2\.3, not @scope/notes@1\.2\.4"),
        (("uvx", "--from", "notes", "other"), r"notes has no program other"),
    ],
)
def test_another_version_or_program_than_the_one_in_the_store_is_an_error(store, words, said):
    with pytest.raises(TargetError, match=said):
        start(store, *words)


@pytest.mark.parametrize(
    "words", [("uvx", "notes==1.0"), ("uvx", "notes@latest"), ("npx", "@scope/notes@1.2")]
)
def test_a_version_that_is_there_is_started(store, words):
    assert start(store, *words)


def test_a_new_environment_replaces_the_old_one(store):
    wanted = Wanted("python", "notes", program="notes")
    place = keep(store, wanted, "2.0", ("bin/notes", "bin/python"), "00000002")
    assert store.command(wanted, None) == (str(place / "bin" / "notes"),)
    assert [each.name for each in place.parent.glob("env-*")] == ["env-00000002"]


def test_what_was_ended_halfway_is_not_installed_and_is_removed_by_the_next_installation(store):
    wanted = Wanted("python", "other", program="other")
    left = store.place_of(wanted) / "env-00000003"
    program(left / "bin", "other")
    assert store.command(wanted, None) is None
    store.sweep(wanted)
    assert not left.exists()


def test_a_store_that_was_moved_says_so(store, tmp_path):
    store.folder.rename(tmp_path / "moved")
    with pytest.raises(TargetError, match=r"was moved here from .*: install it again"):
        Store(tmp_path / "moved").command(Wanted("python", "notes", program="notes"), None)


def test_an_interpreter_that_is_gone_is_said(store):
    (store.folder / "python" / "notes" / "env-00000001" / "bin" / "python").unlink()
    with pytest.raises(TargetError, match=r"interpreter of .* is gone"):
        start(store, "uvx", "notes")


@pytest.mark.parametrize("place", ["/", "../env-00000001", "/etc/env-00000001"])
def test_a_record_leads_nowhere_else(store, place):
    path = store.folder / "python" / "notes" / "installed.json"
    said = json.loads(path.read_text())
    path.write_text(to_text({**said, "place": place}))
    with pytest.raises(TargetError, match="install it again"):
        start(store, "uvx", "notes")


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000])
def test_a_record_that_is_none_is_an_error(store, text):
    (store.folder / "python" / "notes" / "installed.json").write_text(text)
    with pytest.raises(TargetError, match=r"cannot be read .*: install it again"):
        start(store, "uvx", "notes")


def test_one_process_at_a_time_writes_to_a_store(store):
    wanted = Wanted("python", "notes")
    with (
        store.alone(wanted),
        pytest.raises(TargetError, match="another process installs into"),
        store.alone(wanted),
    ):
        pass


def test_only_the_lock_files_are_for_a_repository(store):
    ignored = (store.folder / ".gitignore").read_text().split()
    assert ignored == ["env-*/", "installed.json", ".busy"]


@pytest.mark.parametrize("place", ["../main.js", "/etc/passwd", "link"])
def test_a_program_outside_of_its_package_is_none(tmp_path, place):
    folder = tmp_path / "notes"
    program(folder, "own.js")
    program(tmp_path, "main.js")
    (folder / "link").symlink_to("../main.js")
    (folder / "package.json").write_text(json.dumps({"bin": place}))
    assert npm_program(folder, "notes") is None
