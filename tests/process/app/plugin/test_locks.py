"""The item `lock`: when a lock is made, kept and broken, what a difference says, and the name of its file."""

import pytest
from tests.process.app.plugin.projects import PARAMETERS, USAGE

LOCK = "aptix::agent_weather::lock"


def described(text):
    """The parameters, with another description of the argument."""
    return {**PARAMETERS, "properties": {"city": {"type": "string", "description": text}}}


def test_the_lock_is_made_kept_and_broken_as_a_user_would_expect(project, monkeypatch):
    """No lock: skipped, failed in CI; --snapshot-update makes it; a changed schema fails with a diff."""
    unlocked = project.run(LOCK)
    unlocked.assert_outcomes(skipped=1)
    unlocked.stdout.no_fnmatch_line("*snapshot*failed*")
    monkeypatch.setenv("CI", "true")
    missing = project.run(LOCK)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*has no lock*--snapshot-update*"])
    assert project.run(LOCK, "--snapshot-update").ret == 0
    assert (project.path / "snapshots" / "agent_weather.json").is_file()
    assert project.run(LOCK).ret == 0
    project.replace(parameters=described("The name of the city."))
    changed = project.run(LOCK)
    assert changed.ret == 1
    words = "*documentation*description-changed*English name*name of the city*"
    changed.stdout.fnmatch_lines([words, "*--snapshot-update*"])


@pytest.mark.clause("AGN-005.11.2")
@pytest.mark.parametrize("is_told", [False, True], ids=["unchanged", "changed"])
def test_a_schema_that_changes_under_an_unchanged_usage_text_is_pointed_out(project, is_told):
    """The lock fails for either, and asks for the usage text where that was left as it was."""
    assert project.run(LOCK, "--snapshot-update").ret == 0
    usage = USAGE.replace('such as "Oslo"', 'such as "Oslo" or "Rome"')
    project.replace(parameters=described("Its English name."), usage=usage if is_told else USAGE)
    changed = project.run(LOCK)
    assert changed.ret == 1
    note = "note: the schema changed and the usage text did not;*"
    (changed.stdout.no_fnmatch_line if is_told else changed.stdout.fnmatch_lines)(note)


def test_a_hostile_name_stays_inside_of_ids_and_locks(project):
    """A name like a path is escaped in the id and in the lock's file name."""
    project.replace(name="../../x", broken={"REG001": {"message": "The name is no name."}})
    before = set(project.path.parent.rglob("*x*.json"))  # of other tests
    result = project.run("--snapshot-update", "--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*nonconforming ../../x *"])
    written = set(project.path.parent.rglob("*x*.json")) - before
    assert [path for path in written if project.path not in path.parents] == []
    assert len(list((project.path / "snapshots").iterdir())) == 1


def test_two_tools_that_differ_only_in_case_have_a_lock_each(project):
    """Even on a file system that does not tell them apart."""
    project.add("other_tools:OtherTool", "Agent_Weather")
    project.run("--aptix-tools", "other_tools", "--snapshot-update", "-k", "lock")
    stems = [path.name.casefold() for path in (project.path / "snapshots").iterdir()]
    assert len(stems) == len(set(stems)) == 2


def test_updating_one_tools_lock_leaves_the_others_alone(project):
    """--snapshot-update with one tool selected deletes nothing."""
    project.add("other_tools:OtherTool", "agent_other")
    both = ["--aptix-tools", "other_tools", "--snapshot-update"]
    project.run(*both, "-k", "lock")
    project.run(*both, "aptix::agent_other::lock")
    assert {path.name for path in (project.path / "snapshots").iterdir()} == {
        "agent_weather.json",
        "agent_other.json",
    }
