"""`aptix-conformance check --fleet`: what it installs and examines, what it goes on from, and what it says; nothing is installed."""

import fcntl
import json
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.verdicts import verdict

from aptix_conformance import Run
from aptix_conformance.app.cli import main
from aptix_conformance.app.commands import check_fleet
from aptix_conformance.core.errors import DeadlineError, HostError, TargetError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.examine import FoundTools
from aptix_conformance.present.reports import failed_target_report
from aptix_conformance.targets import TargetFailure

FULL = SimpleNamespace(free=1 << 20)


def entry(server, status="conforming", **members):
    """The report of a server's only tool."""
    made = failed_target_report(f"mcp:{server}#do", "mcp", "mcp-2025-11-25", "")
    return replace(made, tool="do", status=status, error="", **members)


def broken(server):
    return entry(server, "nonconforming", verdicts=(verdict("EXC003", VerdictKind.FAIL),))


@pytest.fixture
def fleet(tmp_path, monkeypatch):
    """Runs the command on some servers; `given` says what the examination of each gives or raises. `asked` has what was installed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aptix_conformance.app.run.reports.revision_of", lambda _root: None)

    def result_of(spec):
        result = run.given.get(spec.removeprefix("mcp:"), entry(spec.removeprefix("mcp:")))
        if isinstance(result, BaseException):
            raise result
        return result

    @contextmanager
    def installed(server, root, *, contained):
        run.asked.append(server.package.requirement)
        result_of(server.spec)
        assert (root / "files").is_dir()
        assert contained
        yield
        run.removed.append(server.package.requirement)

    def list_tools(opened):
        (spec,) = opened.settings.tools
        result = result_of(spec)
        if isinstance(result, TargetFailure):
            return FoundTools((), (result,))
        return FoundTools((SimpleNamespace(name="do", report=result),))

    def run(*servers, words=()):
        Path("list").write_text("\n".join(servers))
        run.asked, run.removed = [], []
        return main(["check", "--fleet", "list", *words])

    run.given = {}
    monkeypatch.setattr(check_fleet, "installed", installed)
    monkeypatch.setattr(Run, "list_tools", list_tools)
    monkeypatch.setattr(Run, "examine_each", lambda _run, found: (tool.report for tool in found.tools))
    return run


A, B, C = "uvx a==1", "npx -y b@1.0.0", "uvx c==2"


def test_each_server_is_installed_examined_and_summarised(fleet, capsys):
    refusal = "the index has no such package: 404 - GET https://index.example:8443/@c/d - '/srv/env-1/lib' has no c/d"
    fleet.given = {B: broken(B), C: TargetError(refusal)}
    assert fleet(A, B, C) == 1
    assert (fleet.asked, fleet.removed) == (["a==1", "b@1.0.0", "c==2"], ["a==1", "b@1.0.0"])
    shown = capsys.readouterr()
    assert [line.split()[3] for line in shown.err.splitlines()] == ["conforming", "nonconforming", "not"]
    for line in (
        "| nonconforming | 1 | 1 |",
        "| EXC003 | 1 | 1 | 0 |",
        f"| `{A}` | conforming | 1 |  |  | ",
        f"| `{C}` | `not installed: the index has no such package: 404 - GET … - '…' has no c/d` |",
    ):
        assert line in shown.out


def test_the_rules_that_an_sdk_breaks_are_counted_beside_those_of_the_servers(fleet, capsys):
    sdk = {"MCP033": "mcp 1.30.0", "MCP031": "mcp 1.30.0"}
    fails = (verdict("MCP033", VerdictKind.FAIL), verdict("MCP031", VerdictKind.FAIL, Level.SHOULD))
    fleet.given = {A: entry(A, "nonconforming", kind="server", inherited=sdk, verdicts=fails)}
    assert fleet(A) == 0
    shown = capsys.readouterr().out
    assert f"| `{A}` | nonconforming by its SDK alone | 0 |  | MCP033 | " in shown
    assert "| MCP033 | 0 | 0 | 1 |" in shown


def test_a_fleet_without_findings_has_the_status_0_and_one_without_examinations_5(fleet):
    assert fleet(A, B) == 0
    fleet.given = {C: TargetFailure(f"mcp:{C}", "", "it ended")}
    assert fleet(C) == 5


def test_the_same_command_goes_on_with_what_was_not_examined_to_the_end(fleet, capsys):
    late = failed_target_report(f"mcp:{C}", "mcp", "", str(DeadlineError("not examined: late")))
    fleet.given = {A: broken(A), B: TargetError("no answer"), C: late}
    assert fleet(A, B, C) == 1
    assert fleet(A, B, C) == 1
    assert fleet.asked == ["b@1.0.0", "c==2"]
    assert capsys.readouterr().err.splitlines()[3].endswith("EXC003 (from the store)")
    fleet.given = {}
    assert fleet(A, B, C) == 1
    assert fleet(A, B, C) == 1
    assert fleet.asked == []


def test_a_report_that_is_damaged_or_of_another_server_is_not_taken(fleet, capsys):
    assert fleet(A, B) == 0
    a, b = sorted(Path(".aptix-fleet").glob("*/report.json"), key=lambda path: "python" not in str(path))
    a.write_text("{")
    b.write_text(b.read_text().replace("npx -y b@", "npx -y x@"))
    assert fleet(A, B) == 0
    assert fleet.asked == ["a==1", "b@1.0.0"]
    assert "the server is examined again" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--standard",), ("--seed", "3"), ("--budget", "9"), ("--timeout", "9")])
def test_results_of_other_options_are_never_mixed(fleet, capsys, words):
    assert fleet(A) == 0
    assert fleet(A, words=words) == 4
    assert "has results of other options or of another version" in capsys.readouterr().err
    assert fleet(A, words=[*words, "--store", "other"]) == 0


def test_a_deadline_and_the_number_of_jobs_change_no_result(fleet):
    assert fleet(A) == 0
    assert fleet(A, words=["--deadline", "90s", "--jobs", "1"]) == 0
    assert fleet.asked == []


def test_after_an_interrupt_the_summary_has_what_was_examined(fleet, capsys):
    fleet.given = {B: KeyboardInterrupt()}
    assert fleet(A, B, C) == 2
    shown = capsys.readouterr()
    assert "the same command goes on with the next server" in shown.err
    assert f"| `{A}` | conforming" in shown.out
    fleet.given = {}
    assert fleet(A, B, C) == 0
    assert fleet.asked == ["b@1.0.0", "c==2"]


def test_where_the_disk_is_almost_full_nothing_is_installed_and_one_line_says_so(fleet, capsys, monkeypatch):
    assert fleet(A) == 0
    monkeypatch.setattr(check_fleet.shutil, "disk_usage", lambda _path: FULL)
    capsys.readouterr()
    assert fleet(A, B, C) == 1
    assert fleet.asked == []
    shown = capsys.readouterr()
    assert f"| `{A}` | conforming" in shown.out
    (line,) = [line for line in shown.err.splitlines() if "free" in line]
    assert "less than 2 GiB are free in .aptix-fleet: free some space" in line


def test_a_server_that_another_command_examines_is_left_to_it(fleet, capsys):
    assert fleet(A, B) == 0
    (busy,) = Path(".aptix-fleet").glob("python-a*/.busy")
    with busy.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert fleet(A, B) == 1
    assert "1 of 2 servers are being examined by another command" in capsys.readouterr().err


def test_what_fails_in_the_examination_is_never_taken_for_the_lock_of_another_command(fleet, capsys):
    fleet.given = {A: BlockingIOError(11, "no process can be started")}
    assert fleet(A) == 3
    shown = capsys.readouterr().err
    assert "no process can be started" in shown
    assert "another command" not in shown


@pytest.mark.parametrize("error", [HostError("no worker"), BlockingIOError(11, "no process")])
def test_a_fault_with_one_server_does_not_end_the_fleet(fleet, capsys, monkeypatch, error):
    listed = Run.list_tools

    def list_tools(opened):
        if opened.settings.tools == (f"mcp:{A}",):
            raise error
        return listed(opened)

    monkeypatch.setattr(Run, "list_tools", list_tools)
    assert fleet(A, B) == 1
    shown = capsys.readouterr().out
    assert f"| `{B}` | conforming" in shown
    assert "| not started | 1 | 0 |" in shown


def test_results_with_other_extensions_are_never_mixed(fleet, monkeypatch):
    assert fleet(A) == 0
    monkeypatch.setattr(check_fleet, "named_extensions", lambda: ("more-rules",))
    assert fleet(A) == 4


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["my_tools.py"], "my_tools.py"),
        (["--report", "r.json"], "--report"),
        (["--cache", "c"], "--cache"),
        (["--shard", "1/2"], "--shard"),
        (["--engine", "dask://h:1"], "--engine"),
        (["--no-waivers"], "--no-waivers"),
    ],
)
def test_what_a_fleet_has_no_use_for_is_refused(fleet, capsys, words, named):
    assert fleet(A, words=words) == 4
    assert f"leave out {named}" in capsys.readouterr().err


def test_a_store_that_is_no_folder_is_refused(fleet, capsys):
    Path("file").write_text("")
    assert fleet(A, words=["--store", "file"]) == 4
    assert fleet(A, words=["--store", "s3://x/y"]) == 4
    lines = capsys.readouterr().err.splitlines()
    assert "the store file cannot be used" in lines[0]
    assert lines[1].endswith("the store of a fleet is a folder: name one by --store")


def test_the_project_of_a_server_names_its_command(fleet):
    assert fleet("uvx a==1 'ü \"q\" \x7f\\'") == 0
    (project,) = Path(".aptix-fleet").glob("*/project")
    with Run.open(project) as opened:
        (spec,) = opened.settings.tools
    assert spec == "mcp:uvx a==1 'ü \"q\" \x7f\\'"
    assert json.loads(Path(".aptix-fleet/fleet.json").read_text())["thoroughness"] == "quick"
