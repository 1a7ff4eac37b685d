"""An author's folder is copied as it is or refused with the place and the fix; what calls change in a copy is seen."""

import os
import stat
from pathlib import Path

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts import author_files
from aptix_conformance.targets.settings import ToolSettings

KEY = "pyproject.toml: tool.aptix-conformance.tool.agent_notes.files"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "testdata"
    (folder / "inner").mkdir(parents=True)
    (folder / "notes.txt").write_text("bread")
    (folder / "inner" / "more.txt").write_text("salt")
    return folder


@pytest.fixture
def copy(tmp_path, folder):
    (tmp_path / "copies").mkdir(exist_ok=True)
    return lambda limit=1000: author_files.AuthorFiles(tmp_path / "copies", limit).copy_of(
        ToolSettings(files=str(folder), places={"files": KEY})
    )


def test_the_copy_has_the_files_with_their_times_and_may_be_written_to(folder, copy):
    (folder / "notes.txt").chmod(0o440)
    os.utime(folder / "notes.txt", ns=(5, 1_000_000_007))
    (folder / "link").symlink_to("inner/more.txt")
    (folder / "inner" / "dangling").symlink_to("nothing")
    made = copy()
    assert (made / "link").read_text() == (made / "inner" / "more.txt").read_text() == "salt"
    assert (made / "link").readlink().as_posix() == "inner/more.txt"
    assert (made / "inner" / "dangling").is_symlink()
    status = (made / "notes.txt").stat()
    assert (status.st_mode & 0o777, status.st_mtime_ns) == (0o640, 1_000_000_007)


def test_a_folder_is_copied_once(tmp_path, folder):
    known = author_files.AuthorFiles(tmp_path, 1000)
    settings = ToolSettings(files=str(folder))
    assert known.copy_of(settings) == known.copy_of(settings)
    assert known.copy_of(ToolSettings()) is None


def test_a_copy_that_is_forgotten_is_removed_and_no_other_one_has_its_place(tmp_path, folder):
    known = author_files.AuthorFiles(tmp_path, 1000)
    settings, others = ToolSettings(files=str(folder)), ToolSettings(files=str(folder / "inner"))
    first, other = known.copy_of(settings), known.copy_of(others)
    assert known.forget(settings) == first
    assert (first.exists(), other.exists()) == (False, True)
    assert known.forget(settings) is None
    assert known.forget(ToolSettings()) is None
    assert known.copy_of(settings) not in (first, other)


def test_a_folder_without_anything_has_an_empty_copy(tmp_path):
    (tmp_path / "empty").mkdir()
    made = author_files.AuthorFiles(tmp_path, 1000).copy_of(ToolSettings(files=str(tmp_path / "empty")))
    assert list(made.iterdir()) == []


def sparse(path):
    with path.open("wb") as stream:
        stream.truncate(10**12)


HOSTILE = {
    "absolute": (
        lambda path: path.symlink_to("/etc/passwd"),
        "leads out of the folder: put what it leads to",
    ),
    "above": (lambda path: path.symlink_to("../secret"), "leads out of the folder"),
    "through": (
        lambda path: ((path.parent / "up").symlink_to("inner/.."), path.symlink_to("inner/../up/../secret")),
        "leads out of the folder",
    ),
    "pipe": (os.mkfifo, "is a device, a socket or a pipe: remove it"),
    "socket": (lambda path: os.mknod(path, stat.S_IFSOCK), "is a device, a socket or a pipe: remove it"),
    "sparse": (sparse, "holds more than 0 MiB: keep what the tool needs"),
    "large": (lambda path: path.write_bytes(b"x" * 2000), "holds more than 0 MiB"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_copied_is_named_with_the_fix(folder, copy, name, monkeypatch):
    """And nothing of it stays."""
    monkeypatch.chdir(folder)
    (folder.parent / "secret").write_text("mine")
    make, words = HOSTILE[name]
    make(folder / "odd")
    with pytest.raises(TargetError) as refused:
        copy()
    assert str(refused.value).startswith(KEY)
    assert str(folder) in str(refused.value)
    assert words in str(refused.value)
    assert not any((folder.parent / "copies").iterdir())


def test_what_cannot_be_read_is_named(folder, copy, monkeypatch):
    """The user root can read everything, so the refusal is the test's."""

    def refuse(path, flags):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(author_files, "_open_file", refuse)
    with pytest.raises(TargetError, match=r"cannot be copied \(Permission denied\): fix its permissions"):
        copy()


def test_a_folder_with_too_many_entries_is_refused(folder, copy, monkeypatch):
    monkeypatch.setattr(author_files, "MOST_ENTRIES", 2)
    with pytest.raises(TargetError, match="holds more than 2 entries"):
        copy()


def test_a_path_that_is_too_long_is_refused(folder, copy, monkeypatch):
    monkeypatch.setattr(author_files, "_LONGEST_PATH", 20)
    with pytest.raises(TargetError, match="is nested too deeply"):
        copy()


def test_a_file_that_became_a_pipe_does_not_block(folder, tmp_path):
    """The folder may change while it is copied."""
    os.mkfifo(tmp_path / "pipe")
    descriptor = author_files._open_file(str(tmp_path / "pipe"), os.O_RDONLY)
    os.close(descriptor)


# ---- what calls changed

CHANGES = {
    "new": lambda place: (place / "new").touch(),
    "new_inside": lambda place: (place / "inner" / "new").touch(),
    "new_directory": lambda place: (place / "new").mkdir(),
    "gone": lambda place: (place / "notes.txt").unlink(),
    "longer": lambda place: (place / "notes.txt").write_text("bread and salt"),
    "same_length": lambda place: (place / "notes.txt").write_text("dough"),
    "replaced": lambda place: ((place / "x").write_text("bread"), (place / "x").rename(place / "notes.txt")),
    "mode": lambda place: (place / "notes.txt").chmod(0o600),
    "directory_replaced": lambda place: (place / "inner").rename(place / "other"),
    "closed": lambda place: (place / "inner").chmod(0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(folder, name):
    """Also where the times of a file are set back: the kernel's own time of change cannot be set."""
    before = author_files.state_of(folder)
    times = (folder / "notes.txt").stat()
    CHANGES[name](folder)
    if (folder / "notes.txt").exists():
        os.utime(folder / "notes.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert author_files.has_changed(folder, before)


def test_a_copy_with_links_has_them_as_they_are_and_no_special_permissions(tmp_path, folder):
    """What an installer left may make nobody root, and a link in it may lead anywhere until it is looked at."""
    (folder / "out").symlink_to("/etc/passwd")
    (folder / "notes.txt").chmod(0o6755)
    (tmp_path / "copied").mkdir()
    author_files.Copier(folder, "notes", 1000, 10, with_links=True).run(tmp_path / "copied")
    assert (tmp_path / "copied" / "out").readlink() == Path("/etc/passwd")
    assert (tmp_path / "copied" / "notes.txt").stat().st_mode & 0o7777 == 0o755
    with pytest.raises(TargetError, match="more than 2 entries"):
        author_files.Copier(folder, "notes", 1000, most=2).run(tmp_path / "copied" / "inner")


def test_reading_and_a_temporary_file_that_is_gone_are_no_change(folder):
    before = author_files.state_of(folder)
    (folder / "notes.txt").read_text()
    (folder / "temporary").touch()
    (folder / "temporary").unlink()
    assert not author_files.has_changed(folder, before)


def test_a_scan_ends_at_the_first_difference(folder):
    """However much a tool left there."""
    before = author_files.state_of(folder)
    for number in range(5):
        (folder / f"new{number}").touch()
    entries = author_files._entries(folder)
    taken = next(path for path, found in entries if before.get(path) != found)
    assert taken.startswith("new")
    assert author_files.has_changed(folder, before)


def test_a_directory_that_is_gone_has_changed(tmp_path, folder):
    before = author_files.state_of(folder)
    assert author_files.has_changed(tmp_path / "elsewhere", before)
