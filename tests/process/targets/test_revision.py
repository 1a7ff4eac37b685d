"""The revision of a project is that of its git repository."""

import subprocess

import pytest

from aptix_conformance.targets.provenance import revision_of


@pytest.fixture
def git(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    def run(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    return run


def test_the_commit_is_found_and_whether_a_tracked_file_differs(tmp_path, git):
    assert revision_of(tmp_path) is None
    git("init")
    assert revision_of(tmp_path) is None
    (tmp_path / "tool.py").write_text("1", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "one")
    (tmp_path / "report.json").write_text("{}", encoding="utf-8")
    clean = revision_of(tmp_path)
    assert (clean.system, clean.commit, clean.modified) == ("git", git("rev-parse", "HEAD"), False)
    (tmp_path / "tool.py").write_text("2", encoding="utf-8")
    assert revision_of(tmp_path).modified


def test_the_directory_of_the_project_in_the_repository_is_known(tmp_path, git):
    git("init")
    git("commit", "--allow-empty", "-m", "one")
    project = tmp_path / "packages" / "my birds"
    project.mkdir(parents=True)
    assert revision_of(tmp_path).directory == ""
    assert revision_of(project).directory == "packages/my birds"


def commit_with_a_filter(git, folder, scope, name="x"):
    """A changed file in a repository whose filter, from the configuration of that scope, leaves a file called `ran`."""
    git("init")
    (folder / "tool.py").write_text("1", encoding="utf-8")
    (folder / ".gitattributes").write_text(f"tool.py filter={name}", encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "one")
    git("config", scope, f"filter.{name}.clean", f"touch '{folder}/ran'; cat")
    (folder / "tool.py").write_text("2", encoding="utf-8")


@pytest.mark.parametrize("name", ["x", "a=b"])
def test_no_program_that_a_repository_names_is_run(tmp_path, git, name):
    commit_with_a_filter(git, tmp_path, "--local", name)
    found = revision_of(tmp_path)
    assert not (tmp_path / "ran").exists()
    assert (found.modified if found else None) == (True if name == "x" else None)


def test_a_filter_of_the_users_own_configuration_is_run(tmp_path, git, monkeypatch):
    """Such as that of large files: without it, a file would seem modified."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "users.config"))
    commit_with_a_filter(git, tmp_path, "--global")
    assert revision_of(tmp_path).modified
    assert (tmp_path / "ran").exists()


def test_without_git_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert revision_of(tmp_path) is None
