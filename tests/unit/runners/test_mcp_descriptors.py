"""What a server has open is counted, whatever its threads do meanwhile."""

import pytest

from aptix_conformance.runners.mcp import descriptors


@pytest.fixture
def process(tmp_path, monkeypatch):
    """Adds a process with some descriptors to a kernel's list: of its threads the children, None where these are not listed."""
    monkeypatch.setattr(descriptors, "_PROC", str(tmp_path))

    def add(pid, opened, **threads):
        (tmp_path / str(pid) / "fd").mkdir(parents=True)
        for number in range(opened):
            (tmp_path / str(pid) / "fd" / str(number)).touch()
        for name, children in threads.items():
            thread = tmp_path / str(pid) / "task" / name
            thread.mkdir(parents=True)
            if children is not None:
                (thread / "children").write_text(children)
        return tmp_path / str(pid) / "task"

    return add


def test_the_children_of_every_thread_are_counted(process):
    process(7, 3, a="8 ", b="9")
    process(8, 1, a="")
    process(9, 2, a="")
    assert descriptors.open_descriptors(7) == 6


def test_a_thread_that_ends_while_it_is_read_is_skipped(process):
    process(8, 1, a="")
    tasks = process(7, 3, a="8")
    (tasks / "ended").symlink_to("nothing")  # listed, and gone when it is opened
    assert descriptors.open_descriptors(7) == 4


def test_nothing_is_counted_where_the_kernel_lists_no_children_or_a_process_has_ended(process):
    process(7, 3, a=None)
    assert descriptors.open_descriptors(7) is None
    process(5, 3, a="6")
    assert descriptors.open_descriptors(5) is None


def test_no_more_threads_are_read_than_take_no_time(process, monkeypatch):
    monkeypatch.setattr(descriptors, "_MOST_THREADS", 2, raising=False)
    process(7, 3, a="", b="")
    assert descriptors.open_descriptors(7) == 3
    process(5, 3, a="", b="", c="")
    assert descriptors.open_descriptors(5) is None


def test_children_and_the_files_in_its_folder_for_temporary_ones_are_counted(process, tmp_path):
    process(7, 3, a="8 9")
    process(8, 1, a="")
    process(9, 1, a="")
    folder = tmp_path / "temporary"
    folder.mkdir()
    (folder / "one").touch()
    (tmp_path / "7" / "environ").write_bytes(b"A=1\0TMPDIR=" + str(folder).encode() + b"\0")
    assert descriptors.held_now(7) == {"child processes": 2, "temporary files": 1, "threads": 0}
    (tmp_path / "7" / "environ").write_bytes(b"A=1\0")
    assert descriptors.held_now(7) == {"child processes": 2, "threads": 0}
    assert descriptors.held_now(None) == {}


def test_threads_are_counted_of_runtimes_that_use_idle_ones(process, tmp_path):
    process(7, 1, a="8 9 10", b="")
    for pid, program in ((7, "node"), (8, "python3.11"), (9, "java")):
        if pid > 7:
            process(pid, 1, a="", b="", c="")
        (tmp_path / str(pid) / "exe").symlink_to(f"/usr/bin/{program}")
    process(10, 1, a="")  # a process that has ended has no program
    assert descriptors.held_now(7)["threads"] == 5


def test_what_once_ended_by_itself_counts_no_more_and_the_rest_does(monkeypatch):
    """A thread of a pool that ends when it was idle says nothing of child processes."""
    held = iter([(0, 2), (1, 2), (1, 1), (2, 2)])
    monkeypatch.setattr(
        descriptors, "held_now", lambda _: dict(zip(("child processes", "threads"), next(held), strict=True))
    )
    calls = descriptors.HeldByCalls()
    grown = [calls.since(calls.before(7), 7) for _ in range(2)]
    assert grown == [{"child processes": [0, 1], "threads": [2, 2]}, {"child processes": [1, 2]}]
