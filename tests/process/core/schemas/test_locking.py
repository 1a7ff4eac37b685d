"""Locks inside of real pytest sessions: written, compared, and never one tool's for another's."""

import json
import os
import tempfile
from pathlib import Path

import pytest

# Imported here so that the inner sessions, which forget what they import, need not do it again each time.
import aptix_conformance.core.schemas.syrupy_extension
import aptix_conformance.targets  # noqa: F401 - see above

pytest_plugins = ["pytester"]

# A plugin that makes an item of every tool in tools.json, without a file or a function, as the suite's own does.
CONFTEST = """
import json
from pathlib import Path
import pytest
from aptix_conformance.core.schemas import check_lock
from aptix_conformance.targets import file_stem, item_name

class LockItem(pytest.Item):
    def __init__(self, *, tool, text, **kwargs):
        super().__init__(**kwargs)
        self.tool, self.text = tool, text

    def runtest(self):
        directory = self.config.rootpath / (self.config.getini("locks") or "snapshots")
        result = check_lock(self, self.text, directory, file_stem(self.tool))
        print("RESULT", result.status, result.path.name)
        print(result.diff_text)
        assert result.status in ("matches", "written")

    def reportinfo(self):
        return ("aptix", None, self.nodeid)

    def repr_failure(self, excinfo):
        return f"{type(excinfo.value).__name__}: {excinfo.value}"

class Root(pytest.Collector):
    def collect(self):
        return []

def pytest_addoption(parser):
    parser.addini("locks", "the folder of the locks")

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session, items):
    root = Root.from_parent(session, name="aptix", nodeid="aptix")
    for tool, text in json.loads(Path("tools.json").read_text()).items():
        items.append(LockItem.from_parent(root, name=item_name(tool), tool=tool, text=text))
"""


# What these sessions have no use for, and would spend most of their time on.
QUICK = ("--assert=plain", *(f"-pno:{plugin}" for plugin in ("cacheprovider", "asyncio", "hypothesispytest")))


@pytest.fixture
def project(pytester):
    pytester.makeconftest(CONFTEST)
    return pytester


def run(project, tools, *options):
    """Run pytest on these tools; a name and its record each."""
    project.path.joinpath("tools.json").write_text(json.dumps(tools))
    return project.runpytest_inprocess("-rA", "-W", "error", *QUICK, *options)


def locks(project, folder="snapshots"):
    return {path.name: path.read_text() for path in sorted(project.path.joinpath(folder).iterdir())}


# An item runs as somebody without privileges, where the session is root's.
UNPRIVILEGED = """
import os
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        return (yield)
    finally:
        os.seteuid(user)
"""

TOOLS = {"one": "1\n", "two": "2\n", "three": "3\n"}


def test_an_update_writes_one_file_a_tool_and_then_they_match(project):
    result = run(project, TOOLS, "--snapshot-update")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*3 snapshots generated.*"])
    assert locks(project) == {"one.json": "1\n", "three.json": "3\n", "two.json": "2\n"}
    again = run(project, TOOLS)
    again.assert_outcomes(passed=3)
    again.stdout.fnmatch_lines(["*RESULT matches one.json*", "*3 snapshots passed.*"])
    assert again.ret == 0


def test_a_missing_lock_is_neither_made_nor_passed(project):
    result = run(project, {"one": "1\n"})
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RESULT missing one.json*"])
    assert not project.path.joinpath("snapshots").exists()
    result.stdout.no_fnmatch_line("*snapshot*failed*")


def test_a_difference_is_shown_and_the_lock_stays(project):
    run(project, {"one": "a\nb\nc\n"}, "--snapshot-update")
    result = run(project, {"one": "a\nB\nc\n"})
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["RESULT differs*", "--- one.json (locked)", "+++ one.json (now)", "-b", "+B"]
    )
    assert locks(project) == {"one.json": "a\nb\nc\n"}


@pytest.mark.parametrize("choice", [("-k", "one"), ("--deselect", "aptix::two"), ("-k", "nothing")])
@pytest.mark.parametrize("tests", [(), ("test_own.py",), (".",)])
def test_an_update_with_a_choice_of_tools_leaves_the_other_locks(project, choice, tests):
    project.makepyfile(test_own="def test_one_own(snapshot): assert snapshot == 1")
    run(project, TOOLS, "--snapshot-update")
    before = locks(project)
    changed = run(project, TOOLS | {"one": "new\n"}, "--snapshot-update", *choice, *tests)
    changed.stdout.no_fnmatch_line("*unused snapshot*")
    wanted = before if "nothing" in choice else before | {"one.json": "new\n"}
    assert locks(project) == wanted


def test_no_lock_of_another_tool_is_reported_as_unused(project):
    run(project, TOOLS, "--snapshot-update")
    result = run(project, {"one": "1\n"})
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*snapshots unused*")
    assert result.ret == 0


def test_a_tool_that_is_gone_keeps_its_lock_until_somebody_deletes_it(project):
    run(project, TOOLS, "--snapshot-update")
    run(project, {"one": "1\n"}, "--snapshot-update").assert_outcomes(passed=1)
    assert list(locks(project)) == ["one.json", "three.json", "two.json"]


def test_the_users_own_unused_snapshots_are_still_cleaned_up(project):
    project.makepyfile(
        test_own="def test_own(snapshot): assert snapshot == 1\ndef test_b(snapshot): assert snapshot == 2"
    )
    run(project, TOOLS, "--snapshot-update")
    project.makepyfile(test_own="def test_own(snapshot): assert snapshot == 1")
    result = run(project, TOOLS, "--snapshot-update")
    result.stdout.fnmatch_lines(["*1 unused snapshot deleted.*"])
    assert len(locks(project)) == 3


def test_only_new_locks_are_written_when_only_new_ones_are_asked_for(project):
    run(project, {"one": "1\n"}, "--snapshot-update")
    result = run(project, {"one": "new\n", "two": "2\n"}, "--snapshot-update-new-only")
    result.assert_outcomes(passed=1, failed=1)
    assert locks(project) == {"one.json": "1\n", "two.json": "2\n"}


def test_workers_of_xdist_write_and_compare_the_same_locks(project):
    pytest.importorskip("xdist")
    run(project, TOOLS, "--snapshot-update", "-n", "2").assert_outcomes(passed=3)
    assert len(locks(project)) == 3
    again = run(project, TOOLS, "-n", "2")
    again.assert_outcomes(passed=3)
    assert again.ret == 0


def test_hostile_names_stay_in_the_folder_and_apart(project):
    tools = {"../../x": "a", "Agent": "b", "agent": "c", "AGENT": "d", "con": "e", "a/b": "f", "\x1b[2J": "g"}
    run(project, tools, "--snapshot-update").assert_outcomes(passed=7)
    assert len(locks(project)) == 7
    assert len({name.casefold() for name in locks(project)}) == 7
    assert not project.path.parent.joinpath("x.json").exists()
    run(project, tools).assert_outcomes(passed=7)


def test_line_ends_changed_by_a_checkout_are_no_difference(project):
    run(project, {"one": "a\nb\n"}, "--snapshot-update")
    project.path.joinpath("snapshots", "one.json").write_bytes(b"a\r\nb\r\n")
    run(project, {"one": "a\nb\n"}).assert_outcomes(passed=1)


def test_a_garbage_lock_differs_and_can_be_written_anew(project):
    project.mkdir("snapshots").joinpath("one.json").write_bytes(b"\xff\xfe\x1b[2J\x00")
    result = run(project, {"one": "1\n"})
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["RESULT differs*"])
    assert "\x1b" not in result.stdout.str()
    run(project, {"one": "1\n"}, "--snapshot-update").assert_outcomes(passed=1)
    assert locks(project) == {"one.json": "1\n"}


@pytest.mark.parametrize("options", [(), ("--snapshot-update",)])
def test_a_lock_that_is_a_link_is_refused_and_its_end_left_alone(project, options):
    elsewhere = project.path / "elsewhere.txt"
    elsewhere.write_text("1\n")
    project.mkdir("snapshots").joinpath("one.json").symlink_to(elsewhere)
    result = run(project, {"one": "new\n"}, *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["ConfigurationError: the lock */one.json is a symbolic link*"])
    assert elsewhere.read_text() == "1\n"


@pytest.mark.parametrize("options", [(), ("--snapshot-update",)])
@pytest.mark.parametrize("linked", ["data", "data/locks"])
def test_a_folder_of_locks_that_a_link_leads_out_of_the_project_is_refused(
    project, tmp_path_factory, options, linked
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "locks").mkdir()
    link = project.path / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere)
    project.makeini("[pytest]\nlocks = data/locks")
    result = run(project, {"one": "1\n"}, *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"ConfigurationError: the folder of the locks, *because */{linked} is a symbolic link*"]
    )
    assert list(elsewhere.rglob("*")) == [elsewhere / "locks"]


@pytest.mark.parametrize("named", ["../elsewhere", "linked"])
def test_a_folder_that_the_configuration_places_outside_or_that_is_linked_within_the_project_is_used(
    project, named
):
    real = project.path / ("../elsewhere" if named != "linked" else "inside")
    real.mkdir()
    (project.path / "linked").symlink_to("inside")
    project.makeini(f"[pytest]\nlocks = {named}")
    run(project, {"one": "1\n"}, "--snapshot-update").assert_outcomes(passed=1)
    assert (real / "one.json").read_text() == "1\n"


def test_a_lock_that_is_a_folder_or_a_pipe_is_refused(project):
    project.mkdir("snapshots").joinpath("one.json").mkdir()
    os.mkfifo(project.path / "snapshots" / "two.json")
    result = run(project, {"one": "1\n", "two": "2\n"}, "--snapshot-update")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["ConfigurationError: the lock */one.json is not a file*"])
    result.stdout.fnmatch_lines(["ConfigurationError: the lock */two.json is not a file*"])


def test_a_folder_of_locks_that_is_a_file_is_refused(project):
    project.path.joinpath("snapshots").write_text("")
    result = run(project, {"one": "1\n"}, "--snapshot-update")
    result.stdout.fnmatch_lines(["ConfigurationError: the folder of the locks, */snapshots, is no folder*"])


def test_a_folder_that_cannot_be_written_to_is_a_clear_error(project):
    # Permissions mean nothing to root, and this suite may run as root.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o555)
        project.makeini(f"[pytest]\nlocks = {folder}")
        project.makepyfile(drop=UNPRIVILEGED)
        project.syspathinsert()
        result = run(project, {"one": "1\n"}, "--snapshot-update", "-p", "drop")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            ["ConfigurationError: the lock */one.json cannot be *(Permission denied)*"]
        )
        assert list(Path(folder).iterdir()) == []


@pytest.mark.parametrize("folder", ["__snapshots__", "__snapshots__/tools"])
def test_a_folder_that_syrupy_cleans_up_is_refused(project, folder):
    project.makeini(f"[pytest]\nlocks = {folder}")
    result = run(project, {"one": "1\n"}, "--snapshot-update")
    result.stdout.fnmatch_lines(["ConfigurationError: * is a folder of syrupy's own snapshots*"])


def test_without_syrupy_the_message_says_so(project):
    result = run(project, {"one": "1\n"}, "-p", "no:syrupy")
    result.stdout.fnmatch_lines(["ConfigurationError: syrupy keeps the locks and is switched off*"])


def test_a_great_difference_is_cut_and_an_enormous_one_is_counted(project):
    lines = "".join(f"{number}\n" for number in range(1000))
    run(project, {"one": lines}, "--snapshot-update")
    result = run(project, {"one": lines.replace("\n", "x\n")})
    result.stdout.fnmatch_lines(["… and 1,* lines more"])
    result = run(project, {"one": "\n" * 6000})
    result.stdout.fnmatch_lines(["1,000 lines are locked, and 6,000 were found: too many to compare"])
