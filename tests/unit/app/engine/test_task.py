"""What decides a verdict has part in the address of a result, and machines that differ in it are told apart."""

import dataclasses

import pytest

from aptix_conformance.app.engine.task import TASK_FORMAT, Task, TaskOptions, facts_of, project_digest
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.codec import replace

OPTIONS = TaskOptions(
    edition=None,
    seed=0,
    thoroughness="standard",
    examples=None,
    budget=600.0,
    timeout=5.0,
    memory=1024,
    containment=None,
    waivers=True,
    variables=(),
    sys_path=None,
)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "weather.py").write_text("A = 1\n")
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


@pytest.fixture
def task(project):
    facts = facts_of(project)
    return Task(TASK_FORMAT, str(project), "weather:A", "aptix-1", "agent_a", (), OPTIONS, (), facts)


@pytest.mark.parametrize(
    ("name", "value", "clause"),
    [
        ("suite", "0.0.9", "it has aptix-conformance 0.0.9, not "),
        ("code", f"sha256:{'0' * 64}", "the code of its aptix-conformance is another one"),
        ("python", "3.9.1", "it has Python 3.9.1, not "),
        ("packages", f"sha256:{'0' * 64}", "other packages are installed there"),
        ("project", f"sha256:{'0' * 64}", "the files of the project folder differ"),
    ],
)
def test_a_machine_that_differs_is_named_by_what_differs(task, name, value, clause):
    other = replace(task.facts, **{name: value})
    assert task.facts.differences(other).startswith(clause)
    assert not task.facts.differences(task.facts)
    assert replace(task, facts=other).address != task.address


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", "weather:B"),
        ("edition", "aptix-2"),
        ("tool", "agent_b"),
        ("extensions", ("more",)),
        ("shared", ("agent_a",)),
        ("day", "2026-11-29"),
    ]
    + [
        ("options", replace(OPTIONS, **change))
        for change in ({"seed": 1}, {"examples": 5}, {"waivers": False})
    ],
)
def test_another_examination_has_another_address(task, name, value):
    assert replace(task, **{name: value}).address != task.address


def test_where_the_report_is_written_does_not_change_the_address(task):
    assert replace(task, left_out=("report.json",)).address == task.address


@pytest.mark.parametrize("name", ["tools/weather.py", "tools/data.json", "pyproject.toml"])
def test_each_file_of_the_project_counts(project, name):
    before = project_digest(project)
    (project / name).write_text("B = 2\n")
    assert project_digest(project) != before


@pytest.mark.parametrize(
    "name",
    [
        ".git/HEAD",
        "node_modules/a.js",
        "tools/.cache/a",
        "tools/node_modules/a.js",
        "tools/__pycache__/weather.cpython-311.pyc",
        "env/lib.py",
        "out/r.json",
    ],
)
def test_what_is_no_source_does_not_count(project, name):
    before = project_digest(project, ["out"])
    place = project / name
    place.parent.mkdir()
    (place.parent / "pyvenv.cfg" if name.startswith("env") else place).write_text("x")
    place.write_text("x")
    assert project_digest(project, ["out"]) == before


def test_a_link_to_a_folder_counts_by_its_text(project, tmp_path_factory):
    before = project_digest(project)
    (project / "data").symlink_to(tmp_path_factory.mktemp("data"))
    linked = project_digest(project)
    (project / "data").unlink()
    (project / "data").symlink_to("nowhere")
    assert len({before, linked, project_digest(project)}) == 3


def test_two_files_are_not_taken_for_one(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, names in ((one, ["a", "b"]), (other, ["a", "c"])):
        folder.mkdir()
        for name in names:
            (folder / name).write_text("")
    assert project_digest(one) != project_digest(other)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="there is no project folder"):
        facts_of(tmp_path / "gone")


def test_a_task_has_each_option_that_a_verdict_depends_on():
    from aptix_conformance import RunOptions

    elsewhere = {"tools", "deadline", "jobs", "inline", "limited", "baseline", "baselines", "root", "hidden"}
    elsewhere |= {"cache", "coverage", "one_in", "shard", "storage"}
    names = {field.name for field in dataclasses.fields(RunOptions)}
    assert names - elsewhere == set(TaskOptions.__struct_fields__)
