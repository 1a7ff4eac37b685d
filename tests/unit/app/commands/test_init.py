"""`aptix-conformance init`: when it asks, and what it does where there is nothing to set up."""

from types import SimpleNamespace

import pytest

from aptix_conformance import Run
from aptix_conformance.app.cli import main
from aptix_conformance.app.commands.init_project import ProjectSetup
from aptix_conformance.app.commands.init_targets import NewTargets
from aptix_conformance.app.run.requests import ToolExamined
from aptix_conformance.examine import FoundTools
from aptix_conformance.present.reports import failed_target_report
from aptix_conformance.targets import TargetFailure, settings_for


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with two files of tools, in memory: one module holds a tool, the other cannot be imported."""
    monkeypatch.chdir(tmp_path)
    for name in ("my_tools.py", "broken.py"):
        (tmp_path / name).write_text("class T:\n    TOOL_USAGE_METADATA = ''\n", encoding="utf-8")
    tool = SimpleNamespace(
        name="add",
        target=SimpleNamespace(spec="my_tools:T"),
        declaration=SimpleNamespace(kind="tool"),
        settings=SimpleNamespace(examples=(), places={}),
    )
    failure = TargetFailure("broken", "", "broken: no module")
    project = SimpleNamespace(path=tmp_path, tools=(tool,), failures=(failure,), worked='{"a": 1}')

    def results_of_each(_run, tools, _watching, *, rules=None):
        assert rules == ()
        for each in tools:
            yield ToolExamined(failed_target_report(each.target.spec, "aptix", "", ""), None, project.worked)

    monkeypatch.setattr("aptix_conformance.app.commands.init_workflow.git", lambda *_: None)
    monkeypatch.setattr(Run, "list_tools", lambda _run: FoundTools(project.tools, project.failures, ()))
    monkeypatch.setattr(Run, "results_of_each", results_of_each)
    return project


def on_a_terminal(monkeypatch, answer):
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)

    def answered(_question):
        if isinstance(answer, type):
            raise answer
        return answer

    monkeypatch.setattr("builtins.input", answered)


@pytest.mark.parametrize("answer", ["n", "no", EOFError])
def test_a_no_on_a_terminal_writes_nothing(project, monkeypatch, answer):
    on_a_terminal(monkeypatch, answer)
    assert main(["init"]) == 1
    assert {path.name for path in project.path.iterdir()} == {"my_tools.py", "broken.py"}


def test_where_nothing_that_was_found_is_a_tool_nothing_is_written(project, capsys):
    project.tools = ()
    assert main(["init"]) == 2
    assert "broken: no module" in capsys.readouterr().err
    assert not (project.path / "pyproject.toml").exists()


def test_an_empty_folder_is_told_what_to_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 2
    assert 'aptix-conformance init my_tools.py or init "python server.py"' in capsys.readouterr().err


def test_a_target_that_leads_to_no_tool_is_left_out_and_a_yes_asks_nothing(project, monkeypatch, capsys):
    on_a_terminal(monkeypatch, AssertionError)
    (project.path / "snapshots").mkdir()
    (project.path / "snapshots" / "add.json").touch()
    (project.path / ".github" / "workflows").mkdir(parents=True)
    (project.path / ".github" / "workflows" / "ci.yml").write_text(
        "pytest --aptix-conformance", encoding="utf-8"
    )
    (project.path / "pyproject.toml").write_text(
        '[tool.aptix-conformance.tool."my_tools:T"]\n', encoding="utf-8"
    )
    monkeypatch.setattr(
        "aptix_conformance.app.commands.init_project.ProjectSetup._examine", lambda *_, **__: None
    )
    assert main(["init", "--yes"]) == 1
    assert 'tools = ["my_tools"]' in (project.path / "pyproject.toml").read_text(encoding="utf-8")
    assert "left          broken: no module" in capsys.readouterr().out


def test_a_file_that_cannot_be_written_is_one_clear_line(project, capsys):
    (project.path / ".github").touch()
    assert main(["init"]) == 2
    assert ".github/workflows/aptix-conformance.yml cannot be written (" in capsys.readouterr().err


def test_a_link_that_leads_out_of_the_project_is_not_followed(project, tmp_path_factory, capsys):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project.path / ".github").symlink_to(elsewhere)
    assert main(["init"]) == 2
    assert f"{project.path / '.github'} is a symbolic link" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == []


def test_a_linked_pyproject_keeps_its_place_its_mode_and_its_line_ends(project, monkeypatch):
    monkeypatch.setattr(
        "aptix_conformance.app.commands.init_project.ProjectSetup._examine", lambda *_, **__: None
    )
    own = project.path / "settings" / "pyproject.toml"
    own.parent.mkdir()
    own.write_bytes(b'[project]\r\nname = "x"\r\n')
    own.chmod(0o600)
    (project.path / "pyproject.toml").symlink_to(own)
    assert main(["init"]) == 1
    assert (project.path / "pyproject.toml").is_symlink()
    assert own.read_bytes().startswith(b'[project]\r\nname = "x"\r\n')
    assert b'tools = ["my_tools"]\r\n' in own.read_bytes()
    assert own.stat().st_mode & 0o777 == 0o600


def test_a_pyproject_outside_of_the_project_stays_as_it_is(project, tmp_path_factory, capsys):
    outside = tmp_path_factory.mktemp("elsewhere") / "pyproject.toml"
    outside.touch()
    (project.path / "pyproject.toml").symlink_to(outside)
    assert main(["init"]) == 2
    assert f"it is a link to {outside}" in capsys.readouterr().err
    assert outside.read_bytes() == b""


UNCONTAINED = """\
[tool.aptix-conformance]
tools = ["my_tools"]

[tool.aptix-conformance.tool."my_tools:T"]
side_effects = "none"
"""


@pytest.mark.parametrize("is_agreed", [False, True])
def test_without_a_terminal_no_tool_is_called_uncontained_unless_yes_is_given(
    project, monkeypatch, capsys, is_agreed
):
    (project.path / "pyproject.toml").write_text(UNCONTAINED, encoding="utf-8")
    listed = []

    def list_tools(run):
        settings = settings_for(run.settings, "add", "my_tools:T")
        listed.append(settings.side_effects)
        project.tools[0].settings = settings
        return FoundTools(project.tools, (), ())

    monkeypatch.setattr(Run, "list_tools", list_tools)
    monkeypatch.setattr(
        "aptix_conformance.app.commands.init_project.ProjectSetup._examine",
        lambda _setup, _run, found, **_: called.extend(found.tools),
    )
    called = []
    main(["init", *(["--yes"] if is_agreed else [])])
    assert set(listed) == {"none" if is_agreed else "contained"}
    assert bool(called) == is_agreed
    refusal = 'my_tools:T: not called, because side_effects = "none" is uncontained: add --yes'
    assert (refusal in capsys.readouterr().out) == (not is_agreed)


def test_the_question_names_what_is_uncontained(project, monkeypatch):
    (project.path / "pyproject.toml").write_text(UNCONTAINED, encoding="utf-8")
    asked = []
    on_a_terminal(monkeypatch, "n")
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or "n")
    assert main(["init"]) == 1
    assert 'contained except my_tools:T (side_effects = "none"), and' in asked[0]


def test_a_lock_outside_of_the_project_is_written_where_its_author_says(project, tmp_path_factory, capsys):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    setup = ProjectSetup(project.path, NewTargets((), ()), is_asking=False)
    setup._write(elsewhere / "add.json", "{}\n")
    assert (elsewhere / "add.json").read_text(encoding="utf-8") == "{}\n"
    assert f"wrote         {elsewhere / 'add.json'}" in capsys.readouterr().out
