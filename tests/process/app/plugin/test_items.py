"""The items that a session adds: which are collected and chosen, how each ends, and what the status says of it."""

import re

import pytest
from tests.process.app.plugin.projects import RAISES

from aptix_conformance import Run
from aptix_conformance.app.plugin.session import Session

ARG002 = "aptix::agent_weather::ARG002-malformed-json-never-raises"


def test_without_the_option_nothing_happens(project):
    """The plugin is asleep: ordinary tests only."""
    project.pytester.makepyfile(test_mine="def test_mine(): pass")
    result = project.pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:asyncio")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*aptix conformance*")


def test_without_a_path_only_conformance_items_are_collected(project):
    """A CI step of its own."""
    project.pytester.makepyfile(test_mine="def test_mine(): assert False")
    result = project.run("--co", "-q")
    result.stdout.fnmatch_lines([ARG002])
    result.stdout.no_fnmatch_line("*test_mine*")


def test_with_a_path_both_kinds_run_together(project):
    """Beside ordinary tests in one run."""
    project.pytester.makepyfile(test_mine="def test_mine(): pass")
    result = project.run("-v", "test_mine.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["test_mine.py::test_mine PASSED*", "aptix::agent_weather::status PASSED*"])


def test_a_printed_id_pasted_back_selects_that_item(project):
    """An id is an argument."""
    project.run("-v", ARG002).assert_outcomes(passed=1)


def test_an_id_with_a_dot_is_printed_as_it_is(project):
    """Pytest would print its dots as "::"."""
    project.replace(name="weather.now")
    result = project.run("-v", "-k", "ARG002")
    result.stdout.fnmatch_lines(["aptix::weather.now::ARG002-malformed-json-never-raises PASSED*"])


def test_an_id_that_names_nothing_is_a_usage_error(project):
    """Not a green run of nothing."""
    result = project.run("aptix::agent_wether")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*not found: aptix::agent_wether*"])


def test_a_deselected_must_keeps_the_status_from_passing(project):
    """A deselected MUST makes the tool incomplete."""
    result = project.run("--deselect", ARG002)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*agent_weather is incomplete: 1 of its MUST rules*", "*ARG002: deselected*"]
    )


def test_allow_incomplete_relaxes_the_status(project):
    """For development."""
    result = project.run("--deselect", ARG002, "--aptix-allow-incomplete")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["no verdict    agent_weather *", "* rules selected: passed; *"])


def test_a_quick_run_that_found_nothing_fails_nothing_and_is_no_verdict(project):
    result = project.run("--aptix-thoroughness=quick", "-rs", "--aptix-report=report.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "incomplete (quick) agent_weather *",
            "note          the quick plan makes a part of the calls: it shows faults, and never that a tool conforms",
            "1 tool: 1 incomplete (quick)",
            "SKIPPED*agent_weather::status: agent_weather is incomplete*",
        ]
    )
    report = project.report()
    assert (report["suite"]["thoroughness"], report["suite"]["examples"]) == ("quick", 4)
    assert (report["tools"][0]["status"], report["tools"][0]["quick"]) == ("incomplete", True)


def test_what_a_quick_run_finds_fails_it(project):
    project.replace(broken={"ARG002": RAISES})
    assert project.run("--aptix-thoroughness=quick").ret == 1


def test_a_tool_that_a_quick_run_could_not_examine_fails_it(project):
    project.replace(error="no process could be started")
    assert project.run("--aptix-thoroughness=quick").ret == 1


def test_another_plan_than_the_standard_one_takes_no_number_of_examples(project):
    result = project.run("--aptix-thoroughness=quick", "--aptix-examples=5")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--aptix-examples changes the standard plan*leave one of the two options out*"]
    )


def test_no_tool_named_anywhere_is_an_error_that_lists_the_places(pytester):
    """Never a green run."""
    result = pytester.runpytest_inprocess("--aptix-conformance", "-p", "no:asyncio")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--aptix-tools*"])


def test_the_hook_names_targets(project):
    """pytest_aptix_tools in a conftest."""
    project.pytester.makepyprojecttoml("")
    project.conftest("def pytest_aptix_tools(config): return ['weather_tools:WeatherTool']")
    project.run("--co", "-q").stdout.fnmatch_lines(["aptix::agent_weather::status"])


def test_a_target_that_cannot_be_listed_fails_alone(project):
    """One clear failure; the other tool is still examined."""
    (project.path / "broken_tools.py").touch()
    result = project.run("--aptix-tools", "broken_tools", "--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*broken_tools was not examined*", "*broken_tools cannot be imported*"])
    statuses = {tool["tool"]: tool["status"] for tool in project.report()["tools"]}
    assert statuses == {"agent_weather": "conforming", "broken_tools": "incomplete"}
    assert [tool["source"]["file"] for tool in project.report()["tools"]] == [
        "weather_tools.py",
        "broken_tools.py",
    ]


def test_exit_first_stops_and_the_report_says_what_was_not_examined(project):
    """-x: nothing already found is lost, and what was not reached is incomplete."""
    project.replace(broken={"ARG002": RAISES})
    project.add("zoo_tools:ZooTool", "agent_zoo")
    result = project.run("-x", "--aptix-tools", "zoo_tools", "--aptix-report", "report.json")
    assert result.ret == 1
    report = project.report()
    assert {t["tool"]: t["status"] for t in report["tools"]} == {
        "agent_weather": "nonconforming",
        "agent_zoo": "incomplete",
    }
    assert report["suite"]["complete"] is False
    unreached = report["tools"][1]
    assert unreached["source"]["file"] == "zoo_tools.py"
    assert unreached["containment"] == report["tools"][0]["containment"] is not None


def test_a_tool_that_cannot_be_examined_any_more_fails_with_the_reason(project):
    """Each of its items, and the report has it."""
    project.replace(error="no process could be started")
    result = project.run("-k", "ARG002 or status", "--aptix-report=report.json")
    result.assert_outcomes(failed=2, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["*no process could be started*"])
    assert [tool["error"] for tool in project.report()["tools"]] == ["no process could be started"]


def test_last_failed_runs_the_failed_items_again(project):
    """--lf works on conformance items."""
    project.replace(broken={"ARG002": RAISES})
    first = project.run("-p", "cacheprovider")
    again = project.run("-p", "cacheprovider", "--lf")
    outcomes = again.parseoutcomes()
    assert outcomes["failed"] == first.parseoutcomes()["failed"] == 2
    assert "passed" not in outcomes


def test_what_k_chooses_and_leaves_out_adds_up_to_what_was_collected(project):
    result = project.run("-k", "SCH001 or SCH002")
    result.stdout.re_match_lines([r"collected \d+ items / \d+ deselected / 2 selected"])
    result.assert_outcomes(passed=2, deselected=result.parseoutcomes()["deselected"])


def test_collecting_only_counts_every_item(project):
    result = project.run("--co", "-q")
    ids = [line for line in result.outlines if line.startswith("aptix::")]
    result.stdout.fnmatch_lines([f"{len(ids)} tests collected*"])


def test_rs_names_an_inconclusive_rule_with_its_reason(project):
    project.replace(unseen={"EXC001": "no call was made: destructive"})
    result = project.run("-rs", "-k", "EXC001")
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1] aptix::agent_weather::EXC001-valid-calls-never-raise: inconclusive: *destructive*"]
    )


def probes_of(result):
    """The steps that `--durations` names, sorted."""
    found = re.findall(r"^ *[\d.]+s (\w+) +aptix::agent_weather \(", result.stdout.str(), re.MULTILINE)
    return sorted(found)


def test_a_chosen_rule_runs_only_the_probes_that_it_needs_and_durations_names_them(project):
    result = project.run("-k", "ARG003 or SCH001", "--durations=0", "-vv")
    assert probes_of(result) == ["declaration", "malformed", "valid"]
    result.assert_outcomes(passed=2, deselected=result.parseoutcomes()["deselected"])


def test_a_single_id_runs_only_the_probes_that_its_rule_needs(project):
    chosen = "aptix::agent_weather::ARG003-text-that-is-not-json-is-refused"
    result = project.run(chosen, "--durations=0", "-vv")
    assert probes_of(result) == ["declaration", "malformed", "valid"]
    result.assert_outcomes(passed=1)


def test_the_last_failed_rules_run_only_the_probes_that_they_need(project):
    project.replace(broken={"SCH009": {"message": "An argument has no description."}})
    cached = ["-p", "cacheprovider"]
    first = project.run(*cached, "-k", "SCH009 or ARG003")
    first.assert_outcomes(failed=1, passed=1, deselected=first.parseoutcomes()["deselected"])
    again = project.run(*cached, "--lf", "--durations=0", "-vv")
    again.assert_outcomes(failed=1, deselected=again.parseoutcomes()["deselected"])
    assert "malformed" not in probes_of(again)
    assert "declaration" in probes_of(again)


def test_a_broken_should_is_advice_unless_the_level_says_otherwise(project):
    """Advice passes and is listed; --aptix-level should makes it fail."""
    project.replace(broken={"REG004": {"message": "The name is not in snake_case."}})
    lenient = project.run()
    assert lenient.ret == 0
    lenient.stdout.fnmatch_lines(["advice        agent_weather: REG*snake*"])
    assert project.run("--aptix-level", "should").ret == 1


def test_a_choice_that_leaves_out_all_says_why_a_target_could_not_be_examined(project):
    """The tool that was meant has no name yet, so that -k does not find it."""
    result = project.run("--aptix-tools", "broken_tools", "-k", "agent_notes")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["note *broken_tools was not selected*examined: *cannot be imported"])
    chosen = project.run("--aptix-tools", "broken_tools", "-k", "agent_weather and ARG002")
    assert "was not selected" not in str(chosen.stdout)


@pytest.mark.parametrize("is_short", [True, False])
def test_a_run_that_waited_for_processors_says_so_once(project, monkeypatch, is_short):
    """Beside a build, it takes longer."""
    monkeypatch.setattr(Run, "is_short_of_processors", is_short)
    result = project.run("-k", "ARG002")
    assert str(result.stdout).count("less than half of the processor time") == is_short


def test_a_tool_whose_result_is_gone_from_the_cache_fails_by_each_rule_of_the_gate(project, monkeypatch):
    """At collection its result was there, so that it is one item; then it is examined, and has another result."""
    monkeypatch.setattr(Session, "_is_one_item", lambda *_: True)
    project.replace(broken={"REG004": {"message": "The name is not in snake_case."}})
    result = project.run("--aptix-level", "should")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*The name is not in snake_case.*"])
    project.run().assert_outcomes(skipped=1)  # for want of a lock
