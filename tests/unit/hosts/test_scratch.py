"""A scratch directory is removed, whatever was done to it, and nothing else."""

import contextlib
import os
from types import SimpleNamespace

import pytest

from aptix_conformance.core.errors import ShortageError
from aptix_conformance.hosts import scratch


def test_no_depth_and_no_length_of_path_is_too_much(tmp_path):
    """Recursion and PATH_MAX end at a thousand levels or so."""
    place = scratch.make_below(tmp_path, "place")
    top = os.open(place, os.O_RDONLY)
    here = top
    for _ in range(1100):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    scratch.remove(place)
    assert not place.exists()


def test_what_was_closed_is_opened_and_links_are_not_followed(tmp_path):
    """Also from one level to the next."""
    place = scratch.make_below(tmp_path, "place")
    outside = scratch.make_below(tmp_path, "outside")
    (outside / "kept").touch(mode=0o600)
    for below in (place, place / "closed"):
        below.mkdir(exist_ok=True)
        (below / "link").symlink_to(outside, target_is_directory=True)
        (below / "file").touch(mode=0)
    os.mkfifo(place / "closed" / "pipe")
    (place / "closed" / "inner").mkdir(mode=0)
    (place / "read-only").mkdir()
    (place / "read-only" / "file").touch()
    (place / "read-only").chmod(0o500)
    (place / "closed").chmod(0)
    place.chmod(0)
    scratch.remove(place)
    assert not place.exists()
    assert (outside / "kept").stat().st_mode & 0o777 == 0o600
    scratch.remove(place)


def test_a_link_in_the_place_of_a_directory_is_not_followed(tmp_path):
    """What it points to is somebody else's."""
    outside = scratch.make_below(tmp_path, "outside")
    (outside / "kept").touch()
    (tmp_path / "place").symlink_to(outside)
    scratch.remove(tmp_path / "place")
    assert (outside / "kept").exists()


def test_a_link_that_takes_the_place_of_a_directory_during_removal_is_not_followed(tmp_path, monkeypatch):
    """A process that is not dead yet may put it there right after the look."""
    place, outside = scratch.make_below(tmp_path, "place"), scratch.make_below(tmp_path, "outside")
    outside.chmod(0o500)
    (place / "below").mkdir()
    for folder in (place, place / "below"):
        (folder / "link").symlink_to(outside, target_is_directory=True)
    monkeypatch.setattr(scratch, "_is_directory", lambda *_: True)
    scratch.remove(place)
    assert outside.stat().st_mode & 0o777 == 0o500


@pytest.fixture
def directories(tmp_path):
    return scratch.ToolDirectories(scratch.make_below(tmp_path, "tools"))


def test_a_process_that_runs_alone_has_the_directory_of_its_modules_import(directories):
    """Paths that modules computed lead there; another process at the same time has a directory of its own."""
    first, second = directories.claim(), directories.claim()
    assert first.place == directories.home != second.place
    first.place.mkdir()
    first.remove()
    assert not first.place.exists()
    assert directories.claim().place == directories.home


def test_a_directory_is_removed_once(directories):
    """Another process may have its name by then."""
    first = directories.claim()
    first.place.mkdir()
    first.remove()
    again = directories.claim()
    again.place.mkdir()
    first.remove()
    assert again.place.is_dir()
    assert (first.path, again.path) == (None, again.place)


def test_a_directory_that_cannot_be_removed_is_not_used_again(directories, monkeypatch):
    """What an earlier process left must not reach a later one."""
    first = directories.claim()
    first.place.mkdir()
    monkeypatch.setattr(scratch, "remove", lambda place: None)
    first.remove()
    assert directories.claim().place != first.place


def test_after_close_nothing_more_is_removed(directories):
    """A later `remove` must not touch a directory of the same name."""
    directories.enter(os.getpid())
    directory = directories.claim()
    directories.close()
    assert not directories.place.exists()
    directory.place.mkdir(parents=True)
    directory.remove()
    assert directory.place.is_dir()
    directories.close()


def test_a_directory_that_cannot_be_entered_is_left_to_its_zygote(directories):
    """Where the process does not exist, the parent removes nothing and gives no name twice."""
    directories.enter(2**22 + 1)
    names = set()
    for _ in range(2):
        directory = directories.claim()
        names.add(directory.place)
        assert directory.path is None
        directory.remove()
    assert len(names) == 2
    assert directories.home not in names
    directories.close()
    assert not directories.place.exists()


def test_shared_directories_are_emptied_when_nobody_uses_them(tmp_path, directories):
    """What was there before stays; what an import left is reported as long as no tool has a process."""
    shared = scratch.make_below(tmp_path, "shared")
    (shared / "before").mkdir()
    directories.enter(os.getpid(), [str(shared)])
    assert not directories.has_leftovers
    (shared / "left").touch()
    assert directories.has_leftovers
    first, second = directories.claim(), directories.claim()
    assert not directories.has_leftovers
    first.remove()
    assert (shared / "left").exists()
    second.remove()
    assert [path.name for path in shared.iterdir()] == ["before"]
    directories.close()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Makes places in a temporary folder of the test's own, which was searched for abandoned ones before."""
    monkeypatch.setattr(scratch, "_remove_abandoned_once", lambda: None)
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    return scratch.ScratchPlace


def test_what_a_run_that_was_killed_left_is_removed(place, tmp_path):
    """The kernel releases its lock."""
    left = place()
    (left.path / "tool-1").mkdir()
    os.close(left._fd)
    scratch.remove_abandoned(tmp_path)
    assert not left.path.exists()


def test_what_a_living_run_uses_stays(place, tmp_path):
    """Also where it is this one."""
    used = place()
    scratch.remove_abandoned(tmp_path)
    assert used.path.exists()
    used.remove()
    assert not used.path.exists()
    used.remove()


def test_what_another_version_of_the_suite_or_another_user_made_stays(place, tmp_path, monkeypatch):
    """A directory without a lock may be in use."""
    unlocked = scratch.make_below(tmp_path, "aptix-scratch-1a2b3c4d")
    left = place()
    os.close(left._fd)
    monkeypatch.setattr(scratch.os, "geteuid", lambda: os.getuid() + 1)
    scratch.remove_abandoned(tmp_path)
    assert unlocked.exists()
    assert left.path.exists()


def test_a_link_with_the_name_of_an_abandoned_directory_is_not_followed(place, tmp_path):
    """Anybody may put one into the temporary folder."""
    outside = scratch.make_below(tmp_path, "outside")
    (outside / "kept").touch()
    (tmp_path / "aptix-scratch-run-abcdefgh").symlink_to(outside)
    scratch.remove_abandoned(tmp_path)
    assert (outside / "kept").exists()


def test_a_temporary_folder_that_cannot_be_read_is_no_reason_to_fail(tmp_path):
    scratch.remove_abandoned(tmp_path / "missing")


@pytest.mark.parametrize(
    ("free", "inodes", "free_inodes", "is_full"),
    [(1000, 10**6, 10**5, True), (10**6, 10**6, 5, True), (10**6, 0, 0, False), (10**6, 10**6, 10**5, False)],
)
def test_a_place_that_is_full_is_refused_by_name(tmp_path, monkeypatch, free, inodes, free_inodes, is_full):
    """Some file systems do not count inodes."""
    found = SimpleNamespace(
        f_frsize=1024, f_bavail=free, f_bfree=free, f_files=inodes, f_favail=free_inodes, f_ffree=free_inodes
    )
    monkeypatch.setattr(os, "statvfs", lambda _: found)
    told = pytest.raises(ShortageError, match=f"^not examined: no space is left in {tmp_path}: free some")
    with told if is_full else contextlib.nullcontext():
        scratch.check_space(tmp_path / "aptix-scratch-run-x" / "zygote-1")
