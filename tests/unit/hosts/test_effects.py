"""What a call did to the author's files is found, and what happens to caches, logs and clocks is not."""

import os

import pytest

from aptix_conformance.core.model.file_change import FileChange
from aptix_conformance.hosts import effects
from aptix_conformance.hosts.author_files import state_of
from aptix_conformance.hosts.effects import changed_texts, changes_between, contents_of, given_in


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "books").mkdir()
    (tmp_path / "books/list.txt").write_text("Momo\nEmil\n")
    (tmp_path / "stock.db").write_bytes(b"\0\1\2")
    return tmp_path


@pytest.fixture
def changes(folder):
    """What a call changed: a function over the folder."""

    def seen(call):
        given = given_in(folder)
        before = contents_of(folder)
        call(folder)
        return changes_between(before, contents_of(folder, before), given)

    return seen


def test_a_call_that_only_reads_changes_nothing(changes):
    assert changes(lambda folder: (folder / "books/list.txt").read_text()) == ()


def test_a_text_that_grows_loses_nothing(changes):
    (found,) = changes(lambda folder: (folder / "books/list.txt").write_text("Krabat\nMomo\nEmil\n"))
    assert found == FileChange("books/list.txt", "changed", given=True)


@pytest.mark.parametrize("text", ["", "Momo\n", "Momo\nErich\n"])
def test_a_text_that_has_fewer_of_some_word_has_lost_it(changes, text):
    (found,) = changes(lambda folder: (folder / "books/list.txt").write_text(text))
    assert (found.how, found.lost) == ("changed", True)


def test_what_a_changed_number_means_is_not_known(changes):
    """It may be a count."""

    def call(folder):
        (folder / "books/list.txt").write_text("Momo 7\nEmil\n")

    (found,) = changes(call)
    assert not found.lost


def test_a_file_that_is_gone_has_lost_what_it_held_and_one_that_was_moved_has_not(changes, folder):
    (found,) = changes(lambda folder: (folder / "books/list.txt").unlink())
    assert found == FileChange("books/list.txt", "removed", given=True, lost=True)
    (folder / "books/list.txt").write_text("Momo")
    moved = changes(lambda folder: (folder / "books/list.txt").rename(folder / "books/old.txt"))
    assert [(change.how, change.lost) for change in moved] == [("removed", False), ("created", False)]


def test_a_new_file_is_the_authors_where_its_folder_is(changes):
    def call(folder):
        (folder / "tmpa1").write_text("a")
        (folder / "books/new.txt").write_text("b")

    assert [(change.path, change.given) for change in changes(call)] == [
        ("books/new.txt", True),
        ("tmpa1", False),
    ]


def test_a_file_without_text_is_called_so(changes):
    (found,) = changes(lambda folder: (folder / "stock.db").write_bytes(b"\0\1\3"))
    assert found == FileChange("stock.db", "changed", given=True, binary=True)


@pytest.mark.parametrize(
    "name",
    [
        "app.log",
        "app.log.1",
        "x.tmp",
        "stock.db-wal",
        "stock.db-journal",
        ".history",
        "list.txt~",
        "cache.json",
        "run.pid",
        "a.lock",
    ],
)
def test_caches_logs_and_locks_do_not_count(changes, name):
    assert changes(lambda folder: (folder / "books" / name).write_text("x")) == ()


@pytest.mark.parametrize("name", ["__pycache__", ".cache", "logs", "tmp", "my_cache"])
def test_neither_does_what_is_in_their_folders(changes, name):
    def call(folder):
        (folder / name).mkdir()
        (folder / name / "x.txt").write_text("x")

    assert changes(call) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("asked 2026-11-23T02:39:27Z", "asked 2026-11-24T12:00:00Z"),
        ("asked 2026-11-23", "asked 2026-12-01"),
        ("at 12:30", "at 13:01"),
        ("at 1795401567.25", "at 1795401599.5"),
        ("at 1795401567123", "at 1795401567999"),
    ],
)
def test_clocks_do_not_count(changes, folder, before, after):
    (folder / "books/list.txt").write_text(before)
    assert changes(lambda folder: (folder / "books/list.txt").write_text(after)) == ()


def test_a_file_that_was_only_touched_did_not_change(changes):
    def call(folder):
        (folder / "books/list.txt").write_text((folder / "books/list.txt").read_text())
        (folder / "books/list.txt").chmod(0o600)

    assert changes(call) == ()


def test_a_file_too_large_to_read_counts_by_its_size(changes, folder, monkeypatch):
    monkeypatch.setattr(effects, "_LARGEST", 4)
    (folder / "books/list.txt").write_text("12345678")
    assert changes(lambda folder: (folder / "books/list.txt").write_text("87654321")) == ()
    (found,) = changes(lambda folder: (folder / "books/list.txt").write_text("1234567"))
    assert (found.how, found.lost) == ("changed", False)


def test_links_and_pipes_are_not_followed(changes, folder):
    (folder / "books/link").symlink_to("/dev/zero")
    os.mkfifo(folder / "books/pipe")

    def call(folder):
        (folder / "books/link").unlink()
        (folder / "books/link").symlink_to("/dev/null")

    assert changes(call) == ()


def test_a_link_to_a_file_elsewhere_is_not_read(folder, tmp_path_factory):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
    secret.write_text("secret")
    (folder / "books/link").symlink_to(secret)
    assert contents_of(folder)["books/link"].content is None


def test_a_folder_that_became_a_link_is_not_read(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "list.txt").write_text("secret")
    (folder / "books/list.txt").unlink()
    (folder / "books").rmdir()
    (folder / "books").symlink_to(elsewhere)
    assert effects._read(folder, "books/list.txt") is None
    assert "books/list.txt" not in contents_of(folder)


def test_no_more_changes_than_a_report_can_show_are_kept(changes):
    def call(folder):
        for number in range(100):
            (folder / f"books/{number}.txt").touch()

    assert len(changes(call)) == effects._MOST_CHANGES


def test_the_texts_of_changed_files_are_given_without_dates(tmp_path):
    (tmp_path / "given.txt").write_text("as it was")
    before = state_of(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "new.txt").write_text("at 2026-01-02T03:04:05Z")
    (tmp_path / "data.bin").write_bytes(b"\0")
    (tmp_path / "x.lock").write_text("")
    assert changed_texts(tmp_path, before) == (("data.bin", ""), ("sub/new.txt", "at 0"))


def test_too_many_changed_files_are_given_as_none(tmp_path):
    for number in range(101):
        (tmp_path / f"{number}.txt").write_text("x")
    assert changed_texts(tmp_path, {}) is None
