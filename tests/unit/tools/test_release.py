"""`python -m tools.release --publish` begins only where nothing can stop it after the upload."""

from tools import release


def test_a_release_whose_tag_is_there_is_not_begun(monkeypatch, tmp_path, capsys):
    (tmp_path / "CHANGELOG.md").write_text(f"## {release.__version__} (2026)\n", encoding="utf-8")
    tag = f"v{release.__version__}\n"
    commands = []

    def run(*command, **_):
        commands.append(command)
        return tag if command[:2] == ("git", "tag") else ""

    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "_run", run)
    assert release.main([str(tmp_path / "out"), "--publish"]) == 1
    assert "the tag v" in capsys.readouterr().err
    assert {command[0] for command in commands} == {"git"}
    assert not (tmp_path / "out").exists()
