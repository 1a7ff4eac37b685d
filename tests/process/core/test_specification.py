"""`python -m tools.specification` finds what of the specification has changed since its clauses were read."""

import subprocess

from tools.specification import changed


def git(folder, *words):
    named = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    done = subprocess.run(["git", "-C", folder, *named, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_a_page_and_a_schema_that_changed_are_named_and_others_are_not(tmp_path):
    for name in ("pages/tools.mdx", "schema.ts", "other.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "a")
    commit = git(tmp_path, "rev-parse", "HEAD")
    sources = {"MCP-1": {"pages": "pages", "schema": "schema.ts", "commit": commit}, "RFC": {"scope": "all"}}
    assert list(changed(sources, tmp_path, "HEAD")) == []
    for name in ("pages/tools.mdx", "other.md"):
        (tmp_path / name).write_text("b")
    git(tmp_path, "commit", "-qam", "b")
    assert list(changed(sources, tmp_path, "HEAD")) == [
        f"MCP-1: pages/tools.mdx has changed since {commit[:12]}"
    ]
