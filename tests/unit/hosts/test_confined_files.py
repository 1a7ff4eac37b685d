"""The canary is planted in a copy only, and what calls change of it is seen."""

from pathlib import Path

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model.confinement import CANARY
from aptix_conformance.hosts.author_files import state_of
from aptix_conformance.hosts.confined_files import (
    ConfinedFiles,
    changed_inside,
    changed_outside,
    check_confined,
)
from aptix_conformance.targets.settings import ToolSettings


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data" / "notes").mkdir(parents=True)
    (tmp_path / "data" / "notes" / "a.txt").write_text("bread")
    return tmp_path / "data"


@pytest.fixture
def planted(folder):
    made = ConfinedFiles(ToolSettings(files=str(folder), confined_to="notes"), 1000)
    yield Path(made.settings.files)
    made.remove()


def test_the_canary_stands_beside_the_copy_and_the_authors_folder_is_as_it_was(folder, planted):
    assert (planted / "notes-canary-7a90c4d2" / "canary.txt").read_text() == f"{CANARY}\n"
    assert (planted / "notes" / "link-7a90c4d2" / "canary.txt").read_text() == f"{CANARY}\n"
    assert (planted / "notes" / "link-7a90c4d2.txt").read_text() == f"{CANARY}\n"
    assert (planted / "notes" / "a.txt").read_text() == "bread"
    assert not list(planted.rglob(".git"))
    assert sorted(state_of(folder)) == ["notes", "notes/a.txt"]


@pytest.mark.parametrize("entries", [[".git"], ["HEAD", "objects/ab"]], ids=["a working tree", "a bare one"])
def test_beside_a_git_repository_other_ones_are_planted(folder, entries):
    for entry in entries:
        (folder / "notes" / entry).parent.mkdir(exist_ok=True)
        (folder / "notes" / entry).touch()
    made = ConfinedFiles(ToolSettings(files=str(folder), confined_to="notes"), 1000)
    for planted in ("canary-7a90c4d2", "notes-canary-7a90c4d2"):
        assert (Path(made.settings.files) / planted / ".git" / "refs" / "heads" / CANARY).is_file()
    made.remove()


def test_a_copy_whose_folder_is_empty_has_nothing_planted(folder):
    (folder / "notes" / "deep" / "deeper").mkdir(parents=True)
    (folder / "other.txt").write_text("kept")
    made = ConfinedFiles(ToolSettings(files=str(folder), confined_to="notes"), 1000, emptied=True)
    assert sorted(state_of(Path(made.settings.files))) == ["notes", "other.txt"]
    made.remove()
    assert (folder / "notes" / "a.txt").read_text() == "bread"


def test_the_copy_is_removed(folder):
    made = ConfinedFiles(ToolSettings(files=str(folder), confined_to="notes"), 1000)
    made.remove()
    assert not Path(made.settings.files).parent.exists()


def test_changes_outside_are_seen_and_those_inside_are_the_tools_own(planted):
    before = state_of(planted)
    (planted / "notes" / "a.txt").write_text("salt")
    (planted / "notes" / "new-7a90c4d2.txt").touch()
    (planted / "server.log").touch()
    assert changed_outside(before, state_of(planted), "notes") == ()
    (planted / "canary-7a90c4d2" / "canary.txt").write_text("mine")
    (planted / "notes-canary-7a90c4d2" / "canary.txt").unlink()
    (planted / "new-7a90c4d2.txt").touch()
    assert changed_outside(before, state_of(planted), "notes") == (
        "canary-7a90c4d2/canary.txt",
        "new-7a90c4d2.txt",
        "notes-canary-7a90c4d2/canary.txt",
    )


def test_changes_in_the_folder_are_seen_apart(planted):
    before = state_of(planted)
    (planted / "canary-7a90c4d2" / "canary.txt").write_text("mine")
    (planted / "notes.log").touch()
    assert changed_inside(before, state_of(planted), "notes") == ()
    (planted / "notes" / "a.txt").unlink()
    (planted / "notes" / "b.txt").touch()
    assert changed_inside(before, state_of(planted), "notes") == ("notes/a.txt", "notes/b.txt")


def test_a_folder_that_is_not_there_or_is_a_link_is_refused(folder):
    (folder / "link").symlink_to("notes")
    for name in ("not-there", "link", "notes/a.txt"):
        with pytest.raises(TargetError, match=r"confined_to: .* is no folder"):
            check_confined(ToolSettings(files=str(folder), confined_to=name))
    with pytest.raises(TargetError, match="name in `files` the folder that holds notes"):
        check_confined(ToolSettings(confined_to="notes"))
    check_confined(ToolSettings(files=str(folder), confined_to="notes"))
    check_confined(ToolSettings())


def test_a_name_of_the_suites_own_is_refused(folder):
    (folder / "canary-7a90c4d2").mkdir()
    with pytest.raises(TargetError, match="canary-7a90c4d2 has a name of the suite's own"):
        ConfinedFiles(ToolSettings(files=str(folder), confined_to="notes"), 1000)
