"""`aptix-conformance check`: what it shows, writes and says by its exit status, with examinations in memory."""

import json
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.verdicts import finding

from aptix_conformance import Run
from aptix_conformance.app.cli import main
from aptix_conformance.app.commands.wiring import make_parser
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    CacheReport,
    HarnessErrorReport,
    UnreachedReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, Obstacle, VerdictKind
from aptix_conformance.examine import FoundTools
from aptix_conformance.present.reports import failed_target_report
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets import TargetFailure

RULES = all_rules()


def tool(entry):
    """The part of a tool that the command looks at."""
    return SimpleNamespace(
        name=getattr(entry, "tool", "interrupted"),
        suite=SimpleNamespace(rules=RULES),
        declaration=SimpleNamespace(kind=getattr(entry, "kind", "tool")),
    )


def entry(name, status):
    return replace(
        failed_target_report(f"mcp:@mcp.json:{name}", "mcp", "", ""), tool=name, status=status, error=""
    )


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Runs the command on a file with two servers; the examination gives some entries, and raises some."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aptix_conformance.app.run.reports.revision_of", lambda _root: None)
    servers = {"notes": {"command": "notes"}, "clock": {"command": "clock"}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def run(*words, entries=(), failures=(), disabled=None):
        if disabled is not None:
            servers["clock"]["disabled"] = disabled
            (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

        def examine_each(_run, found, _watching):
            names = [each.name for each in found.tools]
            for each in sorted(entries, key=lambda entry: names.index(tool(entry).name)):
                if isinstance(each, BaseException):
                    raise each
                yield each

        def find(_run, *specs):
            asked.extend(specs)
            return FoundTools(tuple(map(tool, entries)), tuple(failures), ())

        monkeypatch.setattr(Run, "find", find)
        monkeypatch.setattr(Run, "examine_each", examine_each)
        return main(["check", "mcp.json", *([] if "--quick" in words else ["--standard"]), *words])

    asked = run.asked = []
    return run


def test_where_all_conforms_the_status_is_0_and_each_entry_has_a_line(check, capsys):
    assert check(entries=[entry("notes", "conforming"), entry("clock", "conforming-with-waivers")]) == 0
    assert check.asked == ["mcp:@mcp.json:notes", "mcp:@mcp.json:clock"]
    shown = capsys.readouterr()
    assert "2 tools: 1 conforming, 1 conforming-with-waivers" in shown.out
    assert [line.split()[-1] for line in shown.err.splitlines()] == ["notes", "clock"]
    last = [line.split()[0] for line in shown.out.splitlines()[-3:]]
    assert last == ["broken", "not", "next"]


def test_tools_are_examined_before_servers(check, capsys):
    server = replace(entry("notes", "conforming"), kind="server")
    assert check(entries=[server, entry("clock", "conforming")]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().err.splitlines()] == ["clock", "notes"]


@pytest.mark.parametrize("plan", [(), ("--quick",)])
def test_where_results_differ_from_those_of_the_cache_the_cause_is_next(check, capsys, plan):
    differs = CacheReport("differs", "2026-01-01T00:00:00+00:00", ("the status was incomplete",))
    assert check(*plan, entries=[replace(entry("notes", "conforming"), cache=differs)]) == 1
    (last,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("next"))
    assert "docs/cache.md" in last
    assert "what the tool depends on besides its files" in last


@pytest.mark.parametrize("status", ["nonconforming", "incomplete"])
def test_one_entry_that_does_not_conform_makes_the_status_1(check, status):
    assert check(entries=[entry("notes", "conforming"), entry("clock", status)]) == 1


@pytest.mark.parametrize(("was_examined", "status"), [(True, 0), (False, 1)])
def test_what_a_quick_plan_leaves_open_does_not_make_the_status_1(check, capsys, was_examined, status):
    """Nothing was found; that a server could not be examined is no such thing."""
    left = replace(entry("notes", "incomplete"), quick=was_examined)
    assert check("--quick", "--report=report.json", entries=[left, entry("clock", "conforming")]) == status
    assert ("it shows faults, and never that a tool conforms" in capsys.readouterr().out) is was_examined
    assert json.loads(Path("report.json").read_text())["suite"]["thoroughness"] == "quick"


def test_an_error_of_the_suite_makes_the_status_3_also_with_a_quick_plan(check):
    error = HarnessErrorReport("making verdicts", "KeyError", "", ())
    left = replace(entry("notes", "incomplete"), quick=True, harness_errors=(error,))
    assert check("--quick", entries=[left]) == 3


def test_a_quick_plan_has_no_number_of_examples(check, capsys):
    with pytest.raises(SystemExit, match="4"):
        check("--quick", "--examples", "7")
    assert "not allowed with argument --quick" in capsys.readouterr().err


@pytest.mark.parametrize(("inherited", "status"), [({"MCP033": "mcp 1.30.0"}, 0), ({}, 1)])
def test_what_only_the_sdk_breaks_is_not_held_against_a_server(check, inherited, status):
    broken = VerdictReport("MCP033", "name", Level.MUST, (), VerdictKind.FAIL, 1, "", None)
    server = replace(entry("notes", "nonconforming"), kind="server", inherited=inherited, verdicts=(broken,))
    assert check(entries=[server]) == status


def test_the_last_lines_say_that_only_the_sdk_breaks_something(check, capsys):
    verdicts = (broken("MCP033", "Silent."),)
    inherited = {"MCP033": "mcp 1.30.0"}
    server = replace(
        entry("notes", "nonconforming"), kind="server", inherited=inherited, verdicts=verdicts, quick=True
    )
    check("--quick", entries=[server])
    shown = capsys.readouterr().out
    assert "broken        nothing but what the SDK breaks; the quick plan gives no verdict" in shown
    assert "MCP033 some-name" not in shown


def test_a_tool_that_never_worked_has_the_lines_to_paste_and_is_not_sent_to_another_plan(check, capsys):
    why = UnreachedReport("It refused every call.", "", "Give a call that works.", "examples = [{}]")
    left = replace(entry("notes", "incomplete"), quick=True, unreached=why)
    check("--quick", entries=[left])
    shown = capsys.readouterr().out
    assert "    examples = [{}]\n" in shown
    assert "not examined  notes: no call succeeded" in shown
    assert "next          fix what the notes above name, and run the command again" in shown


def broken(rule, reason):
    return VerdictReport(rule, "some-name", Level.MUST, (), VerdictKind.FAIL, 1, reason, None)


def test_each_broken_rule_is_shown_with_what_was_seen(check, capsys):
    tool = replace(
        entry("notes", "nonconforming"), verdicts=(broken("EXC002", "The call did not come back."),)
    )
    of_sdk = {
        "kind": "server",
        "inherited": {"MCP033": "mcp 1.30.0"},
        "verdicts": (broken("MCP033", "Silent."),),
    }
    check(entries=[tool, replace(entry("clock", "nonconforming"), **of_sdk)])
    shown = capsys.readouterr()
    assert [line for line in shown.out.splitlines() if line.startswith("finding")] == [
        "finding       notes: EXC002 some-name: The call did not come back.",
    ]
    assert "nonconforming by its SDK alone clock: MCP033" in shown.err


def test_of_many_broken_rules_some_are_shown_and_all_if_asked_for(check, capsys):
    entries = [
        replace(entry("notes", "nonconforming"), verdicts=[broken(f"EXC0{n}", "Odd.") for n in range(10, 35)])
    ]
    check(entries=entries)
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("finding")]
    assert (len(shown), shown[20]) == (21, "finding       and 5 more: --advice shows all")
    check("--advice", entries=entries)
    assert sum(line.startswith("finding") for line in capsys.readouterr().out.splitlines()) == 25


def test_a_server_that_cannot_be_read_is_a_line_with_the_reason_and_the_others_are_examined(check, capsys):
    said = "mcp:@mcp.json:clock: there is no program clock"
    gone = TargetFailure("mcp:@mcp.json:clock", "the command line", said)
    assert check(entries=[entry("notes", "conforming")], failures=[gone]) == 1
    shown = capsys.readouterr()
    assert said in shown.err
    assert f"clock: {said}" not in shown.err
    assert "1 tool: 1 conforming; 1 server: 1 incomplete" in shown.out


def test_a_tool_of_a_server_that_cannot_be_read_is_counted_as_a_tool(check, capsys):
    gone = TargetFailure("mcp:@mcp.json:clock#now", "the command line", "there is no tool now")
    assert check(entries=[entry("notes", "conforming")], failures=[gone]) == 1
    assert "2 tools: 1 conforming, 1 incomplete" in capsys.readouterr().out


def test_an_interrupted_check_writes_and_shows_what_it_knew(check, capsys, tmp_path):
    entries = [entry("notes", "conforming"), KeyboardInterrupt()]
    assert check("--report", "report.json", entries=entries) == 2
    report = json.loads((tmp_path / "report.json").read_text())
    assert [tool["tool"] for tool in report["tools"]] == ["notes"]
    assert report["suite"]["complete"] is False
    shown = capsys.readouterr().out
    assert "interrupted from the keyboard" in shown
    assert "broken        nothing until the run was ended, which is no verdict" in shown
    assert "not examined  interrupted\n" in shown


def test_one_server_of_the_file_can_be_chosen(check):
    assert check("--server", "clock", entries=[entry("clock", "conforming")]) == 0
    assert check.asked == ["mcp:@mcp.json:clock"]


def test_a_server_that_the_file_disables_is_a_line_and_no_success(check, capsys, tmp_path):
    """Several clients start such a server all the same."""
    notes = entry("notes", "conforming")
    assert check("--report", "report.json", entries=[notes], disabled=True) == 1
    assert check.asked == ["mcp:@mcp.json:notes"]
    said = "clock is disabled in mcp.json: not examined; to examine it, add --server clock"
    shown = capsys.readouterr()
    assert f"incomplete    mcp:@mcp.json:clock: {said}" in shown.err
    assert "1 tool: 1 conforming; 1 server: 1 incomplete" in shown.out
    assert [tool.get("error") for tool in json.loads((tmp_path / "report.json").read_text())["tools"]] == [
        said,
        "",
    ]


def test_a_file_that_disables_all_of_its_servers_is_no_success(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aptix_conformance.app.run.reports.revision_of", lambda _root: None)
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"clock": {"command": "clock", "disabled": true}}}')
    assert main(["check", "mcp.json"]) == 5
    (line,) = capsys.readouterr().err.splitlines()
    assert "clock is disabled in mcp.json: not examined" in line


def test_a_disabled_server_that_is_named_is_examined(check):
    assert check("--server", "clock", entries=[entry("clock", "conforming")], disabled=True) == 0
    assert check.asked == ["mcp:@mcp.json:clock"]


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ('{"mcpServers": {}}', [], "mcp.json: names no server"),
        ('{"tools": {}}', [], "has no object `mcpServers`"),
        ('{"server": {}}', [], "unknown key 'server'; did you mean `servers`"),
        ("[" * 100_000, [], "mcp.json: is not readable JSON: too deep"),
        (None, ["--server", "nope"], "no target names a server nope; they name: notes, clock"),
        (None, ["--report", "mcp.json/report.json"], "mcp.json/report.json"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_read(check, capsys, tmp_path, text, words, said):
    if text is not None:
        (tmp_path / "mcp.json").write_text(text)
    assert check(*words) == 4
    shown = capsys.readouterr()
    assert (shown.out, check.asked, shown.err.count("\n")) == ("", [], 1)
    assert said in shown.err


def test_the_first_finding_is_shown_whole_and_the_last_lines_say_what_is_next(check, capsys):
    entries = [replace(entry("notes", "nonconforming"), verdicts=(broken("EXC002", "It ended."),))]
    assert check("--report", "report.json", entries=entries) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "notes breaks EXC002 some-name (MUST: suite)" in lines
    assert any(line.startswith("  the fix ") for line in lines)
    assert lines[-3:-1] == [
        "broken        1 MUST rule, in 1 of 1 tool: notes EXC002",
        "not examined  nothing",
    ]
    assert "explain EXC002" in lines[-1]
    assert "replay report.json#notes/EXC002" in lines[-1]


def test_a_breach_that_the_quick_plan_did_not_repeat_is_named_and_fails_the_run(check, capsys):
    seen = replace(
        broken("EXC002", "seen once"),
        verdict=VerdictKind.INCONCLUSIVE,
        obstacle=Obstacle.NOT_REPRODUCED,
        finding=finding("It did not come back.", reproduced=False, attempts=1),
    )
    slow = replace(entry("slow", "incomplete"), quick=True, verdicts=(seen,))
    assert check("--quick", entries=[slow]) == 1
    *_, found, _, _ = capsys.readouterr().out.splitlines()
    assert found.endswith("nothing is proved; seen once, and not repeated by the quick plan: slow EXC002")
    proved = replace(broken("EXC003", "It shows a stack."), level=Level.MUST)
    both = replace(slow, status="nonconforming", verdicts=(proved, seen))
    assert check("--quick", entries=[both]) == 1
    *_, found, _, _ = capsys.readouterr().out.splitlines()
    assert found.endswith("slow EXC003; seen once, and not repeated by the quick plan: slow EXC002")
    seen = replace(seen, finding=replace(seen.finding, attempts=2), further=(seen.finding,))
    assert check("--quick", entries=[replace(slow, verdicts=(seen,))]) == 1, "the second of two findings"


def test_a_rule_counts_once_in_the_last_lines_as_in_the_tables(check, capsys):
    found = broken("EXC002", "It ended.")
    left = replace(broken("EXC003", ""), verdict=VerdictKind.INCONCLUSIVE)
    notes = replace(entry("notes", "nonconforming"), verdicts=(found, left))
    server = replace(entry("notes", "nonconforming"), kind="server", verdicts=(found, left))
    check(entries=[notes, server, entry("fine", "conforming")])
    shown = capsys.readouterr().out
    assert "1 MUST rule was not examined for some tool" in shown
    *_, found, left, _ = shown.splitlines()
    assert found.startswith("broken        1 MUST rule, in 2 of 3 tools and servers: ")
    assert left.startswith("not examined  1 MUST rule, in 2 of 3 tools and servers, ")


def test_the_next_command_keeps_every_option_but_the_plan(check, capsys):
    words = ["--timeout=20", "--seed=7", "--deadline=10m", "--no-waivers", "--server=notes", "--server=clock"]
    left = replace(entry("notes", "incomplete"), quick=True)
    check("--quick", *words, "--report=html=a b.html", entries=[left])
    *_, last = capsys.readouterr().out.splitlines()
    _, _, typed = last.partition(" check ")
    again = make_parser().parse_args(["check", *shlex.split(typed)])
    given = make_parser().parse_args(["check", "mcp.json", "--standard", *words, "--report=html=a b.html"])
    assert vars(again) == vars(given)


def test_junit_has_the_findings_as_failures(check, tmp_path):
    bad = replace(entry("notes", "nonconforming"), verdicts=(broken("EXC002", "It \x1b[31mended."),))
    check("--report", "junit=junit.xml", entries=[bad, entry("clock", "conforming")])
    cases = ET.parse(tmp_path / "junit.xml").getroot().iter("testcase")
    failed = {(case.get("classname"), case.get("name")): case.find("failure") is not None for case in cases}
    assert failed == {
        ("aptix.notes", "EXC002-some-name"): True,
        ("aptix.notes", "status"): True,
        ("aptix.clock", "status"): False,
    }


def test_a_target_that_the_project_configures_is_examined_with_the_standard_plan(
    tmp_path, monkeypatch, capsys
):
    plans = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        Run, "find", lambda run, *_: plans.append(run.options.thoroughness) or FoundTools((), (), ())
    )
    monkeypatch.setattr("aptix_conformance.app.run.reports.revision_of", lambda _root: None)
    for name in ("mine", "other"):
        (tmp_path / f"{name}.py").write_text("")
    (tmp_path / "pyproject.toml").write_text('[tool.aptix-conformance]\ntools = ["mine"]\n')
    main(["check", "mine.py"])
    main(["check", "mine"])
    main(["check", "other"])
    assert plans == ["standard", "standard", "quick"]
    assert capsys.readouterr().out.count("plan          quick") == 1


@pytest.mark.parametrize(
    ("words", "tools", "said"),
    [
        (["a/mine.py", "b/mine.py"], "[]", "mine is a module in "),
        (["a/mine.py"], '["mine:WeatherTool"]', "pyproject.toml is about a module mine"),
    ],
)
def test_a_file_is_not_examined_under_the_name_of_another(tmp_path, monkeypatch, capsys, words, tools, said):
    """Its verdict would be that one's, and what the project grants to that one would be its own."""
    monkeypatch.chdir(tmp_path)
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text("")
    (tmp_path / "pyproject.toml").write_text(f"[tool.aptix-conformance]\ntools = {tools}\n")
    assert main(["check", *words]) == 4
    assert said in capsys.readouterr().err
