"""A scratch directory is removed, whatever was done to it, and nothing else."""

import os

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


def test_after_close_nothing_more_is_removed(tmp_path):
    """A later `remove` must not touch a directory of the same name."""
    directories = scratch.ToolDirectories(scratch.make_below(tmp_path, "tools"))
    assert directories.make("tool").is_dir()
    directories.enter(os.getpid())
    assert directories.make("other") == tmp_path / "tools" / "other"
    assert (tmp_path / "tools" / "other").is_dir()
    directories.close()
    assert not (tmp_path / "tools").exists()
    directories.remove("tool")
    assert directories.path("tool") is None
    directories.close()


def test_a_directory_that_cannot_be_entered_is_left_to_its_zygote(tmp_path):
    """Where the process does not exist, the parent creates and removes nothing."""
    directories = scratch.ToolDirectories(scratch.make_below(tmp_path, "tools"))
    directories.enter(2**22 + 1)
    assert directories.make("tool") == tmp_path / "tools" / "tool"
    assert not (tmp_path / "tools" / "tool").exists()
    directories.remove("tool")
    directories.close()
    assert not (tmp_path / "tools").exists()
