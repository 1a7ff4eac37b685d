"""Five Amplifier tools with side effects, as people write them: what is found, and that nobody comes to harm."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine.verdicts import status_of
from aptix_conformance.targets import ToolSettings
from aptix_conformance.targets.settings import Example

FIXTURES = Path(__file__).parents[2] / "fixtures" / "amplifier"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("amplifier_core") is None,
    reason="amplifier-core is not installed: pip install 'aptix-conformance[amplifier]'",
)


@pytest.fixture(scope="module")
def run():
    with Run.open(FIXTURES, RunOptions(examples=60, limited=False)) as opened:
        yield opened


@pytest.fixture
def project(tmp_path):
    """A folder of somebody's, outside of every scratch directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("buy milk\ncall the plumber\n")
    return folder


def explored(run, module, key, *examples, **settings):
    """Examine a tool; it may read the directory that its configuration names, which lies outside of the project."""
    root = settings.get("config", {}).get("root")
    if root:
        settings["reads"] = (root,)
    spec = f"amplifier:./realistic/{module}.py#{key}"
    own = ToolSettings(examples=tuple(Example(example) for example in examples), **settings)
    run.settings = replace(run.settings, tool={spec: own}, tools=())
    (tool,) = run.find(spec).all_found()
    return run.examine(tool)


def failed(examination):
    return {verdict.rule for verdict in examination.verdicts if verdict.verdict is VerdictKind.FAIL}


def reason(examination, rule):
    return next(verdict.reason for verdict in examination.verdicts if verdict.rule == rule)


def untouched(project):
    return {path.name: path.read_text() for path in project.iterdir()} == {
        "notes.txt": "buy milk\ncall the plumber\n"
    } and [path.name for path in project.parent.iterdir()] == ["project"]


def test_reading_files_foresees_too_little(run, project):
    found = explored(run, "filesystem", "read_file", {"path": "notes.txt"}, config={"root": str(project)})
    assert failed(found) == {"ARG005", "ARG012", "EXC001", "EXC010"}
    causes = [
        shown.message for verdict in found.verdicts if verdict.rule == "EXC001" for shown in verdict.findings
    ]
    for words in ("embedded null", "File name too long", "Is a directory"):
        assert any(words in cause for cause in causes), causes
    assert untouched(project)


def test_writing_files_reaches_nothing_outside_of_the_scratch_directory(run, project):
    """The folder that it is configured with is somebody's: the tool is refused there, and says so."""
    found = explored(
        run, "filesystem", "write_file", {"path": "a.txt", "content": "x"}, config={"root": str(project)}
    )
    assert {"ARG005", "RES006"} <= failed(found)
    assert untouched(project)


def test_deleting_files_deletes_nothing_outside_of_the_scratch_directory(run, project):
    found = explored(run, "filesystem", "delete_file", {"path": "notes.txt"}, config={"root": str(project)})
    assert failed(found) == {"ARG012", "RES006"}
    assert untouched(project)


def test_a_shell_leaves_its_command_running_and_the_suite_reaps_it(run, project):
    number = 86_399.1
    found = explored(
        run,
        "shell",
        "run_command",
        {"command": "sleep 0.6"},
        {"command": f"sleep {number} >/dev/null 2>&1 & rm -rf {project}; echo x > {project}.txt; echo done"},
        arguments={"command": {"enum": ["echo hello", "exit 3"]}},
        cancel_grace=0.1,
    )
    assert failed(found) == {"CAN008", "EXC010", "EXC014"}
    assert "sleep" in reason(found, "CAN008")
    assert "UnboundLocalError" in reason(found, "EXC010")
    assert "sleep" in reason(found, "EXC014")
    assert untouched(project)
    run.hosts.close()
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(number) in (p.info["cmdline"] or [])]


def test_a_destructive_tool_is_read_and_never_called(run):
    found = explored(run, "shell", "run_command", {"command": "echo hello"}, side_effects="destructive")
    assert found.exploration.calls == ()
    assert failed(found) == set()
    assert status_of(found.verdicts) == "incomplete"
    assert "destructive" in reason(found, "EXC001")


def test_a_search_trips_over_patterns_and_loses_its_own_objects(run, project):
    found = explored(run, "search", "search_files", {"pattern": "milk"}, config={"root": str(project)})
    assert failed(found) == {"AMP017", "EXC001", "EXC012"}
    assert "The tool raised " in reason(found, "EXC001")
    assert "Match is not JSON serializable" in reason(found, "AMP017")


def test_a_list_of_things_to_do_changes_its_input_and_calls_failure_success(run):
    found = explored(run, "todo", "todo", {"action": "add", "title": "milk"})
    assert failed(found) == {"AMP018", "ARG008", "RES007"}
    assert status_of(found.verdicts) == "conforming"


def test_a_tool_that_needs_the_network_is_never_passed(run):
    """Nobody sees it succeed, and what is seen of it is judged."""
    found = explored(run, "web", "fetch_page")
    assert not any(call.succeeded for call in found.exploration.calls)
    assert failed(found) == {"ARG012", "LOG003", "RES004"}
    open_ones = {v.rule for v in found.verdicts if v.is_open}
    assert "AMP017" in open_ones
