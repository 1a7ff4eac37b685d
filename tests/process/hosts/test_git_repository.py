"""git takes a repository that was written without it for a sound one, and shows what was committed."""

import subprocess

import pytest

from aptix_conformance.hosts.git_repository import write_repository


@pytest.fixture
def git(tmp_path):
    (tmp_path / "a.txt").write_text("bread\n")
    (tmp_path / "b.txt").write_text("salt\n")
    write_repository(tmp_path, "the first commit", ["main", "other"])

    def run(*words):
        done = subprocess.run(["git", *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.split("\n")[:-1], done.stderr

    return run


def test_git_finds_nothing_wrong_with_it(git):
    assert git("fsck", "--strict")[1] == ""


def test_the_first_branch_is_checked_out_and_all_have_the_commit(git):
    assert git("branch", "--format=%(refname:short) %(HEAD) %(subject)")[0] == [
        "main * the first commit",
        "other   the first commit",
    ]


def test_the_commit_has_the_files(git):
    assert git("show", "HEAD:a.txt")[0] == ["bread"]
    assert git("ls-tree", "--name-only", "HEAD")[0] == ["a.txt", "b.txt"]


def test_a_comparison_with_the_commit_shows_them(git):
    assert {"-bread", "-salt"} <= set(git("diff", "HEAD")[0])
